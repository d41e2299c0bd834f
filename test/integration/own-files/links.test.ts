import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { QueueItem } from '@shared/types';
import { BUILT_IN } from '@shared/policy/keys';
import { DurableQueue } from '../../../src/main/agent/durable-queue';
import { ShownSession } from '../../../src/main/own-files/shown-session';
import { DrawingMarker } from '../../../src/main/own-files/drawing-marker';
import { keepPrivate } from '../../../src/main/app/data-folder';
import { loadWindowState, saveWindowState } from '../../../src/main/app/window-rules';
import { createSessionStore, type JournalStore } from '../../../src/main/journal/session-store';
import { openCredentials, type KeyVault } from '../../../src/main/models/credentials';
import { openEndpoints } from '../../../src/main/models/endpoints';
import { repairIndexedDbTails } from '../../../src/main/profile/leveldb-tail';
import { openSettings } from '../../../src/main/settings/settings-store';
import { hashScope, loadRules, saveRules } from '../../../src/main/approvals/approval-rules';
import { reapOrphans } from '../../../src/main/commands/orphans';
import { keepWithinQuota } from '../../../src/main/commands/output-quota';
import { identify } from '../../../src/main/places/folder';
import { TrustBook } from '../../../src/main/trust/trust-book';
import { seededHex } from '../../unit/shared/session/support';

/** docs/specs/safety.md A10: whatever a name in the data folder leads to, nothing there is overwritten, cut or emptied. */
let base: string;
let home: string;
let theirs: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'espalier-links-'));
  [home, theirs] = [join(base, 'data'), join(base, 'theirs')];
  mkdirSync(join(home, 'sessions'), { recursive: true });
  mkdirSync(theirs);
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const vault: KeyVault = { available: () => true, encrypt: (text) => text, decrypt: (text) => text };
const scope = { kind: 'command', command: 'echo a', cwd: '/w' } as const;
const rule = { hash: hashScope(scope), scope, createdAt: '2026-01-01T00:00:00.000Z' };
const place = { x: 1, y: 2, width: 900, height: 700, maximized: false };
const item: QueueItem = { id: '00000003', text: 'later', attachments: [], mode: 'steer', createdAt: 1, held: false };

interface Writer {
  /** What the person's file holds that the link leads to. */
  content: string;
  write: (file: string) => Promise<unknown>;
  gives: 'way' | 'words';
}
/** Everything that replaces a small file of the app's own. */
const WRITERS: Record<string, Writer> = {
  'settings.json': {
    content: '{"appearance.theme":"dark"}',
    write: async (file) => (await openSettings(file)).set('retry.maxRetries', 1),
    gives: 'words',
  },
  'credentials.json': {
    content: '{}',
    write: async (file) => (await openCredentials(file, vault)).set('new', 'key', 'plain', BUILT_IN),
    gives: 'words',
  },
  'endpoints.json': {
    content: '{"endpoints":[],"learnedWindows":{}}',
    write: async (file) => {
      const draft = {
        ...{ id: 'work', name: 'Work', api: 'openai-completions', baseUrl: 'https://work.example/v1', headers: {} },
        models: [{ id: 'm', contextWindow: 1000, maxTokens: 100, images: false, reasoning: false }],
      };
      await (await openEndpoints(file, await openCredentials(join(home, 'keys.json'), vault))).save(draft as never);
    },
    gives: 'words',
  },
  'approvals.json': {
    content: '{"version":1,"rules":[]}',
    write: async (file) => {
      await (await loadRules(file)).mayReplace();
      await saveRules(file, [rule]);
    },
    gives: 'words',
  },
  'trust.json': {
    content: '{"version":1,"offered":true,"folders":[]}',
    write: async (file) =>
      (await TrustBook.open({ file, scratchRoot: join(home, 'none') })).trust([(await identify(theirs))!]),
    gives: 'words',
  },
  'settings.json.last': {
    content: '{"appearance.theme":"dark"}',
    write: async (file) => (await openSettings(file.slice(0, -'.last'.length))).set('retry.maxRetries', 1),
    gives: 'way',
  },
  'window.json': { content: '{"x":1}', write: (file) => saveWindowState(file, place), gives: 'way' },
  'drawing.json': {
    content: '{"theirs":1}',
    write: async (file) => {
      const marker = new DrawingMarker(file);
      await marker.read();
      marker.drawing('s1');
      await marker.written();
    },
    gives: 'way',
  },
  'shown.json': {
    content: '{"theirs":1}',
    write: async (file) => {
      const shown = new ShownSession(file);
      shown.shows('s1');
      await shown.written();
    },
    gives: 'way',
  },
  'sessions/s1.queue.json': {
    content: '{"v":1,"items":[]}',
    write: async (file) =>
      (
        await DurableQueue.open(
          file,
          () => false,
          () => undefined,
        )
      ).queue.add(item),
    gives: 'way',
  },
};
const CASES = Object.entries(WRITERS);

