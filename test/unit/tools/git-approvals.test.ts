import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { approvalChangeOf } from '../../../src/main/ipc/approval-view';
import { hashScope } from '../../../src/main/approvals/approval-rules';
import { Approvals } from '../../../src/main/approvals/approvals';
import { offeredDecisions, type ApprovalRequest } from '../../../src/shared/policy/approval';
import { callsGit } from '../../../src/shared/policy/git-calls';
import { stakesOf, type Stakes } from '../../../src/shared/policy/stakes';
import { makeHost, makeSandbox, type Sandbox, type TestHost } from './support/host';

const TITLE = 'Git may run what this repository names';
const UNREAD_TITLE = 'May start git, which can run more than Espalier can tell';

let sandbox: Sandbox;
let host: TestHost;
const configure = (text: string): void => appendFileSync(join(sandbox.workspaceDir, '.git', 'config'), `${text}\n`);

beforeEach(async () => {
  sandbox = await makeSandbox();
  execFileSync('git', ['init', '-q', '-b', 'main', sandbox.workspaceDir]);
  host = await makeHost(sandbox);
});
afterEach(async () => {
  await host.host.dispose();
  sandbox.remove();
});

/** What the card of a command says besides what its text says. */
function gitNotesOf(request: ApprovalRequest | undefined): Stakes['notes'] {
  const told = request && approvalChangeOf({ type: 'requested', request });
  if (told?.change.type !== 'approval_requested') throw new Error('no card');
  const { risks, notes, warnings } = stakesOf(told.change.request.subject, { risks: [], warnings: [] });
  expect([risks, warnings]).toEqual([[], []]);
  return notes;
}

/** The question about a command, which is declined. */
async function ask(command: string): Promise<ApprovalRequest | undefined> {
  host.asked.length = 0;
  host.autoAnswer('deny');
  await host.call('bash', { command }).catch(() => undefined);
  expect(host.asked).toHaveLength(1);
  return host.asked[0];
}

it('C2: a card of git says which programs the settings of the repository name, and offers what it always offers', async () => {
  configure('[core]\n\tfsmonitor = ./evil.sh');
  configure(
    '[filter "x"]\n\tclean = rot13\n[diff "y"]\n\ttextconv = strings\n[alias]\n\tst = !curl x.test\n[user]\n\tname = A',
  );
  writeFileSync(join(sandbox.workspaceDir, '.git', 'hooks', 'pre-commit'), '#!/bin/sh\n');
  const request = await ask('git status');
  expect(gitNotesOf(request)).toEqual([
    {
      title: TITLE,
      words: [
        'core.fsmonitor = ./evil.sh',
        'filter.x.clean = rot13',
        'diff.y.textconv = strings',
        'alias.st = !curl x.test',
        'hook pre-commit',
      ],
    },
  ]);
  expect(request && offeredDecisions(request)).toEqual(['deny', 'once', 'session', 'always']);
});

it('C2: other commands there, and git where no setting names a program, are as ever', async () => {
  const plain = await ask('git status');
  expect(gitNotesOf(plain)).toEqual([]);
  expect(plain?.scopes.always).toBeDefined();
  configure('[core]\n\tpager = less');
  const other = await ask('ls -la');
  expect(gitNotesOf(other)).toEqual([]);
  expect(other?.scopes.always).toBeDefined();
  expect(gitNotesOf(await ask('cd . && git log'))).toEqual([{ title: TITLE, words: ['core.pager = less'] }]);
});

it('C2: settings that could not be read are told as such', async () => {
  configure('[core');
  const [note] = gitNotesOf(await ask('git status'));
  expect(note?.title).toBe(UNREAD_TITLE);
  expect(note?.words).toEqual([expect.stringMatching(/^Espalier does not understand its config/)]);
});

