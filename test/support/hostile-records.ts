/**
 * Records of a session file that are wrong in one place: every record type × every field × every wrong value, each as the
 * exact line of a file. Reading them must never end anything: docs/specs/safety.md A3.
 */

/** One record that is wrong in one place. `line` has no 0x0A. */
export interface HostileRecord {
  /** Says what is wrong: `message assistant: content.1.thinking = a number`. */
  name: string;
  id: string;
  line: string;
}

const TIME = '2026-01-01T00:00:00.000Z';
const PICTURE = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
const USAGE = {
  input: 100,
  output: 10,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 110,
  cost: { input: 0.1, output: 0.1, cacheRead: 0, cacheWrite: 0, total: 0.2 },
};
const reply = (content: unknown[], stopReason: string): object => ({
  ...{ role: 'assistant', content, api: 'openai-completions', provider: 'loopback', model: 'm' },
  ...{ usage: USAGE, stopReason, errorMessage: 'why it failed', timestamp: 2 },
});
const ESPALIER = {
  ...{ v: 1, reason: 'manual', instructions: 'be short', model: 'loopback/m', isSplitTurn: false },
  ...{ entriesSummarized: 2, tokensAfter: 10, durationMs: 5, calls: 1, cost: 0.1, keep: 100 },
  ...{ keptUserEntryIds: ['u1'], replaces: 'x', background: false, retention: { missing: ['f'] } },
  ...{ ancestorId: 'u1', broughtOver: true, conflicts: ['a.ts'] },
};