describe('small files', () => {
  it.each(CASES)('A10: %s is a link to a file elsewhere', async (name, { content, write, gives }) => {
    const [file, target] = [join(home, name), join(theirs, 'file')];
    writeFileSync(target, content);
    symlinkSync(target, file);
    const outcome = await write(file).then(() => 'written', (error: Error) => error.message); // prettier-ignore
    expect(readFileSync(target, 'utf8')).toBe(content);
    expect(readdirSync(theirs)).toEqual(['file']);
    if (gives === 'way') expect([outcome, lstatSync(file).isFile()]).toEqual(['written', true]);
    else {
      expect(outcome).toMatch(/is a link to .+, and Espalier doesn’t write through links\. It was left unchanged/);
      expect(lstatSync(file).isSymbolicLink()).toBe(true);
    }
  });

  it.each(CASES)('A10: %s is a link that leads nowhere: nothing is made there', async (name, { write, gives }) => {
    const file = join(home, name);
    symlinkSync(join(theirs, 'missing'), file);
    const outcome = await write(file).then(() => 'written', (error: Error) => error.message); // prettier-ignore
    expect(readdirSync(theirs)).toEqual([]);
    expect(outcome).toMatch(gives === 'way' ? /^written$/ : /is a link to .+missing, and Espalier/);
  });

  it.each(CASES)('A10: %s is another name of a file elsewhere, and so is what lies beside it', async (name, writer) => {
    const [file, target, beside] = [join(home, name), join(theirs, 'file'), join(theirs, 'beside')];
    writeFileSync(target, writer.content);
    writeFileSync(beside, 'theirs');
    linkSync(target, file);
    symlinkSync(beside, `${file}.tmp`);
    await writer.write(file);
    expect([readFileSync(target, 'utf8'), readFileSync(beside, 'utf8')]).toEqual([writer.content, 'theirs']);
    expect([lstatSync(file).nlink, existsSync(`${file}.tmp`)]).toEqual([1, false]);
  });

  it.each(CASES)('A10: %s is a pipe that comes while the app runs: nothing waits for it', async (name, writer) => {
    const file = join(home, name);
    await writer.write(file);
    rmSync(file);
    execFileSync('mkfifo', [file]);
    // Whoever opens it first sets it aside or replaces it.
    await writer.write(file);
    expect(lstatSync(file).isFile()).toBe(true);
  });

  it('A10: the place of the window is read again', async () => {
    const file = join(home, 'window.json');
    writeFileSync(join(theirs, 'file'), 'theirs');
    symlinkSync(join(theirs, 'file'), file);
    await saveWindowState(file, place);
    expect([loadWindowState(file), readFileSync(join(theirs, 'file'), 'utf8')]).toEqual([place, 'theirs']);
  });
});

