import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { ApprovalScope } from '@shared/policy/approval';
import { limitQuestions } from '../../../src/main/consent/ask-limit';
import { type AskConsent, type ConsentQuestion, drawnQuestion } from '../../../src/main/consent/consent';
import { directLooks } from '../../../src/main/files/looks';
import { Project } from '../../../src/main/trust/project-door';
import { TrustBook } from '../../../src/main/trust/trust-book';
import { TrustDesk, type TrustDeskOptions } from '../../../src/main/trust/trust-desk';
import { turnsUntil } from '../../support/turns';

let base: string;
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'espalier-desk-')));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const folder = (name: string): string => {
  const path = join(base, name);
  mkdirSync(path, { recursive: true });
  return path;
};

/** A desk whose person answers each question alike. */
async function deskOf(answer: string | null, more: Partial<TrustDeskOptions> = {}) {
  const asked: string[] = [];
  const askPicked: AskConsent = ({ subject }) => {
    asked.push(subject ?? '');
    return Promise.resolve(answer);
  };
  const book = await TrustBook.open({ file: join(base, 'trust.json'), scratchRoot: join(base, 'data/workspaces') });
  const desk = new TrustDesk({
    ask: limitQuestions(askPicked, () => undefined),
    askPicked,
    book,
    project: {
      look: () => Promise.resolve({ isTrusted: false, guidance: null }),
      guidanceFiles: () => Promise.resolve([]),
      folderNames: () => Promise.resolve({ extensions: [], skills: [], templates: [], servers: [] }),
    },
    dataDir: folder('data'),
    rules: () => [],
    workspaces: () => Promise.resolve([]),
    ...more,
  });
  return { desk, asked, book };
}

it('C3: each folder that the person picks has its sheet, however many were kept restricted just before', async () => {
  const { desk, asked } = await deskOf(null);
  const picked = ['a', 'b', 'c', 'd', 'e', 'f'].map(folder);
  for (const path of picked) expect(await desk.picked(path)).toBe(path);
  expect(asked).toEqual(picked);
});

it('B4: the folder that a file names is offered while the session has none of the person’s choice, not in place of what it may do there', async () => {
  const { desk } = await deskOf(null);
  const [named, chosen] = [folder('named'), folder('chosen')];
  const scratch = folder('data/workspaces/one');
  expect(await desk.status(scratch, named)).toMatchObject({ trust: 'scratch', suggestion: named });
  expect(await desk.status(join(base, 'gone'), named)).toMatchObject({ trust: 'missing', suggestion: named });
  expect(await desk.status(chosen, named)).toMatchObject({ trust: 'restricted', suggestion: null });
});

it('C3: what only the page asked for rests after two cancels, and picking afterwards asks all the same', async () => {
  const { desk, asked, book } = await deskOf(null);
  const path = folder('a');
  for (let i = 0; i < 5; i++) expect(await desk.review(path)).toBe(false);
  expect(asked).toHaveLength(2);
  await desk.picked(path);
  expect(asked).toHaveLength(3);
  expect(await book.isTrusted(path)).toBe(false);
});

/** A folder of which there is as much to say as there can be. */
function talkative(name: string): string {
  const path = folder(name);
  for (const inner of ['a', 'b', 'c']) folder(join(name, inner, '.git'));
  for (const inner of ['objects', 'refs']) folder(join(name, '.git', inner));
  const hooks = folder(join(name, '.git/hooks'));
  writeFileSync(join(path, '.git/HEAD'), 'ref: refs/heads/main\n');
  const six = [1, 2, 3, 4, 5, 6];
  const config = six.map((n) => `[filter "f${n}"]\n clean = run\n[odd${n}]\n key = value\n`);
  writeFileSync(join(path, '.git/config'), config.join(''));
  const names = ['pre-commit', 'pre-push', 'post-merge', 'post-checkout', 'commit-msg', 'update'];
  for (const hook of names) writeFileSync(join(hooks, hook), '#!/bin/sh\n', { mode: 0o755 });
  return path;
}