it('C2: the settings of a repository that begins above the folder count, those that lie elsewhere are told as not read', async () => {
  configure('[core]\n\tsshCommand = evil');
  const inner = join(sandbox.workspaceDir, 'packages', 'one');
  mkdirSync(inner, { recursive: true });
  const outer = host;
  host = await makeHost({ ...sandbox, workspaceDir: inner });
  expect(gitNotesOf(await ask('git fetch'))).toEqual([{ title: TITLE, words: ['core.sshcommand = evil'] }]);
  writeFileSync(join(inner, '.git'), 'gitdir: ../../.git/worktrees/one\n');
  const words = gitNotesOf(await ask('git status')).flatMap((note) => note.words);
  expect(words).toEqual([expect.stringMatching(/^its git data lies outside/)]);
  await outer.host.dispose();
});

const hook = (name: string): string => join(sandbox.workspaceDir, '.git', 'hooks', name);
const addHook = (name: string): void => writeFileSync(hook(name), '#!/bin/sh\n');

/** Allows it as asked, and sees that the next call is covered. */
async function allow(decision: 'session' | 'always', command = 'git status'): Promise<void> {
  host.asked.length = 0;
  host.autoAnswer(decision);
  await host.call('bash', { command });
  expect(host.asked).toHaveLength(1);
  host.autoAnswer(undefined);
  const { details } = await host.call('bash', { command });
  expect(details).toMatchObject({ espalier: { standing: decision } });
  expect(host.asked).toHaveLength(1);
}

it.each(['session', 'always'] as const)(
  'TL7: “%s” covers git while exactly those programs are named',
  async (decision) => {
    await allow(decision);
    addHook('pre-commit');
    await ask('git status');
    await allow(decision);
    configure('[core]\n\tpager = less');
    await ask('git status');
    await allow(decision);
    configure('[core]\n\tpager = ./evil.sh');
    await ask('git status');
    await allow(decision);
    rmSync(hook('pre-commit'));
    await ask('git status');
    // What does not call git is not bound to any of them.
    await allow(decision, 'date');
    addHook('post-checkout');
    await host.call('bash', { command: 'date' });
  },
);

it('TL7: hooks are in one order, whatever was written first', async () => {
  addHook('pre-push');
  addHook('pre-commit');
  await allow('always');
  rmSync(hook('pre-commit'));
  rmSync(hook('pre-push'));
  addHook('pre-commit');
  addHook('pre-push');
  await host.call('bash', { command: 'git status' });
  expect(host.asked).toHaveLength(1);
});

it('TL7: the programs of a rule are kept with it; a rule without them, from before, counts where none is named', async () => {
  const file = join(sandbox.dataDir, 'approvals.json');
  const scopes = async (): Promise<unknown[]> => (await Approvals.open({ file })).rules().map(({ scope }) => scope);
  const plain = { kind: 'command', command: 'git status', cwd: sandbox.workspaceDir };
  await allow('always');
  expect(await scopes()).toStrictEqual([plain]);
  addHook('pre-commit');
  await allow('always');
  expect(await scopes()).toStrictEqual([plain, { ...plain, gitRuns: ['hook pre-commit'] }]);
});

it('B1: in a folder that is not trusted nothing of git is remembered', async () => {
  addHook('pre-commit');
  await host.host.dispose();
  host = await makeHost(sandbox, { isTrusted: () => Promise.resolve(false) });
  const request = await ask('git status');
  expect(gitNotesOf(request)).toEqual([{ title: TITLE, words: ['hook pre-commit'] }]);
  expect(request?.scopes).toEqual({});
});

it('C2: no number of files beside the hooks, aliases or repeated settings hides a program that git runs', async () => {
  const git = join(sandbox.workspaceDir, '.git');
  for (let at = 0; at < 60; at++) writeFileSync(join(git, 'hooks', `notes-${'x'.repeat(30)}-${at}.txt`), '');
  const aliases = Array.from({ length: 60 }, (_, at) => `\ta${at} = log`).join('\n');
  const repeated = '\tfsmonitor = ./harmless\n'.repeat(60);
  writeFileSync(join(git, 'config'), `[alias]\n${aliases}\n[core]\n${repeated}\tfsmonitor = ./evil.sh\n`);
  const request = await ask('git status');
  const [note] = gitNotesOf(request);
  expect(note?.words[0]).toMatch(/^\d+ in all, /);
  expect(note?.words[1]).toBe('core.fsmonitor = ./evil.sh');
});

