import { MAX_COMMAND_BYTES } from '../../limits';
import { isFailedReply } from '../records/facts';
import type { TreeNode } from '../records/tree-node';
import { EDITED_TYPE } from '../records/own-entries';

/** What stands below a reply, on any branch, before anything else is said. */
interface Below {
  /** Results by the call that they answer: of several the oldest, a call is made once. */
  answers: Map<string, TreeNode>;
  /** What the person made of commands, by call (SF11). */
  edits: Map<string, { ran: string; node: TreeNode }>;
}

/** What became of the calls of a reply, wherever it stands. O(what is below it before anything else is said). */
export function belowReply(reply: TreeNode): Below {
  const below: Below = { answers: new Map(), edits: new Map() };
  const left = [...reply.children];
  for (let node = left.pop(); node; node = left.pop()) {
    const { answers, visible, customType } = node.facts;
    if (customType === EDITED_TYPE) noteEdit(below.edits, node);
    if (answers !== undefined) {
      const known = below.answers.get(answers);
      if (!known || node.seq < known.seq) below.answers.set(answers, node);
    }
    if (answers !== undefined || !visible) for (const child of node.children) left.push(child);
  }
  return below;
}

function noteEdit(edits: Below['edits'], node: TreeNode): void {
  const data = (node.body as { data?: unknown } | null)?.data;
  const { callId, command } = (data ?? {}) as { callId?: unknown; command?: unknown };
  // No command that is longer was ever run.
  if (typeof callId !== 'string' || typeof command !== 'string' || command.length > MAX_COMMAND_BYTES) return;
  if (!edits.has(callId)) edits.set(callId, { ran: command, node });
}

/** The reply that a point of the tree follows, and the calls that results up to there answer; `reply` null where something else was said since. */
export function replyAbove(from: TreeNode | null): { reply: TreeNode | null; answered: ReadonlySet<string> } {
  const answered = new Set<string>();
  for (let node = from; node; node = node.parent) {
    const { visible, answers, role, reply } = node.facts;
    if (answers !== undefined) answered.add(answers);
    else if (node.facts.type === 'reset_boundary' || node.facts.type === 'compaction') break;
    else if (visible)
      return { reply: role === 'assistant' && !(reply && isFailedReply(reply)) ? node : null, answered };
  }
  return { reply: null, answered };
}
