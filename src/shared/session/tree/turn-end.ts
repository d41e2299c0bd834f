import type { TurnEnd } from '../../types';
import { type EntryFacts, isFailedReply } from '../records/facts';
import type { TreeNode } from '../records/tree-node';
import type { SessionTree } from './tree';

/** How the newest turn of a path ended, judged by its last message. Pure. */

/** The message that goes on after a cut-off reply (SF12, TG20). */
export const CONTINUE_TYPE = 'espalier.continue';
/** The notes of a folder, behind the first result from there (EX21). */
export const GUIDANCE_TYPE = 'espalier.guidance';
const OPEN_TYPES = new Set<string | undefined>([CONTINUE_TYPE, GUIDANCE_TYPE]);

/**
 * How the newest turn of the active path ended, judged by its last message. `unanswered` without a run is a turn that a
 * crash or a quit cut off: a question without a reply, tool results that nobody read, or calls that never ran. They are
 * shown and can be continued; the calls are never run again (CX10).
 */
export function turnEnd(tree: SessionTree): TurnEnd {
  const node = lastMessage(tree);
  return node ? endAt(node.facts) : 'none';
}

/** How a turn ended whose last message has these facts. */
function endAt(facts: EntryFacts): TurnEnd {
  if (facts.role === 'user' || facts.role === 'toolResult') return 'unanswered';
  if (facts.role !== 'assistant') return OPEN_TYPES.has(facts.customType) ? 'unanswered' : 'finished';
  if (facts.reply && isFailedReply(facts.reply)) return facts.reply.stopReason === 'aborted' ? 'stopped' : 'failed';
  return facts.calls ? 'unanswered' : 'finished';
}

/** A turn that can be gone on with. */
export function isOpenTurn(end: TurnEnd): boolean {
  return end === 'unanswered' || end === 'failed' || end === 'stopped';
}

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

/**
 * The same from the end of a file, without its tree (SF20): `newestFirst` are the facts of its last entries. Null where the last message of the
 * path stands before them. O(what is taken).
 */
export function endOfFile(newestFirst: Iterable<EntryFacts>): TurnEnd | null {
  let wanted: string | undefined;
  for (const facts of newestFirst) {
    if (facts.id !== (wanted ?? facts.id)) continue;
    if (facts.visible && !facts.side) return endAt(facts);
    if (facts.type === 'reset_boundary' || facts.parentId === null) return 'none';
    wanted = facts.parentId;
  }
  return wanted === undefined ? 'none' : null;
}
