import { storedFailure } from '../../agent/failure-cards';
import type { SessionLog } from '../../ports';
import { isRecord } from '@shared/checks';
import { fromFirstUnbegun } from '@shared/compaction/call-results';
import { shownCallId } from '@shared/cut-text';
import { type EditedCommand, tellsPerhapsEdited, withEdit } from '@shared/edited-command';
import { MAYBE_BEGAN, NEVER_BEGAN, withOutcome } from '@shared/policy/call-outcome';
import { callsOf } from '@shared/session/messages/sanitizer';
import type { AssistantMessage, EntryDraft, ToolCallBlock, ToolResultMessage } from '@shared/session/records/entry';
import type { TreeNode } from '@shared/session/records/tree-node';
import { belowReply, replyAbove } from '@shared/session/messages/below-reply';
import type { SessionTree } from '@shared/session/tree/tree';
import { lastMessage, turnEnd } from '@shared/session/tree/turn-end';
import type { Failure } from '@shared/types';

/** A call without a result, of the reply that a point of the tree follows. */
interface OpenCall {
  call: Pick<ToolCallBlock, 'id' | 'name'>;
  /** It can't have begun: nothing was done. False: nobody knows. */
  neverBegan: boolean;
  /** What the person had made of its command, and the entry that says so; null: nothing. */
  edit: (EditedCommand & { entryId: string }) | null;
}

/**
 * The calls that a run left without a result, where nothing came after them on the path to a point (AG11). Reads one body at most.
 * @param firstUnbegun the call of a reply from which on this computer knows that none has begun
 * @param leafId that point; null: before the first entry
 */
export async function openCalls(
  log: SessionLog,
  firstUnbegun: (replyId: string) => string | null = () => null,
  leafId: string | null = log.tree.leafId,
): Promise<OpenCall[]> {
  const { reply, answered } = replyAbove(nodeOf(log.tree, leafId));
  const ids = reply?.facts.calls ?? [];
  if (!reply || !ids.some((id) => !answered.has(id))) return [];
  const { answers, edits } = belowReply(reply);
  // They ran on another branch: what came of them stands there.
  if ([...answers.keys()].some((id) => !answered.has(id))) return [];
  const [entry] = await log.loadBodies([reply.id]);
  if (!entry || !('message' in entry)) return [];
  const message = entry.message as AssistantMessage;
  const calls = callsOf(message);
  const unbegun = fromFirstUnbegun(ids, firstUnbegun(reply.id));
  return calls.flatMap(({ id, name, arguments: args }): OpenCall[] => {
    if (answered.has(id)) return [];
    const edit = edits.get(id);
    const asked = isRecord(args) && typeof args.command === 'string' ? args.command : '';
    const changed = edit ? { asked, ran: edit.ran, entryId: edit.node.id } : null;
    return [{ call: { id, name }, neverBegan: unbegun.has(id), edit: changed }];
  });
}

/** What the model is told of them, to be stored: from then on it is what became of them, wherever they are shown. */
export function resultsOf(open: readonly OpenCall[], now: number): EntryDraft[] {
  return open.map(({ call: { id, name }, neverBegan, edit }) => ({
    type: 'message',
    message: {
      role: 'toolResult',
      toolCallId: id,
      toolName: name,
      content: [{ type: 'text', text: neverBegan ? NEVER_BEGAN : maybeBegan(edit) }],
      details: withOutcome(edit ? withEdit(edit) : undefined, neverBegan ? 'notRun' : 'interrupted'),
      isError: true,
      timestamp: now,
    },
  }));
}

function maybeBegan(edit: OpenCall['edit']): string {
  return edit ? `${MAYBE_BEGAN}\n${tellsPerhapsEdited(edit.ran)}` : MAYBE_BEGAN;
}

/** The entry of the newest reply of the active path; null where something else was said since. O(entries behind it). */
export function newestReplyId(tree: SessionTree): string | null {
  return replyAbove(nodeOf(tree, tree.leafId)).reply?.id ?? null;
}

function nodeOf(tree: SessionTree, id: string | null): TreeNode | null {
  return id === null ? null : (tree.node(id) ?? null);
}

interface LeftTurn {
  interrupted: boolean;
  /** Calls of it that can't have begun, as the window knows their ids (AG11). */
  neverBegan: string[];
  /** By open call: the entry of what the person made of its command. */
  edits: Record<string, string>;
  /** Calls of it have no result, or nothing was ever said after it: whoever comes back to it is told. */
  isOpen: boolean;
  failure: Failure | null;
}

const isLast = (node: TreeNode | null): boolean => node?.children.every(({ facts }) => facts.side) === true;

/**
 * How a session that is reopened left its newest turn. One that a crash or a quit cut off is shown as interrupted; its tools are
 * never run again. One that the person had stopped is not: what came of its last call says so. Reads two bodies at most.
 */
export async function readTurnEnd(
  log: SessionLog,
  firstUnbegun?: (replyId: string) => string | null,
): Promise<LeftTurn> {
  const end = turnEnd(log.tree);
  if (end === 'none' || end === 'finished' || end === 'stopped') return NOTHING_LEFT;
  const node = lastMessage(log.tree);
  const [entry] = node ? await log.loadBodies([node.id]) : [];
  const message = entry && 'message' in entry ? (entry.message as Stored) : {};
  if (end === 'failed') return { ...NOTHING_LEFT, failure: storedFailure(message.errorMessage) };
  if (message.role === 'toolResult' && message.espalier?.stopped === true) return NOTHING_LEFT;
  const open = await openCalls(log, firstUnbegun);
  const neverBegan = open.filter((each) => each.neverBegan).map(({ call }) => shownCallId(call.id));
  const edits = open.flatMap(({ call, edit }) => (edit ? [[shownCallId(call.id), edit.entryId] as const] : []));
  return {
    ...{ interrupted: true, neverBegan, failure: null },
    ...{ edits: Object.fromEntries(edits), isOpen: open.length > 0 || isLast(node) },
  };
}

type Stored = Partial<Pick<ToolResultMessage, 'espalier'>> & { role?: string; errorMessage?: string };

const NOTHING_LEFT: LeftTurn = { interrupted: false, neverBegan: [], edits: {}, isOpen: false, failure: null };
