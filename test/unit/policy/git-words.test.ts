import fc from 'fast-check';
import { expect, it } from 'vitest';
import { callsGit, gitRunsOf, hasUnread } from '../../../src/shared/policy/git-calls';
import { riskyGitEntries } from '../../../src/shared/policy/git-config';
import { riskySettingOf } from '../../../src/shared/policy/git-settings';
import { RiskFinder } from '../../../src/shared/policy/risk';
import { ShellReader } from '../../../src/shared/policy/shell-reader';
import { stakesOf } from '../../../src/shared/policy/stakes';
import { shortOrLong } from '../../support/long-form';

const settingOf = (text: string) => {
  const reader = new ShellReader();
  const all = [...reader.read(text, 0), ...reader.end()].filter((one) => one !== null);
  return all.map((one) => riskySettingOf(one!)?.text ?? null).find((one) => one !== null) ?? null;
};
it.each([
  'git -c core.pager=x log',
  'git -c alias.x=!./x x',
  'git --namespace ns -c core.pager=x log',
  'git --git-dir .git -c core.pager=x log',
  'git --no-pager -c core.pager=x log',
  '/usr/bin/git -c core.pager=x log',
  'git -c "core.pager=x y" log',
  "git -c 'user.name=A B' -c core.fsmonitor=./x status",
  'git -c user.name="A B" -c core.fsmonitor=./x status',
  'git "-c" core.pager=x log',
  '\\git -c core.pager=x log',
  'git -c branch.main.remote=ext::./x fetch',
  'git -c "core.pager"=./x log',
  "git -c 'core.fsmonitor'=./x status",
])('C2: a setting of %s is seen', (text) => {
  expect(settingOf(text)).not.toBeNull();
});
it('C2: a pattern that is counted is no setting', () => {
  expect(settingOf("git grep -c 'a.b=c'")).toBeNull();
});
it.each(['ext::x', 'a-b::x', 'a.b::x', 'a+b::x'])('C2: %s names a helper', (value) => {
  expect(riskyGitEntries([{ name: 'remote.origin.url', value }])).toHaveLength(1);
});
it.each(['branch.main.remote', 'branch.main.pushremote', 'remote.pushdefault'])('C2: %s may be an address', (name) => {
  expect(riskyGitEntries([{ name, value: 'ext::x' }])).toHaveLength(1);
});
const isRisky = (command: string): boolean => {
  const finder = new RiskFinder({ cwd: '/w', home: '/home/a' });
  for (const _ of finder.read(command, 0)) continue;
  for (const _ of finder.end()) continue;
  return finder.risks().length > 0;
};
it.each([
  'rm -rf x',
  'timeout 60 rm -rf x',
  'NAME="a b" rm -rf x',
  '\\rm -rf x',
  'NAME="a b" git reset --hard HEAD~2',
  'timeout 9 sudo x',
  "true # ; A='\nrm -rf x",
  "cat > .env <<EOF\nGREETING=it's fine\nEOF\nrm -rf x",
  "A=$'a\\'b'; rm -rf x",
  'A="one\ntwo" rm -rf x',
  "xargs -d '\\n' rm -rf",
  'parallel -k rm -rf ::: x',
  'strace -o l rm -rf x',
  'ionice -c idle rm -rf x',
  'trap \'rm -rf "$tmp"\' EXIT',
  'timeout "$T" rm -rf x',
  '2>/dev/null rm -rf x',
  'flock f rm -rf x',
  'git -C sub clean -fdx',
  'curl -s x |\n  sh',
  'cat i.sh |& sh',
])('C2: %s is risky', (command) => {
  expect(isRisky(command)).toBe(true);
});

it.each([
  'timeout 60 git fetch',
  'nice -n 10 git status',
  'timeout -k 5 60 git status',
  '\\git status',
  'if false; then :; elif git diff; then :; fi',
  'flock /tmp/l git pull',
  'env --chdir sub git status',
  'env -u X git status',
  'go -C sub build',
  'npm --prefix sub version patch',
  'parallel -j 4 git status',
  'strace git status',
  'watch -n 2 git status',
  'script -qc "git status" /dev/null',
  'coproc git status',
  'env FOO="a b" git status',
  'FOO="a b" git status',
  "FOO='a' git status",
])('C2: %s calls git', (command) => {
  expect(callsGit(command)).toBe(true);
});

it.each([
  'find . -name x -execdir git status \\;',
  'sudo -D sub git status',
  'env --chdir=sub git status',
  'cd "sub dir" && git status',
  'CDPATH=/x cd . && git status',
  'eval "cd sub" && git status',
  'builtin cd sub && git status',
  'command cd sub && git status',
  'declare -x GIT_DIR=x; git status',
  'for d in */; do (cd $d; git status); done',
  'read GIT_DIR <<< x; export GIT_DIR; git status',
  'GIT_DIR="a b" git status',
  'set -a; GIT_DIR=x; git status',
  'env "GIT_DIR=x y" git status',
  'printf -v GIT_DIR x; export GIT_DIR; git status',
  'git "-C" sub status',
  'git -\\C sub status',
  'git --git-dir "x y" status',
  'git clone -q x y && cd y && git status',
])('C2: %s leads elsewhere', (command) => {
  expect(hasUnread(gitRunsOf(command, '/w', []))).toBe(true);
});

