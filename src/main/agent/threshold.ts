import { compactionLimits, type CompactionLimits } from '@shared/compaction/limits';
import type { ModelRef } from '@shared/types';
import type { Settings } from '@shared/settings';

export type ThresholdSettings = Pick<
  Settings,
  | 'compaction.enabled'
  | 'compaction.reserveTokens'
  | 'compaction.thresholdPercent'
  | 'compaction.thresholdTokens'
  | 'compaction.modelOverrides'
>;

/** Whether sessions compact themselves; `ESPALIER_DISABLE_AUTOCOMPACT` forces it off (ST3). */
export function isAutoCompactionOn(settings: ThresholdSettings): boolean {
  return settings['compaction.enabled'] && !isAutoCompactionForcedOff();
}

export function isAutoCompactionForcedOff(): boolean {
  return /^(1|true|yes|on)$/i.test(process.env.ESPALIER_DISABLE_AUTOCOMPACT ?? '');
}

/** Reserve and threshold of a model (TG1, TG2), tokens. */
export function limitsOf(model: ModelRef, window: number, settings: ThresholdSettings): CompactionLimits {
  return compactionLimits(
    {
      reserveTokens: settings['compaction.reserveTokens'] ?? undefined,
      thresholdPercent: settings['compaction.thresholdPercent'] ?? undefined,
      thresholdTokens: settings['compaction.thresholdTokens'] ?? undefined,
      modelOverrides: settings['compaction.modelOverrides'],
    },
    modelKey(model),
    window,
  );
}

/** How settings name a model. */
export function modelKey({ provider, modelId }: ModelRef): string {
  return `${provider}/${modelId}`;
}
