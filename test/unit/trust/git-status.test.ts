import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chownSync,
  closeSync,
  constants,
  existsSync,
  lutimesSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { devNull, tmpdir } from 'node:os';
import { delimiter, dirname, join, relative } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sweepGitCopies } from '../../../src/main/project/git-copy';
import { lookAtGit } from '../../../src/main/project/workspace-facts';
import { Project } from '../../../src/main/trust/project-door';

/** What the system prompt says of a trusted repository, by the real git (docs/specs/safety.md B2). */

let base: string;
let folder: string;
let temporary: string;
const { PATH, TMPDIR } = process.env;
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'espalier-status-')));
  folder = join(base, 'project');
  temporary = join(base, 'tmp');
  for (const path of [folder, temporary, join(base, 'data')]) mkdirSync(path);
  process.env.TMPDIR = temporary;
  git('init', '-q', '-b', 'trunk');
});
afterEach(() => {
  process.env.PATH = PATH;
  if (TMPDIR === undefined) delete process.env.TMPDIR;
  else process.env.TMPDIR = TMPDIR;
  rmSync(base, { recursive: true, force: true });
});

const env = (): NodeJS.ProcessEnv => ({ PATH, GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: devNull });
const git = (...args: string[]): string =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.c', '-C', folder, ...args], {
    env: env(),
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
const put = (name: string, text: string): void => {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), text);
};
const facts = async (): Promise<string> => {
  const options = { dataDir: join(base, 'data'), deniedPaths: () => [], isScratch: () => Promise.resolve(false) };
  const lines = await new Project({ ...options, isTrusted: () => Promise.resolve(true) }).facts(folder);
  return lines.slice(0, -1).join('\n');
};

/** Files of every kind: untouched, changed in the same second at the same length, staged, deleted, new, ignored. */
function fill(): void {
  put('.gitignore', '*.log\n');
  for (const name of ['same.txt', 'changed.txt', 'staged.txt', 'gone.txt', 'sub/deep.txt', 'ä b.txt'])
    put(name, 'one\n');
  git('add', '.');
  git('commit', '-q', '-m', 'one');
}
function change(): void {
  put('changed.txt', 'two\n');
  put('staged.txt', 'two\n');
  git('add', 'staged.txt');
  put('sub/deep.txt', 'longer than before\n');
  put('new.txt', '');
  put('x.log', '');
  put('kept.out', '');
  put('newly/there.txt', '');
  writeFileSync(join(folder, '.git/info/exclude'), '*.out\n');
  rmSync(join(folder, 'gone.txt'));
}

