import { z } from 'zod';

/**
 * Every setting of the app: one schema with defaults, units and bounds (engine.md 20 and the app's own). The settings
 * panel is drawn from `SETTINGS`; main refuses a bad value with key, value and bound. Keys are flat and dotted.
 */

export type SettingKind =
  | { kind: 'boolean' }
  | { kind: 'integer'; min: number; max: number; unit: string; optional?: boolean }
  | { kind: 'choice'; options: readonly string[] }
  | { kind: 'text'; maxLength: number; optional?: boolean; placeholder?: string }
  | { kind: 'list'; maxItems: number };

export interface SettingSpec<T> {
  readonly group: 'providers' | 'tools' | 'appearance' | 'context' | 'retry' | 'general';
  readonly label: string;
  readonly help: string;
  readonly control: SettingKind;
  readonly initial: T;
}

function flag(
  group: SettingSpec<boolean>['group'],
  label: string,
  help: string,
  initial: boolean,
): SettingSpec<boolean> {
  return { group, label, help, control: { kind: 'boolean' }, initial };
}
function integer(
  group: SettingSpec<number>['group'],
  label: string,
  help: string,
  initial: number,
  [min, max, unit]: [number, number, string],
): SettingSpec<number> {
  return { group, label, help, control: { kind: 'integer', min, max, unit }, initial };
}
function choice<T extends string>(
  group: SettingSpec<T>['group'],
  label: string,
  help: string,
  initial: NoInfer<T>,
  options: readonly T[],
): SettingSpec<T> {
  return { group, label, help, control: { kind: 'choice', options }, initial };
}
function text(group: SettingSpec<string>['group'], label: string, help: string, placeholder = ''): SettingSpec<string> {
  return { group, label, help, control: { kind: 'text', maxLength: 400, optional: true, placeholder }, initial: '' };
}
function list(
  group: SettingSpec<string[]>['group'],
  label: string,
  help: string,
  initial: string[],
): SettingSpec<string[]> {
  return { group, label, help, control: { kind: 'list', maxItems: 100 }, initial };
}

export const SETTINGS = {
  'appearance.theme': choice('appearance', 'Theme', 'System follows your desktop.', 'system', [
    'system',
    'light',
    'dark',
  ]),
  'appearance.readingSize': integer('appearance', 'Reading size', 'Size of the transcript text.', 15, [12, 22, 'px']),
  'composer.enterSends': flag(
    'appearance',
    'Enter sends',
    'Off: Enter breaks the line and Ctrl/Cmd+Enter sends.',
    true,
  ),
  'model.default': text(
    'providers',
    'Model for new sessions',
    'As provider/model. Empty: the demo model.',
    'provider/model',
  ),
  'model.thinkingLevel': choice(
    'providers',
    'Thinking for new sessions',
    'How long a model may think before it answers.',
    'off',
    ['off', 'minimal', 'low', 'medium', 'high', 'xhigh'],
  ),
  'model.localDiscovery': flag(
    'providers',
    'Look for local servers',
    'Finds Ollama, LM Studio and llama.cpp on this computer.',
    true,
  ),
  'tools.write': choice('tools', 'Writing files', 'Each change is shown before it is made.', 'ask', ['ask', 'deny']),
  'tools.bash': choice('tools', 'Running commands', 'Each command is shown before it runs.', 'ask', ['ask', 'deny']),
  'tools.deniedPaths': list(
    'tools',
    'Denied paths',
    'Never read or written, whatever is allowed elsewhere. One path a line.',
    [],
  ),
  'compaction.enabled': flag('context', 'Compact by itself', 'When the window fills.', true),
  'compaction.reserveTokens': integer('context', 'Keep room for the answer', 'Tokens held back.', 16384, [
    1,
    2_000_000,
    'tokens',
  ]),
  'compaction.keepRecentTokens': integer(
    'context',
    'Keep word for word',
    'Newest messages that a compaction leaves as they are.',
    20_000,
    [1, 1_000_000, 'tokens'],
  ),
  'retry.enabled': flag('retry', 'Retry by itself', 'After overload, rate limits and dropped connections.', true),
  'retry.maxRetries': integer('retry', 'Attempts', 'How often a failed request is repeated.', 3, [0, 10, 'times']),
  'retry.baseDelayMs': integer('retry', 'First wait', 'Doubles with each attempt.', 2000, [0, 600_000, 'ms']),
  'retry.maxDelayMs': integer('retry', 'Longest wait', 'A longer wait asked by the provider is respected.', 60_000, [
    0,
    3_600_000,
    'ms',
  ]),
} as const;

export type SettingKey = keyof typeof SETTINGS;
type Widen<T> = T extends readonly string[] ? string[] : T;
export type Settings = { -readonly [K in SettingKey]: Widen<(typeof SETTINGS)[K]['initial']> };

export const SETTING_KEYS = Object.keys(SETTINGS) as SettingKey[];

/** A fresh copy of all defaults. */
export function defaultSettings(): Settings {
  return structuredCloneSafe(Object.fromEntries(SETTING_KEYS.map((key) => [key, SETTINGS[key].initial]))) as Settings;
}

function structuredCloneSafe<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

export type SettingCheck = { ok: true; value: unknown } | { ok: false; message: string };

/**
 * Checks one value against its spec. Numbers are integers within their bounds; anything else is refused with key,
 * value and bound in plain words (engine.md 20).
 */
export function checkSetting(key: SettingKey, value: unknown): SettingCheck {
  const { control, label } = SETTINGS[key] as SettingSpec<unknown>;
  const refuse = (bound: string): SettingCheck => ({
    ok: false,
    message: `${label} (${key}) can't be ${JSON.stringify(value) ?? 'empty'}: it must be ${bound}.`,
  });
  switch (control.kind) {
    case 'boolean':
      return typeof value === 'boolean' ? { ok: true, value } : refuse('on or off');
    case 'integer': {
      const { min, max, unit } = control;
      const inBounds = typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max;
      return inBounds ? { ok: true, value } : refuse(`a whole number from ${min} to ${max} ${unit}`);
    }
    case 'choice':
      return typeof value === 'string' && control.options.includes(value)
        ? { ok: true, value }
        : refuse(`one of ${control.options.join(', ')}`);
    case 'text':
      return typeof value === 'string' && value.length <= control.maxLength
        ? { ok: true, value: value.trim() }
        : refuse(`a text of at most ${control.maxLength} characters`);
    case 'list': {
      const parsed = z.array(z.string().min(1).max(1000)).max(control.maxItems).safeParse(value);
      return parsed.success ? { ok: true, value: parsed.data } : refuse(`a list of at most ${control.maxItems} texts`);
    }
  }
}

/** Reads stored settings: unknown keys are kept aside, bad values fall back to their default and are reported. */
export function readSettings(stored: Record<string, unknown>): { settings: Settings; problems: string[] } {
  const settings = defaultSettings() as Record<string, unknown>;
  const problems: string[] = [];
  for (const key of SETTING_KEYS) {
    if (!(key in stored)) continue;
    const checked = checkSetting(key, stored[key]);
    if (checked.ok) settings[key] = checked.value;
    else problems.push(checked.message);
  }
  return { settings: settings as Settings, problems };
}
