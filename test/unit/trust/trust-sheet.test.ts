import { execFileSync } from 'node:child_process';
import { appendFileSync, linkSync, mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'; // prettier-ignore
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ApprovalScope } from '@shared/policy/approval';
import { drawnQuestion } from '../../../src/main/consent/consent';
import { hashScope } from '../../../src/main/approvals/approval-rules';
import { Approvals } from '../../../src/main/approvals/approvals';
import { widthOf, type Width } from '../../../src/main/places/folder';
import { lookAtGit } from '../../../src/main/project/workspace-facts';
import { Project } from '../../../src/main/trust/project-door';
import { gatherFolderFacts, trustListQuestion, trustQuestion, wideQuestion } from '../../../src/main/trust/trust-sheet';

/** What the sheet of a folder says, beside what is then done in it (docs/specs/safety.md B1). */

let base: string;
let folder: string;
let denied: string[];
const { PATH, TMPDIR } = process.env;
beforeEach(() => {
  denied = [];
  base = realpathSync(mkdtempSync(join(tmpdir(), 'espalier-sheet-')));
  folder = join(base, 'work', 'project');
  mkdirSync(folder, { recursive: true });
});
afterEach(() => {
  process.env.PATH = PATH;
  if (TMPDIR === undefined) delete process.env.TMPDIR;
  else process.env.TMPDIR = TMPDIR;
  rmSync(base, { recursive: true, force: true });
});

const put = (name: string, text: string): void => writeFileSync(join(folder, name), text);
const git = (): void => void execFileSync('git', ['init', '-q', '-b', 'main', folder]);
const rule = (scope: ApprovalScope) => ({ hash: hashScope(scope), scope, createdAt: '2026-01-01T00:00:00.000Z' });
const rows = async (label: string, scopes: ApprovalScope[] = []): Promise<string[]> => {
  const { facts } = await gatherFolderFacts(folder, null, scopes.map(rule), trusted());
  return facts.filter((fact) => fact.label === label).map(({ value }) => value);
};
const trusted = (): Project =>
  new Project({
    isTrusted: () => Promise.resolve(true),
    isScratch: () => Promise.resolve(false),
    dataDir: join(base, 'data'),
    deniedPaths: () => denied,
  });