describe('B2: the status is that of the real git', () => {
  it.each<[string, string, () => void]>([
    ['ordinary', 'trunk', () => undefined],
    ['detached', '(no branch)', () => git('checkout', '-q', '--detach')],
    ['packed references', 'trunk', () => git('pack-refs', '--all', '--prune')],
    ['a branch in a folder, packed', 'a/b', () => (git('checkout', '-q', '-b', 'a/b'), git('pack-refs', '--all'))],
    ['packed, with a folder in place of the branch', 'trunk', () => (git('pack-refs', '--all', '--prune'), mkdirSync(join(folder, '.git/refs/heads/trunk')))], // prettier-ignore
    ['packed objects', 'trunk', () => git('gc', '-q')],
    ['a branch that leads to another', 'also', () => (git('symbolic-ref', 'refs/heads/also', 'refs/heads/trunk'), git('symbolic-ref', 'HEAD', 'refs/heads/also'))], // prettier-ignore
    ['a branch without a commit', 'orphan', () => git('symbolic-ref', 'HEAD', 'refs/heads/orphan')],
    ['a split index', 'trunk', () => git('update-index', '--split-index')],
    ['an index of the fourth version', 'trunk', () => git('update-index', '--index-version=4')],
    [
      'an index with an untracked cache',
      'trunk',
      () => (git('update-index', '--force-untracked-cache'), git('status')),
    ],
    ['an index of the file system monitor', 'trunk', () => git('-c', 'core.fsmonitor=true', 'update-index', '--fsmonitor')], // prettier-ignore
    ['what is left out of the work tree', 'trunk', () => (git('update-index', '--skip-worktree', 'changed.txt'), rmSync(join(folder, 'changed.txt')))], // prettier-ignore
    ['a part of the work tree, by folders', 'trunk', () => git('sparse-checkout', 'set', '--cone', 'newly')],
    ['such a part with an index of folders', 'trunk', () => git('sparse-checkout', 'set', '--cone', '--sparse-index', 'newly')], // prettier-ignore
    ['a part of the work tree, by patterns', 'trunk', () => git('sparse-checkout', 'set', '--no-cone', '/*', '!/ä*')],
    ['attributes of the repository', 'trunk', () => (writeFileSync(join(folder, '.git/info/attributes'), '* text\n'), endings())], // prettier-ignore
    ['lines that git ends by itself', 'trunk', () => (git('config', 'core.autocrlf', 'true'), endings())], // prettier-ignore
    ['modes that do not count', 'trunk', () => (git('config', 'core.fileMode', 'false'), execFileSync('chmod', ['+x', join(folder, 'same.txt')]))], // prettier-ignore
    ['names as they are', 'trunk', () => (git('config', 'core.quotePath', 'false'), put('ä b.txt', 'changed\n'))],
    ['names that are written out', 'trunk', () => put('ä b.txt', 'changed\n')],
    ['a conflict', 'trunk', conflict],
    ['a submodule and a repository in a folder', 'trunk', nested],
    ['an upstream that is ahead', 'trunk', upstream],
  ])('%s', async (_name, branch, make) => {
    fill();
    make();
    change();
    const real = git(
      ...['--no-optional-locks', 'status', '--porcelain=v1', '--untracked-files=normal'],
      ...['--ignore-submodules=all', '--no-renames'],
    );
    expect(real).toContain('?? new.txt');
    const lines = real.trimEnd().split('\n');
    expect(await facts()).toMatch(new RegExp(`^- Git: on .*${branch.replace(/[()]/g, '\\$&')}; changed when`));
    expect((await facts()).split('\n').slice(1)).toEqual(lines.map((line) => `  ${line}`));
    expect(readdirSync(temporary)).toEqual([]);
  });

  it('no commit and no index; nothing changed', async () => {
    expect(await facts()).toBe('- Git: on trunk, nothing changed');
    put('a.txt', '');
    expect(await facts()).toBe('- Git: on trunk; changed when this session was opened:\n  ?? a.txt');
    git('add', '.');
    git('commit', '-q', '-m', 'one');
    expect(await facts()).toBe('- Git: on trunk, nothing changed');
  });

  it('objects by SHA-256', async () => {
    rmSync(join(folder, '.git'), { recursive: true });
    git('init', '-q', '-b', 'trunk', '--object-format=sha256');
    fill();
    put('same.txt', 'two\n');
    expect(await facts()).toBe('- Git: on trunk; changed when this session was opened:\n   M same.txt');
  });

  it('a file that was changed in the moment in which the index was written is looked into', async () => {
    fill();
    const second = Math.floor(Date.now() / 1000) - 100;
    utimesSync(join(folder, 'same.txt'), second, second);
    git('update-index', '--refresh');
    put('same.txt', 'two\n');
    utimesSync(join(folder, 'same.txt'), second, second);
    utimesSync(join(folder, '.git/index'), second, second);
    git('config', 'core.trustctime', 'false');
    expect(await facts()).toContain(' M same.txt');
  });
});

function conflict(): void {
  git('checkout', '-q', '-b', 'other');
  put('same.txt', 'other\n');
  git('commit', '-q', '-a', '-m', 'other');
  git('checkout', '-q', 'trunk');
  put('same.txt', 'trunk\n');
  git('commit', '-q', '-a', '-m', 'trunk');
  expect(() => git('merge', '-q', 'other')).toThrow();
}

