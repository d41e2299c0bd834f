import { choice, flag, integer, list, optionalInteger, text } from './setting-specs';
import type { SettingSpec } from './setting-specs';

export type { SettingSpec } from './setting-specs';

/**
 * Every setting of the app: one schema with defaults, units and bounds (ST2 and the app's own). The settings
 * panel is drawn from `SETTINGS`; main refuses a bad value with key, value and bound (check-setting.ts). Keys are flat and dotted.
 */

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
  'tools.write': choice(
    'tools',
    'Writing files',
    'Each change is shown before it is made, except those you allowed for a session or always.',
    'ask',
    ['ask', 'deny'],
  ),
  'tools.bash': choice(
    'tools',
    'Running commands',
    'Each command is shown before it runs, except those you allowed for a session or always. Commands are not sandboxed.',
    'ask',
    ['ask', 'deny'],
  ),
  'tools.deniedPaths': list(
    'tools',
    'Denied paths',
    'Espalier’s file tools never read or write them. Commands are not stopped by this. One path a line.',
    [],
  ),
  'compaction.enabled': flag('context', 'Compact by itself', 'When the window fills. /autocompact toggles it.', true),
  'compaction.thresholdPercent': optionalInteger(
    'context',
    'Compact at a share of the window',
    'Empty: as soon as only the room for the answer is left.',
    [1, 99, '%'],
    'when full',
  ),
  'compaction.thresholdTokens': optionalInteger(
    'context',
    'Compact at a number of tokens',
    'Goes before the share. Empty: the share decides.',
    [1, 10_000_000, 'tokens'],
    'by the share',
  ),
  'compaction.reserveTokens': optionalInteger(
    'context',
    'Keep room for the answer',
    'Tokens held back. Empty: 16,384, or 15% of a smaller window.',
    [1, 2_000_000, 'tokens'],
    '16,384',
  ),
  'compaction.keepRecentTokens': integer(
    'keep',
    'Keep word for word',
    'Newest messages that a compaction leaves as they are.',
    20_000,
    [1, 1_000_000, 'tokens'],
  ),
  'compaction.keepUserMessageTokens': integer(
    'keep',
    'Keep your own messages',
    'Your newest summarised messages that the model still gets word for word.',
    0,
    [0, 20_000, 'tokens'],
  ),
  'compaction.modelOverrides': {
    group: 'overrides',
    label: 'For single models',
    help: 'Other limits for a model, as provider/model.',
    control: { kind: 'overrides' },
    initial: {},
  } as SettingSpec<Record<string, ContextOverride>>,
  'compaction.autoContinue': flag(
    'context',
    'Go on after a compaction',
    'A turn that it interrupted is gone on with. A finished answer never is.',
    true,
  ),
  'compaction.maxAutoAttempts': integer(
    'context',
    'Attempts in a row',
    'Automatic compactions without success after which it rests.',
    3,
    [1, 10, 'times'],
  ),
  'compaction.model': {
    group: 'summaries',
    label: 'Model that writes summaries',
    help: 'A small, cheap one with a large window does well.',
    control: { kind: 'model', unset: 'the session’s own model' },
    initial: '',
  } as SettingSpec<string>,
  'compaction.fallbackModels': {
    group: 'summaries',
    label: 'Models to try next',
    help: 'If that one fails, in this order.',
    control: { kind: 'models', maxItems: 20 },
    initial: [],
  } as SettingSpec<string[]>,
  'compaction.reasoning': choice('summaries', 'Thinking while summarising', 'Off is cheaper and rarely worse.', 'off', [
    'off',
    'low',
  ]),
  'compaction.includeThinking': flag(
    'summaries',
    'Show it the thinking',
    'The summariser also reads what the model thought.',
    false,
  ),
  'compaction.toolResultChars': integer(
    'summaries',
    'Characters of a tool output',
    'Of each output the summariser reads this much.',
    2000,
    [200, 20_000, 'characters'],
  ),
  'compaction.fileListLimit': integer(
    'summaries',
    'Files named in a summary',
    'Of those read and of those changed. All of them stay in the session.',
    20,
    [0, 200, 'files'],
  ),
  'compaction.shortSummary': choice(
    'summaries',
    'One line about a summary',
    'Taken from its goal, or written by the model with one more request.',
    'derive',
    ['derive', 'model', 'off'],
    { derive: 'from its goal', model: 'by the model', off: 'none' },
  ),
  'compaction.reviewBeforeCommit': flag(
    'summaries',
    'Review before it lands',
    'A compaction that you asked for waits until you have read and accepted its summary.',
    false,
  ),
  'compaction.remoteEndpoint': {
    group: 'endpoint',
    label: 'Address',
    help: 'Gets what is summarised and answers with the summary. https, or http on this computer.',
    control: { kind: 'endpoint', placeholder: 'https://host/path' },
    initial: '',
  } as SettingSpec<string>,
  'compaction.remoteTimeoutMs': integer('endpoint', 'Longest wait', 'For one answer.', 120_000, [1000, 600_000, 'ms']),
  'compaction.remoteFallback': flag(
    'endpoint',
    'If it fails, use models',
    'Off: the compaction fails, and nothing is sent anywhere else.',
    true,
  ),
  'pruning.enabled': flag(
    'pruning',
    'Hide old tool outputs first',
    'Before a summary is made, long outputs far back are replaced by a note for the model. They stay in the session.',
    true,
  ),
  'pruning.protectTokens': integer('pruning', 'Newest output that stays', 'Never hidden.', 40_000, [
    0,
    1_000_000,
    'tokens',
  ]),
  'pruning.minimumSavings': integer('pruning', 'Least it must save', 'Else nothing is hidden.', 20_000, [
    0,
    1_000_000,
    'tokens',
  ]),
  'pruning.minimumTokens': integer('pruning', 'Shortest output that is hidden', 'Shorter ones stay.', 50, [
    0,
    1_000_000,
    'tokens',
  ]),
  'pruning.protectedTools': list('pruning', 'Tools whose output stays', 'One name a line.', ['read', 'skill']),
  'branchSummary.enabled': flag(
    'branches',
    'Summarise the branch that is left',
    'What the question before leaving offers first.',
    false,
  ),
  'branchSummary.skipPrompt': flag('branches', 'Leave without asking', 'That choice is taken at once.', false),
  'branchSummary.model': {
    group: 'branches',
    label: 'Model that writes branch summaries',
    help: 'Asked before those above.',
    control: { kind: 'model', unset: 'as for other summaries' },
    initial: '',
  } as SettingSpec<string>,
  'branchSummary.reserveTokens': integer(
    'branches',
    'Keep room for the summary',
    'What else of the window the branch may take. A quarter of it is the longest summary.',
    16_384,
    [1, 2_000_000, 'tokens'],
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
/** What one model may set for itself (ST2, `compaction.modelOverrides`), tokens and percent. */
export interface ContextOverride {
  reserveTokens?: number;
  keepRecentTokens?: number;
  thresholdPercent?: number;
  thresholdTokens?: number;
}

/** The settings that an override replaces, by its own name. */
export const OVERRIDE_KEYS = {
  reserveTokens: 'compaction.reserveTokens',
  keepRecentTokens: 'compaction.keepRecentTokens',
  thresholdPercent: 'compaction.thresholdPercent',
  thresholdTokens: 'compaction.thresholdTokens',
} as const satisfies Record<keyof ContextOverride, string>;

/**
 * Under this name the key of `compaction.remoteEndpoint` is kept with those of the providers. No provider can have it: ids of
 * endpoints hold no dot.
 */
export const REMOTE_KEY_NAME = 'compaction.remoteAuth';

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