it('C2: a hook is named however many files lie beside it, and one that comes later is asked about', async () => {
  const hooks = join(sandbox.workspaceDir, '.git', 'hooks');
  for (let at = 0; at < 300; at++) writeFileSync(join(hooks, `a${at}.sample`), '');
  writeFileSync(join(hooks, 'pre-commit'), '#!/bin/sh\n');
  expect((await ask('git status'))?.exact).toMatchObject({ gitRuns: ['hook pre-commit'] });
  for (let at = 0; at < 300; at++) writeFileSync(join(hooks, `a${at}`), '');
  const many = (await ask('git status'))?.exact as { gitRuns: string[] };
  expect(many.gitRuns.join()).toContain('hook pre-commit');
  expect(many.gitRuns.at(-1)).toMatch(/^\d+ in all, some of them long \(fingerprint [0-9a-f]{16}\)$/);
  host.autoAnswer('always');
  host.asked.length = 0;
  await host.call('bash', { command: 'git status' });
  await host.call('bash', { command: 'git status' });
  expect(host.asked).toHaveLength(1);
  writeFileSync(join(hooks, 'post-index-change'), '#!/bin/sh\n');
  await ask('git status');
});

it('TL7: what a rule holds of a large configuration is bounded, and every part of it counts', async () => {
  for (let at = 0; at < 2_000; at++) configure(`[alias]\n\ta${at} = !echo ${at}`);
  const before = (await ask('git status'))?.exact as { gitRuns: string[] };
  expect(JSON.stringify(before.gitRuns).length).toBeLessThan(4_000);
  expect(before.gitRuns[0]).toBe('alias.a0 = !echo 0');
  configure('[alias]\n\tlast = !evil');
  const after = (await ask('git status'))?.exact as { gitRuns: string[] };
  expect(after.gitRuns).not.toEqual(before.gitRuns);
});

it('TL6: settings that name a program only after the answer let nothing run', async () => {
  const canary = join(sandbox.base, 'canary');
  const between = (): void => configure(`[core]\n\tfsmonitor = touch ${canary}`);
  await expect(host.call('bash', { command: 'git status' }, { between })).rejects.toThrow('no longer what was allowed');
  expect(existsSync(canary)).toBe(false);
});

it.each([
  ['git status', true],
  ['/usr/bin/git -C . log', true],
  ['sudo git pull', true],
  ['find . -name x -exec git add {} \\;', true],
  ['sh -c "cd x; git diff"', true],
  ['echo $(git rev-parse HEAD)', true],
  ['git-lfs pull', true],
  ['gh pr create', true],
  ['npm version patch', true],
  ['go build ./...', true],
  ['npm test', false],
  ['ls .git', false],
  ['grep -r git README.md', true],
  ['cat docs/git.md', false],
])('C2: %s calls git: %s', (command, expected) => {
  expect(callsGit(command)).toBe(expected);
});

it('TL7: hooks that the configuration has in a folder of the workspace are named, and one more is asked about', async () => {
  configure('[core]\n\thooksPath = hk');
  const at = join(sandbox.workspaceDir, 'hk');
  mkdirSync(at);
  addHook('pre-commit');
  expect((await ask('git commit -m x'))?.exact).toMatchObject({ gitRuns: ['core.hookspath = hk'] });
  await allow('always');
  writeFileSync(join(at, 'commit-msg'), '#!/bin/sh\n');
  expect((await ask('git status'))?.exact).toMatchObject({ gitRuns: ['core.hookspath = hk', 'hook commit-msg'] });
});