/** A file that is as it was by its size and, once its ends of lines are those that git stores, by its contents. */
function endings(): void {
  put('same.txt', 'one\r\n');
  git('add', 'same.txt');
  utimesSync(join(folder, 'same.txt'), 1, 1);
}

function nested(): void {
  for (const name of ['module', 'inner']) {
    put(`${name}/a.txt`, 'a\n');
    git('init', '-q', name);
    git('-C', name, 'add', '.');
    git('-C', name, 'commit', '-q', '-m', 'inner');
    appendFileSync(join(folder, name, '.git/config'), `[core]\n\tfsmonitor = touch ${base}/canary\n`);
  }
  git('add', 'module');
  git('commit', '-q', '-m', 'a module');
  put('module/a.txt', 'changed\n');
}

function upstream(): void {
  git('commit', '-q', '--allow-empty', '-m', 'two');
  git('update-ref', 'refs/remotes/origin/trunk', 'HEAD~1');
  for (const [key, value] of [['remote', 'origin'], ['merge', 'refs/heads/trunk']] as const) git('config', `branch.trunk.${key}`, value); // prettier-ignore
  git('config', 'remote.origin.fetch', '+refs/heads/*:refs/remotes/origin/*');
}

/** Puts a `git` first in the PATH which, between the look and the run, does what `script` says, then is the real one. */
function swap(script: string): void {
  const bin = join(base, 'bin');
  const real = execFileSync('which', ['git'], { env: { PATH }, encoding: 'utf8' }).trim();
  mkdirSync(bin);
  const body = `#!/bin/sh\n(cd '${folder}' && ${script}) || exit 9\ntouch '${base}/swapped'\nexec '${real}' "$@"\n`;
  writeFileSync(join(bin, 'git'), body, { mode: 0o755 });
  process.env.PATH = `${bin}${delimiter}${PATH}`;
}

