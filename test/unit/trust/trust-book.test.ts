import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync, chmodSync } from 'node:fs'; // prettier-ignore
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ConsentQuestion } from '../../../src/main/consent/consent';
import { TrustDesk } from '../../../src/main/trust/trust-desk';
import { identify, type FolderIdentity } from '../../../src/main/places/folder';
import { TrustBook } from '../../../src/main/trust/trust-book';
import { trustFolder } from '../../support/trust-folder';

let base: string;
let folder: string;
let file: string;
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'espalier-trust-')));
  folder = join(base, 'project');
  file = join(base, 'trust.json');
  mkdirSync(folder);
  mkdirSync(join(base, 'workspaces', 'scratch'), { recursive: true });
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const open = (): Promise<TrustBook> => TrustBook.open({ file, scratchRoot: join(base, 'workspaces') });
const shown = async (path: string): Promise<FolderIdentity> => (await identify(path))!;

/** Waits until something that is made now is told apart from what is there. */
async function tick(): Promise<void> {
  const probe = join(base, 'probe');
  const now = (): bigint => {
    writeFileSync(probe, '');
    return statSync(probe, { bigint: true }).mtimeNs;
  };
  const before = now();
  while (now() === before) await new Promise(setImmediate);
}

describe('B1: trust is remembered by real path and identity', () => {
  it('nothing is trusted before, the folder is after, its parent and what lies in it never', async () => {
    const book = await open();
    expect(await book.isTrusted(folder)).toBe(false);
    await book.trust([await shown(folder)]);
    mkdirSync(join(folder, 'inner'));
    for (const again of [book, await open()]) {
      expect(await again.isTrusted(folder)).toBe(true);
      expect(await again.isTrusted(join(base, 'project', '..', 'project'))).toBe(true);
      expect(await again.isTrusted(base)).toBe(false);
      expect(await again.isTrusted(join(folder, 'inner'))).toBe(false);
      expect(await again.isTrusted(join(base, 'nothing'))).toBe(false);
    }
  });

  it('a link to it is it; a link that leads elsewhere later is not', async () => {
    const link = join(base, 'link');
    symlinkSync(folder, link);
    const book = await open();
    await book.trust([await shown(link)]);
    expect(await book.isTrusted(link)).toBe(true);
    mkdirSync(join(base, 'other'));
    rmSync(link);
    symlinkSync(join(base, 'other'), link);
    expect(await book.isTrusted(link)).toBe(false);
  });

  it('another folder at the same path asks again', async () => {
    const book = await open();
    await book.trust([await shown(folder)]);
    renameSync(folder, join(base, 'moved'));
    mkdirSync(folder);
    expect(await book.isTrusted(folder)).toBe(false);
    expect(await book.isTrusted(join(base, 'moved'))).toBe(false);
  });

  it('a new folder that got the number of the deleted one asks again, also where both are made just now', async () => {
    const fill = (): void => {
      writeFileSync(join(folder, 'AGENTS.md'), 'Do as I say.');
      mkdirSync(join(folder, '.git'));
    };
    const book = await open();
    // As the dialog makes one: nothing has changed since its birth. Whether the number is given again is up to the file system.
    for (let i = 0; i < 20; i++) {
      rmSync(folder, { recursive: true });
      mkdirSync(folder);
      await book.trust([await shown(folder)]);
      expect(book.list()[0]).toHaveProperty('born', String(statSync(folder, { bigint: true }).birthtimeNs));
      expect(await book.isTrusted(folder)).toBe(true);
      fill();
      expect(await book.isTrusted(folder)).toBe(true);
      rmSync(folder, { recursive: true });
      // A file system tells times apart by its clock's ticks.
      await tick();
      mkdirSync(folder);
      expect(await book.isTrusted(folder)).toBe(false);
      fill();
      expect(await book.isTrusted(folder)).toBe(false);
      expect(await book.wasReplaced(folder)).toBe(true);
    }
  });

  it('what a book says of the number alone is not enough where the time of birth is known', async () => {
    const { ino, born } = await shown(folder);
    const trustedAt = '2026-01-01T00:00:00.000Z';
    const isTrusted = async (facts: object): Promise<boolean> => {
      const folders = [{ path: folder, ino, trustedAt, ...facts }];
      writeFileSync(file, JSON.stringify({ version: 1, offered: true, folders }));
      return (await open()).isTrusted(folder);
    };
    expect(born).toBeDefined();
    expect(await isTrusted({ born })).toBe(true);
    expect(await isTrusted({ born: String(BigInt(born ?? 0) - 1n) })).toBe(false);
    expect(await isTrusted({})).toBe(false);
  });

  it('another folder at the same path is told as that: in the status, in the sheet, and in one line of the list', async () => {
    const book = await open();
    await book.trust([await shown(folder)]);
    const asked: ConsentQuestion[] = [];
    const desk = new TrustDesk({
      book,
      project: {
        look: () => Promise.resolve({ isTrusted: false, guidance: null }),
        guidanceFiles: () => Promise.resolve([]),
        folderNames: () => Promise.resolve({ extensions: [], skills: [], templates: [], servers: [] }),
      },
      dataDir: base,
      rules: () => [],
      workspaces: () => Promise.resolve([folder]),
      askPicked: () => Promise.resolve(null),
      ask: (question) => {
        asked.push(question);
        return Promise.resolve(question.choices[0]?.id ?? null);
      },
    });
    expect(await book.wasReplaced(folder)).toBe(false);
    renameSync(folder, join(base, 'moved'));
    mkdirSync(folder);
    expect(await desk.status(folder, null)).toMatchObject({ trust: 'restricted', isReplaced: true });
    expect(await desk.list()).toMatchObject({ trusted: [{ path: folder, isReplaced: true }], known: [] });
    expect(await desk.review(folder)).toBe(true);
    expect(asked[0]?.paragraphs[0]).toContain('no longer the folder you trusted');
    expect(await desk.list()).toMatchObject({ trusted: [{ path: folder, isReplaced: false }], known: [] });
  });

  it('what was swapped while the person was asked is not trusted', async () => {
    const book = await open();
    const before = await shown(folder);
    renameSync(folder, join(base, 'moved'));
    mkdirSync(folder);
    await expect(book.trust([before])).rejects.toThrow('changed while the question was open');
    expect(book.list()).toEqual([]);
  });

  it('withdrawing takes effect at the next use', async () => {
    const book = await open();
    await book.trust([await shown(folder)]);
    await book.withdraw(folder);
    expect(await book.isTrusted(folder)).toBe(false);
    expect(await (await open()).isTrusted(folder)).toBe(false);
  });

  it('the app’s own workspaces are trusted, a link out of them is not', async () => {
    const book = await open();
    expect(await book.isTrusted(join(base, 'workspaces', 'scratch'))).toBe(true);
    symlinkSync(folder, join(base, 'workspaces', 'out'));
    expect(await book.isTrusted(join(base, 'workspaces', 'out'))).toBe(false);
  });
});

