import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { findIn } from '../../../src/main/extensions/host/find-in';
import { directLooks } from '../../../src/main/files/looks';
import { TrustBook } from '../../../src/main/trust/trust-book';

/** EX11: where extensions are looked for, and where not. */
let home: string;
let asked: string[];
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'find-in-')));
  asked = [];
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function put(...path: string[]): void {
  const file = join(home, ...path);
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, 'export default () => {};');
}

/** Looks that note each folder that they are sent to. */
const looks: typeof directLooks = {
  ...directLooks,
  identify: (folder) => (asked.push(folder), directLooks.identify(folder)),
  extensions: (folder) => (asked.push(folder), directLooks.extensions(folder)),
};
const find = (trusted: boolean, origins = ['extensions']): ReturnType<typeof findIn> =>
  findIn(join(home, 'work'), {
    places: origins.map((origin) => ({ folder: join(home, origin), origin })),
    isTrusted: async () => trusted,
    isScratch: async () => false,
    looks,
  });

it('EX11, safety B1: a folder that is not trusted is not even looked at', async () => {
  put('extensions', 'mine.ts');
  put('work', '.pi/extensions', 'theirs.ts');
  const found = await find(false);
  expect(found.map(({ workspace, extensions }) => [workspace, extensions.map(({ name }) => name)])).toEqual([
    [null, ['mine']],
  ]);
  expect(asked).toEqual([]);
});

it('EX11: of a trusted folder ours come first, then pi’s; what is no extension is left out', async () => {
  put('work', '.pi/extensions', 'b.ts');
  put('work', '.espalier/extensions', 'a', 'index.mjs');
  put('work', '.espalier/extensions', 'types.d.ts');
  put('work', '.espalier/extensions', '.hidden.ts');
  const [own, theirs] = await find(true);
  expect(own).toEqual({ workspace: null, extensions: [] });
  expect(theirs?.workspace).toBe(join(home, 'work'));
  expect(theirs?.extensions.map(({ path }) => path)).toEqual([
    join(home, 'work/.espalier/extensions/a/index.mjs'),
    join(home, 'work/.pi/extensions/b.ts'),
  ]);
});

it('EX11: pi’s own folder counts where it is given, behind the person’s own', async () => {
  put('extensions', 'mine.ts');
  put('pi', 'other.ts');
  const [own] = await find(false, ['extensions', 'pi', 'none']);
  expect(own?.extensions.map(({ name, origin }) => [name, origin])).toEqual([
    ['mine', 'extensions'],
    ['other', 'pi'],
  ]);
});

it('EX11, safety B1: of the app’s own workspaces none is loaded: any session’s agent wrote what lies there', async () => {
  put('extensions', 'mine.ts');
  put('scratch', 'one', '.pi/extensions', 'theirs.ts');
  const trust = await TrustBook.open({ file: join(home, 'trust.json'), scratchRoot: join(home, 'scratch') });
  const found = await findIn(join(home, 'scratch', 'one'), {
    places: [{ folder: join(home, 'extensions'), origin: 'extensions' }],
    isTrusted: (folder) => trust.isTrusted(folder),
    isScratch: (folder) => trust.isScratch(folder),
    looks,
  });
  expect(found.flatMap(({ extensions }) => extensions.map(({ name }) => name))).toEqual(['mine']);
});

it('EX11: a package that names a folder with a link to itself is looked through once', async () => {
  put('extensions', 'pkg', 'index.ts');
  writeFileSync(join(home, 'extensions/pkg/package.json'), '{"pi":{"extensions":["."]}}');
  symlinkSync('.', join(home, 'extensions/pkg/self'));
  const [own] = await find(false);
  expect(own?.extensions.map(({ path }) => path)).toContain(join(home, 'extensions/pkg/index.ts'));
}, 5_000);
