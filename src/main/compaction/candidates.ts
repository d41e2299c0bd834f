import type { ModelRef } from '@shared/ipc/types';
import type { ModelRegistry } from '../ports';
import type { Candidate } from './summary-call';

/**
 * The models that may write a summary, best first (engine.md 8.5): the session's own, then the usable one with the largest
 * window. None without key, none twice.
 */
export async function summaryCandidates(models: ModelRegistry, session: ModelRef): Promise<Candidate[]> {
  const candidates: Candidate[] = [];
  for (const ref of [session, largestOf(models, session)]) {
    if (!ref) continue;
    const resolved = await models.resolve(ref);
    if (resolved.ok) candidates.push({ ref, ...resolved });
  }
  return candidates;
}

/** The demo model writes excerpts, not summaries: it stands in for no other model. */
function largestOf(models: ModelRegistry, session: ModelRef): ModelRef | null {
  const usable = models
    .providers()
    .filter(({ available, kind }) => available && kind !== 'demo')
    .flatMap((provider) => provider.models)
    .filter((model) => model.provider !== session.provider || model.modelId !== session.modelId);
  let largest: (typeof usable)[number] | undefined;
  for (const model of usable) if (!largest || model.contextWindow > largest.contextWindow) largest = model;
  return largest ? { provider: largest.provider, modelId: largest.modelId } : null;
}
