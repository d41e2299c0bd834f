import { shownCallId } from '@shared/beginning';
import type { Failure } from '@shared/types';
import type { ToolResultMessage } from '@shared/session/entry';
import { isFailedReply } from '@shared/session/facts';
import type { SessionTree } from '@shared/session/tree';
import type { TreeNode } from '@shared/session/tree-node';
import { storedFailure } from '../agent/failure-cards';
import { CONTINUE_TYPE } from '../agent/run-scope';
import { openCalls } from '../agent/open-calls';
import type { SessionLog } from '../ports';

export type TurnEnd = 'none' | 'finished' | 'failed' | 'stopped' | 'unanswered';

/**
 * How the newest turn of the active path ended, judged by its last message. `unanswered` without a run is a turn that a
 * crash or a quit cut off: a question without a reply, tool results that nobody read, or calls that never ran. They are
 * shown and can be continued; the calls are never run again (CX10).
 */
export function turnEnd(tree: SessionTree): TurnEnd {
  const node = lastMessage(tree);
  if (!node) return 'none';
  const { facts } = node;
  if (facts.role === 'user' || facts.role === 'toolResult') return 'unanswered';
  if (facts.role !== 'assistant') return facts.customType === CONTINUE_TYPE ? 'unanswered' : 'finished';
  if (facts.reply && isFailedReply(facts.reply)) return facts.reply.stopReason === 'aborted' ? 'stopped' : 'failed';
  return facts.calls ? 'unanswered' : 'finished';
}

/** A turn that can be gone on with. */
export function isOpenTurn(end: TurnEnd): boolean {
  return end === 'unanswered' || end === 'failed' || end === 'stopped';
}

export interface LeftTurn {
  interrupted: boolean;
  /** Calls of it that can't have begun, as the window knows their ids (AG11). */
  neverBegan: string[];
  /** By open call: the entry of what the person made of its command. */
  edits: Record<string, string>;
  hasOpenCalls: boolean;
  failure: Failure | null;
}

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
    ...{ edits: Object.fromEntries(edits), hasOpenCalls: open.length > 0 },
  };
}

type Stored = Partial<Pick<ToolResultMessage, 'espalier'>> & { role?: string; errorMessage?: string };

const NOTHING_LEFT: LeftTurn = { interrupted: false, neverBegan: [], edits: {}, hasOpenCalls: false, failure: null };

/** What a compaction kept stands before it in the file and after its summary in the context. */
function keepsNothing({ facts, body }: TreeNode): boolean {
  return facts.type === 'compaction' && typeof (body as { firstKeptEntryId?: unknown }).firstKeptEntryId !== 'string';
}

/** The newest entry of the active path that yields a message, or null. O(entries behind it). */
export function lastMessage(tree: SessionTree): TreeNode | null {
  let node = tree.leafId === null ? null : (tree.node(tree.leafId) ?? null);
  while (node && !node.facts.visible) {
    if (node.facts.type === 'reset_boundary' || keepsNothing(node)) return null;
    node = node.parent;
  }
  return node;
}
