/** Since when the agent has been at what it does now (GR15). */
import type { BranchGraph } from '@shared/graph/branch-graph';
import { contentSeqOf } from '@shared/graph/turns';
import type { LiveSession } from '@shared/session-state/state';

/**
 * Unix milliseconds: of a summary since it was begun; of a prompt since it was sent, or since it is answered anew. Null: it was asked again,
 * and nothing has come. `graph`: that of the session, as far as it is loaded.
 */
export function workSince(
  { phase, job, reply, leafId }: Pick<LiveSession, 'phase' | 'job' | 'reply' | 'leafId'>,
  prompt: { id: string | null; time: number },
  { turns }: BranchGraph,
): number | null {
  if (phase === 'job' && job) return job.startedAt;
  if (leafId === null) return prompt.time;
  const leaf = turns.place(leafId);
  // An answer beside another one began with its own first reply.
  if (leaf?.node.against) return Math.max(leaf.node.time, prompt.time);
  const asked = prompt.id === null ? undefined : turns.place(prompt.id);
  // Where nothing was answered yet, what is chosen stands behind the prompt.
  const isAsked = leafId === prompt.id || (leaf && asked?.node === leaf.node && contentSeqOf(leaf) === asked.seq);
  if (!isAsked) return prompt.time;
  if (reply) return Math.max(reply.startedAt, prompt.time);
  // Behind the prompt stands the answer that is given again.
  const tail = leaf?.node.tailId ?? leafId;
  return tail === leafId ? prompt.time : null;
}