describe('sessions', () => {
  const said = (content: string) => ({
    type: 'message' as const,
    message: { role: 'user' as const, content, timestamp: 1 },
  });
  let store: JournalStore;
  const open = async (): Promise<JournalStore> =>
    (store = await createSessionStore({
      ...{ dir: join(home, 'sessions'), trashDir: join(home, 'trash'), clock: Date.now, randomHex: seededHex(1) },
      log: { warn: () => undefined },
    }));
  const inSessions = (name: string): string => join(home, 'sessions', name);
  async function madeSession(): Promise<string> {
    await open();
    const log = await store.create({ workspace: '/w' });
    const { sessionId } = log;
    await log.append([said('one')]);
    await store.close();
    return sessionId;
  }
  afterEach(() => store.close());

  it.each(['a link', 'another name'])('A10: an index that is %s of a file elsewhere empties nothing', async (form) => {
    const id = await madeSession();
    const target = join(theirs, 'thesis');
    writeFileSync(target, 'years of work\n'.repeat(100));
    rmSync(inSessions(`${id}.index`));
    if (form === 'a link') symlinkSync(target, inSessions(`${id}.index`));
    else linkSync(target, inSessions(`${id}.index`));
    const log = await (await open()).open(id);
    await log.append([said('two')]);
    await store.close();
    expect(readFileSync(target, 'utf8')).toBe('years of work\n'.repeat(100));
    expect([lstatSync(inSessions(`${id}.index`)).isFile(), lstatSync(inSessions(`${id}.index`)).nlink]).toEqual([
      true,
      1,
    ]);
    expect((await (await open()).list())[0]).toMatchObject({ sessionId: id, entryCount: 2, damage: [] });
  });

  it('A10: an index behind a link is neither used nor cut, though it is one', async () => {
    const id = await madeSession();
    const target = join(theirs, 'index');
    writeFileSync(target, readFileSync(inSessions(`${id}.index`)));
    const before = readFileSync(target);
    rmSync(inSessions(`${id}.index`));
    symlinkSync(target, inSessions(`${id}.index`));
    const log = await (await open()).open(id);
    await log.append([said('two')]);
    await store.close();
    expect(readFileSync(target).equals(before)).toBe(true);
    expect(lstatSync(inSessions(`${id}.index`)).isFile()).toBe(true);
  });

  it('A10: a folder in place of the index stays as it is', async () => {
    const id = await madeSession();
    rmSync(inSessions(`${id}.index`));
    mkdirSync(inSessions(`${id}.index`));
    writeFileSync(join(inSessions(`${id}.index`), 'x'), 'x');
    await (await (await open()).open(id)).append([said('two')]);
    await store.close();
    expect(readdirSync(inSessions(`${id}.index`))).toEqual(['x']);
    expect((await (await open()).list())[0]).toMatchObject({ sessionId: id, entryCount: 2, damage: [] });
  });

  it('A10: a sidecar that is a link gives way, whole or not', async () => {
    const id = await madeSession();
    for (const content of [readFileSync(inSessions(`${id}.meta.json`), 'utf8'), '{"title":"theirs"}']) {
      writeFileSync(join(theirs, 'meta'), content);
      rmSync(inSessions(`${id}.meta.json`));
      symlinkSync(join(theirs, 'meta'), inSessions(`${id}.meta.json`));
      await open();
      await store.list();
      await store.setMeta(id, { title: 'New' });
      expect(readFileSync(join(theirs, 'meta'), 'utf8')).toBe(content);
      expect(JSON.parse(readFileSync(inSessions(`${id}.meta.json`), 'utf8'))).toMatchObject({ title: 'New' });
      expect(lstatSync(inSessions(`${id}.meta.json`)).isFile()).toBe(true);
      await store.close();
    }
  });

  it('A10: a journal that is a link to nowhere makes no file there', async () => {
    const id = await madeSession();
    rmSync(inSessions(`${id}.jsonl`));
    symlinkSync(join(theirs, 'missing'), inSessions(`${id}.jsonl`));
    await open();
    await store.list();
    await store.open(id).catch(() => undefined);
    expect(readdirSync(theirs)).toEqual([]);
  });

  it.each([
    [
      'a link to a file',
      (path: string) => symlinkSync(join(theirs, 'file'), path),
      /is a link\. It was left as it is; choose another name/,
    ],
    ['a link to a device', (path: string) => symlinkSync('/dev/null', path), /is a link/],
    ['a pipe', (path: string) => void execFileSync('mkfifo', [path]), /is a pipe or a device/],
    ['a folder', (path: string) => mkdirSync(path), /is a folder/],
  ])('A10: an export does not replace %s', async (_form, put, words) => {
    const id = await madeSession();
    writeFileSync(join(theirs, 'file'), 'theirs');
    put(join(theirs, 'export.jsonl'));
    const before = lstatSync(join(theirs, 'export.jsonl'));
    await expect((await open()).exportTo(id, join(theirs, 'export.jsonl'), false)).rejects.toThrow(words);
    expect(lstatSync(join(theirs, 'export.jsonl')).ino).toBe(before.ino);
    expect(readFileSync(join(theirs, 'file'), 'utf8')).toBe('theirs');
    expect(statSync('/dev/null').isCharacterDevice()).toBe(true);
  });

  it('A10: an export leaves everything that lies beside it', async () => {
    const id = await madeSession();
    const download = join(theirs, 'export.jsonl.part');
    writeFileSync(download, 'half a download');
    await (await open()).exportTo(id, join(theirs, 'export.jsonl'), false);
    expect(readdirSync(theirs).sort()).toEqual(['export.jsonl', 'export.jsonl.part']);
    expect(readFileSync(download, 'utf8')).toBe('half a download');
  });

  it('A10: a folder beside a journal is not removed when the journal is written anew', async () => {
    const id = await madeSession();
    for (const end of ['part', 'new']) {
      mkdirSync(inSessions(`${id}.jsonl.${end}`));
      writeFileSync(join(inSessions(`${id}.jsonl.${end}`), 'x'), 'x');
    }
    const log = await (await open()).open(id);
    rmSync(inSessions(`${id}.jsonl`));
    await log.append([said('two')]).catch(() => undefined);
    expect(readdirSync(inSessions(`${id}.jsonl.part`))).toEqual(['x']);
    expect(readdirSync(inSessions(`${id}.jsonl.new`))).toEqual(['x']);
  });

  it('A10: of a deleted session whose time is over a link to a folder goes, not the folder', async () => {
    const old = join(home, 'trash', '1000000000000-s1');
    mkdirSync(old, { recursive: true });
    writeFileSync(join(theirs, 'file'), 'theirs');
    symlinkSync(theirs, join(old, 'outputs'));
    symlinkSync(theirs, join(home, 'trash', '1000000000001-s2'));
    const times = { noticed: 0, due: 0 };
    const kept = { '1000000000000-s1': times, '1000000000001-s2': times };
    writeFileSync(join(home, 'trash', 'kept.json'), JSON.stringify(kept));
    await open();
    expect(readdirSync(join(home, 'trash'))).toEqual(['kept.json']);
    expect(readdirSync(theirs)).toEqual(['file']);
  });
});

