import { own } from '../checks';

/** The settings that decide when a session is compacted (ST2), tokens unless a unit is given. */
export interface LimitSettings {
  reserveTokens?: number;
  thresholdPercent?: number;
  thresholdTokens?: number;
  /** The same per `provider/id`. */
  modelOverrides?: Record<string, LimitOverride | undefined>;
}

/** What one model may set for itself. */
export type LimitOverride = Omit<LimitSettings, 'modelOverrides'>;

/** Window, reserve R, threshold T and hard line H of a model (TK8, TG1, TG2), tokens. */
export interface CompactionLimits {
  /** W, or null if unknown: then there is no threshold either. */
  window: number | null;
  reserve: number | null;
  threshold: number | null;
  hardLine: number | null;
  /** True if an explicit reserve was not below the window and 15 % were taken. */
  isReserveTooLarge: boolean;
}

/** Reserve where nobody set one (TG2). */
export const DEFAULT_RESERVE_TOKENS = 16_384;
/** What a compaction keeps where nobody set a figure and the window is large enough (PL3). */
const DEFAULT_KEEP_TOKENS = 20_000;

/**
 * The limits of a model (TG1, TG2).
 * @param modelKey `provider/id`
 * @param window W; null or not positive: no threshold
 */
export function compactionLimits(settings: LimitSettings, modelKey: string, window: number | null): CompactionLimits {
  if (window === null || !(window > 0)) {
    return { window: null, reserve: null, threshold: null, hardLine: null, isReserveTooLarge: false };
  }
  const override = own(settings.modelOverrides, modelKey) ?? {};
  const explicit = override.reserveTokens ?? settings.reserveTokens;
  const isReserveTooLarge = explicit !== undefined && explicit >= window;
  const reserve = reserveOf(window, explicit);
  const hardLine = window - reserve;
  const level = [override, settings].find(setsThreshold) ?? {};
  return { window, reserve, threshold: thresholdOf(level, window, hardLine), hardLine, isReserveTooLarge };
}

function reserveOf(window: number, explicit: number | undefined): number {
  const share = Math.floor(0.15 * window);
  if (explicit === undefined) return Math.min(DEFAULT_RESERVE_TOKENS, share);
  return explicit < window ? explicit : Math.max(1, share);
}

/** True for a level that decides the threshold: it sets any of the three (TG1). */
export function setsThreshold(level: LimitOverride): boolean {
  return (
    level.thresholdTokens !== undefined || level.thresholdPercent !== undefined || level.reserveTokens !== undefined
  );
}

function thresholdOf(level: LimitOverride, window: number, hardLine: number): number {
  if (level.thresholdTokens !== undefined) return clamp(level.thresholdTokens, 1, window - 1);
  if (level.thresholdPercent !== undefined) return Math.floor((window * clamp(level.thresholdPercent, 1, 99)) / 100);
  return clamp(hardLine, 1, window - 1);
}

function clamp(value: number, low: number, high: number): number {
  return Math.max(low, Math.min(high, value));
}

/** Of the person's summarised messages, unless they set it (PN4). */
const DEFAULT_WORDS_TOKENS = 4000;

/**
 * Raw tokens of the person's newest summarised messages that stay word for word (PN4): what they have set, else 4,000, of a smaller
 * window a sixteenth.
 * @param window W; null: unknown
 */
export function keepWordsTokens(
  settings: { 'compaction.keepUserMessageTokens': number | null },
  window: number | null,
): number {
  const chosen = settings['compaction.keepUserMessageTokens'];
  return chosen ?? Math.min(DEFAULT_WORDS_TOKENS, Math.floor((window ?? Infinity) / 16));
}

interface KeepSettings {
  'compaction.keepRecentTokens': number | null;
  'compaction.modelOverrides': Record<string, { keepRecentTokens?: number } | undefined>;
}

/**
 * Tokens of the newest messages that a compaction leaves as they are (PL3, ST2): what the person has set, else 20,000, of a smaller
 * window a quarter.
 * @param modelKey `provider/id`
 * @param window W; null: unknown
 */
export function keepTokens(settings: KeepSettings, modelKey: string, window: number | null): number {
  const override = own(settings['compaction.modelOverrides'], modelKey)?.keepRecentTokens;
  const chosen = override ?? settings['compaction.keepRecentTokens'];
  return chosen ?? Math.min(DEFAULT_KEEP_TOKENS, Math.floor((window ?? Infinity) / 4));
}