describe('B1: the row about git says what then happens', () => {
  it.each<[string, string, RegExp, () => void]>([
    ['no repository', 'No repository', /Not a git repository/, () => undefined],
    ['a harmless one', 'On main; git status is run.', /Git: on main; changed when/, () => (git(), put('a', ''))],
    ['one with a filter', 'On main; git is not run: its configuration could run programs.', /git was not run, because its configuration could/, () => (git(), appendFileSync(join(folder, '.git/config'), '[filter "x"]\n\tclean = x\n'))], // prettier-ignore
    ['one that can’t be read', 'A repository; git is not run: Espalier does not understand its HEAD.', /git was not run, because Espalier does not understand its HEAD/, () => (git(), writeFileSync(join(folder, '.git/HEAD'), 'x'))], // prettier-ignore
    ['one that begins above', 'The repository begins above this folder and is not read.', /begins above this folder and is not read/, () => void execFileSync('git', ['init', '-q', join(base, 'work')])], // prettier-ignore
    ['one elsewhere', 'Its data lies outside this folder and is not read.', /lies outside the workspace and was not read/, () => (git(), renameSync(join(folder, '.git'), join(base, 'gone')), symlinkSync(join(base, 'gone'), join(folder, '.git')))], // prettier-ignore
  ])('%s', async (_name, row, done, make) => {
    make();
    expect(await rows('Git')).toEqual([row]);
    expect((await trusted().facts(folder)).join('\n')).toMatch(done);
  });

  it.each<[string, RegExp, () => void]>([
    ['temporary files in the folder', /temporary files lies in it/, () => (process.env.TMPDIR = folder)],
    ['a value that is none', /a value in its configuration/, () => appendFileSync(join(folder, '.git/config'), '[core]\n\tautocrlf = "a b"\n')], // prettier-ignore
    ['an index beyond the bound', /its index is too large/, () => (put('.git/index', ''), truncateSync(join(folder, '.git/index'), 64 * 1024 * 1024 + 1))], // prettier-ignore
    ['a branch that leads nowhere', /its HEAD leads to something/, () => put('.git/refs/heads/main', 'nonsense\n')],
    ['no git', /there is no git in the PATH outside the folder/, () => (process.env.PATH = join(base, 'work'))],
    ['a key that runs something', /could run programs/, () => appendFileSync(join(folder, '.git/config'), '[a]\n\tb = !c\n')], // prettier-ignore
    ['files elsewhere', /its files are not in this folder/, () => appendFileSync(join(folder, '.git/config'), '[core]\n\tworktree = /\n')], // prettier-ignore
    ['no files', /its files are not in this folder/, () => appendFileSync(join(folder, '.git/config'), '[core]\n\tbare\n')], // prettier-ignore
  ])('where git is refused later, the row says so with the same words: %s', async (_name, why, make) => {
    git();
    make();
    const [row] = await rows('Git');
    expect(row).toMatch(/^On main; git is not run: /);
    expect(row).toMatch(why);
    const words = /git is not run: (.*)\.$/.exec(row ?? '')?.[1] ?? 'none';
    expect((await trusted().facts(folder)).join('\n')).toContain(`git was not run, because ${words}`);
  });

  it('an entry that nobody knows is shown, and costs no status: git never reads it there', async () => {
    git();
    appendFileSync(join(folder, '.git/config'), '[merge]\n\ttool = vimdiff\n[a]\n\tb = c\n');
    expect(await rows('Not known to be harmless')).toEqual(['merge.tool = vimdiff', 'a.b = c']);
    expect(await rows('Git')).toEqual(['On main; git status is run.']);
    expect((await trusted().facts(folder)).join('\n')).toContain('on main, nothing changed');
  });

  it('an entry that nobody knows is not said to run programs', async () => {
    git();
    appendFileSync(join(folder, '.git/config'), '[a]\n\tb = c\n[core]\n\tpager = x\n');
    expect(await rows('Could run programs')).toEqual(['core.pager = x']);
    expect(await rows('Not known to be harmless')).toEqual(['a.b = c']);
  });

  it('of more hooks than are looked through nobody says how many there are', async () => {
    git();
    for (let n = 0; n < 300; n++) writeFileSync(join(folder, '.git/hooks', `odd-${n}`), '');
    const shown = await rows('Hooks');
    expect(shown).toHaveLength(51);
    expect(shown.at(-1)).toBe('more than 150 others');
    const { state, programs } = await lookAtGit(folder);
    expect(state.hooks).toHaveLength(200);
    expect(programs.join()).toContain('in all, some of them long');
  });

  it('entries that could run programs and hooks have rows of their own', async () => {
    git();
    appendFileSync(join(folder, '.git/config'), '[filter "x"]\n\tclean = touch x\n');
    writeFileSync(join(folder, '.git/hooks/pre-commit'), '');
    expect(await rows('Could run programs')).toEqual(['filter.x.clean = touch x']);
    expect(await rows('Hooks')).toEqual(['pre-commit']);
  });
});

