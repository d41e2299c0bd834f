import { constants } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createSessionStore, type JournalStore } from '../../../src/main/journal/session-store';
import { FailingFs } from '../../support/failing-fs';
import { seededHex } from '../shared/session/support';

/** The error of a disk that takes no new file; null: it takes them. */
let refuses: { code: string; to: RegExp } | null = null;
vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof import('node:fs/promises')>();
  const open: typeof real.open = (path, flags, mode) => {
    const isNew = typeof flags === 'number' && (flags & constants.O_CREAT) !== 0;
    if (!refuses || !isNew || !refuses.to.test(String(path))) return real.open(path, flags, mode);
    return Promise.reject(Object.assign(new Error(refuses.code), { code: refuses.code }));
  };
  return { ...real, open };
});
const { openEndpoints } = await import('../../../src/main/models/endpoints');
const { openCredentials } = await import('../../../src/main/models/credentials');
const { openSettings } = await import('../../../src/main/settings/settings-store');
const { DurableQueue } = await import('../../../src/main/agent/durable-queue');

/** docs/specs/safety.md A5: on a disk that refuses the copy of what was found nothing of it is lost, and it is told. */
let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'espalier-keep-'));
});
afterEach(async () => {
  refuses = null;
  await rm(home, { recursive: true, force: true });
});
const asides = async (): Promise<string[]> => (await readdir(home)).filter((name) => name.includes('.bad-'));

const endpoint = {
  ...{ id: 'work', name: 'Work', api: 'openai-completions', baseUrl: 'https://work.example/v1', headers: {} },
  models: [{ id: 'm', contextWindow: 1000, maxTokens: 100, images: false, reasoning: false }],
};
const vault = { available: () => true, encrypt: (text: string) => text, decrypt: (text: string) => text };
const item = { id: '00000003', text: 'later', attachments: [], mode: 'steer' as const, createdAt: 1, held: false };

/** A file with a good and a bad part each, and what is saved over it later. */
const FILES: Record<
  string,
  { text: string; open: (file: string) => Promise<{ problems: string; save: () => Promise<unknown> }> }
> = {
  'endpoints.json': {
    text: JSON.stringify({ endpoints: [endpoint, { id: 5, secretOfThePerson: 1 }], learnedWindows: {} }),
    open: async (file) => {
      const book = await openEndpoints(file, await openCredentials(join(home, 'keys.json'), vault));
      expect(book.get('work')).toMatchObject({ name: 'Work' });
      return { problems: book.problems.join(), save: () => book.save({ ...endpoint, id: 'new' } as never) };
    },
  },
  'settings.json': {
    text: '{"retry.maxRetries":"many","appearance.theme":"dark"}',
    open: async (file) => {
      const settings = await openSettings(file);
      expect(settings.current()['appearance.theme']).toBe('dark');
      return { problems: settings.problems.join(), save: () => settings.set('retry.maxRetries', 1) };
    },
  },
  'queue.json': {
    text: JSON.stringify({ v: 1, items: [{ ...item, id: '00000001' }, { half: 'a message' }] }),
    open: async (file) => {
      const { queue, damage } = await DurableQueue.open(file, () => false, () => undefined); // prettier-ignore
      return { problems: damage ?? '', save: () => queue.add(item) };
    },
  },
};

describe.each(Object.entries(FILES))('%s', (name, { text, open }) => {
  it.each([
    ['ENOSPC', 'the disk is full', 'free some space'],
    ['EIO', 'the disk reported an error', 'check the disk'],
  ])(
    'A5: the disk says %s: the file stays, it is told, and nothing is saved over it before the copy stands',
    async (code, reason, cure) => {
      const file = join(home, name);
      await writeFile(file, text);
      refuses = { code, to: /./ };
      const opened = await open(file);
      expect(opened.problems).toContain(`The file was left unchanged: ${file}. It can’t be repaired now: ${reason}.`);
      expect([await readFile(file, 'utf8'), await asides()]).toEqual([text, []]);
      await expect(opened.save()).rejects.toThrow(
        `The unusable parts of ${file} can’t be backed up: ${reason}. So the file is not overwritten: ${cure}, then try again.`,
      );
      expect(await readFile(file, 'utf8')).toBe(text);
      refuses = null;
      await opened.save();
      expect(await readFile(file, 'utf8')).not.toBe(text);
      const [aside, ...more] = await asides();
      expect([await readFile(join(home, aside!), 'utf8'), more]).toEqual([text, []]);
      // The next start finds a clean file.
      expect((await open(file)).problems).toBe('');
    },
  );

  it('A5: the copy stands and the good parts can’t be written: no copy is left for each start', async () => {
    const file = join(home, name);
    await writeFile(file, text);
    refuses = { code: 'ENOSPC', to: /\.tmp$/ };
    for (let start = 0; start < 3; start += 1)
      expect((await open(file)).problems).toContain('The file was left unchanged');
    expect([await readFile(file, 'utf8'), await asides()]).toEqual([text, []]);
  });
});

describe('a sidecar', () => {
  const half = '{"title":"Named by hand","pinned":true,"workspace":5}';
  let store: JournalStore;
  const openStore = async (fs?: FailingFs): Promise<JournalStore> =>
    (store = await createSessionStore({
      ...{ dir: join(home, 'sessions'), trashDir: join(home, 'trash'), clock: Date.now, randomHex: seededHex(1) },
      ...{ fs, log: { warn: () => undefined } },
    }));

  it.each(['ENOSPC', 'EIO'] as const)(
    'A5: the disk says %s: it stays until it is kept, and the session is listed',
    async (kind) => {
      const log = await (await openStore()).create({ workspace: '/w' });
      const id = log.sessionId;
      await log.append([{ type: 'message', message: { role: 'user', content: 'one', timestamp: 1 } }]);
      await store.close();
      const file = join(home, 'sessions', `${id}.meta.json`);
      await writeFile(file, half);
      // From the second call on: the first makes the folder.
      const fault = { at: 2, kind, stays: true };
      await openStore(new FailingFs(fault));
      expect(store.problems.join()).toContain('The old files stay until they can be kept beside the session files');
      expect((await store.list())[0]).toMatchObject({
        sessionId: id,
        entryCount: 1,
        damage: [],
        meta: { title: 'Named by hand', pinned: true },
      });
      await expect(store.setMeta(id, { title: 'New' })).rejects.toThrow(
        /^Could not save: the disk (is full|reported an error)/,
      );
      expect(await readFile(file, 'utf8')).toBe(half);
      // There is room again.
      fault.at = Number.POSITIVE_INFINITY;
      await store.setMeta(id, { title: 'Newer' });
      await store.close();
      const names = await readdir(join(home, 'sessions'));
      const [aside, ...more] = names.filter((name) => name.includes('.bad-'));
      expect([await readFile(join(home, 'sessions', aside!), 'utf8'), more]).toEqual([half, []]);
      expect((await openStore()).meta(id)).toMatchObject({ title: 'Newer', pinned: true });
      expect(store.problems).toEqual([]);
      await store.close();
    },
  );
});
