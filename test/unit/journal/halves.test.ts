import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type JournalFs, nodeFs } from '../../../src/main/journal/file/fs';
import { removeHalves } from '../../../src/main/journal/transfer/imports';
import { SessionFiles } from '../../../src/main/journal/file/session-files';
import { Trash } from '../../../src/main/journal/trash/trash';

const DAY = 24 * 3_600_000;
const ID = 'cut-off';

let home: string;
let files: SessionFiles;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'espalier-halves-'));
  files = new SessionFiles(join(home, 'sessions'));
  await mkdir(files.dir);
});
afterEach(() => rm(home, { recursive: true, force: true }));

/** What a start does `days` from now. */
async function start(fs: JournalFs, days: number): Promise<void> {
  const trash = new Trash(fs, join(home, 'trash'), { warn: () => undefined });
  await removeHalves(fs, files, trash, Date.now() + days * DAY);
}

/** A file system whose process ends before its `last`-th call, and that counts them. */
function endsAt(last: number): { fs: JournalFs; calls: () => number } {
  let calls = 0;
  const fs = new Proxy(nodeFs, {
    get: (target, name: keyof JournalFs) =>
      ((...given: unknown[]) => {
        if (++calls >= last) return Promise.reject(new Error('The process has ended'));
        return (target[name] as (...args: unknown[]) => unknown)(...given);
      }) as never,
  });
  return { fs, calls: () => calls };
}

describe('an import that was cut off behind the empty file that took the name of its journal (JN28)', () => {
  const lay = async (): Promise<void> => {
    await writeFile(files.importFacts(ID), '{}');
    await writeFile(files.original(ID), 'theirs');
    await writeFile(files.journal(ID), '');
  };

  it('JN28: frees its id wherever the start that removes it is cut off', async () => {
    await lay();
    const whole = endsAt(Infinity);
    await start(whole.fs, 2);
    expect(await readdir(files.dir)).toEqual([]);
    for (let call = 1; call <= whole.calls(); call++) {
      await rm(join(home, 'trash'), { recursive: true });
      await lay();
      await expect(start(endsAt(call).fs, 2), `call ${call}`).rejects.toThrow('The process has ended');
      await start(nodeFs, 2);
      expect(await readdir(files.dir), `call ${call}`).toEqual([]);
      const [kept, ...more] = await readdir(join(home, 'trash'));
      expect(more).toEqual([]);
      expect(await readFile(join(home, 'trash', kept ?? ''), 'utf8')).toBe('theirs');
    }
  });

  it('JN28: keeps all of it where the file got bytes while it was set aside', async () => {
    await lay();
    const isAside = (path: string): boolean => path.includes('.jsonl.bad-');
    let looks = 0;
    const written: JournalFs = {
      ...nodeFs,
      stat: async (path) => {
        const facts = await nodeFs.stat(path);
        if (isAside(path) && ++looks === 1) await writeFile(path, 'late');
        return facts;
      },
    };
    await start(written, 2);
    await start(nodeFs, 40);
    const names = await readdir(files.dir);
    const aside = names.find(isAside) ?? '';
    expect(names.sort()).toEqual([`${ID}.import.json`, aside, `${ID}.original.jsonl`].sort());
    expect((await stat(join(files.dir, aside))).size).toBe(4);
  });
});