describe('B1: the rows about guidance say what is then read', () => {
  const read = async (): Promise<string | undefined> => (await trusted().look(folder)).guidance?.name;
  it.each<[string, string[], string | undefined, () => void]>([
    ['none', ['None'], undefined, () => undefined],
    ['one', ['CLAUDE.md, 1 B'], 'CLAUDE.md', () => put('CLAUDE.md', 'c')],
    ['both', ['AGENTS.md, 1 B', 'CLAUDE.md, 1 B (not read while AGENTS.md has something to say)'], 'AGENTS.md', () => (put('AGENTS.md', 'a'), put('CLAUDE.md', 'c'))], // prettier-ignore
    ['both, the first empty', ['AGENTS.md, 0 B (empty)', 'CLAUDE.md, 1 B'], 'CLAUDE.md', () => (put('AGENTS.md', ''), put('CLAUDE.md', 'c'))], // prettier-ignore
    ['a folder of that name', ['AGENTS.md, which is not a file (not read)', 'CLAUDE.md, 1 B'], 'CLAUDE.md', () => (mkdirSync(join(folder, 'AGENTS.md')), put('CLAUDE.md', 'c'))], // prettier-ignore
    ['both, the first nothing but blanks', ['AGENTS.md, 2 B (empty)', 'CLAUDE.md, 1 B'], 'CLAUDE.md', () => (put('AGENTS.md', ' \n'), put('CLAUDE.md', 'c'))], // prettier-ignore
    ['a link to nothing', ['AGENTS.md, a link to nothing (not read)'], undefined, () => symlinkSync('gone', join(folder, 'AGENTS.md'))], // prettier-ignore
  ])('%s', async (_name, expected, name, make) => {
    make();
    expect(await rows('Guidance')).toEqual(expected);
    expect(await read()).toBe(name);
  });

  it('what is denied in Settings is not said to be read; nor is another name of the app’s own file', async () => {
    put('AGENTS.md', 'a');
    put('CLAUDE.md', 'c');
    denied = ['AGENTS.md'];
    const why = `${folder}/AGENTS.md is in the list of denied paths in Settings.`;
    expect(await rows('Guidance')).toEqual([`AGENTS.md, 1 B (not read). ${why}`, 'CLAUDE.md, 1 B']);
    expect(await read()).toBe('CLAUDE.md');
    mkdirSync(join(base, 'data'));
    writeFileSync(join(base, 'data', 'settings.json'), '{}');
    rmSync(join(folder, 'CLAUDE.md'));
    linkSync(join(base, 'data', 'settings.json'), join(folder, 'CLAUDE.md'));
    expect((await rows('Guidance'))[1]).toMatch(/^CLAUDE\.md, 2 B \(not read\)\. .*Espalier's own/);
    expect(await read()).toBeUndefined();
  });

  it('links: where they lead, and whether they are followed', async () => {
    writeFileSync(join(base, 'secret'), 's');
    put('notes.md', 'n');
    symlinkSync(join(base, 'secret'), join(folder, 'AGENTS.md'));
    symlinkSync('notes.md', join(folder, 'CLAUDE.md'));
    expect(await rows('Guidance')).toEqual([
      `AGENTS.md, a link to ${base}/secret (not read)`,
      `CLAUDE.md, a link to ${folder}/notes.md`,
    ]);
    expect(await read()).toBe('CLAUDE.md');
    rmSync(join(folder, 'CLAUDE.md'));
    symlinkSync('.', join(folder, 'CLAUDE.md'));
    expect((await rows('Guidance'))[1]).toBe(`CLAUDE.md, a link to ${folder} (not read)`);
    expect(await read()).toBeUndefined();
  });
});

describe('B1: the rows about approvals are those that then count', () => {
  it('commands of this folder; changes in it, below it, and in a folder around it', async () => {
    const sub = join(folder, 'sub');
    const scopes: ApprovalScope[] = [
      { kind: 'command', command: 'npm test', cwd: folder },
      { kind: 'command', command: 'npm start', cwd: folder, timeoutMs: 300_000 },
      { kind: 'command', command: 'npm run of-another', cwd: sub },
      { kind: 'command', command: 'npm run above', cwd: join(base, 'work') },
      { kind: 'folder', folder },
      { kind: 'folder', folder: sub },
      { kind: 'folder', folder: join(base, 'work') },
      { kind: 'folder', folder: join(base, 'work', 'project-2') },
    ];
    const shown = await rows('Approval rules', scopes);
    expect(shown).toEqual(['npm test', 'npm start (time limit 5 min)', ...[folder, sub, join(base, 'work')].map((path) => `all changes to files in ${path} and below`)]); // prettier-ignore
    // What an agent that works in the folder can ask for, in the same book.
    for (const [index, scope] of scopes.entries()) {
      const file = join(base, `approvals-${index}.json`);
      writeFileSync(file, JSON.stringify({ version: 1, rules: [rule(scope)] }));
      const approvals = await Approvals.open({ file });
      const command = scope.kind === 'command' ? scope.command : '';
      const timeoutMs = scope.kind === 'command' ? scope.timeoutMs : undefined;
      const asked: ApprovalScope[] = [
        { kind: 'command', command, cwd: folder, timeoutMs },
        { kind: 'folder', folder },
        { kind: 'folder', folder: sub },
      ];
      const counts = asked.some((always) => approvals.remembered('s', { always }) === 'always');
      expect(counts, JSON.stringify(scope)).toBe([0, 1, 4, 5, 6].includes(index));
    }
  });

  it('a command that calls git only with the programs that it was allowed with', async () => {
    git();
    appendFileSync(join(folder, '.git/config'), '[core]\n\tpager = less\n');
    const of = (command: string, gitRuns?: string[]): ApprovalScope => ({
      kind: 'command',
      command,
      cwd: folder,
      gitRuns,
    });
    const scopes = [of('git log', ['core.pager = less']), of('git status'), of('git diff', ['core.pager = more'])];
    expect(await rows('Approval rules', scopes)).toEqual(['git log']);
  });

  it('of many the first are named, and the rest counted', async () => {
    const scopes = Array.from({ length: 52 }, (_, n) => ({
      kind: 'command' as const,
      command: `run ${n}`,
      cwd: folder,
    }));
    const shown = await rows('Approval rules', scopes);
    expect(shown).toHaveLength(51);
    expect(shown.at(-1)).toBe('2 more');
  });
});

describe('B1: the words above the rows claim nothing that a row denies', () => {
  it('one folder and several: git is for the rows alone; what was approved is the exception', async () => {
    git();
    const facts = await gatherFolderFacts(folder, null, [], trusted());
    for (const question of [trustQuestion(facts), trustListQuestion([facts, facts])]) {
      const words = question.paragraphs.join(' ');
      expect(words).not.toMatch(/\bgit\b/i);
      expect(words).toContain(
        'Espalier still asks before writes and commands, except those your approval rules allow.',
      );
    }
  });

  it('what “Keep restricted” means stands there, and that an allowed command can run what the rows name, where they name any', async () => {
    git();
    const words = async (): Promise<string[]> => {
      const facts = await gatherFolderFacts(folder, null, [], trusted());
      return [trustQuestion(facts), trustListQuestion([facts, facts])].map(({ paragraphs }) => paragraphs.join(' '));
    };
    const runs = 'A git command that you allow can run the programs and hooks named below.';
    const [one, several] = await words();
    expect(one).toContain(
      'If you keep it restricted, its guidance is ignored, and nothing in it is read, written or run without',
    );
    // There the other button is Cancel.
    expect(several).not.toContain('keep it restricted');
    expect(`${one} ${several}`).not.toContain(runs);
    writeFileSync(join(folder, '.git/hooks/pre-commit'), '');
    for (const text of await words()) expect(text).toContain(runs);
    rmSync(join(folder, '.git/hooks/pre-commit'));
    appendFileSync(join(folder, '.git/config'), '[core]\n\tfsmonitor = touch x\n');
    for (const text of await words()) expect(text).toContain(runs);
  });

  it('a wide folder that is only used is not said to be read unasked', async () => {
    const widths: Width[] = ['root', 'home', 'above-home', 'above-data', 'many-projects'];
    for (const width of widths) {
      expect(wideQuestion(folder, width, 'use').paragraphs.join(' ')).not.toContain('without asking');
      expect(wideQuestion(folder, width, 'trust').paragraphs.join(' ')).toContain('read all of it without asking');
    }
    expect(await widthOf('/', base)).toBe('root');
    const { facts } = await gatherFolderFacts('/', 'root', [], trusted());
    expect(facts[0]).toMatchObject({ label: 'More than one project', warn: true });
  });
});

describe('B1, E2: what a folder would bring is named, and nothing of it is opened', () => {
  const labels = ['Extensions', 'Skills', 'Prompt templates', 'MCP servers'];
  const named = async (): Promise<string[]> => {
    const { facts } = await gatherFolderFacts(folder, null, [], trusted());
    return facts.filter(({ label }) => labels.includes(label)).map(({ label, value }) => `${label}: ${value}`);
  };

  it('each by where it lies', async () => {
    for (const each of [
      '.pi/extensions/pkg',
      '.espalier/extensions',
      '.pi/skills/deploy',
      'lib/.claude/skills/a',
      '.pi/prompts',
    ])
      mkdirSync(join(folder, each), { recursive: true });
    put('.pi/extensions/a.ts', 'throw 1');
    put('.pi/extensions/types.d.ts', '');
    put('.pi/extensions/notes.md', '');
    put('.espalier/extensions/b.mjs', '');
    put('.pi/skills/deploy/SKILL.md', 'no front matter');
    put('lib/.claude/skills/a/SKILL.md', '');
    put('.pi/prompts/review.md', '');
    put('.mcp.json', 'not json');
    expect(await named()).toEqual([
      'Extensions: .espalier/extensions/b.mjs',
      'Extensions: .pi/extensions/a.ts',
      'Extensions: .pi/extensions/pkg',
      'Skills: .pi/skills/deploy/SKILL.md',
      'Skills: lib/.claude/skills/a/SKILL.md',
      'Prompt templates: .pi/prompts/review.md',
      'MCP servers: those in .mcp.json; each is asked about before it starts',
    ]);
    const question = trustQuestion(await gatherFolderFacts(folder, null, [], trusted()));
    expect(question.paragraphs.join(' ')).toContain('they run with all your rights');
    // Another one while the sheet stands is another sheet.
    const { state } = await gatherFolderFacts(folder, null, [], trusted());
    put('.pi/extensions/late.ts', '');
    expect((await gatherFolderFacts(folder, null, [], trusted())).state).not.toBe(state);
  });

  it('a file that never ends is not read; thousands are a figure; a hostile name is written out', async () => {
    mkdirSync(join(folder, '.pi/prompts'), { recursive: true });
    mkdirSync(join(folder, '.pi/extensions'), { recursive: true });
    execFileSync('mkfifo', [join(folder, '.pi/prompts/pipe.md')]);
    for (let n = 0; n < 300; n++) put(`.pi/extensions/x${n}.ts`, '');
    put('.pi/prompts/\u202Egnp.md', '');
    const { facts } = await gatherFolderFacts(folder, null, [], trusted());
    const extensions = facts.filter(({ label }) => label === 'Extensions');
    expect(extensions).toHaveLength(51);
    expect(extensions.at(-1)?.value).toBe('150 more');
    const { facts: drawn } = drawnQuestion(
      trustQuestion(await gatherFolderFacts(folder, null, [], trusted())),
      'light',
    );
    const prompts = drawn.filter(({ label }) => label === 'Prompt templates').map(({ value }) => value);
    expect(prompts.join()).not.toContain('\u202E');
    expect(prompts).toContain('.pi/prompts/pipe.md');
    expect(drawn.length).toBeLessThanOrEqual(400);
  });

  it('a folder without any has no such rows', async () => {
    expect(await named()).toEqual([]);
  });
});