/** One sound record of each kind that we read; every field in it is one that is replaced by wrong values. */
export const SOUND_RECORDS: Readonly<Record<string, object>> = {
  'message user': { type: 'message', message: { role: 'user', content: 'plain words', timestamp: 1 } },
  'message user blocks': {
    type: 'message',
    message: {
      ...{ role: 'user', timestamp: 1 },
      content: [
        { type: 'text', text: 'words', textSignature: 's' },
        { type: 'image', data: PICTURE, mimeType: 'image/png' },
      ],
    },
  },
  'message assistant': {
    type: 'message',
    message: reply(
      [
        { type: 'thinking', thinking: 'hm', thinkingSignature: 's', redacted: false },
        { type: 'text', text: 'an answer', textSignature: 's' },
        {
          type: 'toolCall',
          id: 'c2',
          name: 'edit',
          arguments: { path: 'a.ts', edits: [{ oldText: 'a', newText: 'b' }] },
        },
      ],
      'toolUse',
    ),
  },
  'message assistant failed': { type: 'message', message: reply([{ type: 'text', text: 'half' }], 'error') },
  'message toolResult': {
    type: 'message',
    message: {
      ...{ role: 'toolResult', toolCallId: 'c1', toolName: 'read', isError: false, timestamp: 3 },
      content: [
        { type: 'text', text: 'output' },
        { type: 'image', data: PICTURE, mimeType: 'image/png' },
      ],
      details: { diff: '+1 a', exitCode: 1, fullOutputPath: '/o', truncated: true, truncation: { totalLines: 5 } },
    },
  },
  'message bashExecution': {
    type: 'message',
    message: {
      ...{ role: 'bashExecution', command: 'ls', output: 'a', exitCode: 1, cancelled: false, truncated: true },
      ...{ fullOutputPath: '/o', excludeFromContext: false, timestamp: 4 },
    },
  },
  'message pythonExecution': {
    type: 'message',
    message: { role: 'pythonExecution', code: '1', output: '1', exitCode: 0, timestamp: 5 },
  },
  'message custom': {
    type: 'message',
    message: {
      role: 'custom',
      customType: 'k',
      content: [{ type: 'text', text: 'c' }],
      display: true,
      details: {},
      timestamp: 6,
    },
  },
  'message hookMessage': {
    type: 'message',
    message: { role: 'hookMessage', customType: 'k', content: 'c', display: true, timestamp: 6 },
  },
  'message developer': { type: 'message', message: { role: 'developer', content: 'rules', timestamp: 6 } },
  'message fileMention': {
    type: 'message',
    message: { role: 'fileMention', files: [{ path: 'a.ts', content: 'code' }], timestamp: 7 },
  },
  'message of a later role': { type: 'message', message: { role: 'oracle', content: 'c', timestamp: 8 } },
  model_change: { type: 'model_change', provider: 'loopback', modelId: 'm' },
  'model_change of oh-my-pi': { type: 'model_change', model: 'loopback/m', role: 'default' },
  thinking_level_change: { type: 'thinking_level_change', thinkingLevel: 'high' },
  compaction: {
    ...{
      type: 'compaction',
      summary: 'what was',
      firstKeptEntryId: 'a1',
      tokensBefore: 1000,
      usage: USAGE,
      fromHook: false,
    },
    details: { readFiles: ['a.ts'], modifiedFiles: ['b.ts'], espalier: ESPALIER },
    ...{ shortSummary: 'short', preserveData: { k: 1 } },
  },
  branch_summary: {
    ...{ type: 'branch_summary', fromId: 'a1', summary: 'the other branch', usage: USAGE, fromHook: false },
    details: { readFiles: ['a.ts'], modifiedFiles: ['b.ts'], espalier: ESPALIER },
  },
  custom_message: {
    ...{
      type: 'custom_message',
      customType: 'k',
      content: [{ type: 'text', text: 'note' }],
      display: true,
      details: {},
    },
  },
  label: { type: 'label', targetId: 'u1', label: 'start' },
  session_info: { type: 'session_info', name: 'A name' },
  context_edit: { type: 'context_edit', targetId: 'u1', replacement: { content: [{ type: 'text', text: 'other' }] } },
  reset_boundary: { type: 'reset_boundary' },
  'a later type': { type: 'from_the_future', any: { thing: 1 } },
  'custom of an extension': { type: 'custom', customType: 'k', data: { any: 1 } },
  'espalier.leaf': custom('leaf', { leafId: 'u1', fromLeafId: 'a1', reason: 'undo' }),
  'espalier.pin': custom('pin', { targetId: 'u1', pinned: true }),
  'espalier.branch': custom('branch', { targetId: 'u1', versionOf: 'u0' }),
  'espalier.title': custom('title', { targetId: 'u1', title: 'x', model: 'p/m', cost: 0.1 }),
  'espalier.cost': custom('cost', { kind: 'summary', model: 'p/m', cost: 0.1 }),
  'espalier.archive': custom('archive', { targetId: 'u1', archived: true }),
  'espalier.fact': custom('fact', { key: 'k', dismissed: true }),
  'espalier.request': custom('request', {
    ...{ hash: 'h', systemPrompt: 'You are', params: { temperature: 1 } },
    tools: [{ name: 'read', description: 'reads', parameters: { type: 'object' } }],
  }),
  'espalier.rebase': custom('rebase', {
    ...{ op: 'undo', compactionId: 'x', replacedBy: 'y', fromLeafId: 'a1', copies: [['u1', 'u1copy']] },
  }),
  'espalier.prune': custom('prune', { action: 'prune', items: [{ targetId: 'r1', mode: 'elide', tokens: 5 }] }),
  'espalier.omit': custom('omit', { targets: ['a1'], reason: 'overflow' }),
  'espalier.edited': custom('edited', { callId: 'c1', command: 'ls -l' }),
  'espalier.reference': custom('reference', { sessionId: 's2', title: 'Another' }),
};

function custom(kind: string, data: object): object {
  return { type: 'custom', customType: `espalier.${kind}`, data: { v: 1, ...data } };
}

/** Stands for JSON that no value of this program becomes: put in as text. */
const RAW = new Map<string, string>();
const raw = (json: string): string => {
  const mark = `@@raw${RAW.size}@@`;
  RAW.set(`"${mark}"`, json);
  return mark;
};

const ABSENT = Symbol('absent');

interface WrongValue {
  name: string;
  value: unknown;
}

/** The wrong values; `longText`: characters of the very long one, `levels`: of the nested one. */
function wrongValues(longText: number, levels: number): WrongValue[] {
  return [
    { name: 'absent', value: ABSENT },
    { name: 'null', value: null },
    { name: 'a number', value: 5 },
    { name: 'a negative number', value: -1e9 },
    { name: 'a fraction', value: 0.5 },
    { name: 'a huge number', value: 1e300 },
    { name: 'infinity', value: raw('1e999') },
    { name: 'true', value: true },
    { name: 'an empty text', value: '' },
    { name: 'a text', value: 'NaN' },
    { name: 'the name __proto__', value: '__proto__' },
    { name: 'the name constructor', value: 'constructor' },
    { name: 'the name hasOwnProperty', value: 'hasOwnProperty' },
    { name: 'a very long text', value: 'x'.repeat(longText) },
    { name: 'an empty list', value: [] },
    { name: 'a list of null', value: [null] },
    { name: 'a list of numbers', value: [1, 2] },
    { name: 'a list of lists', value: [[]] },
    { name: 'a list of empty objects', value: [{}] },
    { name: 'an empty object', value: {} },
    { name: 'a block of another kind', value: { type: 'text', text: 5 } },
    { name: 'a list of broken blocks', value: [{ type: 'thinking', thinking: 5 }, { type: 'toolCall' }, { type: {} }] },
    {
      name: 'own names of objects',
      value: raw('{"__proto__":{"x":1},"constructor":5,"hasOwnProperty":1,"toString":{}}'),
    },
    { name: 'a deeply nested list', value: raw(`${'['.repeat(levels)}${']'.repeat(levels)}`) },
  ];
}

