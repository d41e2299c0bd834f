import type { Shortcuts } from './shortcuts';
import { choice, flag, integer, list, optionalInteger, type SettingSpec, text } from './setting-specs';

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
  'appearance.readingSize': integer('appearance', 'Reading size', 'Text size in the transcript.', 15, [12, 22, 'px']),
  'sessions.groupBy': choice(
    'appearance',
    'Group sessions',
    'How the list of sessions is divided.',
    'workspace',
    ['workspace', 'time'],
    { workspace: 'by workspace', time: 'by time' },
  ),
  'composer.enterSends': flag(
    'appearance',
    'Enter sends',
    'When off, Enter starts a new line and Ctrl/Cmd+Enter sends.',
    true,
  ),
  'shortcuts.keys': {
    group: 'shortcuts',
    label: 'Keyboard shortcuts',
    help: 'All keys and slash commands.',
    control: { kind: 'shortcuts' },
    initial: {},
  } as SettingSpec<Shortcuts>,
  'notifications.needsYou': flag(
    'notifications',
    'A session needs you',
    'When a session asks something while you are in another window.',
    true,
  ),
  'notifications.failed': flag(
    'notifications',
    'A session stopped early',
    'When something failed, not when you stopped it.',
    true,
  ),
  'notifications.done': flag(
    'notifications',
    'A session is done',
    'When it worked for more than 30 seconds since you were last asked.',
    true,
  ),
  'notifications.sound': flag('notifications', 'Sound', 'Notifications come with the sound of your system.', true),
  'model.default': text(
    'providers',
    'Model for new sessions',
    'Written as provider/model. Leave empty for the demo model.',
    'provider/model',
  ),
  'model.thinkingLevel': choice(
    'providers',
    'Thinking level for new sessions',
    'How much a model thinks before it answers.',
    'off',
    ['off', 'minimal', 'low', 'medium', 'high', 'xhigh'],
  ),
  'model.localDiscovery': flag(
    'providers',
    'Look for local servers',
    'Finds Ollama, LM Studio and llama.cpp on this computer.',
    true,
  ),
  'network.proxy': choice(
    'network',
    'Proxy',
    'Used for requests to models. System settings include HTTPS_PROXY, HTTP_PROXY and NO_PROXY. This computer is reached directly.',
    'system',
    ['system', 'manual', 'none'],
    { system: 'system settings', manual: 'manual', none: 'none' },
  ),
  'network.proxyAddress': {
    group: 'network',
    label: 'Proxy address',
    help: 'An HTTP proxy. SOCKS is not supported.',
    control: { kind: 'proxy', placeholder: 'http://proxy.example:8080' },
    initial: '',
  } satisfies SettingSpec<string> as SettingSpec<string>,
  'network.noProxy': list(
    'network',
    'Reached directly',
    'Hosts (including subdomains), addresses or ranges that need no proxy. One per line. Only for the proxy above.',
    [],
  ),
  'tools.write': choice(
    'tools',
    'Writing files',
    'With “ask” you see each change before it is made, unless you allowed it for the session or always.',
    'ask',
    ['ask', 'deny'],
  ),
  'tools.bash': choice(
    'tools',
    'Running commands',
    'With “ask” you see each command before it runs, unless you allowed it for the session or always. Commands are not sandboxed.',
    'ask',
    ['ask', 'deny'],
  ),
  'tools.deniedPaths': list(
    'tools',
    'Denied paths',
    'Espalier’s file tools never read or write these paths. Commands can still reach them. One path per line.',
    [],
  ),
  'extensions.piFolder': flag(
    'extensions',
    'Extensions of pi',
    'Those in ~/.pi/agent/extensions run here too, in every session.',
    false,
  ),
  'tools.sshAgent': flag(
    'tools',
    'SSH agent for commands',
    'Commands can use the keys in your SSH agent, for example to push with git. They never see the keys themselves.',
    false,
  ),
  'compaction.enabled': flag(
    'context',
    'Automatic compaction',
    'Compacts when the context window fills up. /autocompact turns it on or off.',
    true,
  ),
  'compaction.thresholdPercent': optionalInteger(
    'context',
    'Threshold (% of the window)',
    'Leave empty to compact when only the reserve is left.',
    [1, 99, '%'],
    'when full',
  ),
  'compaction.thresholdTokens': optionalInteger(
    'context',
    'Threshold (tokens)',
    'Overrides the percentage. Leave empty to use the percentage.',
    [1, 10_000_000, 'tokens'],
    'by percentage',
  ),
  'compaction.reserveTokens': optionalInteger(
    'context',
    'Reserve for the answer',
    'Tokens kept free for the answer. Leave empty for 16,384, or 15% of a smaller window.',
    [1, 2_000_000, 'tokens'],
    '16,384',
  ),
  'compaction.keepRecentTokens': optionalInteger(
    'keep',
    'Recent messages to keep',
    'How much of the newest conversation a compaction leaves as it is. Leave empty for 20,000, or a quarter of a smaller window.',
    [1, 1_000_000, 'tokens'],
    '20,000',
  ),
  'compaction.keepUserMessageTokens': optionalInteger(
    'keep',
    'Your own messages to keep',
    'How much of your newest summarised messages the model still gets word for word. Leave empty for 4,000, or a sixteenth of a smaller window.',
    [0, 20_000, 'tokens'],
    '4,000',
  ),
  'pins.maxPercent': integer(
    'keep',
    'Limit for pinned messages',
    'How much of a model’s window they may take. Beyond that nothing more can be pinned; what is pinned stays.',
    10,
    [1, 50, '%'],
  ),
  'compaction.modelOverrides': {
    group: 'overrides',
    label: 'Limits per model',
    help: 'Separate limits for a model, named provider/model.',
    control: { kind: 'overrides' },
    initial: {},
  } as SettingSpec<Record<string, ContextOverride>>,
  'compaction.autoContinue': flag(
    'context',
    'Continue the interrupted turn',
    'After a compaction, continues the turn that it interrupted. A finished answer is never continued.',
    true,
  ),
  'compaction.maxAutoAttempts': integer(
    'context',
    'Attempts before pausing',
    'Automatic compaction pauses after this many attempts in a row that make too little room.',
    3,
    [1, 10, 'times'],
  ),
  'compaction.model': {
    group: 'summaries',
    label: 'Summary model',
    help: 'A small, cheap model with a large context window works well.',
    control: { kind: 'model', unset: 'the session’s model' },
    initial: '',
  } as SettingSpec<string>,
  'compaction.fallbackModels': {
    group: 'summaries',
    label: 'Fallback models',
    help: 'Tried in this order if the summary model fails.',
    control: { kind: 'models', maxItems: 20 },
    initial: [],
  } as SettingSpec<string[]>,
  'compaction.reasoning': choice(
    'summaries',
    'Thinking level for summaries',
    'Off is cheaper and rarely worse.',
    'off',
    ['off', 'low'],
  ),
  'compaction.includeThinking': flag(
    'summaries',
    'Include thinking',
    'The summariser also reads the model’s thinking.',
    false,
  ),
  'compaction.toolResultChars': integer(
    'summaries',
    'Tool output limit',
    'How much of each tool output the summariser reads.',
    2000,
    [200, 20_000, 'characters'],
  ),
  'compaction.fileListLimit': integer(
    'summaries',
    'Files listed in a summary',
    'The limit applies to files read and to files changed. The session keeps the full lists.',
    20,
    [0, 200, 'files'],
  ),
  'compaction.shortSummary': choice(
    'summaries',
    'Short summary',
    'One line for lists, taken from the summary’s goal or written by the model in one more request.',
    'derive',
    ['derive', 'model', 'off'],
    { derive: 'from the goal', model: 'by the model', off: 'none' },
  ),
  'compaction.reviewBeforeCommit': flag(
    'summaries',
    'Review the summary first',
    'A compaction that you start waits until you accept its summary.',
    false,
  ),
  'compaction.remoteEndpoint': {
    group: 'endpoint',
    label: 'Address',
    help: 'Receives the text to summarise and returns the summary. Use https, or http on this computer.',
    control: { kind: 'endpoint', placeholder: 'https://host/path' },
    initial: '',
  } as SettingSpec<string>,
  'compaction.remoteTimeoutMs': integer('endpoint', 'Timeout', 'How long to wait for one answer.', 120_000, [
    1000,
    600_000,
    'ms',
  ]),
  'compaction.remoteFallback': flag(
    'endpoint',
    'Fall back to models',
    'Used if the endpoint fails. When off, the compaction fails and nothing is sent anywhere else.',
    true,
  ),
  'pruning.enabled': flag(
    'pruning',
    'Hide old tool outputs',
    'Before a summary is written, long outputs far back are replaced by a note for the model. The session keeps them.',
    true,
  ),
  'pruning.protectTokens': integer('pruning', 'Recent output to keep', 'The newest outputs are never hidden.', 40_000, [
    0,
    1_000_000,
    'tokens',
  ]),
  'pruning.minimumSavings': integer('pruning', 'Minimum saving', 'If less would be saved, nothing is hidden.', 20_000, [
    0,
    1_000_000,
    'tokens',
  ]),
  'pruning.minimumTokens': integer('pruning', 'Shortest output to hide', 'Shorter outputs stay.', 50, [
    0,
    1_000_000,
    'tokens',
  ]),
  'pruning.protectedTools': list('pruning', 'Protected tools', 'Their outputs are never hidden. One name per line.', [
    'read',
    'skill',
  ]),
  'skills.off': list(
    'instructions',
    'Skills that are switched off',
    'No model is told of them. One name per line.',
    [],
  ),
  'branchSummary.enabled': flag(
    'branches',
    'Summarise the branch you leave',
    'Preselected when Espalier asks before you leave a branch.',
    false,
  ),
  'branchSummary.skipPrompt': flag('branches', 'Leave without asking', 'Uses the choice above every time.', false),
  'branchSummary.model': {
    group: 'branches',
    label: 'Branch summary model',
    help: 'Tried before the models above.',
    control: { kind: 'model', unset: 'as for other summaries' },
    initial: '',
  } as SettingSpec<string>,
  'branchSummary.reserveTokens': integer(
    'branches',
    'Reserve for branch summaries',
    'Tokens kept free when a branch is summarised. Its summary uses at most a quarter of them.',
    16_384,
    [1, 2_000_000, 'tokens'],
  ),
  'retry.enabled': flag('retry', 'Automatic retry', 'After overload, rate limits and dropped connections.', true),
  'retry.maxRetries': integer('retry', 'Maximum retries', 'How often a failed request is sent again.', 3, [
    0,
    10,
    'times',
  ]),
  'retry.baseDelayMs': integer('retry', 'First delay', 'Doubles with each retry.', 2000, [0, 600_000, 'ms']),
  'retry.maxDelayMs': integer(
    'retry',
    'Maximum delay',
    'A longer delay that the provider asks for is respected.',
    60_000,
    [0, 3_600_000, 'ms'],
  ),
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

/** How settings name a model: `provider/model`, split at the first slash. */
export const MODEL_NAME = /^[^/\s]+\/\S+$/;
