import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type JournalFs, nodeFs } from '../../../src/main/journal/file/fs';
import { openStoreBench, textsOf, user } from '../../support/journal';
import type { StoreBench } from '../../support/journal';

let bench: StoreBench;
beforeEach(async () => {
  bench = await openStoreBench({ clock: () => 7000 });
});
afterEach(() => bench.dispose());

const here = (name: string): string => join(bench.dir, name);
const read = (name: string): Promise<string> => readFile(here(name), 'utf8');

/** What a folder of a session holds, by name. */
async function contents(dir: string): Promise<Record<string, string>> {
  const names = (await readdir(dir)).sort();
  return Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await readFile(join(dir, name), 'latin1')])),
  );
}

/** A session with a title, without a message that waits, in the trash. */
async function deleted(queue?: string): Promise<{ id: string; folder: string }> {
  const log = await bench.store.create({ workspace: '/w' });
  const id = log.sessionId;
  await log.append([user('mine')]);
  await bench.store.setMeta(id, { title: 'Mine', titleSource: 'person' });
  if (queue !== undefined) await writeFile(here(`${id}.queue.json`), queue);
  await log.close();
  await bench.store.trash(id);
  return { id, folder: join(bench.home, 'trash', `7000-${id}`) };
}

describe('a session comes back from the trash (JN26)', () => {
  it.each([undefined, 'own'])(
    'JN26: sidecars that lie in its place are set aside; its own queue: %s',
    async (queue) => {
      const { id } = await deleted(queue);
      for (const end of ['queue.json', 'meta.json', 'index']) await writeFile(here(`${id}.${end}`), `another's ${end}`);
      const log = await bench.store.restore(id);
      expect(await textsOf(log)).toEqual(['mine']);
      expect(bench.store.meta(id)).toMatchObject({ title: 'Mine' });
      if (queue === undefined) expect(await readdir(bench.dir)).not.toContain(`${id}.queue.json`);
      else expect(await read(`${id}.queue.json`)).toBe(queue);
      for (const end of ['queue.json', 'meta.json', 'index'])
        expect(await read(`${id}.${end}.bad-7000`)).toBe(`another's ${end}`);
      expect(await bench.store.trashed()).toEqual([]);
    },
  );

  it('JN26: another session in its place stays, and it stays in the trash', async () => {
    const { id, folder } = await deleted('own');
    const path = join(folder, `${id}.jsonl`);
    const another = (await readFile(path, 'utf8')).replace('mine', 'theirs');
    await writeFile(here(`${id}.jsonl`), another);
    await writeFile(here(`${id}.queue.json`), 'theirs');
    const before = [await contents(bench.dir), await contents(folder)];
    await expect(bench.store.restore(id)).rejects.toThrow(`to restore this one as well, import ${path}.`);
    expect([await contents(bench.dir), await contents(folder)]).toEqual(before);
    const imported = await bench.store.importFile(path);
    expect(await textsOf(imported)).toEqual(['mine']);
  });

  it('JN26: so does one that comes while it is moved', async () => {
    const { id, folder } = await deleted('own');
    const before = await contents(folder);
    await writeFile(here(`${id}.queue.json`), 'theirs');
    const place: JournalFs['place'] = async (from, to) => {
      if (to.endsWith('.jsonl')) await writeFile(to, 'theirs');
      return nodeFs.place(from, to);
    };
    await bench.restart({ ...nodeFs, place });
    await expect(bench.store.restore(id)).rejects.toThrow('another session’s files are in its place');
    expect(await contents(bench.dir)).toEqual({ [`${id}.jsonl`]: 'theirs', [`${id}.queue.json`]: 'theirs' });
    expect(await contents(folder)).toEqual(before);
  });

  it.each([
    ['deleting', 1],
    ['deleting', 4],
    ['bringing back', 2],
    ['bringing back', 4],
  ])('JN26: its own sidecars are no others after a crash while %s, step %i', async (when, steps) => {
    let isGone = false;
    let left = 0;
    const step = (): void => {
      if (isGone && left-- <= 0) throw new Error('The process is gone');
    };
    const dying: JournalFs = {
      ...nodeFs,
      rename: (from, to) => (step(), nodeFs.rename(from, to)),
      place: (from, to) => (step(), nodeFs.place(from, to)),
    };
    const log = await bench.store.create({ workspace: '/w' });
    const id = log.sessionId;
    await log.append([user('mine')]);
    await bench.store.setMeta(id, { title: 'Mine', titleSource: 'person' });
    for (const end of ['queue.json', 'import.json', 'original.jsonl']) await writeFile(here(`${id}.${end}`), 'own');
    if (when === 'bringing back') await bench.store.trash(id);
    await bench.restart(dying);
    [isGone, left] = [true, steps];
    await (when === 'deleting' ? bench.store.trash(id) : bench.store.restore(id)).catch(() => undefined);
    expect(left).toBeLessThan(0);
    await bench.restart();
    await bench.store.restore(id);
    expect(bench.store.meta(id)).toMatchObject({ title: 'Mine' });
    for (const end of ['queue.json', 'import.json', 'original.jsonl']) expect(await read(`${id}.${end}`)).toBe('own');
    expect((await readdir(bench.dir)).filter((name) => name.includes('.bad-'))).toEqual([]);
  });

  it('JN26: one that is back is told as back, whatever fails behind that', async () => {
    const { id } = await deleted();
    let failed = 0;
    const fails = async (): Promise<void> => {
      failed++;
      return Promise.reject(Object.assign(new Error('EIO: injected'), { code: 'EIO' }));
    };
    await bench.restart({ ...nodeFs, syncDir: fails });
    expect(await textsOf(await bench.store.restore(id))).toEqual(['mine']);
    expect(failed).toBeGreaterThan(0);
    expect(bench.warnings.join()).toContain('Not all of what goes with a deleted session');
    expect(await readdir(join(bench.home, 'trash'))).toEqual(['kept.json']);
  });

  it('JN26: a session whose journal has moved is told as deleted, and comes back with what could not be moved', async () => {
    const log = await bench.store.create({ workspace: '/w' });
    const id = log.sessionId;
    await log.append([user('mine')]);
    await bench.store.setMeta(id, { title: 'Mine', titleSource: 'person' });
    await log.close();
    const refused: string[] = [];
    const rename: JournalFs['rename'] = (from, to) => {
      if (!from.endsWith('.meta.json')) return nodeFs.rename(from, to);
      refused.push(from);
      return Promise.reject(Object.assign(new Error('EIO: injected'), { code: 'EIO' }));
    };
    await bench.restart({ ...nodeFs, rename });
    await bench.store.trash(id);
    expect(refused).toEqual([here(`${id}.meta.json`)]);
    expect(bench.warnings.join()).toContain('Not all of what goes with a deleted session');
    expect(await bench.store.list()).toEqual([]);
    expect(await readdir(bench.dir)).toEqual([`${id}.meta.json`]);
    await bench.restart();
    expect(await textsOf(await bench.store.restore(id))).toEqual(['mine']);
    expect(bench.store.meta(id)).toMatchObject({ title: 'Mine' });
    expect((await readdir(bench.dir)).filter((name) => name.includes('.bad-'))).toEqual([]);
  });

  it('JN26: a later folder of the trash without a journal hides none', async () => {
    const { id } = await deleted();
    const later = join(bench.home, 'trash', `8000-${id}`);
    await mkdir(later);
    await writeFile(join(later, `${id}.queue.json`), 'left behind');
    expect(await textsOf(await bench.store.restore(id))).toEqual(['mine']);
    expect(await readdir(later)).toEqual([`${id}.queue.json`]);
  });

  it.each(['', 'files.json'])(
    'JN26: a session “files” comes back without the list of its files; written as %j',
    async (as) => {
      const { folder } = await deleted();
      const [journal = ''] = (await readdir(folder)).filter((name) => name.endsWith('.jsonl'));
      const path = join(bench.home, 'a.jsonl');
      const text = await readFile(join(folder, journal), 'utf8');
      await writeFile(path, text.replaceAll(journal.slice(0, -'.jsonl'.length), 'files'));
      await (await bench.store.importFile(path)).close();
      await bench.store.setMeta('files', { title: 'Mine', titleSource: 'person' });
      const before = await contents(bench.dir);
      expect(Object.keys(before)).toContain('files.jsonl');
      await bench.store.trash('files');
      const trashed = join(bench.home, 'trash', '7000-files');
      // As an earlier Espalier wrote it, and as a delete leaves it that is cut off.
      if (as !== '') await rename(join(trashed, '.names.json'), join(trashed, as));
      await rename(join(trashed, 'files.meta.json'), here('files.meta.json'));
      await (await bench.store.restore('files')).close();
      expect(await contents(bench.dir)).toEqual(before);
    },
  );

  it('JN26: an empty file in its place, as a crash leaves it that came between taking the name and the move, gives way', async () => {
    const { id, folder } = await deleted('own');
    await writeFile(here(`${id}.jsonl`), '');
    // Its own, back already.
    await rename(join(folder, `${id}.meta.json`), here(`${id}.meta.json`));
    await bench.restart();
    expect(await textsOf(await bench.store.restore(id))).toEqual(['mine']);
    expect(bench.store.meta(id)).toMatchObject({ title: 'Mine' });
    expect(await read(`${id}.queue.json`)).toBe('own');
    expect((await readdir(bench.dir)).filter((name) => name.includes('.bad-'))).toEqual([]);
    expect(await bench.store.trashed()).toEqual([]);
  });

  it.each(['written', 'renamed'])(
    'JN26: an empty file in its place that gets bytes meanwhile stays: %s',
    async (how) => {
      const { id, folder } = await deleted('own');
      const before = await contents(folder);
      const path = here(`${id}.jsonl`);
      await writeFile(path, '');
      const refused: string[] = [];
      const rename_: JournalFs['rename'] = async (from, to) => {
        if (from === path) {
          refused.push(to);
          if (how === 'written') await writeFile(path, 'theirs');
          else await rename(join(bench.home, 'laid'), path);
        }
        return nodeFs.rename(from, to);
      };
      await writeFile(join(bench.home, 'laid'), 'theirs');
      await bench.restart({ ...nodeFs, rename: rename_ });
      await expect(bench.store.restore(id)).rejects.toThrow('another session’s files are in its place');
      expect(refused).toHaveLength(1);
      expect(await contents(bench.dir)).toEqual({ [`${id}.jsonl`]: 'theirs' });
      expect(await contents(folder)).toEqual(before);
    },
  );

  it('JN26: one that comes to the place of an empty file stays as well', async () => {
    const { id, folder } = await deleted('own');
    const before = await contents(folder);
    const path = here(`${id}.jsonl`);
    await writeFile(path, '');
    const place: JournalFs['place'] = async (from, to) => {
      if (to === path && from.startsWith(folder)) await writeFile(to, 'theirs');
      return nodeFs.place(from, to);
    };
    await bench.restart({ ...nodeFs, place });
    await expect(bench.store.restore(id)).rejects.toThrow('another session’s files are in its place');
    expect(await read(`${id}.jsonl`)).toBe('theirs');
    expect(await contents(folder)).toEqual(before);
  });
});

describe('what lies under the id of a file that is imported (JN28)', () => {
  it.each(['queue.json', 'meta.json', 'index'])('JN28: is not taken over: %s', async (end) => {
    const { id, folder } = await deleted();
    const path = join(bench.home, 'a.jsonl');
    await writeFile(path, await readFile(join(folder, `${id}.jsonl`)));
    await rm(folder, { recursive: true });
    await writeFile(here(`${id}.${end}`), `another's ${end}`);
    const log = await bench.store.importFile(path);
    expect(log.sessionId).not.toBe(id);
    expect(await textsOf(log)).toEqual(['mine']);
    expect(await read(`${id}.${end}`)).toBe(`another's ${end}`);
  });
});
