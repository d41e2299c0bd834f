import { mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { ExtensionBus } from '../../../src/main/extensions/bus';
import type { ExtensionError } from '../../../src/main/extensions/events';
import { findIn } from '../../../src/main/extensions/host/find-in';
import { ResourceBook } from '../../../src/main/extensions/resources';
import { directLooks } from '../../../src/main/files/looks';
import { packagesIn } from '../../../src/main/project/package-files';
import { SlashCommands } from '../../../src/main/slash/slash-commands';
import { skillSource } from '../../../src/main/slash/skill-source';
import { templateSource } from '../../../src/main/slash/template-source';
import { Project } from '../../../src/main/trust/project-door';

/** npm packages of the person and of a workspace, and what extensions name at run time (EX11, EX22). */
let base: string;
let folder: string;
let isTrusted: boolean;
let project: Project;
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'packages-')));
  folder = join(base, 'work');
  isTrusted = true;
  mkdirSync(folder);
  project = new Project({
    isTrusted: () => Promise.resolve(isTrusted),
    isScratch: () => Promise.resolve(false),
    dataDir: join(base, 'data'),
    deniedPaths: () => [],
  });
});

const put = (path: string, text: string | object): void => {
  mkdirSync(dirname(join(base, path)), { recursive: true });
  writeFileSync(join(base, path), typeof text === 'string' ? text : JSON.stringify(text));
};
const skill = (name: string): string => `---\nname: ${name}\ndescription: Does ${name}.\n---\nHow to ${name}.\n`;
/** An npm project with one package. */
const pack = (place: string, name: string, more: object, files: Record<string, string>): void => {
  put(`${place}/package.json`, { dependencies: { [name]: '1.0.0' } });
  const root = `${place}/node_modules/${name}`;
  put(`${root}/package.json`, { name, version: '1.2.3', ...more });
  for (const [file, text] of Object.entries(files)) put(`${root}/${file}`, text);
};
const extensions = async (): Promise<string[]> => {
  const places = { places: [], packages: [join(base, 'data/packages')], looks: directLooks };
  const found = await findIn(folder, {
    ...places,
    isTrusted: () => Promise.resolve(isTrusted),
    isScratch: () => Promise.resolve(false),
  });
  return found.flatMap((scope) => scope.extensions.map(({ name, origin }) => `${scope.workspace ? 'work' : 'mine'} ${name} (${origin})`)); // prettier-ignore
};
const PI = {
  pi: { extensions: ['./src/a.ts'], skills: ['./resources/skills'], prompts: ['./resources/prompts/*.md'] },
};
const FILES = {
  'src/a.ts': 'export default () => {};',
  'resources/skills/pdf/SKILL.md': skill('pdf'),
  'resources/prompts/review.md': 'Review $1.',
};

it('EX11: a package’s manifest names extensions, skills and templates; those without one have their usual folders', async () => {
  pack('data/packages', '@acme/tools', PI, FILES);
  pack('work/.pi', 'plain', { keywords: ['pi-package'] }, { 'extensions/b.ts': '', 'extensions/c.ts': '', 'skills/x/SKILL.md': skill('x') });
  expect(await extensions()).toEqual([
    'mine @acme/tools (@acme/tools 1.2.3)',
    'work plain/b (plain 1.2.3)',
    'work plain/c (plain 1.2.3)',
  ]);
  const skills = await project.words(folder, { kind: 'skills' });
  expect(skills.map(({ name, folder: from, shown }) => [name, from, shown])).toEqual([
    ['pdf', 'package @acme/tools', '@acme/tools/pdf/SKILL.md'],
    ['x', 'package plain', 'plain/x/SKILL.md'],
  ]);
  // The person's own are read unasked, a workspace's as its files are.
  await project.skills(folder);
  expect(project.skillFolders(folder)).toEqual([join(base, 'data/packages/node_modules/@acme/tools/resources/skills/pdf')]);
  const slash = new SlashCommands();
  slash.add(templateSource({ project, folderOf: () => folder }));
  expect(await slash.run('s', '/review it')).toEqual({ text: 'Review it.' });
}); // prettier-ignore

