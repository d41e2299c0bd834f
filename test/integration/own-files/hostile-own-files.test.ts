import { execFileSync } from 'node:child_process';
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BUILT_IN } from '@shared/policy/keys';
import { DurableQueue } from '../../../src/main/agent/durable-queue';
import { loadWindowState, placeWindow, saveWindowState, storedTheme } from '../../../src/main/app/window-rules';
import { createSessionStore } from '../../../src/main/journal/session-store';
import { openCredentials, type KeyVault } from '../../../src/main/models/credentials';
import { openEndpoints } from '../../../src/main/models/endpoints';
import { Registry } from '../../../src/main/models/registry';
import { makeOwnFolder } from '../../../src/main/own-files/write-own';
import { openSettings } from '../../../src/main/settings/settings-store';
import { PendingCalls } from '../../../src/main/approvals/pending-calls';
import { Approvals } from '../../../src/main/approvals/approvals';
import { hashScope } from '../../../src/main/approvals/approval-rules';
import { identify } from '../../../src/main/places/folder';
import { TrustBook } from '../../../src/main/trust/trust-book';
import { seededHex } from '../../unit/shared/session/support';
import { goDirectly } from '../../support/no-proxy';

/** docs/specs/safety.md A5: whatever became of the app's own files, it starts, uses what is good, keeps the rest and says so once. */
let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'espalier-own-'));
  mkdirSync(join(home, 'sessions'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const vault: KeyVault = { available: () => true, encrypt: (text) => text, decrypt: (text) => text };
const SESSION = 's1';
const call2 = { sessionId: SESSION, replyId: 'reply', callId: 'call-2' };
const JOURNAL = [
  { type: 'session', version: 3, id: SESSION, timestamp: '2026-01-01T00:00:00.000Z', cwd: '/' },
  {
    ...{ type: 'message', id: '00000001', parentId: null, timestamp: '2026-01-01T00:00:01.000Z' },
    message: { role: 'user', content: 'What was said', timestamp: 1 },
  },
]
  .map((line) => `${JSON.stringify(line)}\n`)
  .join('');

const endpoint = {
  ...{ id: 'work', name: 'Work', api: 'openai-completions', baseUrl: 'https://work.example/v1', headers: {} },
  models: [{ id: 'm', contextWindow: 1000, maxTokens: 100, images: false, reasoning: false }],
};
const scope = { kind: 'command', command: 'echo a', cwd: '/w' } as const;
const rule = { hash: hashScope(scope), scope, createdAt: '2026-01-01T00:00:00.000Z' };
const meta = {
  ...{ title: 'Named by hand', titleSource: 'person', workspace: '/w', pinned: true, archived: false },
  ...{ createdAt: 1, updatedAt: 2, preview: 'p', demo: false },
};
const item = { id: '00000002', text: 'later', attachments: [], mode: 'steer', createdAt: 1 };

/** Every file, as the app writes it. */
const FILES: Record<string, unknown> = {
  'settings.json': { 'appearance.theme': 'dark', 'retry.maxRetries': 2, 'of.another.version': 1 },
  'credentials.json': {
    anthropic: { kind: 'plain', value: 'secret-1\nbuilt-in' },
    openai: { kind: 'encrypted', value: 'x' },
  },
  'endpoints.json': { endpoints: [endpoint], learnedWindows: { 'work/m': 4096 } },
  'approvals.json': { version: 1, rules: [rule] },
  'asked.json': { asked: [[hostname(), SESSION, 'reply', 'call-1']] },
  'window.json': { x: 1, y: 2, width: 900, height: 700, maximized: false },
  [`sessions/${SESSION}.meta.json`]: meta,
  [`sessions/${SESSION}.queue.json`]: { v: 1, items: [item] },
};
const NAMES = Object.keys(FILES);
/** A lost window place is no reason for a message. */
const SILENT = new Set(['window.json']);

function writeAll(but?: string): void {
  writeFileSync(join(home, 'sessions', `${SESSION}.jsonl`), JOURNAL);
  for (const name of NAMES) if (name !== but) writeFileSync(join(home, name), JSON.stringify(FILES[name]));
}

/** All that reads them, as the app opens it; what was found wrong. */
async function openAll() {
  const placed = placeWindow(loadWindowState(join(home, 'window.json')), [{ x: 0, y: 0, width: 1600, height: 1000 }]);
  const theme = await storedTheme(join(home, 'settings.json'));
  const settings = await openSettings(join(home, 'settings.json'));
  const credentials = await openCredentials(join(home, 'credentials.json'), vault);
  const endpoints = await openEndpoints(join(home, 'endpoints.json'), credentials);
  const approvals = await Approvals.open({ file: join(home, 'approvals.json') });
  const asked = await PendingCalls.open(join(home, 'asked.json'), { warn: () => undefined });
  const store = await createSessionStore({
    ...{ dir: join(home, 'sessions'), trashDir: join(home, 'trash'), clock: Date.now, randomHex: seededHex(1) },
    log: { warn: () => undefined },
  });
  const [listed] = await store.list();
  const log = await store.open(SESSION);
  await log.append([{ type: 'message', message: { role: 'user', content: 'said now', timestamp: 2 } }]);
  const { queue, damage } = await DurableQueue.open(
    join(home, 'sessions', `${SESSION}.queue.json`),
    () => false,
    () => undefined,
  );
  const registry = new Registry({
    findRoute: goDirectly,
    environment: {},
    ...{ credentials, endpoints, settings: settings.current, onChange: () => undefined },
    localAddresses: {} as never,
  });
  const providers = registry.providers();
  await store.close();
  const problems = [
    ...[...settings.problems, ...credentials.problems, ...endpoints.problems, ...approvals.problems],
    ...[...asked.problems, ...store.problems, ...(damage === null ? [] : [damage])],
  ];
  return { placed, theme, settings, credentials, endpoints, approvals, asked, listed, queue, providers, problems };
}

const asides = (): string[] =>
  ['', 'sessions'].flatMap((folder) => readdirSync(join(home, folder)).filter((name) => name.includes('.bad-')));

/** What can't be read may be whole: nothing is moved, nothing written over it. */
const UNREAD: Record<string, (path: string) => void> = {
  'a folder': (path) => mkdirSync(path),
  'a folder with files': (path) => {
    mkdirSync(path);
    writeFileSync(join(path, 'x'), 'x');
  },
  'a link to itself': (path) => symlinkSync(path, path),
};
const FORMS: Record<string, (path: string) => void> = {
  'a named pipe': (path) => void execFileSync('mkfifo', [path]),
  'a link to an endless device': (path) => symlinkSync('/dev/zero', path),
  'one gigabyte': (path) => {
    writeFileSync(path, '');
    truncateSync(path, 1024 ** 3);
  },
  'no UTF-8': (path) => writeFileSync(path, Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d])),
  empty: (path) => writeFileSync(path, ''),
  torn: (path) => writeFileSync(path, '{"endpoints": [{"id'),
  'a list': (path) => writeFileSync(path, '[]'),
  null: (path) => writeFileSync(path, 'null'),
  'a million brackets': (path) => writeFileSync(path, '['.repeat(1_000_000)),
};