it.each([
  ['files that it includes', '[include]\n\tpath = ../inc', 'git status', 'include.path = ../inc'],
  ['conditional ones', '[includeIf "gitdir:/"]\n\tpath = ../inc', 'git status', 'includeif.gitdir:/.path = ../inc'],
  ['hooks elsewhere', '[core]\n\thooksPath = /tmp/hooks', 'git status', 'core.hookspath = /tmp/hooks'],
  ['hooks above', '[core]\n\thooksPath = ../hooks', 'git status', 'core.hookspath = ../hooks'],
  ['hooks at home', '[core]\n\thooksPath = ~/hooks', 'git status', 'core.hookspath = ~/hooks'],
  ['a configuration that is too large', `# ${'x'.repeat(300_000)}`, 'git status', 'its config is too large'],
  ['another repository', '', 'git -C sub status', 'the settings of another folder'],
  ['another git folder', '', 'git --git-dir=sub/.git status', 'the settings of another folder'],
  ['another git folder by variable', '', 'GIT_DIR=sub/.git git status', 'the settings of another folder'],
  ['another folder', '', 'cd sub && git status', 'the settings of another folder'],
  ['the folder of the person', '', 'cd && git status', 'the settings of another folder'],
  ['another folder by an escape', '', '\\cd sub && git status', 'the settings of another folder'],
  ['the folder before', '', 'popd && git status', 'the settings of another folder'],
  ['another folder in a group', '', '{ cd sub; git status; }', 'the settings of another folder'],
  ['another folder by env', '', 'env -C sub git status', 'the settings of another folder'],
  ['another git folder by export', '', 'export GIT_DIR=x; git status', 'the settings of another folder'],
  ['this folder as a bare repository', '', 'git --bare status', 'the settings of another folder'],
  ['programs of its own from elsewhere', '', 'git --exec-path=x status', 'the settings of another folder'],
  ['a file that the command includes', '', 'git -c Include.path=x.cfg status', 'the settings of another folder'],
  ['hooks that the command names', '', 'git -c core.hooksPath=hk commit', 'the settings of another folder'],
  ['hooks beside git', '[core]\n\thooksPath = %(prefix)/hk', 'git status', 'core.hookspath = %(prefix)/hk'],
  ['hooks that may be there', '[core]\n\thooksPath = :(optional)hk', 'git status', 'core.hookspath = :(optional)hk'],
])('TL7: git with %s, which nobody has read, is asked each time', async (_what, config, command, told) => {
  if (config !== '') configure(config);
  const request = await ask(command);
  expect(request && offeredDecisions(request)).toEqual(['deny', 'once']);
  const { exact } = request ?? {};
  expect(exact?.kind === 'command' && exact.gitRuns?.[0]).toContain(`settings that were not read: `);
  expect(exact?.kind === 'command' && exact.gitRuns?.[0]).toContain(told);
});

it('TL7: hooks behind a link out of the folder are asked about each time', async () => {
  configure('[core]\n\thooksPath = hk');
  symlinkSync('/tmp', join(sandbox.workspaceDir, 'hk'));
  expect(unreadOf(await ask('git status'))).toContain('core.hookspath = hk');
});

const fakeRepository = (at: string): void => {
  for (const name of ['objects', 'refs']) mkdirSync(join(at, name), { recursive: true });
  writeFileSync(join(at, 'HEAD'), 'ref: refs/heads/main\n');
};

/** What a card says first of what was not read. */
function unreadOf(request: ApprovalRequest | undefined): string | undefined {
  const [first] = gitNotesOf(request);
  return first?.title === UNREAD_TITLE ? first.words[0] : undefined;
}

it('TL7: files that make the folder itself a repository end what was remembered, and run nothing', async () => {
  rmSync(join(sandbox.workspaceDir, '.git'), { recursive: true });
  execFileSync('git', ['init', '-q', sandbox.base]);
  await allow('always');
  fakeRepository(sandbox.workspaceDir);
  const canary = join(sandbox.base, 'canary');
  const settings = ['bare = false', `worktree = ${sandbox.workspaceDir}`, `fsmonitor = "touch ${canary}; false"`];
  writeFileSync(join(sandbox.workspaceDir, 'config'), ['[core]', ...settings].join('\n'));
  expect(unreadOf(await ask('git status'))).toContain('this folder itself');
  expect(existsSync(canary)).toBe(false);
});

it('C2: a repository in a folder further up, without a .git, is told as not read', async () => {
  rmSync(join(sandbox.workspaceDir, '.git'), { recursive: true });
  fakeRepository(sandbox.base);
  expect(unreadOf(await ask('git status'))).toContain('this folder itself');
});