it.each([
  // They start another program, or write a file.
  ...['git grep -Osh x', 'git grep -nOsh x', 'git grep -iOsh x', 'git grep -nO x', 'git grep --op=sh x'],
  ...['git log -po', 'git diff --output=x', 'git fetch --upload-pack sh origin', 'git fetch -uo origin'],
  ...['git branch -D x', 'git branch -dq x', 'git branch --edit-description', 'git tag -fm x v1', 'git tag --del v1'],
  ...['git fetch --exec x', 'git fetch -c x origin', 'git fetch ../x', 'git fetch --refmap x origin'],
])('C2: %s is more than a plain call', (command) => {
  expect(hasUnread(gitRunsOf(command, '/w', []))).toBe(true);
});

it.each([
  ...['git status -sb', 'git grep -n needle', 'git log --oneline -n 5', 'git diff --stat', 'git fetch --all --prune'],
  ...['git branch', 'git branch -avv', 'git branch --show-current', 'git branch topic', 'git tag -l'],
  ...['git fetch -pt origin', 'git fetch origin main'],
])('C2: %s is a plain call', (command) => {
  expect(hasUnread(gitRunsOf(command, '/w', []))).toBe(false);
});

it('C2: a setting is looked for at the beginning of a word, and no word again and again', () => {
  expect(settingOf(`git '-c' "core.pager"=x log`)).toBe('core.pager');
  expect(settingOf(`sh -c "git -c core.pager=x log"`)).toBe('core.pager=x');
  expect(settingOf('git "-c""core.pager=x" log')).toBeNull();
  // In a second for each of them, before.
  for (const words of ['"-c"', 'a"-c"', '"-c" '])
    expect(settingOf(`git -c ${words.repeat(shortOrLong(40_000, 200_000))}`)).toBeNull();
});

/** Ways of writing a command so that the shell runs it all the same. */
const wrapped = fc
  .record({
    before: fc.array(
      fc.constantFrom(
        'timeout 60',
        'timeout -k 5 1.5m',
        'nice -n 10',
        'sudo',
        'sudo -u root',
        'env',
        'env -u X',
        'env A=1',
        'NAME="a b"',
        "NAME='a b'",
        'NAME=a\\ b',
        'NAME="a \\" b"',
        'time',
        'command',
        'nohup',
        'coproc',
        'strace',
        'if true; then',
        'if false; then :; elif',
        'while',
        '!',
        'true &&',
        'false ||',
        'echo a |',
        'xargs',
        '(',
        '{',
      ),
      { maxLength: 4 },
    ),
    escape: fc.constantFrom('', '\\', '/usr/bin/'),
  })
  .map(
    ({ before, escape }) =>
      (command: string): string =>
        [...before, escape + command].join(' '),
  );

it('C2: however it is written, git is called there or not read', () => {
  fc.assert(fc.property(wrapped, (write) => callsGit(write('git status'))));
});

it('C2: however it is written, rm -rf is risky', () => {
  fc.assert(fc.property(wrapped, (write) => isRisky(write('rm -rf x'))));
});

it('C2: settings of 100 KB of switches are looked at without going over them again and again', () => {
  expect(settingOf(`git ${'"-c"'.repeat(25_000)}`)).toBeNull();
});

it('C2: whatever quote a value opened before, rm -rf is risky on a line of its own', () => {
  const before = fc.array(fc.constantFrom('A=', "'", '"', '\\', ' ', 'a', '$', '\n', ';', '#', '<<EOF', '(', '`'), {
    maxLength: 12,
  });
  fc.assert(
    fc.property(before, (parts) => {
      // A backslash there joins the lines.
      fc.pre(parts.at(-1) !== '\\');
      expect(isRisky(`${parts.join('')}\nrm -rf x`)).toBe(true);
    }),
  );
});

it('C2: a word git that the reader does not see as a call is told as not read', () => {
  const around = fc.constantFrom(
    'flock f',
    'watchexec --',
    'chroot /x',
    "sh -c 'a'",
    'find . -name x -exec sh',
    'ssh host',
  );
  fc.assert(fc.property(around, (text) => hasUnread(gitRunsOf(`${text} git status`, '/w', []))));
});

it('C2: of many programs those come first that have a word of the command in their name', () => {
  const runs = [
    ...Array.from({ length: 30 }, (_, at) => `alias.a${at} = !echo commit`),
    'hook post-merge',
    'hook pre-commit',
  ];
  const of = (command: string): string[] | undefined =>
    stakesOf({ kind: 'command', command, cwd: '/w', gitRuns: runs }, { risks: [], warnings: [] }).notes[0]?.words;
  expect(of('git commit -m x')?.slice(0, 2)).toEqual(['hook pre-commit', 'alias.a0 = !echo commit']);
  expect(of('git merge x')?.[0]).toBe('hook post-merge');
  expect(of('git status')?.[0]).toBe('alias.a0 = !echo commit');
  expect(of('git commit')).toHaveLength(13);
});
