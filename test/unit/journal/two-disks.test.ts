import { link, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type JournalFs, nodeFs } from '../../../src/main/journal/file/fs';
import { moveFile } from '../../../src/main/journal/trash/move-session';
import { isPartName } from '../../../src/main/journal/file/write-whole';
import { FailingFs } from '../../support/failing-fs';
import type { FaultKind } from '../../support/failing-fs';
import { openStoreBench, textsOf, user } from '../../support/journal';
import type { StoreBench } from '../../support/journal';
import { afterManyTurns, moveWithFault, type Place } from '../../support/journal-faults';
import { MemoryFs } from '../../support/memory-fs';
import { twoDisks } from '../../support/two-disks';
import { shortOrLong } from '../../support/long-form';

/** How a call may fail. */
const KINDS: readonly FaultKind[] = ['ENOSPC', 'EIO', 'short'];
const TEXT = 'every byte of it\n'.repeat(10_000);

let home: string;
let from: string;
let to: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'espalier-disks-'));
  for (const name of ['here', 'there']) await mkdir(join(home, name));
  [from, to] = [join(home, 'here', 'x.jsonl'), join(home, 'there', 'x.jsonl')];
  await writeFile(from, TEXT);
});
afterEach(() => rm(home, { recursive: true, force: true }));

const read = (path: string): Promise<string | null> => readFile(path, 'utf8').catch(() => null);
/** What lies beside the two names, and is none of ours to remove. */
async function others(): Promise<string[]> {
  const names = [...(await readdir(join(home, 'here'))), ...(await readdir(join(home, 'there')))];
  return names.filter((name) => name !== basename(from));
}
const disks = (inner: JournalFs = nodeFs): JournalFs => twoDisks(inner, join(home, 'there'));

/** A file system whose process ends with its `last`-th call, and that counts them: also those of open files. */
function endsAt(last: number): { fs: JournalFs; calls: () => number } {
  let calls = 0;
  const dying = <T extends object>(target: T): T =>
    new Proxy(target, {
      get: (_, name) => {
        const value = target[name as keyof T];
        if (typeof value !== 'function' || name === 'then' || name === 'close') return bind(value, target);
        return async (...given: unknown[]) => {
          if (++calls >= last) throw new Error('The process has ended');
          const answer: unknown = await (value as (...args: unknown[]) => unknown).apply(target, given);
          return name === 'open' ? dying(answer as object) : answer;
        };
      },
    });
  return { fs: dying(disks()), calls: () => calls };
}
const bind = (value: unknown, target: object): unknown =>
  typeof value === 'function' ? (value as () => unknown).bind(target) : value;