it('C2: a .git that git passes over hides nothing: it is told as not read', async () => {
  writeFileSync(join(sandbox.workspaceDir, '.git', 'HEAD'), 'nothing\n');
  expect(unreadOf(await ask('git status'))).toContain('does not understand its HEAD');
});

it('C2: submodules have settings of their own, which nobody has read, with and without a list of them', async () => {
  const git = (at: string, ...words: string[]): void =>
    void execFileSync('git', ['-C', at, '-c', 'user.name=a', '-c', 'user.email=a@b', ...words], { stdio: 'pipe' });
  const inner = join(sandbox.workspaceDir, 'lib');
  execFileSync('git', ['init', '-q', inner]);
  git(inner, 'commit', '-q', '--allow-empty', '-m', 'x');
  expect(unreadOf(await ask('git status'))).toBeUndefined();
  for (const version of ['2', '4']) {
    git(sandbox.workspaceDir, '-c', `index.version=${version}`, 'add', 'lib');
    expect(unreadOf(await ask('git status'))).toContain('the settings of its submodules');
    rmSync(join(sandbox.workspaceDir, '.git', 'index'));
  }
  // A file of a size with the same bytes is none.
  writeFileSync(join(sandbox.workspaceDir, 'even.bin'), Buffer.alloc(0xe000));
  git(sandbox.workspaceDir, '-c', 'index.version=2', 'add', 'even.bin');
  expect(unreadOf(await ask('git status'))).toBeUndefined();
  git(sandbox.workspaceDir, 'update-index', '--split-index');
  expect(unreadOf(await ask('git status'))).toContain('its index is split');
  rmSync(join(sandbox.workspaceDir, '.git', 'index'));
  writeFileSync(join(sandbox.workspaceDir, '.gitmodules'), '');
  expect(unreadOf(await ask('git status'))).toContain('the settings of its submodules');
});

it.each([
  ['gpg.ssh.defaultKeyCommand', '[gpg "ssh"]\n\tdefaultKeyCommand = evil', 'gpg.ssh.defaultkeycommand = evil'],
  ['interactive.diffFilter', '[interactive]\n\tdiffFilter = evil', 'interactive.difffilter = evil'],
  ['a pager of one command', '[pager]\n\tlog = evil', 'pager.log = evil'],
  ['a name that is not known', '[some]\n\tthing = evil', 'some.thing = evil'],
  ['the address of a helper', '[remote "x"]\n\turl = ext::sh -c evil', 'remote.x.url = ext::sh -c evil'],
])('C2: %s is named, for what is not known to be harmless could run a program', async (_what, config, told) => {
  await allow('always');
  configure(config);
  expect(gitNotesOf(await ask('git status'))).toEqual([{ title: TITLE, words: [told] }]);
});

it('C2: of a switch that stands twice the last one counts, and each way to write off is off', async () => {
  writeFileSync(join(sandbox.workspaceDir, '.git', 'config.worktree'), '[core]\n\thooksPath = decoy\n');
  addHook('pre-commit');
  for (const off of ['false', '0', '00', '0x0']) {
    configure(`[extensions]\n\tworktreeConfig = true\n\tworktreeConfig = ${off}`);
    expect(gitNotesOf(await ask('git status'))[0]?.words).toContain('hook pre-commit');
  }
});

it('TL7: what an earlier Espalier remembered of such a command covers nothing', async () => {
  configure('[include]\n\tpath = ../inc');
  const scope = { kind: 'command' as const, command: 'git status', cwd: sandbox.workspaceDir, gitRuns: ['include.path = ../inc'] }; // prettier-ignore
  await host.host.dispose();
  const rules = [{ hash: hashScope(scope), scope, createdAt: new Date().toISOString() }];
  writeFileSync(join(sandbox.dataDir, 'approvals.json'), JSON.stringify({ version: 1, rules }));
  host = await makeHost(sandbox);
  await ask('git status');
});

it('TL7: a step within the folder, or to it by its whole path, goes nowhere', async () => {
  addHook('pre-commit');
  for (const command of ['cd . && git status', `cd ${sandbox.workspaceDir} && git log`])
    expect((await ask(command))?.exact).toMatchObject({ gitRuns: ['hook pre-commit'] });
});