it('B1: of several folders at once each fact is shown, however much there is to say of each', async () => {
  const paths = Array.from({ length: 16 }, (_, index) => talkative(`p${index}`));
  const rules = paths.flatMap((cwd) =>
    [1, 2, 3, 4, 5, 6].map((n) => ({
      hash: `${cwd}${n}`,
      scope: { kind: 'command' as const, command: `make ${n}`, cwd },
      createdAt: '2026-01-01T00:00:00.000Z',
    })),
  );
  const guidance = (name: string) => ({
    name,
    path: name,
    bytes: 1,
    isFile: true,
    isCut: false,
    target: undefined,
    use: 'read' as const,
  });
  const nine = Array.from({ length: 9 }, (_, n) => `x${n}`);
  const questions: ConsentQuestion[] = [];
  const { desk, book } = await deskOf(null, {
    rules: () => rules,
    workspaces: () => Promise.resolve(paths),
    project: {
      look: () => Promise.resolve({ isTrusted: false, guidance: null }),
      guidanceFiles: () => Promise.resolve([guidance('AGENTS.md'), guidance('CLAUDE.md')]),
      folderNames: () =>
        Promise.resolve({ extensions: nine, skills: nine, templates: nine, servers: ['.mcp.json', '.pi/mcp.json'] }),
    },
    ask: (question) => {
      questions.push(question);
      return Promise.resolve(question.choices[0]?.id ?? null);
    },
  });
  const { known } = await desk.list();
  expect(await desk.trustKnown(known.map(({ id }) => id))).toBe(16);
  expect(book.list()).toHaveLength(16);
  const sheets = questions.filter(({ kind }) => kind === 'trust-folders' || kind === 'trust-folder');
  for (const sheet of sheets) {
    const { facts } = drawnQuestion(sheet, 'light');
    expect(facts).toHaveLength(sheet.facts.length);
    expect(facts.map(({ label }) => label)).not.toContain('Not shown');
  }
  const each = sheets[0]?.facts.filter(({ label }) => label.startsWith('1: ')) ?? [];
  expect(each.filter(({ value }) => value.includes('make'))).toHaveLength(3);
  expect(each.length).toBeGreaterThanOrEqual(30);
});

it('B1: remembered answers of a folder rest from the moment its trust is withdrawn until it is given again', async () => {
  const { desk, book } = await deskOf('trust');
  const path = folder('project');
  const scopes: ApprovalScope[] = [
    { kind: 'command', command: 'date', cwd: path },
    { kind: 'folder', folder: join(path, 'src') },
    { kind: 'reading', folder: path, identity: '1 2 3' },
    { kind: 'command', command: 'date', cwd: folder('data/workspaces/one') },
    { kind: 'command', command: 'rm -rf build', cwd: path },
  ];
  expect(await desk.rests(scopes)).toEqual(['untrusted', 'untrusted', null, null, 'asked']);
  expect(await desk.review(path)).toBe(true);
  expect(await desk.rests(scopes)).toEqual([null, null, null, null, 'asked']);
  await book.withdraw(path);
  expect(await desk.rests(scopes)).toEqual(['untrusted', 'untrusted', null, null, 'asked']);
});

it('TL7: an answer about git rests once the settings of its repository name other programs', async () => {
  const { desk } = await deskOf('trust');
  const path = folder('project');
  for (const inner of ['objects', 'refs']) folder(join('project/.git', inner));
  writeFileSync(join(path, '.git/HEAD'), 'ref: refs/heads/main\n');
  const of = (command: string, gitRuns?: string[]): ApprovalScope => ({ kind: 'command', command, cwd: path, gitRuns });
  const scopes = [of('git status'), of('git status', ['core.fsmonitor = ./watch.sh']), of('date')];
  expect(await desk.rests(scopes)).toEqual(['untrusted', 'untrusted', 'untrusted']);
  await desk.review(path);
  expect(await desk.rests(scopes)).toEqual([null, 'changed', null]);
  writeFileSync(join(path, '.git/config'), '[core]\n\tfsmonitor = ./watch.sh\n');
  expect(await desk.rests(scopes)).toEqual(['changed', null, null]);
  writeFileSync(join(path, '.git/config'), '[core]\n\tfsmonitor = ./evil.sh\n');
  expect(await desk.rests(scopes)).toEqual(['changed', 'changed', null]);
});

it('TL7: a great many rules are read in slices, each once', async () => {
  const path = folder('many');
  const plain = 'npm run test -- --only "one of them" && node scripts/check.mjs "src/a b.ts" --flag=1 && ';
  const scopes = Array.from({ length: 200 }, (_, n): ApprovalScope => {
    return { kind: 'command', command: `${plain.repeat(20)}true ${n}`, cwd: path };
  });
  const rules = scopes.map((scope, n) => ({ hash: String(n), scope, createdAt: '' }));
  const { desk } = await deskOf('trust', { rules: () => rules });
  const rests = desk.rests(scopes);
  expect(await turnsUntil(rests)).toBeGreaterThan(30);
  expect(await rests).toEqual(scopes.map(() => 'untrusted'));
  const long: ApprovalScope = { kind: 'command', command: plain.repeat(100), cwd: path };
  expect(await desk.rests([long])).toEqual(['asked']);
  // The sheet of the folder names those that come into force.
  expect(await turnsUntil(desk.review(path))).toBeGreaterThan(15);
  expect(await desk.rests(scopes)).toEqual(scopes.map(() => null));
});