it('EX11: of a folder that is not trusted nothing is read; of a project only what it names itself', async () => {
  pack('work/.pi', 'theirs', PI, FILES);
  put('work/.pi/node_modules/other/package.json', { name: 'other', version: '1.0.0', ...PI });
  put('work/.pi/node_modules/other/src/a.ts', '');
  expect(await extensions()).toEqual(['work theirs (theirs 1.2.3)']);
  isTrusted = false;
  expect(await extensions()).toEqual([]);
  expect(await project.words(folder, { kind: 'skills' })).toEqual([]);
  expect((await project.folderNames(folder)).extensions).toEqual(['those of the packages that .pi/package.json names']);
});

it.each([
  ['a way out', { pi: { extensions: ['../../../../secret.ts', '/etc/passwd'], skills: ['..'] } }],
  ['a link out', { pi: { extensions: ['./out.ts'] } }],
  ['no lists', { pi: { extensions: 'src/a.ts', skills: 7, prompts: { a: 1 } } }],
  ['nothing for an agent', {}],
])('EX11: a manifest with %s names nothing', async (_what, more) => {
  put('secret.ts', '');
  pack('data/packages', 'evil', more, {});
  symlinkSync(join(base, 'secret.ts'), join(base, 'data/packages/node_modules/evil/out.ts'));
  expect(await extensions()).toEqual([]);
});

it('EX11: names that lead elsewhere, broken files and packages that are gone are left out', async () => {
  put('data/packages/package.json', { dependencies: { '../../evil': '1', __proto__: '1', gone: '1', broken: '1' } });
  put('data/packages/node_modules/broken/package.json', '{');
  expect(await packagesIn([join(base, 'data/packages'), join(base, 'nowhere')])).toEqual([]);
});

it('EX22: what extensions name is among the skills and commands of their session, and of no other', async () => {
  put('late/deploy/SKILL.md', skill('deploy'));
  put('late/hello.md', 'Hello $1');
  const errors: ExtensionError[] = [];
  const bus = new ExtensionBus({ onError: (error) => errors.push(error), timeouts: { before: 200, other: 200 } });
  const changed: string[] = [];
  const book = new ResourceBook(bus, (sessionId) => changed.push(sessionId));
  bus.on('resources_discover', () => ({ skillPaths: [join(base, 'late'), 7 as never], promptPaths: [join(base, 'late/hello.md')], themePaths: ['x'] }), { extensionPath: '/a.ts', sessionId: 'one' });
  bus.on('resources_discover', () => new Promise(() => undefined), { extensionPath: '/b.ts', sessionId: 'one' });
  bus.on('resources_discover', ({ cwd, reason }) => ({ skillPaths: [`${cwd}/${reason}`] }), { extensionPath: '/c.ts', sessionId: 'one' });
  await book.discover('one', folder, 'startup');
  await book.discover('two', folder, 'startup');
  expect(book.of('one')).toEqual({ skills: [join(base, 'late'), join(folder, 'startup')], prompts: [join(base, 'late/hello.md')] });
  expect(changed).toEqual(['one']);
  expect(errors.map(({ extensionPath, error }) => `${extensionPath} ${error.slice(0, 12)}`)).toEqual(['/a.ts Only 50 path', '/a.ts Themes of ex', '/b.ts The handler ']);
  const slash = new SlashCommands();
  const words = { project, resources: book, folderOf: () => folder };
  slash.add(skillSource({ ...words, isOff: () => false }));
  slash.add(templateSource(words));
  expect((await slash.list('one')).map(({ name }) => name)).toEqual(['hello', 'skill:deploy']);
  expect(await slash.list('two')).toEqual([]);
  expect(await slash.run('one', '/hello you')).toEqual({ text: 'Hello you' });
  expect((await project.skills(folder, book.of('one').skills)).map(({ name }) => name)).toEqual(['deploy']);
  // Named by code, not by the person: a model asks before it reads there.
  expect(project.skillFolders(folder)).toEqual([]);
  book.forget('one');
  expect(await slash.list('one')).toEqual([]);
}); // prettier-ignore