describe('a file that says nothing', () => {
  it.each(NAMES.flatMap((name) => Object.keys(FORMS).map((form) => [name, form] as const)))(
    'A5: %s is %s',
    async (name, form) => {
      writeAll(name);
      FORMS[form]!(join(home, name));
      const first = await openAll();
      expect(first.listed).toMatchObject({ sessionId: SESSION, damage: [] });
      expect(first.placed.width).toBeGreaterThan(700);
      if (SILENT.has(name)) return expect(first.problems).toEqual([]);
      expect(first.problems).toHaveLength(1);
      expect(first.problems[0]).not.toMatch(/undefined|Error:|\[object|ENO|EISDIR/);
      expect(asides()).toHaveLength(1);
      // What was wrong stands aside: it is told once, and what is set now is kept.
      await first.settings.set('retry.maxRetries', 1);
      await first.credentials.set('new', 'key', 'plain', BUILT_IN);
      await first.queue.add({ ...item, id: '00000003', mode: 'steer', held: false });
      const again = await openAll();
      expect(again.problems).toEqual([]);
      expect(again.settings.current()['retry.maxRetries']).toBe(1);
      expect(again.credentials.get('new', BUILT_IN)).toBe('key');
      expect(again.queue.has('00000003')).toBe(true);
      expect(asides()).toHaveLength(1);
    },
  );
});

/** A sidecar is completed from its journal, and kept aside before that. */
const OWN = NAMES.filter((name) => !name.endsWith('.meta.json'));

/** No rule to remove is left, and a question that can’t be noted is asked all the same. */
const QUIET = new Set(['approvals.json', 'asked.json']);

describe('a file that can’t be read', () => {
  it.each(OWN.flatMap((name) => Object.keys(UNREAD).map((form) => [name, form] as const)))(
    'A5: %s is %s: it stays as it is, nothing is written over it, and each start says what to do',
    async (name, form) => {
      writeAll(name);
      const path = join(home, name);
      UNREAD[form]!(path);
      const what = lstatSync(path);
      for (let start = 0; start < 2; start += 1) {
        const opened = await openAll();
        expect(opened.listed).toMatchObject({ sessionId: SESSION, damage: [] });
        const changes = await Promise.allSettled([
          opened.settings.set('retry.maxRetries', 1),
          opened.credentials.set('new', 'key', 'plain', BUILT_IN),
          opened.endpoints.save({ ...endpoint, id: 'new' } as never),
          opened.approvals.removeRule(rule.hash),
          Promise.resolve(opened.asked.ask(call2)).then(() => opened.asked.begin(call2, [call2.callId], null)),
          opened.queue.add({ ...item, id: '00000003', mode: 'steer', held: false }),
          saveWindowState(join(home, 'window.json'), { x: 1, y: 2, width: 900, height: 700, maximized: false }),
        ]);
        const refused = changes.flatMap((change) => (change.status === 'rejected' ? [String(change.reason)] : []));
        if (!QUIET.has(name)) expect(refused).toHaveLength(1);
        expect(asides()).toEqual([]);
        expect([lstatSync(path).ino, lstatSync(path).isDirectory()]).toEqual([what.ino, what.isDirectory()]);
        if (SILENT.has(name)) continue;
        expect(opened.problems).toHaveLength(1);
        expect(opened.problems[0]).toMatch(/was left unchanged: .+, then restart Espalier\.$/);
        expect(opened.problems[0]).toContain(path);
        expect(refused.join()).not.toMatch(/undefined|\[object|ENO|EISDIR/);
      }
    },
  );

  it('A5: of rules and trust nothing holds, and no answer takes their place', async () => {
    for (const name of ['approvals.json', 'trust.json']) mkdirSync(join(home, name));
    const approvals = await Approvals.open({ file: join(home, 'approvals.json') });
    expect(approvals.remembered('s', { always: scope })).toBeUndefined();
    const answer = approvals.request('s', {
      ...{ toolCallId: 'c', tool: 'bash', title: 't', reason: 'r', scopes: { always: scope } },
      exact: { kind: 'command', command: 'echo a', cwd: '/w', timeoutMs: 1 },
    });
    const [asked] = approvals.pending();
    expect(await approvals.answer(asked!.id, asked!.contentHash, 'always')).toMatchObject({
      reason: expect.stringMatching(/^It was allowed this once\. .+ they are not overwritten/) as string,
    });
    expect(await answer).toMatchObject({ outcome: 'allowed' });
    const book = await TrustBook.open({ file: join(home, 'trust.json'), scratchRoot: join(home, 'none') });
    expect([book.wasOffered, await book.isTrusted(home)]).toEqual([true, false]);
    await expect(book.trust([(await identify(home))!])).rejects.toThrow('they are not overwritten');
    expect(asides()).toEqual([]);
  });
});

describe('settings that can’t be read', () => {
  const settingsFile = (): string => join(home, 'settings.json');
  const stored = { 'tools.bash': 'deny', 'tools.deniedPaths': ['/secret'] };

  it.each(['a folder', 'damaged', 'one value is'])('A5: %s: what was in force stays in force', async (form) => {
    writeFileSync(settingsFile(), JSON.stringify(stored));
    await openSettings(settingsFile());
    rmSync(settingsFile());
    if (form === 'a folder') mkdirSync(settingsFile());
    else
      writeFileSync(settingsFile(), form === 'damaged' ? '{' : JSON.stringify({ ...stored, 'tools.deniedPaths': 5 }));
    const settings = await openSettings(settingsFile());
    expect(settings.current()).toMatchObject(stored);
    expect(settings.isUnknown).toBe(false);
    expect(settings.problems).toHaveLength(1);
    const again = await openSettings(settingsFile());
    expect(again.current()).toMatchObject(stored);
    expect(again.problems).toHaveLength(form === 'a folder' ? 1 : 0);
  });

  it('A5: the copy follows each change, and stands in for a file that is gone; what was reset stays reset', async () => {
    const settings = await openSettings(settingsFile());
    await settings.set('tools.bash', 'deny');
    writeFileSync(settingsFile(), '{');
    expect((await openSettings(settingsFile())).current()['tools.bash']).toBe('deny');
    // As after a crash, or on a full disk: the damaged file was moved aside, and nothing came in its place.
    rmSync(settingsFile());
    for (let start = 0; start < 2; start += 1) {
      const restored = await openSettings(settingsFile());
      expect([restored.current()['tools.bash'], restored.isUnknown]).toEqual(['deny', false]);
      expect(restored.problems).toEqual([
        'The settings file settings.json is missing. The settings of the last start are in use.',
      ]);
      rmSync(settingsFile());
    }
    const again = await openSettings(settingsFile());
    expect((await openSettings(settingsFile())).problems).toEqual([]);
    await again.reset('tools.bash');
    rmSync(settingsFile());
    const reset = await openSettings(settingsFile());
    expect([reset.current()['tools.bash'], reset.problems, reset.isUnknown]).toEqual(['ask', [], false]);
  });

  it.each([
    [
      'damaged',
      '{',
      'The settings could not be read: the file is damaged. The old file is kept as settings.json.last.',
    ],
    [
      'partly bad',
      '{"tools.bash":"deny","tools.deniedPaths":5}',
      'Denied paths (tools.deniedPaths) could not be used.',
    ],
  ])('A5: they are gone and their copy is %s: what they forbade is not known', async (_form, text, told) => {
    writeFileSync(`${settingsFile()}.last`, text);
    const settings = await openSettings(settingsFile());
    expect(settings.isUnknown).toBe(true);
    expect(settings.problems.join('\n')).toContain(told);
    expect(settings.problems.join('\n')).toContain('What they denied is unknown');
    expect(asides()).toHaveLength(1);
    expect((await openSettings(settingsFile())).isUnknown).toBe(false);
    if (text !== '{') expect(settings.current()['tools.bash']).toBe('deny');
  });

  it.each([
    ['tools.bash', 'dney'],
    ['tools.write', 5],
    ['tools.deniedPaths', '/secret'],
    ['tools.deniedPaths', ['/a', 5]],
  ])('A5: of %s the value is %o, and there is no copy: what it forbade is not known', async (key, value) => {
    writeFileSync(settingsFile(), JSON.stringify({ [key]: value }));
    const settings = await openSettings(settingsFile());
    expect(settings.isUnknown).toBe(true);
    expect(settings.problems).toHaveLength(1);
    expect(settings.problems[0]).toMatch(/could not be used\. .+ What they denied is unknown, so Espalier asks/);
    const scratchRoot = join(home, 'workspaces');
    mkdirSync(scratchRoot);
    const options = { file: join(home, 'trust.json'), scratchRoot, isSuspended: settings.isUnknown };
    expect(await (await TrustBook.open(options)).isTrusted(scratchRoot)).toBe(false);
  });

  it('A5: another value that is bad leaves what is forbidden known', async () => {
    writeFileSync(settingsFile(), JSON.stringify({ ...stored, 'appearance.theme': 5 }));
    const settings = await openSettings(settingsFile());
    expect([settings.isUnknown, settings.current()]).toMatchObject([false, stored]);
  });

  it('A5: a list of denied paths that is partly bad keeps those of the last start as well', async () => {
    const list = (paths: unknown[]): void =>
      writeFileSync(settingsFile(), JSON.stringify({ 'tools.deniedPaths': paths }));
    const many = (count: number, name: string): string[] => Array.from({ length: count }, (_, n) => `/${name}${n}`);
    list(['/secret', '/a']);
    await openSettings(settingsFile());
    list(['/a', 5, '/b']);
    const settings = await openSettings(settingsFile());
    expect([settings.current()['tools.deniedPaths'], settings.isUnknown]).toEqual([['/secret', '/a', '/b'], false]);
    for (let start = 0; start < 2; start += 1) {
      expect((await openSettings(settingsFile())).current()['tools.deniedPaths']).toEqual(['/secret', '/a', '/b']);
      rmSync(settingsFile());
    }
    // More than a list can hold: some would be dropped.
    list([...many(99, 'x'), 5]);
    const full = await openSettings(settingsFile());
    expect([full.current()['tools.deniedPaths'], full.isUnknown]).toEqual([['/secret', '/a', '/b'], true]);
  });

  it.each(['a folder', 'damaged'])('A5: %s, and no copy: nothing is trusted, not even the app’s own', async (form) => {
    if (form === 'a folder') mkdirSync(settingsFile());
    else writeFileSync(settingsFile(), '{');
    const file = join(home, 'trust.json');
    const scratch = join(home, 'workspaces', 'scratch');
    mkdirSync(scratch, { recursive: true });
    const known = await TrustBook.open({ file, scratchRoot: join(home, 'workspaces') });
    await known.trust([(await identify(join(home, 'sessions')))!]);
    const settings = await openSettings(settingsFile());
    const book = await TrustBook.open({
      ...{ file, scratchRoot: join(home, 'workspaces'), isSuspended: settings.isUnknown },
    });
    expect(settings.current()).toMatchObject({ 'tools.bash': 'ask', 'tools.write': 'ask' });
    expect(await book.isTrusted(join(home, 'sessions'))).toBe(false);
    expect(await book.isTrusted(scratch)).toBe(false);
    await expect(book.trust([(await identify(scratch))!])).rejects.toThrow('Your settings could not be read');
  });
});

describe('the window’s place', () => {
  it('A5: what a link in its place leads to is neither read nor replaced', async () => {
    const [pipe, file] = [join(home, 'pipe'), join(home, 'window.json')];
    execFileSync('mkfifo', [pipe]);
    symlinkSync(pipe, file);
    const place = { x: 1, y: 2, width: 900, height: 700, maximized: false };
    await saveWindowState(file, place);
    expect(lstatSync(pipe).isFIFO()).toBe(true);
    expect([lstatSync(file).isFile(), loadWindowState(file)]).toEqual([true, place]);
  });
});

describe('a file of which a part is bad', () => {
  it('A5: a byte order mark is no damage', async () => {
    writeAll();
    for (const name of NAMES) writeFileSync(join(home, name), `\ufeff${JSON.stringify(FILES[name])}`);
    const opened = await openAll();
    expect(opened.problems).toEqual([]);
    expect(opened.placed).toMatchObject({ width: 900, height: 700 });
    expect(opened.theme).toBe('dark');
  });

  it('A5: the good parts are used, the file as it was is kept, and it is told once', async () => {
    writeAll();
    const write = (name: string, value: unknown): void => writeFileSync(join(home, name), JSON.stringify(value));
    write('settings.json', { 'appearance.theme': 'dark', 'retry.maxRetries': 'many', 'tools.deniedPaths': ['/a', 5] });
    write('credentials.json', { anthropic: { kind: 'plain', value: 'secret-1\nbuilt-in' }, openai: 5 });
    write('endpoints.json', {
      endpoints: [
        null,
        { ...endpoint, id: 'x', baseUrl: 'no address' },
        endpoint,
        endpoint,
        { ...endpoint, headers: 5 },
      ],
      learnedWindows: { 'work/m': 4096, 'work/n': 'x' },
    });
    write('approvals.json', { version: 1, rules: [5, rule, { ...rule, scope: { ...scope, command: 'rm -rf /' } }] });
    write(`sessions/${SESSION}.meta.json`, { ...meta, createdAt: 'yesterday', preview: {} });
    write(`sessions/${SESSION}.queue.json`, { v: 1, items: [item, { ...item, id: 5 }] });
    const opened = await openAll();
    expect(opened.settings.current()).toMatchObject({ 'appearance.theme': 'dark', 'tools.deniedPaths': ['/a'] });
    expect(opened.credentials.get('anthropic', BUILT_IN)).toBe('secret-1');
    expect(opened.endpoints.all().map(({ id }) => id)).toEqual(['work']);
    expect([opened.endpoints.learned('work/m')?.tokens, opened.endpoints.learned('work/n')]).toEqual([4096, undefined]);
    expect(opened.approvals.rules()).toEqual([rule]);
    expect(opened.listed!.meta).toMatchObject({ title: 'Named by hand', pinned: true, workspace: '/w' });
    expect(opened.queue.list().map(({ id }) => id)).toEqual([item.id]);
    expect(opened.problems).toHaveLength(6);
    expect(asides()).toHaveLength(6);
    const again = await openAll();
    expect(again.problems).toEqual([]);
    expect(again.listed!.meta).toMatchObject({ title: 'Named by hand', pinned: true });
    expect(again.settings.current()['tools.deniedPaths']).toEqual(['/a']);
  });

  it('A5: any JSON in any place of any file', async () => {
    const hostile = fc.oneof(
      fc.jsonValue({ maxDepth: 3 }),
      fc.constantFrom<unknown>(null, 5, '', [], {}, 'x'.repeat(100_000), -1, 1e308, 'constructor', '__proto__', true),
    );
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...NAMES), fc.nat(), hostile, fc.boolean(), async (name, at, value, isKey) => {
        writeAll();
        const places = JSON.stringify(FILES[name]).match(/"(?:[^"\\]|\\.)*"|\d+|true|false/g) ?? [];
        const text = JSON.stringify(FILES[name]);
        const place = places[at % places.length] ?? '';
        const from = text.indexOf(place);
        const put = isKey
          ? JSON.stringify(typeof value === 'object' ? JSON.stringify(value) : String(value)).slice(0, 200)
          : (JSON.stringify(value) ?? 'null');
        writeFileSync(join(home, name), text.slice(0, from) + put + text.slice(from + place.length));
        const opened = await openAll();
        expect(opened.problems.length).toBeLessThan(3);
        expect((await openAll()).problems.filter((text) => !/keyring/.test(text))).toEqual([]);
        for (const aside of asides()) rmSync(join(home, aside), { force: true });
      }),
      { numRuns: 50 },
    );
  });

  it('A5: names that objects inherit from reach nothing', async () => {
    writeAll();
    for (const name of NAMES)
      writeFileSync(join(home, name), JSON.stringify(FILES[name]).replace('{', '{"__proto__":{"polluted":true},'));
    await openAll();
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });
});

describe('a folder of the app’s own', () => {
  it('A5: a file in its place, or above it, is named', async () => {
    writeFileSync(join(home, 'data'), 'x');
    await expect(makeOwnFolder(join(home, 'data'))).rejects.toThrow(
      `${join(home, 'data')} is not a folder. Move it away`,
    );
    await expect(makeOwnFolder(join(home, 'data', 'sessions'))).rejects.toThrow(
      `but ${join(home, 'data')} is not a folder`,
    );
    symlinkSync(join(home, 'not mounted'), join(home, 'link'));
    await expect(makeOwnFolder(join(home, 'link'))).rejects.toThrow('a link to a folder that doesn’t exist');
    await makeOwnFolder(join(home, 'a', 'b'));
    await makeOwnFolder(join(home, 'a', 'b'));
    expect(statSync(join(home, 'a', 'b')).mode & 0o777).toBe(0o700);
  });
});