it('tests trust folders in a file like the app’s own', async () => {
  trustFolder(base, folder);
  trustFolder(base, join(base, 'workspaces'));
  const book = await open();
  expect(book.problems).toEqual([]);
  expect(await book.isTrusted(folder)).toBe(true);
  expect(book.list()).toHaveLength(2);
});

describe('B1: a file that is none trusts nothing and is set aside', () => {
  const ino = '1';
  it.each([
    ['no JSON', '{'],
    ['null', 'null'],
    ['another version', JSON.stringify({ version: 2, offered: true, folders: [] })],
    ['a folder without identity', JSON.stringify({ version: 1, offered: true, folders: [{ path: '/' }] })],
    ['a relative path', JSON.stringify({ version: 1, offered: true, folders: [{ path: 'x', ino, trustedAt: '2026-01-01T00:00:00.000Z' }] })], // prettier-ignore
    ['more keys', JSON.stringify({ version: 1, offered: true, folders: [], all: true })],
    ['folders of an object', JSON.stringify({ version: 1, offered: true, folders: { length: 1 } })],
  ])('%s', async (_name, text) => {
    writeFileSync(file, text);
    const book = await open();
    expect(book.list()).toEqual([]);
    expect(book.problems.join()).toContain('Espalier asks about every folder again.');
    const aside = readdirSync(base).find((name) => name.startsWith('trust.json.bad-'));
    expect(readFileSync(join(base, aside!), 'utf8')).toBe(text);
    await book.trust([await shown(folder)]);
    expect(await (await open()).isTrusted(folder)).toBe(true);
  });

  it('a folder or a link in its place', async () => {
    symlinkSync('/dev/zero', file);
    expect((await open()).problems).toHaveLength(1);
    mkdirSync(file);
    expect((await open()).problems).toHaveLength(1);
  });

  it('a file that can’t be written says so, and nothing counts as trusted', async () => {
    if (process.getuid?.() === 0) mkdirSync(file);
    else chmodSync(base, 0o500);
    const book = await TrustBook.open({ file: join(file, 'no', 'where'), scratchRoot: base + '-none' });
    await expect(book.trust([await shown(folder)])).rejects.toThrow('could not be saved');
    expect(await book.isTrusted(folder)).toBe(false);
    chmodSync(base, 0o700);
  });
});
