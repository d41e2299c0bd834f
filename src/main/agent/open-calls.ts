import { MAYBE_BEGAN, NEVER_BEGAN, withOutcome } from '@shared/policy/call-outcome';
import { fromFirstUnbegun } from '@shared/compaction/untold-calls';
import { isRecord } from '@shared/own';
import { belowReply, replyAbove } from '@shared/session/below-reply';
import type { AssistantMessage, EntryDraft, ToolCallBlock } from '@shared/session/entry';
import { callsOf } from '@shared/session/sanitizer';
import type { SessionTree } from '@shared/session/tree';
import type { TreeNode } from '@shared/session/tree-node';
import { tellsPerhapsEdited, withEdit, type EditedCommand } from '@shared/edited-command';
import type { SessionLog } from '../ports';

/** A call without a result, of the reply that a point of the tree follows. */
export interface OpenCall {
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
