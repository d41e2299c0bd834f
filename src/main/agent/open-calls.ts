import { MAYBE_BEGAN, NEVER_BEGAN, withOutcome } from '@shared/policy/call-outcome';
import type { AssistantMessage, EntryDraft, ToolCallBlock } from '@shared/session/entry';
import { isFailedReply } from '@shared/session/facts';
import { callsOf } from '@shared/session/sanitizer';
import type { SessionTree } from '@shared/session/tree';
import type { TreeNode } from '@shared/session/tree-node';
import type { SessionLog } from '../ports';

/** A call of the newest reply that has no result. */
export interface OpenCall {
  call: Pick<ToolCallBlock, 'id' | 'name'>;
  /** It can't have begun: nothing was done. False: nobody knows. */
  neverBegan: boolean;
}

/**
 * The calls that a run left without a result, where nothing came after them on the active path (AG11). Of calls that run one
 * after the other, each stored before the next begins, the first alone may have begun. Whether they did run one after the other
 * is noted in the reply (SF13): other programs do it another way. Nothing is known of a reply that was copied from another session. Reads one body at most.
 * @param isUnanswered whether the person had been asked about a call and had allowed nothing
 */
export async function openCalls(
  log: SessionLog,
  isUnanswered: (call: { replyId: string; callId: string }) => boolean = () => false,
): Promise<OpenCall[]> {
  const { tree } = log;
  const { reply, answered } = newestReply(tree);
  const ids = reply?.facts.calls ?? [];
  if (!reply || !ids.some((id) => !answered.has(id))) return [];
  // They ran on another branch: what came of them stands there.
  if (answersBelow(reply).some((id) => !answered.has(id))) return [];
  const [entry] = await log.loadBodies([reply.id]);
  if (!entry || !('message' in entry)) return [];
  const message = entry.message as AssistantMessage;
  const open = callsOf(message).filter(({ id }) => !answered.has(id));
  // A copy may have been made while they ran: what became of them then stands in the session that it was made of.
  const isOwn = reply.timeMs >= Date.parse(log.header.timestamp);
  const isOneByOne = message.espalier?.oneByOne === true && isOwn;
  return open.map(({ id, name }, at) => ({
    call: { id, name },
    neverBegan: (isOneByOne && at > 0) || isUnanswered({ replyId: reply.id, callId: id }),
  }));
}

/** What the model is told of them, to be stored: from then on it is what became of them, wherever they are shown. */
export function resultsOf(open: readonly OpenCall[], now: number): EntryDraft[] {
  return open.map(({ call: { id, name }, neverBegan }) => ({
    type: 'message',
    message: {
      role: 'toolResult',
      toolCallId: id,
      toolName: name,
      content: [{ type: 'text', text: neverBegan ? NEVER_BEGAN : MAYBE_BEGAN }],
      details: withOutcome(undefined, neverBegan ? 'notRun' : 'interrupted'),
      isError: true,
      timestamp: now,
    },
  }));
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

/** The calls that results below a reply answer, on any branch. O(them). */
function answersBelow(reply: TreeNode): string[] {
  const found: string[] = [];
  const left = [...reply.children];
  for (let node = left.pop(); node; node = left.pop()) {
    const { answers, visible } = node.facts;
    if (answers !== undefined) found.push(answers);
    if (answers !== undefined || !visible) left.push(...node.children);
  }
  return found;
}