describe('a file that goes to another disk (JN48)', () => {
  it.each(['rename', 'place'] as const)('JN48: is there whole, and gone where it was (%s)', async (how) => {
    await moveFile(disks(), from, to, how);
    expect([await read(from), (await read(to)) === TEXT, await others()]).toEqual([null, true, []]);
  });

  it('JN48: an end of the process at any call leaves it whole, and no half of it under its name', async () => {
    const whole = endsAt(Infinity);
    await moveFile(whole.fs, from, to, 'rename');
    expect(whole.calls()).toBeGreaterThan(8);
    for (let call = 1; call <= whole.calls(); call++) {
      for (const name of await others())
        for (const dir of ['here', 'there']) await rm(join(home, dir, name), { force: true });
      await rm(to, { force: true });
      await writeFile(from, TEXT);
      await expect(moveFile(endsAt(call).fs, from, to, 'rename'), `call ${call}`).rejects.toThrow();
      const found = [await read(from), await read(to)].filter((text) => text !== null);
      expect(found.length, `call ${call}`).toBeGreaterThan(0);
      expect(
        found.every((text) => text === TEXT),
        `call ${call}`,
      ).toBe(true);
      expect((await others()).every(isPartName), `call ${call}`).toBe(true);
    }
  });

  it.each(KINDS)('JN48: a call that fails (%s) leaves it where it was, and nothing else', async (kind) => {
    const counted = new FailingFs(null, disks());
    await moveFile(counted, from, to, 'place');
    let failed = 0;
    for (let at = 1; at <= counted.calls; at++) {
      await rm(to, { force: true });
      await writeFile(from, TEXT);
      const error: unknown = await moveFile(new FailingFs({ at, kind }, disks()), from, to, 'place').then(() => null, (thrown: unknown) => thrown); // prettier-ignore
      if (error !== null) failed++;
      expect([(await read(from)) === TEXT, await read(to)], `call ${at}`).toEqual([true, null]);
      expect(await others(), `call ${at}`).toEqual([]);
      expect(error, `call ${at}`).not.toBeNull();
    }
    expect(failed).toBe(counted.calls);
  });

  it('JN48: what came to its new name stays, and so does the file', async () => {
    await writeFile(to, 'another one');
    await expect(moveFile(disks(), from, to, 'rename')).rejects.toMatchObject({ code: 'EEXIST' });
    expect([(await read(from)) === TEXT, await read(to), await others()]).toEqual([true, 'another one', []]);
  });

  it.each(['while it is copied', 'behind the copy'])(
    'JN48: one that another program changes %s stays',
    async (when) => {
      let isChanged = false;
      const change = async (): Promise<void> => {
        if (isChanged) return;
        isChanged = true;
        await writeFile(from, 'more', { flag: 'a' });
      };
      const fs: JournalFs = {
        ...nodeFs,
        open: async (path, mode) => {
          if (mode === 'create' && when === 'while it is copied') await change();
          return nodeFs.open(path, mode);
        },
        syncDir: async (dir) => {
          await change();
          await nodeFs.syncDir(dir);
        },
      };
      await expect(moveFile(disks(fs), from, to, 'rename')).rejects.toThrow(
        'another program changed x.jsonl while it was being moved to another disk. It was left where it is; try again.',
      );
      expect([(await read(from)) === `${TEXT}more`, await read(to), await others()]).toEqual([true, null, []]);
    },
  );

  it('JN48: what came to the new name in place of the copy is not removed', async () => {
    const fs: JournalFs = {
      ...nodeFs,
      remove: async (path) => {
        if (path !== from) return nodeFs.remove(path);
        await writeFile(`${to}.new`, 'theirs');
        await nodeFs.rename(`${to}.new`, to);
        throw Object.assign(new Error('EIO'), { code: 'EIO' });
      },
    };
    await expect(moveFile(disks(fs), from, to, 'rename')).rejects.toThrow('EIO');
    expect([(await read(from)) === TEXT, await read(to)]).toEqual([true, 'theirs']);
  });

  it('JN48: what is no file is left, and told', async () => {
    const [folder, name] = [join(home, 'here', 'folder'), join(home, 'here', 'link')];
    await mkdir(folder);
    await symlink(from, name);
    await expect(moveFile(disks(), folder, join(home, 'there', 'folder'), 'rename')).rejects.toThrow('folder is a folder, and only files can be moved to another disk.'); // prettier-ignore
    await expect(moveFile(disks(), name, join(home, 'there', 'link'), 'rename')).rejects.toThrow('link is a link');
    expect(await readdir(join(home, 'there'))).toEqual([]);
  });

  it('JN48: on one disk it keeps what it is: nothing is copied', async () => {
    const { ino } = await stat(from);
    await link(from, `${from}.second`);
    await moveFile(nodeFs, from, to, 'place');
    expect((await stat(to)).ino).toBe(ino);
  });
});

describe('a session whose trash is on another disk (JN48)', () => {
  let bench: StoreBench;
  afterEach(() => bench.dispose());

  it('JN48: is deleted and comes back with all that lies beside it', async () => {
    bench = await openStoreBench();
    const fs = twoDisks(nodeFs, bench.dir);
    await bench.restart(fs);
    const log = await bench.store.create({ workspace: '/w' });
    const id = log.sessionId;
    await log.append([user('mine')]);
    await bench.store.setMeta(id, { title: 'Mine', titleSource: 'person' });
    await writeFile(join(bench.dir, `${id}.queue.json`), 'waits');
    await log.close();
    const bytes = await readFile(bench.journal(id));
    await bench.store.trash(id);
    expect(await readdir(bench.dir)).toEqual([]);
    expect(await bench.store.trashed()).toEqual([id]);
    expect(await textsOf(await bench.store.restore(id))).toEqual(['mine']);
    expect(bench.store.meta(id)).toMatchObject({ title: 'Mine' });
    expect(await readFile(join(bench.dir, `${id}.queue.json`), 'utf8')).toBe('waits');
    expect((await readFile(bench.journal(id))).equals(bytes)).toBe(true);
    expect(await readdir(join(bench.home, 'trash'))).toEqual([]);
    expect(bench.warnings).toEqual([]);
    // Else this was no other disk.
    expect(fs.refused()).toBeGreaterThan(5);
  });

  it.each(KINDS)('JN48: a call that fails (%s) loses nothing of it', async (kind) => {
    bench = await openStoreBench();
    const place = (): Place => ({ home: '/data', fs: twoDisks(new MemoryFs(), '/data/trash'), late: afterManyTurns });
    const { calls } = await moveWithFault(place(), null);
    expect(calls).toBeGreaterThan(50);
    // In the short form each call fails in one of the three ways.
    for (let at = 1 + shortOrLong(KINDS.indexOf(kind), 0); at <= calls; at += shortOrLong(KINDS.length, 1)) {
      const { lost, duplicated, hung, unexplained, notShownAsFull } = await moveWithFault(place(), { at, kind });
      expect([lost, duplicated, hung, unexplained, notShownAsFull], `call ${at}`).toEqual([0, 0, 0, [], []]);
    }
  });
});