it('B1: whoever listens is told which folders became trusted or lost it', async () => {
  const { desk, book } = await deskOf('trust');
  const path = folder('project');
  const told: (readonly string[])[] = [];
  book.onChange((folders) => told.push(folders));
  await desk.review(path);
  await book.withdraw(path);
  expect(told).toEqual([[path], [path]]);
});

/** A desk over what really lies in the folders, whose person says yes after `meanwhile` has been done. */
async function deskOnFolders(meanwhile: (time: number) => void, workspaces: string[] = []) {
  const questions: ConsentQuestion[] = [];
  const project = new Project({
    ...{ isTrusted: () => Promise.resolve(false), isScratch: () => Promise.resolve(false) },
    ...{ dataDir: join(base, 'data'), deniedPaths: () => [] },
  });
  const ask: AskConsent = (question) => {
    questions.push(question);
    meanwhile(questions.length);
    return Promise.resolve(questions.length > 5 ? null : (question.choices[0]?.id ?? null));
  };
  const made = await deskOf(null, { project, ask, askPicked: ask, workspaces: () => Promise.resolve(workspaces) });
  const guidance = (): string[] =>
    questions.map(({ facts }) => facts.flatMap(({ label, value }) => (/Guidance/.test(label) ? value : [])).join());
  return { ...made, questions, guidance };
}
const CHANGED = 'Something changed while the question was open, so nothing is trusted yet. This is what is there now.';

it.each([
  ['is added', () => undefined, 'None'],
  [
    'says something else of the same length',
    (path: string) => writeFileSync(join(path, 'AGENTS.md'), 'abc'),
    'AGENTS.md, 3 B',
  ],
])(
  'B1: guidance that %s while the sheet is open: the yes counts for nothing, and a new sheet says so',
  async (_what, before, shown) => {
    const path = folder('a');
    before(path);
    const { desk, book, questions, guidance } = await deskOnFolders((time) => {
      if (time === 1) writeFileSync(join(path, 'AGENTS.md'), 'xyz');
    });
    expect(await desk.review(path)).toBe(true);
    expect(guidance()).toEqual([shown, 'AGENTS.md, 3 B']);
    expect(questions.map(({ paragraphs }) => paragraphs.includes(CHANGED))).toEqual([false, true]);
    expect(await book.isTrusted(path)).toBe(true);
  },
);

it('B1: a folder that never stays what was shown is not trusted', async () => {
  const path = folder('a');
  const { desk, book, questions } = await deskOnFolders((time) =>
    writeFileSync(join(path, 'AGENTS.md'), 'x'.repeat(time)),
  );
  expect(await desk.review(path)).toBe(false);
  expect(questions).toHaveLength(6);
  expect(await book.isTrusted(path)).toBe(false);
});

it('B1: a hook that comes while several folders are asked about together', async () => {
  const paths = [folder('a'), talkative('b')];
  const { desk, book, questions } = await deskOnFolders((time) => {
    if (time === 1) writeFileSync(join(paths[1]!, '.git/hooks/pre-rebase'), '', { mode: 0o755 });
  }, paths);
  const ids = (await desk.list()).known.map(({ id }) => id);
  expect(await desk.trustKnown(ids)).toBe(2);
  const asked = questions.filter(({ kind }) => kind === 'trust-folders');
  expect(asked.map(({ paragraphs }) => paragraphs.includes(CHANGED))).toEqual([false, true]);
  expect(await book.isTrusted(paths[1]!)).toBe(true);
});

it('WN14: a folder is missing where nothing is, or a file; one that does not answer may be there', async () => {
  const { desk } = await deskOf(null);
  writeFileSync(join(base, 'file'), '');
  expect(await desk.isMissing(folder('here'))).toBe(false);
  expect(await desk.isMissing(join(base, 'gone'))).toBe(true);
  expect(await desk.isMissing(join(base, 'file'))).toBe(true);
  const silent = { ...directLooks, identify: () => Promise.resolve(null), isSilent: () => true };
  const { desk: other } = await deskOf(null, { looks: silent });
  expect(await other.isMissing('/mnt/far')).toBe(false);
});
