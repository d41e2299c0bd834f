import { compactionLimits, DEFAULT_RESERVE_TOKENS, type CompactionLimits } from '@shared/compaction/limits';
import type { ModelRef } from '@shared/ipc/types';
import type { Settings } from '@shared/settings';

export type ThresholdSettings = Pick<Settings, 'compaction.enabled' | 'compaction.reserveTokens'>;

/** Whether sessions compact themselves; `ESPALIER_DISABLE_AUTOCOMPACT=1` forces it off (engine.md 20). */
export function isAutoCompactionOn(settings: ThresholdSettings): boolean {
  return settings['compaction.enabled'] && process.env.ESPALIER_DISABLE_AUTOCOMPACT !== '1';
}

/** Reserve and threshold of a model (engine.md 5.1). The default of the reserve counts as unset: it then follows the window. Tokens. */
export function limitsOf(model: ModelRef, window: number, settings: ThresholdSettings): CompactionLimits {
  const reserve = settings['compaction.reserveTokens'];
  const reserveTokens = reserve === DEFAULT_RESERVE_TOKENS ? undefined : reserve;
  return compactionLimits({ reserveTokens }, `${model.provider}/${model.modelId}`, window);
}
