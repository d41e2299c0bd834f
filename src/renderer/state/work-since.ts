/** Since when the agent has been at what it does now (GR15). */
import type { BranchGraph } from '@shared/graph/branch-graph';
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
  if (leafId === null || leafId !== prompt.id) return prompt.time;
  if (reply) return Math.max(reply.startedAt, prompt.time);
  // Behind the prompt stands the answer that is given again.
  const tail = turns.place(leafId)?.node.tailId ?? leafId;
  return tail === leafId ? prompt.time : null;
}