type Path = readonly (string | number)[];

/** Every place in a value, the whole excluded. */
function* pathsOf(value: unknown, path: Path = []): Generator<Path> {
  if (path.length > 0) yield path;
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value))
    yield* pathsOf(inner, [...path, Array.isArray(value) ? Number(key) : key]);
}

function withWrong(sound: object, path: Path, wrong: unknown): object {
  const copy = structuredClone(sound);
  let at: Record<string | number, unknown> = copy as Record<string | number, unknown>;
  for (const key of path.slice(0, -1)) at = at[key] as Record<string | number, unknown>;
  const last = path.at(-1) ?? '';
  if (wrong === ABSENT) delete at[last];
  else at[last] = wrong;
  return copy;
}

function lineOf(entry: object): string {
  return JSON.stringify(entry).replace(/"@@raw\d+@@"/g, (mark) => RAW.get(mark) ?? 'null');
}

/** What the hostile records are made of. */
export interface HostileOptions {
  /** Characters of very long texts. Default 100,000. */
  longText?: number;
  /** Levels of the nested value: JSON.parse takes them, everything that calls itself does not. Default 100,000. */
  levels?: number;
  /** Only these kinds (keys of `SOUND_RECORDS`). */
  kinds?: readonly string[];
}

/**
 * All hostile records. Each hangs at `r1`, the last of `soundLines()`, and has an id of its own, so that any number of them may
 * stand in one file. `type` and `id` stay a text: without them a line is no record (docs/specs/journal.md).
 */
export function* hostileRecords({
  longText = 100_000,
  levels = 100_000,
  kinds,
}: HostileOptions = {}): Generator<HostileRecord> {
  const values = wrongValues(longText, levels);
  let count = 0;
  for (const [kind, sound] of Object.entries(SOUND_RECORDS)) {
    if (kinds && !kinds.includes(kind)) continue;
    const whole = { ...sound, id: '', parentId: 'r1', timestamp: TIME };
    for (const path of pathsOf(whole)) {
      if (path[0] === 'id' || path[0] === 'type') continue;
      for (const { name, value } of values) {
        const id = `h${String(count++).padStart(6, '0')}`;
        const entry = { ...withWrong(whole, path, value), id };
        yield { name: `${kind}: ${path.join('.')} = ${name}`, id, line: lineOf(entry) };
      }
    }
  }
}

/** Header and sound entries that stand before hostile records in a file: a question, a reply with a call, its result. */
export function soundLines(sessionId = 'hostile', cwd = ''): string[] {
  const call = { type: 'toolCall', id: 'c1', name: 'read', arguments: { path: 'a.ts' } };
  const result = { role: 'toolResult', toolCallId: 'c1', toolName: 'read', content: [{ type: 'text', text: 'code' }] };
  const entry = (id: string, parentId: string | null, message: object): object => ({
    ...{ type: 'message', id, parentId, timestamp: TIME, message },
  });
  return [
    { type: 'session', version: 3, id: sessionId, timestamp: TIME, cwd },
    entry('u1', null, { role: 'user', content: 'a sound question', timestamp: 1 }),
    entry('a1', 'u1', reply([{ type: 'text', text: 'a sound answer' }, call], 'toolUse')),
    entry('r1', 'a1', { ...result, isError: false, timestamp: 3 }),
  ].map((value) => JSON.stringify(value));
}

/** A sound question that hangs at any entry: stands behind the hostile ones and makes their branch the active one. */
export function soundQuestion(id: string, parentId: string): string {
  const message = { role: 'user', content: 'a sound question after it', timestamp: 9 };
  return JSON.stringify({ type: 'message', id, parentId, timestamp: TIME, message });
}