describe.skipIf(process.platform === 'win32')(
  'B2: what the folder turns into once it was looked at runs nothing',
  () => {
    const touch = (): string => `touch ${base}/canary`;
    const filter = (): string => `[filter "x"]\\n\\tclean = ${touch()}\\n[core]\\n\\tfsmonitor = ${touch()}\\n`;
    const write = (file: string, text: string): string => `printf '${text}' >> ${file}`;
    it.each<[string, () => string]>([
      ['its configuration', () => write('.git/config', filter())],
      ['the configuration of the work tree', () => `${write('.git/config', '[extensions]\\n\\tworktreeConfig = true\\n')}; ${write('.git/config.worktree', filter())}`], // prettier-ignore
      ['an include', () => `${write('evil', filter())}; ${write('.git/config', '[include]\\n\\tpath = ../evil\\n')}`],
      ['a common folder', () => `cp -r .git '${base}/common'; ${write(`'${base}/common/config'`, filter())}; ${write('.git/commondir', `${base}/common\\n`)}`], // prettier-ignore
      ['a file in its place that leads elsewhere', () => `cp -r .git '${base}/else'; ${write(`'${base}/else/config'`, filter())}; mv .git '${base}/gone'; mkdir .git; ln -s '${base}/gone/objects' .git/objects; ${write('.git/gitdir', `${base}/else\\n`)}; ${write('.git/config', filter())}`], // prettier-ignore
      ['its attributes and hooks', () => `${write('.git/info/attributes', '* filter=x diff=x\\n')}; ${write('.git/config', filter())}; printf '#!/bin/sh\\n${touch()}' > .git/hooks/post-index-change; chmod +x .git/hooks/post-index-change`], // prettier-ignore
      ['a repository in a folder', () => `mkdir in; cp -r .git in/.git; ${write('in/.git/config', filter())}`],
    ])('%s', async (_name, script) => {
      put('.gitattributes', '* filter=x\n');
      fill();
      put('same.txt', 'two\n');
      swap(script());
      expect(await facts()).toContain('\n   M same.txt');
      expect(existsSync(join(base, 'swapped'))).toBe(true);
      expect(existsSync(join(base, 'canary'))).toBe(false);
      expect(readdirSync(temporary)).toEqual([]);
    });

    it('the canary works: git in the folder itself runs it', () => {
      put('.gitattributes', '* filter=x\n');
      fill();
      put('same.txt', 'two\n');
      appendFileSync(join(folder, '.git/config'), filter().replaceAll('\\n', '\n').replaceAll('\\t', '\t'));
      git('status');
      expect(existsSync(join(base, 'canary'))).toBe(true);
    });

    it.each<[string, string, () => void]>([
      [
        'an index beyond the bound',
        'its index is too large',
        () => truncateSync(join(folder, '.git/index'), 64 * 1024 * 1024 + 1),
      ],
      [
        'patterns beyond the bound',
        'its info/exclude is too large',
        () => truncateSync(join(folder, '.git/info/exclude'), 1024 * 1024 + 1),
      ],
      [
        'a branch that leads nowhere',
        'its HEAD leads to something',
        () => writeFileSync(join(folder, '.git/refs/heads/trunk'), 'nonsense\n'),
      ],
      [
        'a branch that leads to itself',
        'its HEAD leads to something',
        () => writeFileSync(join(folder, '.git/refs/heads/trunk'), 'ref: refs/heads/trunk\n'),
      ],
      ['a branch that is a pipe', 'its refs/heads/trunk is not a regular file', () => { rmSync(join(folder, '.git/refs/heads/trunk')); execFileSync('mkfifo', [join(folder, '.git/refs/heads/trunk')]); }], // prettier-ignore
      [
        'a value that is none',
        'Espalier does not understand a value in its configuration',
        () => appendFileSync(join(folder, '.git/config'), '[core]\n\tautocrlf = "a b"\n'),
      ],
      ['temporary files in the folder', 'temporary files lies in it', () => { mkdirSync(join(folder, 'tmp')); process.env.TMPDIR = join(folder, 'tmp'); }], // prettier-ignore
    ])('no git for %s: the branch alone', async (_name, why, make) => {
      fill();
      make();
      swap('true');
      expect(await facts()).toMatch(
        new RegExp(`^- Git: on trunk; what changed is not known: git was not run, because .*${why}`),
      );
      expect(existsSync(join(base, 'swapped'))).toBe(false);
      expect(readdirSync(temporary)).toEqual([]);
    });

    it('a drive that does not answer while the copy is made holds nobody up, and nothing of the copy stays', async () => {
      fill();
      truncateSync(join(folder, '.git/index'), 60 * 1024 * 1024);
      swap('true');
      const pipe = join(base, 'pipe');
      execFileSync('mkfifo', [pipe]);
      const told = facts();
      while (readdirSync(temporary).length === 0) await new Promise((resolve) => setImmediate(resolve));
      // Each thread that works on files waits for the pipe, as it would for such a drive.
      const waiting = Array.from({ length: 16 }, () => open(pipe, 'r'));
      try {
        expect(await told).toBe('- Git: on trunk; what changed is not known: git was not done in time');
      } finally {
        const end = openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK);
        for (const handle of await Promise.all(waiting)) await handle.close();
        closeSync(end);
      }
      await expect.poll(() => readdirSync(temporary), { timeout: 60_000 }).toEqual([]);
      expect(existsSync(join(base, 'swapped'))).toBe(false);
    });

    it('what a crash left behind goes at the next start, and nothing else of the folder for temporary files', async () => {
      const old = new Date(Date.now() - 48 * 60 * 60 * 1000);
      const make = (name: string, time = old): void => {
        mkdirSync(join(temporary, name, 'refs'), { recursive: true });
        writeFileSync(join(temporary, name, 'index'), '');
        utimesSync(join(temporary, name), time, time);
      };
      make('espalier-git-aB3xY9');
      make('espalier-git-young0', new Date());
      make('espalier-git-of-a-person');
      make('other-aB3xY9');
      writeFileSync(join(temporary, 'espalier-git-a0file'), '');
      utimesSync(join(temporary, 'espalier-git-a0file'), old, old);
      make('target');
      symlinkSync('target', join(temporary, 'espalier-git-a0link'));
      lutimesSync(join(temporary, 'espalier-git-a0link'), old, old);
      const isRoot = process.geteuid?.() === 0;
      if (isRoot) {
        make('espalier-git-theirs');
        chownSync(join(temporary, 'espalier-git-theirs'), 65_534, 65_534);
      }
      const before = readdirSync(temporary);
      await sweepGitCopies();
      expect(readdirSync(temporary)).toEqual(before.filter((name) => name !== 'espalier-git-aB3xY9'));
      expect(readdirSync(join(temporary, 'target'))).toEqual(['index', 'refs']);
    });

    it('references that are kept in another way have no branch that could be told', async () => {
      fill();
      writeFileSync(join(folder, '.git/HEAD'), 'ref: refs/heads/.invalid\n');
      expect(await facts()).toContain('on a branch that could not be read');
    });

    it('git is told of nothing that is the folder’s but its files and objects', async () => {
      fill();
      swap(`env > '${base}/env'; printf '%s\\n' "$PWD"`);
      await facts();
      const said = readFileSync(join(base, 'env'), 'utf8').split('\n');
      const named = said.filter((line) => line.startsWith('GIT_') && line.includes(folder));
      expect(named.sort()).toEqual([`GIT_OBJECT_DIRECTORY=${folder}/.git/objects`, `GIT_WORK_TREE=${folder}`]);
    });
  },
);

