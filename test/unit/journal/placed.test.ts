import { readdir, readFile, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { type JournalFs, nodeFs } from '../../../src/main/journal/file/fs';
import { openStoreBench, textsOf, user } from '../../support/journal';
import type { StoreBench } from '../../support/journal';

const unlinks = vi.hoisted(() => ({ fail: false, failed: 0 }));
vi.mock(import('node:fs/promises'), async (original) => {
  const real = await original();
  const unlink: typeof real.unlink = async (path) => {
    if (!unlinks.fail) return real.unlink(path);
    unlinks.failed++;
    throw Object.assign(new Error('EIO: injected'), { code: 'EIO' });
  };
  return { ...real, unlink };
});

const DAY = 24 * 3_600_000;
let bench: StoreBench;
/** From the time of the file system to what the app's clock says. */
let ahead = 0;
afterEach(async () => {
  ahead = 0;
  Object.assign(unlinks, { fail: false, failed: 0 });
  await bench.dispose();
});

const refuse = (): Promise<never> => Promise.reject(Object.assign(new Error('EIO: injected'), { code: 'EIO' }));

/** A file to import whose header id is free. */
async function exported(): Promise<{ id: string; path: string; bytes: string }> {
  bench = await openStoreBench({ clock: () => Date.now() + ahead });
  const { sessionId: id } = await bench.store.create({ workspace: '/w' });
  await (await bench.store.open(id)).append([user('hello')]);
  const path = join(bench.home, 'copy.jsonl');
  await bench.store.exportTo(id, path, false);
  await bench.store.trash(id);
  return { id, path, bytes: await readFile(path, 'utf8') };
}

const failing: Record<string, Partial<JournalFs>> = {
  'the folder is not synced': { syncDir: refuse },
  'the sidecar is not saved': { writeText: refuse },
};

it.each(Object.keys(failing))('JN28: an import whose journal is in its place is told as done: %s', async (what) => {
  const { id, path, bytes } = await exported();
  await bench.restart({ ...nodeFs, ...failing[what] });
  const log = await bench.store.importFile(path);
  expect([log.sessionId, await textsOf(log)]).toEqual([id, ['hello']]);
  expect(await readFile(bench.journal(id), 'utf8')).toBe(bytes);
  expect(await readdir(bench.dir)).toContain(`${id}.import.json`);
  expect(bench.warnings.length).toBeGreaterThan(0);
});

it('JN28, JN30: import and export are done although the old name stays', async () => {
  const { id, path, bytes } = await exported();
  unlinks.fail = true;
  const log = await bench.store.importFile(path);
  expect([log.sessionId, await textsOf(log)]).toEqual([id, ['hello']]);
  expect(unlinks.failed).toBeGreaterThan(0);
  unlinks.fail = false;
  ahead = 2 * DAY;
  await bench.restart();
  expect((await bench.store.list()).map(({ sessionId }) => sessionId)).toEqual([id]);
  expect((await readdir(bench.dir)).filter((name) => name.endsWith('.part'))).toEqual([]);
  expect(await readFile(bench.journal(id), 'utf8')).toBe(bytes);
});

it('JN28: an import that can’t be opened is told as imported', async () => {
  const { path } = await exported();
  const open: JournalFs['open'] = (file, mode) => (mode === 'append' ? refuse() : nodeFs.open(file, mode));
  await bench.restart({ ...nodeFs, open });
  await expect(bench.store.importFile(path)).rejects.toThrow('The session was imported, but');
  await bench.restart();
  expect(await bench.store.list()).toHaveLength(1);
});

it('JN30: an export whose file is in its place is told as done', async () => {
  const { path, bytes } = await exported();
  const { sessionId } = await bench.store.importFile(path);
  await bench.restart({ ...nodeFs, syncDir: refuse });
  const out = join(bench.home, 'out.jsonl');
  await bench.store.exportTo(sessionId, out, false);
  expect(await readFile(out, 'utf8')).toBe(bytes);
});

it('JN28: an import that was killed midway leaves its id to the next one', async () => {
  const { id, path } = await exported();
  let isGone = false;
  const dying: JournalFs = {
    ...nodeFs,
    remove: (name) => (isGone ? refuse() : nodeFs.remove(name)),
    open: async (name, mode) => {
      const file = await nodeFs.open(name, mode);
      if (mode !== 'create' || !name.includes(`${id}.jsonl`)) return file;
      const append: typeof file.append = async (bytes) => {
        await file.append(bytes.subarray(0, 10));
        isGone = true;
        return refuse();
      };
      const rest = { read: file.read.bind(file), truncate: file.truncate.bind(file), stat: file.stat.bind(file) };
      return { ...rest, append, datasync: file.datasync.bind(file), close: file.close.bind(file) };
    },
  };
  await bench.restart(dying);
  await bench.store.importFile(path).catch(() => undefined);
  expect((await readdir(bench.dir)).filter((name) => name.startsWith(id))).toHaveLength(2);
  // What a later Espalier knows nothing of is another program's.
  await writeFile(join(bench.dir, 'notes.part'), 'theirs');
  ahead = 2 * DAY;
  await bench.restart();
  expect(await readdir(bench.dir)).toEqual(['notes.part']);
  expect((await bench.store.importFile(path)).sessionId).toBe(id);
});

it.each([
  ['that came now, whatever time it brought', 0, -3 * DAY],
  ['whose time lies ahead', 2 * DAY, 3 * DAY],
  ['where the clock is behind', -20 * 365 * DAY, 0],
])('JN28: an import that another computer may be at is left alone: one %s', async (_, clock, modified) => {
  const { id } = await exported();
  const names = [`${id}.import.json`, `${id}.original.jsonl`, `${id}.jsonl.0123456789ab.part`];
  const at = new Date(Date.now() + modified);
  for (const name of names) {
    await writeFile(join(bench.dir, name), 'theirs');
    await utimes(join(bench.dir, name), at, at);
  }
  ahead = clock;
  await bench.restart();
  expect((await readdir(bench.dir)).sort()).toEqual(names.sort());
});

it('JN28: of an import that was cut off nothing is removed before all of it is a day old', async () => {
  const { id } = await exported();
  ahead = 2 * DAY;
  await writeFile(join(bench.dir, `${id}.import.json`), 'ours');
  await writeFile(join(bench.dir, `${id}.original.jsonl`), 'theirs');
  const at = new Date(Date.now() + 1.5 * DAY);
  await utimes(join(bench.dir, `${id}.original.jsonl`), at, at);
  await bench.restart();
  expect((await readdir(bench.dir)).sort()).toEqual([`${id}.import.json`, `${id}.original.jsonl`]);
  ahead = 3 * DAY;
  await bench.restart();
  expect(await readdir(bench.dir)).toEqual([]);
});

it.each(['a file', 'a link'])(
  'JN28: an id is free again whose name was taken for a journal that never came: %s',
  async (what) => {
    const { id, path } = await exported();
    await writeFile(join(bench.dir, `${id}.import.json`), 'ours');
    await writeFile(join(bench.home, 'empty'), '');
    if (what === 'a file') await writeFile(bench.journal(id), '');
    else await symlink(join(bench.home, 'empty'), bench.journal(id));
    ahead = 2 * DAY;
    await bench.restart();
    expect(await readdir(bench.dir)).toEqual(what === 'a file' ? [] : [`${id}.import.json`, `${id}.jsonl`]);
    expect((await bench.store.importFile(path)).sessionId === id).toBe(what === 'a file');
  },
);

it('JN28: an empty journal of a session that has more beside it stays', async () => {
  const { id } = await exported();
  const names = [`${id}.import.json`, `${id}.jsonl`, `${id}.queue.json`];
  for (const name of names) await writeFile(join(bench.dir, name), '');
  ahead = 2 * DAY;
  await bench.restart();
  expect((await readdir(bench.dir)).sort()).toEqual(names);
});
