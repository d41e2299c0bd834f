import { readdir, readFile, readlink, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type JournalFs, nodeFs } from '../../../src/main/journal/file/fs';
import { NameTakenError, writeNewFile } from '../../../src/main/journal/file/write-whole';
import { openStoreBench, textsOf, user } from '../../support/journal';
import type { StoreBench } from '../../support/journal';

const noLinks = vi.hoisted(() => ({ code: '', refused: 0 }));
vi.mock(import('node:fs/promises'), async (original) => {
  const real = await original();
  const link: typeof real.link = async (from, to) => {
    const { code } = noLinks;
    if (code === '') return real.link(from, to);
    noLinks.refused++;
    throw Object.assign(new Error(`${code}: no links here`), { code });
  };
  return { ...real, link };
});

let bench: StoreBench;
afterEach(async () => {
  Object.assign(noLinks, { code: '', refused: 0 });
  await bench.dispose();
});

const ID = '01234567-89ab-4def-8123-456789abcdef';
const header = JSON.stringify({
  type: 'session',
  version: 3,
  id: ID,
  timestamp: '2026-01-01T00:00:00.000Z',
  cwd: '/w',
});
const message = (id: string, text: string): string =>
  JSON.stringify({
    ...{ type: 'message', id, parentId: null, timestamp: '2026-01-01T00:00:01.000Z' },
    message: { role: 'user', content: [{ type: 'text', text }], timestamp: 1 },
  });
const fileOf = (text: string): string => `${header}\n${message('aaaa0001', text)}\n`;

/** The real file system; `then` comes right after the first file whose name ends so was written and synced. */
function afterSync(end: string, then: () => Promise<unknown>): JournalFs {
  let isDone = false;
  const fs: JournalFs = {
    ...nodeFs,
    open: async (path, mode) => {
      const file = await nodeFs.open(path, mode);
      if (mode !== 'create' || !path.includes(end)) return file;
      const datasync = async (): Promise<void> => {
        await file.datasync();
        if (isDone) return;
        isDone = true;
        await then();
      };
      return {
        read: (buffer, position) => file.read(buffer, position),
        append: (bytes) => file.append(bytes),
        datasync,
        truncate: (size) => file.truncate(size),
        stat: () => file.stat(),
        close: () => file.close(),
      };
    },
  };
  return fs;
}

describe.each(['', 'EPERM', 'EISDIR', 'ENOSYS'])(
  'a file comes to a free name only (links are refused with %j)',
  (code) => {
    it('JN44: an import leaves a session that was laid there while it copied, and gets another id', async () => {
      noLinks.code = code;
      const laid = fileOf('from the other computer');
      bench = await openStoreBench({
        fs: afterSync(`${ID}.jsonl`, () => writeFile(bench.journal(ID), laid)),
      });
      const path = join(bench.home, 'a.jsonl');
      await writeFile(path, fileOf('imported'));
      const log = await bench.store.importFile(path);
      expect(log.sessionId).not.toBe(ID);
      expect(await textsOf(log)).toEqual(['imported']);
      expect(await readFile(bench.journal(ID), 'utf8')).toBe(laid);
      const names = await readdir(bench.dir);
      expect(names.filter((name) => name.startsWith(ID))).toEqual([`${ID}.jsonl`]);
      expect(names.filter((name) => name.endsWith('.part'))).toEqual([]);
    });

    it('JN44: two imports of one id at once are two sessions', async () => {
      noLinks.code = code;
      bench = await openStoreBench();
      const paths = ['one', 'two', 'three'].map((text) => ({ text, path: join(bench.home, `${text}.jsonl`) }));
      for (const { path, text } of paths) await writeFile(path, fileOf(text));
      const logs = await Promise.all(paths.map(({ path }) => bench.store.importFile(path)));
      expect(new Set(logs.map(({ sessionId }) => sessionId)).size).toBe(3);
      for (const [at, { text }] of paths.entries()) {
        const log = logs[at];
        if (!log) throw new Error('One import gave no session');
        expect(await textsOf(log)).toEqual([text]);
      }
    });

    it('JN44: a new file is refused where a name is taken, a link that leads nowhere too', async () => {
      noLinks.code = code;
      bench = await openStoreBench();
      const path = join(bench.home, 'taken');
      await writeFile(path, 'theirs');
      await expect(writeNewFile(nodeFs, path, [Buffer.from('ours')])).rejects.toThrow(NameTakenError);
      expect(await readFile(path, 'utf8')).toBe('theirs');
      const link = join(bench.home, 'link');
      await symlink(join(bench.home, 'nowhere'), link);
      await expect(writeNewFile(nodeFs, link, [Buffer.from('ours')])).rejects.toThrow(NameTakenError);
      expect(await readlink(link)).toBe(join(bench.home, 'nowhere'));
      expect((await readdir(bench.home)).sort()).toEqual(['link', 'sessions', 'taken']);
      expect(noLinks.refused > 0).toBe(code !== '');
    });

    it('JN10, JN44: a journal that is gone is not written over one that came back meanwhile', async () => {
      noLinks.code = code;
      const laid = fileOf('from the other computer');
      let id = '';
      bench = await openStoreBench({ fs: afterSync('.jsonl.new', () => writeFile(bench.journal(id), laid)) });
      const log = await bench.store.create({ workspace: '/w' });
      id = log.sessionId;
      await log.append([user('a')]);
      await rm(bench.journal(id));
      await log.append([user('b')]);
      expect(await readFile(bench.journal(id), 'utf8')).toBe(laid);
      expect(await textsOf(log)).toEqual(['a', 'b']);
      const apart = (await readdir(bench.dir)).find((name) => name.includes('.apart-'));
      expect(apart && (await readFile(join(bench.dir, apart), 'utf8'))).toContain('"b"');
    });
  },
);