describe('folders that are links', () => {
  it('A10: rights of what they lead to stay', () => {
    chmodSync(theirs, 0o755);
    symlinkSync(theirs, join(home, 'outputs'));
    keepPrivate([join(home, 'outputs')]);
    expect(statSync(theirs).mode & 0o777).toBe(0o755);
  });

  it('A10: files of other names stay where the records of running commands were', async () => {
    const names = ['notes.json', '0123.json', 'package.json.tmp'];
    for (const name of names) writeFileSync(join(theirs, name), '{}');
    symlinkSync(theirs, join(home, 'running'));
    expect(await reapOrphans(join(home, 'running'))).toBe(0);
    expect(readdirSync(theirs).sort()).toEqual([...names].sort());
  });

  it('A10: files elsewhere make no room for the outputs of commands', async () => {
    for (const [at, name] of ['a.txt', 'b.txt', 'c.txt'].entries()) {
      writeFileSync(join(theirs, name), name.repeat(1000));
      utimesSync(join(theirs, name), at, at);
    }
    symlinkSync(theirs, join(home, 'outputs'));
    await keepWithinQuota(join(home, 'outputs'), 10, () => false);
    expect(readFileSync(join(theirs, 'a.txt'), 'utf8')).toBe('a.txt'.repeat(1000));
  });
});

describe('the log of the window’s database', () => {
  it.each(['a link', 'another name'])('A10: %s of a file elsewhere is not cut', async (form) => {
    const folder = join(home, 'profile', 'IndexedDB', 'app_espalier_0.indexeddb.leveldb');
    mkdirSync(folder, { recursive: true });
    const target = join(theirs, 'thesis');
    writeFileSync(target, 'years of work');
    if (form === 'a link') symlinkSync(target, join(folder, '000003.log'));
    else linkSync(target, join(folder, '000003.log'));
    const repairs = await repairIndexedDbTails(join(home, 'profile'));
    expect(readFileSync(target, 'utf8')).toBe('years of work');
    // What Chromium opens ends with a whole record all the same.
    expect(repairs.map(({ cutBytes }) => cutBytes)).toEqual(form === 'a link' ? [] : [13]);
    if (form !== 'a link') expect(statSync(join(folder, '000003.log')).size).toBe(0);
  });

  it('A10: a file with no other name is cut in its place, which needs no room', async () => {
    const folder = join(home, 'profile', 'IndexedDB', 'app_espalier_0.indexeddb.leveldb');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, '000003.log'), Buffer.alloc(5, 1));
    const { ino } = statSync(join(folder, '000003.log'));
    expect(await repairIndexedDbTails(join(home, 'profile'))).toHaveLength(1);
    expect([statSync(join(folder, '000003.log')).ino, statSync(join(folder, '000003.log')).size]).toEqual([ino, 0]);
  });
});
