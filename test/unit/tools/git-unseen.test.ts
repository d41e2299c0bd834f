import { execFileSync } from 'node:child_process';
import { appendFileSync, chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { offeredDecisions } from '../../../src/shared/policy/approval';
import { makeHost, makeSandbox, type Sandbox, type TestHost } from './support/host';

let sandbox: Sandbox;
let host: TestHost;
beforeEach(async () => {
  sandbox = await makeSandbox();
  execFileSync('git', ['init', '-q', '-b', 'main', sandbox.workspaceDir]);
  host = await makeHost(sandbox);
});
afterEach(async () => {
  await host.host.dispose();
  sandbox.remove();
});
const at = (...names: string[]): string => join(sandbox.workspaceDir, ...names);

/** False where that is not offered: the command is asked each time. */
async function allowAlways(command: string): Promise<boolean> {
  host.asked.length = 0;
  host.autoAnswer('deny');
  await host.call('bash', { command }).catch(() => undefined);
  const [request] = host.asked;
  if (!request || !offeredDecisions(request).includes('always')) return false;
  host.asked.length = 0;
  host.autoAnswer('always');
  await host.call('bash', { command });
  expect(host.asked).toHaveLength(1);
  return true;
}

/** Runs unasked what the folder has named since. */
async function callAgain(command: string): Promise<void> {
  host.asked.length = 0;
  host.autoAnswer('deny');
  await host.call('bash', { command }).catch(() => undefined);
  expect(existsSync(at('pwned'))).toBe(false);
  expect(host.asked).toHaveLength(1);
}
const evil = (): void => {
  writeFileSync(at('evil.sh'), '#!/bin/sh\ntouch pwned\n');
  chmodSync(at('evil.sh'), 0o755);
  appendFileSync(at('.git', 'config'), '[core]\n\tfsmonitor = ./evil.sh\n');
};

it.each([
  'git status',
  'timeout 60 git status',
  'GIT_AUTHOR_NAME="A B" git status',
  'NAME="a b" git status',
  '\\git status',
  'if false; then true; elif git status; then true; fi',
  'flock lock git status',
])('TL7: a rule for %s is bound to what the repository names', async (command) => {
  if (!(await allowAlways(command))) return;
  evil();
  await callAgain(command);
});

it('TL7: worktreeConfig = 0k: a hook that is added later', async () => {
  appendFileSync(at('.git', 'config'), '[extensions]\n\tworktreeConfig = 0k\n');
  writeFileSync(at('.git', 'config.worktree'), '[core]\n\thooksPath = none\n');
  const command = 'git -c user.name=a -c user.email=a@b.c commit -q --allow-empty -m x';
  if (!(await allowAlways(command))) return;
  mkdirSync(at('.git', 'hooks'), { recursive: true });
  writeFileSync(at('.git', 'hooks', 'post-commit'), '#!/bin/sh\ntouch pwned\n');
  chmodSync(at('.git', 'hooks', 'post-commit'), 0o755);
  await callAgain(command);
});

it('TL7: hooksPath in quotes with a blank: a hook that is added later', async () => {
  appendFileSync(at('.git', 'config'), '[core]\n\thooksPath = "hooks "\n');
  const command = 'git -c user.name=a -c user.email=a@b.c commit -q --allow-empty -m x';
  if (!(await allowAlways(command))) return;
  mkdirSync(at('hooks '), { recursive: true });
  writeFileSync(at('hooks ', 'post-commit'), '#!/bin/sh\ntouch pwned\n');
  chmodSync(at('hooks ', 'post-commit'), 0o755);
  await callAgain(command);
});

it('TL7: a folder without a repository becomes one by HEAD and commondir', async () => {
  rmSync(at('.git'), { recursive: true });
  if (!(await allowAlways('git st'))) return;
  for (const d of ['data/objects', 'data/refs']) mkdirSync(at(d), { recursive: true });
  writeFileSync(at('HEAD'), 'ref: refs/heads/main\n');
  writeFileSync(at('commondir'), 'data\n');
  writeFileSync(at('data/config'), `[core]\n\trepositoryformatversion = 0\n[alias]\n\tst = !touch ${at('pwned')}\n`);
  await callAgain('git st');
});

it('TL7: find -execdir goes to other repositories', async () => {
  const sub = at('sub');
  mkdirSync(sub);
  execFileSync('git', ['init', '-q', sub]);
  writeFileSync(at('sub', 'mark'), '');
  const command = 'find . -name mark -execdir git status \\;';
  if (!(await allowAlways(command))) return;
  appendFileSync(at('sub', '.git', 'config'), `[core]\n\tfsmonitor = touch ${at('pwned')};\n`);
  await callAgain(command);
});

it.each([
  'git add -A && git status',
  'git checkout other && git status',
  'git checkout other',
  'env --ch=sub git status',
  "sh -ce 'cd sub; git status'",
  "flock f -c 'cd sub && git status'",
  "script -qc 'cd sub; git status' /dev/null",
  'git archive --remote=sub --format=foo HEAD',
  'git for-each-repo --config=remote.origin.url status',
  'git fetch ./sub',
  'git push',
  'HOME=. git status',
  'export HOME=$PWD; git status',
  'PATH=.:$PATH git status',
  "trap 'cd sub' DEBUG; git status",
  'git log *',
  'git diff > .git/config; git status',
  'jj -R sub st',
  'lazygit -p sub',
  './git status',
  'npm test && git status',
  'git log -1 --format=%B --output=.git/config; git status',
  'cp settings .git/config && git status',
  'git add -A && go build ./...',
  'cat args.txt | /usr/bin/xargs git',
  "/bin/bash -c '. ./env.sh; git status'",
  'setsid git checkout feature',
  'strace -E GIT_DIR=sub/.git git status',
  'node -e \'require("child_process").execSync("git status",{cwd:"sub"})\'',
  'cd "\'." && git status',
  'npm --prefi sub version patch',
])('C2: %s is asked each time', async (command) => {
  host.autoAnswer('deny');
  await host.call('bash', { command }).catch(() => undefined);
  const [request] = host.asked;
  expect(request && offeredDecisions(request)).not.toContain('always');
});

it.each([
  'git status',
  'git --no-pager log --oneline -5',
  'git diff HEAD~2 -- src/a.ts | head -50',
  'git status --short 2>&1 | head -20',
  'git status | wc -l',
  'cd . && git log',
  'git add src/a.ts',
  "git commit -m 'Words, and more'",
  'git show HEAD:src/a.ts > /dev/null',
  'go build ./...',
])('C2: %s can be allowed for longer', async (command) => {
  host.autoAnswer('deny');
  await host.call('bash', { command }).catch(() => undefined);
  const [request] = host.asked;
  expect(request && offeredDecisions(request)).toContain('always');
});
