/** What git would run in odd repositories is named, or told as not read: each time git itself is run beside it. */
import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { programsOfGit, readGitState } from '../../../src/main/project/git-state';
import { hasUnread } from '../../../src/shared/policy/git-calls';

const made: string[] = [];
afterEach(() => made.splice(0).forEach((folder) => rmSync(folder, { recursive: true, force: true })));
const fresh = (): string => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'espalier-git-')));
  made.push(folder);
  return folder;
};
const programs = async (root: string): Promise<string[]> => programsOfGit(root, await readGitState(root));
const git = (root: string, args: string[], extra: object = {}) =>
  spawnSync('git', args, {
    cwd: root,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], HOME: root, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' },
    ...extra,
  });
const init = (root: string): void => void execFileSync('git', ['init', '-q', '-b', 'main', root]);

/** What a look tells: that the folder names `needle`, or that not all was read. */
const tells = (named: string[], needle: string): boolean =>
  hasUnread(named) || named.some((one) => one.includes(needle));

it('C2: a bare repository whose objects and refs are named by a commondir', async () => {
  const root = fresh();
  for (const d of ['data/objects', 'data/refs']) mkdirSync(join(root, d), { recursive: true });
  writeFileSync(join(root, 'HEAD'), 'ref: refs/heads/main\n');
  writeFileSync(join(root, 'commondir'), 'data\n');
  writeFileSync(
    join(root, 'data/config'),
    `[core]\n\trepositoryformatversion = 0\n[alias]\n\tst = !touch ${root}/pwned\n`,
  );
  git(root, ['st']);
  expect(existsSync(join(root, 'pwned'))).toBe(true);
  const named = await programs(root);
  expect(tells(named, 'alias')).toBe(true);
});

it('C2: the same further up', async () => {
  const root = fresh();
  for (const d of ['data/objects', 'data/refs', 'sub']) mkdirSync(join(root, d), { recursive: true });
  writeFileSync(join(root, 'HEAD'), 'ref: refs/heads/main\n');
  writeFileSync(join(root, 'commondir'), 'data\n');
  writeFileSync(
    join(root, 'data/config'),
    `[core]\n\trepositoryformatversion = 0\n[alias]\n\tst = !touch ${root}/pwned\n`,
  );
  git(join(root, 'sub'), ['st']);
  expect(existsSync(join(root, 'pwned'))).toBe(true);
  expect(tells(await programs(join(root, 'sub')), 'alias')).toBe(true);
});

const evil = '#!/bin/sh\ntouch "$PWNED"\n';
const hookIn = (folder: string): void => {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'post-checkout'), evil);
  chmodSync(join(folder, 'post-checkout'), 0o755);
};
const checkout = (root: string) => {
  git(root, ['-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-q', '--allow-empty', '-m', 'x']);
  return git(root, ['checkout', '-q', '-b', 'n'], {
    env: { PATH: process.env['PATH'], HOME: root, PWNED: join(root, 'pwned') },
  });
};

describe.each(['0k', '+0', '-0', '0x00k'])('C2: extensions.worktreeConfig = %s', (off) => {
  it('is off for git', async () => {
    const root = fresh();
    init(root);
    const config = join(root, '.git/config');
    writeFileSync(config, `[core]\n\trepositoryformatversion = 0\n[extensions]\n\tworktreeConfig = ${off}\n`);
    mkdirSync(join(root, 'empty'));
    writeFileSync(join(root, '.git/config.worktree'), '[core]\n\thooksPath = empty\n');
    hookIn(join(root, '.git/hooks'));
    checkout(root);
    if (!existsSync(join(root, 'pwned'))) return;
    const named = await programs(root);
    expect(tells(named, 'hook post-checkout')).toBe(true);
  });
});

it('C2: a quoted hooksPath keeps its blanks', async () => {
  const root = fresh();
  init(root);
  writeFileSync(join(root, '.git/config'), '[core]\n\trepositoryformatversion = 0\n\thooksPath = "hooks "\n');
  mkdirSync(join(root, 'hooks'));
  hookIn(join(root, 'hooks '));
  checkout(root);
  expect(existsSync(join(root, 'pwned'))).toBe(true);
  const named = await programs(root);
  expect(tells(named, 'hook post-checkout')).toBe(true);
});

it('C2: .git/hooks is a link that leads out of the repository', async () => {
  const root = fresh();
  const out = fresh();
  init(root);
  execFileSync('rm', ['-rf', join(root, '.git/hooks')]);
  hookIn(out);
  symlinkSync(out, join(root, '.git/hooks'));
  checkout(root);
  expect(existsSync(join(root, 'pwned'))).toBe(true);
  const named = await programs(root);
  expect(hasUnread(named)).toBe(true);
});

it.each(['branch.main.remote', 'remote.pushdefault', 'branch.main.pushremote'])(
  'C2: %s may be an address',
  async (key) => {
    const root = fresh();
    init(root);
    git(root, ['config', 'protocol.ext.allow', 'always']);
    git(root, ['config', 'branch.main.merge', 'refs/heads/main']);
    git(root, ['config', 'push.default', 'current']);
    const before = await programs(root);
    git(root, ['config', key, `ext::touch ${root}/pwned`]);
    git(root, ['-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-q', '--allow-empty', '-m', 'x']);
    git(root, [key === 'branch.main.remote' ? 'fetch' : 'push']);
    expect(existsSync(join(root, 'pwned'))).toBe(true);
    expect(await programs(root)).not.toEqual(before);
  },
);

it('C2: a helper whose name has a hyphen', async () => {
  const root = fresh();
  init(root);
  const bin = fresh();
  writeFileSync(join(bin, 'git-remote-a-b'), `#!/bin/sh\ntouch ${root}/pwned\n`);
  chmodSync(join(bin, 'git-remote-a-b'), 0o755);
  git(root, ['config', 'remote.origin.url', 'a-b::x']);
  git(root, ['fetch', 'origin'], { env: { PATH: `${bin}:${process.env['PATH']}`, HOME: root } });
  expect(existsSync(join(root, 'pwned'))).toBe(true);
  expect(tells(await programs(root), 'a-b::x')).toBe(true);
});