describe.skipIf(process.platform === 'win32')('B2: the git that runs is not one that the folder brings', () => {
  const inFolder = (): string => join(folder, 'node_modules', '.bin');
  it.each<[string, () => string]>([
    ['relative', () => relative(process.cwd(), inFolder())],
    ['absolute', inFolder],
    ['a link from elsewhere', () => (symlinkSync(inFolder(), join(base, 'linked')), join(base, 'linked'))],
    [
      'a program elsewhere that is a link into it',
      () => {
        mkdirSync(join(base, 'bin'));
        symlinkSync(join(inFolder(), 'git'), join(base, 'bin', 'git'));
        return join(base, 'bin');
      },
    ],
  ])('%s', async (_name, entry) => {
    put('.gitignore', 'node_modules\n');
    mkdirSync(inFolder(), { recursive: true });
    writeFileSync(join(inFolder(), 'git'), `#!/bin/sh\ntouch '${base}/canary'\n`, { mode: 0o755 });
    process.env.PATH = `${entry()}${delimiter}${PATH}`;
    expect(await facts()).toContain('?? .gitignore');
    expect(existsSync(join(base, 'canary'))).toBe(false);
  });
});

describe('B2: a split index', () => {
  it('is found by the copy and by the look alike, among however many names', async () => {
    put('kept.txt', 'a');
    git('add', '.');
    git('commit', '-qm', 'one');
    git('update-index', '--split-index');
    const names = readdirSync(join(folder, '.git'));
    expect(names.filter((name) => name.startsWith('sharedindex.'))).toHaveLength(1);
    for (let n = 0; n < 20_000; n++) writeFileSync(join(folder, '.git', `a-${n}`), '');
    put('kept.txt', 'changed');
    expect(await facts()).toContain(' M kept.txt');
    expect((await lookAtGit(folder)).programs.join()).toContain('its index is split, which may hide submodules');
  });

  it('is none where a file of an earlier one is left over', async () => {
    put('a-link.txt', 'a');
    git('add', '.');
    git('commit', '-qm', 'one');
    put(`.git/sharedindex.${'0a'.repeat(20)}`, '');
    expect((await lookAtGit(folder)).programs).toEqual([]);
  });
});
