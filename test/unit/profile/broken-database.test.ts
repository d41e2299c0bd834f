import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DatabaseNote, setAsideBroken } from '../../../src/main/profile/broken-database';

const NAME = 'app_app_0.indexeddb.leveldb';
let home: string;
let root: string;
let folder: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'espalier-broken-'));
  root = join(home, 'IndexedDB');
  folder = join(root, NAME);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'CURRENT'), 'MANIFEST-000001\n');
  writeFileSync(join(folder, 'MANIFEST-000001'), 'content');
  writeFileSync(join(folder, '000003.log'), 'drafts');
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

describe('SY6: a database that can not be opened is set aside at the start', () => {
  it.each([
    ['its manifest is gone', () => rmSync(join(folder, 'MANIFEST-000001'))],
    ['its manifest is empty', () => writeFileSync(join(folder, 'MANIFEST-000001'), '')],
    ['CURRENT names another', () => writeFileSync(join(folder, 'CURRENT'), 'MANIFEST-999999\n')],
    ['CURRENT is no name', () => writeFileSync(join(folder, 'CURRENT'), 'x')],
    ['CURRENT leads out of it', () => writeFileSync(join(folder, 'CURRENT'), '../MANIFEST-000001\n')],
    ['CURRENT is empty', () => writeFileSync(join(folder, 'CURRENT'), '')],
    ['CURRENT is gone', () => rmSync(join(folder, 'CURRENT'))],
    [
      'CURRENT is a folder',
      () => {
        rmSync(join(folder, 'CURRENT'));
        mkdirSync(join(folder, 'CURRENT'));
      },
    ],
  ])('where %s', async (_, damage) => {
    damage();
    const [aside = '', ...more] = await setAsideBroken(home);
    expect(more).toEqual([]);
    expect(aside.startsWith(`${folder}.bad-`)).toBe(true);
    expect(readFileSync(join(aside, '000003.log'), 'utf8')).toBe('drafts');
    expect(existsSync(folder)).toBe(false);
    expect(await setAsideBroken(home)).toEqual([]);
  });

  it.each([
    ['the database', () => folder],
    ['all of them', () => root],
  ])('where a file or a link to nothing has the place of %s', async (_, place) => {
    rmSync(place(), { recursive: true });
    writeFileSync(place(), 'x');
    expect(await setAsideBroken(home)).toHaveLength(1);
    expect(existsSync(place())).toBe(false);
    symlinkSync(join(home, 'nowhere'), place());
    expect(await setAsideBroken(home)).toHaveLength(1);
  });

  it('and no other: a whole one, an empty folder, a link to a folder, none at all', async () => {
    expect(await setAsideBroken(home)).toEqual([]);
    mkdirSync(join(root, `other_${NAME}`));
    symlinkSync(folder, join(root, `link_${NAME}`));
    expect(await setAsideBroken(home)).toEqual([]);
    rmSync(root, { recursive: true });
    expect(await setAsideBroken(home)).toEqual([]);
  });
});

describe('one that the window could not use', () => {
  it('is set aside at the next start, once', async () => {
    const file = join(home, 'database.json');
    expect(await new DatabaseNote(file).obey(home)).toBeNull();
    await new DatabaseNote(file).set(true);
    const aside = await new DatabaseNote(file).obey(home);
    expect(readdirSync(aside ?? '')).toEqual([NAME]);
    expect(existsSync(root)).toBe(false);
    mkdirSync(root);
    expect(await new DatabaseNote(file).obey(home)).toBeNull();
  });

  it('stays where it worked again in the same run', async () => {
    const note = new DatabaseNote(join(home, 'database.json'));
    void note.set(true);
    await note.set(false);
    expect(await note.obey(home)).toBeNull();
    expect(existsSync(folder)).toBe(true);
  });
});
