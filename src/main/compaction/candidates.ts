import type { ModelRef } from '@shared/ipc/types';
import type { Settings } from '@shared/settings';
import { modelKey } from '../agent/threshold';
import type { ModelRegistry } from '../ports';
import type { Candidate } from './summary-call';

export type CandidateSettings = Pick<Settings, 'compaction.model' | 'compaction.fallbackModels'>;

/**
 * The models that may write a summary, best first (engine.md 8.5): the one chosen for this compaction, that of the settings, the
 * session's own, the fallbacks, then the usable one with the largest window. None without key, none twice.
 */
export async function summaryCandidates(
  models: ModelRegistry,
  session: ModelRef,
  settings: CandidateSettings,
  chosen?: ModelRef,
): Promise<Candidate[]> {
  const refs = [
    chosen,
    refOf(settings['compaction.model']),
    session,
    ...settings['compaction.fallbackModels'].map(refOf),
    largestOf(models),
  ];
  const candidates = new Map<string, Candidate>();
  for (const ref of refs) {
    if (!ref || candidates.has(modelKey(ref))) continue;
    const resolved = await models.resolve(ref);
    if (resolved.ok) candidates.set(modelKey(ref), { ref, ...resolved });
  }
  return [...candidates.values()];
}

/** `provider/id`, divided at the first slash; anything else names no model. */
export function refOf(name: string): ModelRef | undefined {
  const slash = name.indexOf('/');
  return slash > 0 ? { provider: name.slice(0, slash), modelId: name.slice(slash + 1).trim() } : undefined;
}

/** The demo model writes excerpts, not summaries: it stands in for no other model. */
function largestOf(models: ModelRegistry): ModelRef | undefined {
  const usable = models
    .providers()
    .filter(({ available, kind }) => available && kind !== 'demo')
    .flatMap((provider) => provider.models);
  let largest: (typeof usable)[number] | undefined;
  for (const model of usable) if (!largest || model.contextWindow > largest.contextWindow) largest = model;
  return largest && { provider: largest.provider, modelId: largest.modelId };
}
