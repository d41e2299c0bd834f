/** How the line of the meter becomes settings (TG1). Pure. */
import { setsThreshold } from '@shared/compaction/limits';
import type { ContextOverride, SettingKey, Settings } from '@shared/settings';

type ThresholdSettings = Pick<Settings, 'compaction.thresholdTokens' | 'compaction.modelOverrides'>;

const MIN = 1;
const MAX = 99;

/** A whole percent within the bounds of `compaction.thresholdPercent`. */
export function snapPercent(percent: number): number {
  return Math.min(MAX, Math.max(MIN, Math.round(percent)));
}

/** True if the model's own limits decide where it compacts, not the general ones. */
export function isOverridden(settings: ThresholdSettings, model: string): boolean {
  return setsThreshold(settings['compaction.modelOverrides'][model] ?? {});
}

/**
 * What to set so that a model compacts at that share of its window: on the level that decides for it, and without a number of
 * tokens there, which would go before the share.
 * @param model `provider/id`
 */
export function thresholdChanges(
  settings: ThresholdSettings,
  model: string,
  percent: number,
): { key: SettingKey; value: unknown }[] {
  const overrides = settings['compaction.modelOverrides'];
  if (isOverridden(settings, model)) {
    const { thresholdTokens: _gone, ...rest } = overrides[model] ?? {};
    const own: ContextOverride = { ...rest, thresholdPercent: percent };
    return [{ key: 'compaction.modelOverrides', value: { ...overrides, [model]: own } }];
  }
  const share = { key: 'compaction.thresholdPercent', value: percent } as const;
  const hasTokens = settings['compaction.thresholdTokens'] !== null;
  return hasTokens ? [share, { key: 'compaction.thresholdTokens', value: null }] : [share];
}

/** Where a key moves the line, or null if it is none of the slider's. */
export function percentAfterKey(key: string, percent: number): number | null {
  const steps: Record<string, number> = {
    ArrowLeft: percent - 1,
    ArrowDown: percent - 1,
    ArrowRight: percent + 1,
    ArrowUp: percent + 1,
    PageDown: percent - 10,
    PageUp: percent + 10,
    Home: MIN,
    End: MAX,
  };
  return Object.hasOwn(steps, key) ? snapPercent(steps[key] ?? percent) : null;
}
