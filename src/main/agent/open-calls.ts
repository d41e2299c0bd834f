import { MAYBE_BEGAN, NEVER_BEGAN, withOutcome } from '@shared/policy/call-outcome';
import { MAX_COMMAND_BYTES } from '@shared/limits';
import { isRecord } from '@shared/own';
import type { AssistantMessage, EntryDraft, ToolCallBlock } from '@shared/session/entry';
import { isFailedReply } from '@shared/session/facts';
import { callsOf } from '@shared/session/sanitizer';
import type { SessionTree } from '@shared/session/tree';
import type { TreeNode } from '@shared/session/tree-node';
import { EDITED_TYPE } from '@shared/session/drafts';
import { onOneLine, withEdit, type EditedCommand } from '../approvals/edited-command';
import type { SessionLog } from '../ports';

/** A call of the newest reply that has no result. */
export interface OpenCall {
  call: Pick<ToolCallBlock, 'id' | 'name'>;
  /** It can't have begun: nothing was done. False: nobody knows. */
  neverBegan: boolean;
  /** What the person had made of its command, and the entry that says so; null: nothing. */
  edit: (EditedCommand & { entryId: string }) | null;
}

/**
 * The calls that a run left without a result, where nothing came after them on the active path (AG11). Reads one body at most.
 * @param firstUnbegun the call of a reply from which on this computer knows that none has begun
 */
export async function openCalls(
  log: SessionLog,
  firstUnbegun: (replyId: string) => string | null = () => null,
): Promise<OpenCall[]> {
  const { tree } = log;
  const { reply, answered } = newestReply(tree);
  const ids = reply?.facts.calls ?? [];
  if (!reply || !ids.some((id) => !answered.has(id))) return [];
  const { answers, edits } = belowReply(reply);
  // They ran on another branch: what came of them stands there.
  if ([...answers].some((id) => !answered.has(id))) return [];
  const [entry] = await log.loadBodies([reply.id]);
  if (!entry || !('message' in entry)) return [];
  const message = entry.message as AssistantMessage;
  const calls = callsOf(message);
  const from = firstUnbegun(reply.id);
  const unbegun = from === null ? -1 : calls.map(({ id }) => id).lastIndexOf(from);
  return calls.flatMap(({ id, name, arguments: args }, at): OpenCall[] => {
    if (answered.has(id)) return [];
    const edit = edits.get(id);
    const asked = isRecord(args) && typeof args.command === 'string' ? args.command : '';
    return [{ call: { id, name }, neverBegan: unbegun >= 0 && at >= unbegun, edit: edit ? { asked, ...edit } : null }];
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
  return edit
    ? `${MAYBE_BEGAN}\n[The person changed the command. If it ran, it was this: ${onOneLine(edit.ran)}]`
    : MAYBE_BEGAN;
}

/** The entry of the newest reply of the active path; null where something else was said since. O(entries behind it). */
export function newestReplyId(tree: SessionTree): string | null {
  return newestReply(tree).reply?.id ?? null;
}

/** The reply at the end of the active path and the calls that its results answer; null where something else was said since. */
function newestReply(tree: SessionTree): { reply: TreeNode | null; answered: ReadonlySet<string> } {
  const answered = new Set<string>();
  let node = tree.leafId === null ? null : (tree.node(tree.leafId) ?? null);
  for (; node; node = node.parent) {
    const { visible, answers, role, reply } = node.facts;
    if (answers !== undefined) answered.add(answers);
    else if (node.facts.type === 'reset_boundary' || node.facts.type === 'compaction') break;
    else if (visible)
      return { reply: role === 'assistant' && !(reply && isFailedReply(reply)) ? node : null, answered };
  }
  return { reply: null, answered };
}

interface Below {
  /** Calls that results answer, on any branch. */
  answers: Set<string>;
  /** What the person made of commands, by call (SF11). */
  edits: Map<string, { ran: string; entryId: string }>;
}

/** What stands below a reply before anything else is said. O(it). */
function belowReply(reply: TreeNode): Below {
  const below: Below = { answers: new Set(), edits: new Map() };
  const left = [...reply.children];
  for (let node = left.pop(); node; node = left.pop()) {
    const { answers, visible, customType } = node.facts;
    if (customType === EDITED_TYPE) noteEdit(below.edits, node);
    if (answers !== undefined) below.answers.add(answers);
    if (answers !== undefined || !visible) for (const child of node.children) left.push(child);
  }
  return below;
}

function noteEdit(edits: Below['edits'], { id, body }: TreeNode): void {
  const data = (body as { data?: unknown } | null)?.data;
  const { callId, command } = (data ?? {}) as { callId?: unknown; command?: unknown };
  // No command that is longer was ever run.
  if (typeof callId !== 'string' || typeof command !== 'string' || command.length > MAX_COMMAND_BYTES) return;
  if (!edits.has(callId)) edits.set(callId, { ran: command, entryId: id });
}
