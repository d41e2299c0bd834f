import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RiskFinder } from '@shared/policy/risk';
import { DELETES, RUNS, titles } from '../../support/risk-titles';

const OUTSIDE = 'Reaches outside the workspace';

/** Risks by how a command is written: glued switches, settings of git, what deletes (docs/specs/safety.md C2). */
describe('C2: a place that is glued to a switch', () => {
  it.each([
    'tar -xC.. f',
    'cp x -t../.. y',
    'make -C../x',
    'make -C./../x',
    'tar -xC././.. f',
    'unzip -d.. f',
    'git -C../.. status',
    'tar -xzvC../x -f f',
    'gcc -I../include x.c',
    'gcc -L.. x.c',
    'gcc -isystem../include x.c',
    'rsync -e../sh a b',
    'tar -x0C../y',
    'tar -xC/etc f',
    'unzip -qd/etc f',
    'cp -vt/etc x',
    'tar -C~ f',
    'tar -xC~/x f',
    'make -sC~/x',
    'unzip -d~ada f',
    'tar -xC$HOME/x f',
    'tar -xC${HOME} f',
    'make -C$PWD/../x',
    'tar -xC"/etc" f',
    "make -C'..' x",
    'make -C"../x"',
    'grep -f../x y',
    'sed -nf../x.sed y',
    'cmake -DCMAKE_INSTALL_PREFIX:PATH=/usr',
    'mvn -Drepo.local=../m test',
  ])('%s', (command) => {
    expect(titles(command)).toContain(OUTSIDE);
  });

  it('whatever letters stand before it, and none that stays inside', () => {
    const letters = fc.stringMatching(/^[A-Za-z0-9]{0,6}[A-Za-z]$/);
    const outside = fc.constantFrom('..', '../', '../x', '../../x', '~/x', '$HOME', '${HOME}/x');
    const absolute = fc.constantFrom('/', '/etc/x', '~', '~ada/x');
    const inside = fc.constantFrom('.', './x', 'x/..', 'etc/x', './..x', '...', '/home/ada/code/orders', '$PWD/x', '../orders/x', '..x'); // prettier-ignore
    const flags = fc.stringMatching(/^[xcvzjp]{0,5}$/);
    fc.assert(
      fc.property(letters, outside, absolute, inside, flags, (switches, out, root, within, tar) => {
        expect(titles(`tool -${switches}${out} y`)).toEqual([OUTSIDE]);
        expect(titles(`tool -${switches}${within} y`)).toEqual([]);
        expect(titles(`tool -${switches.slice(-1)}${root} y`)).toEqual([OUTSIDE]);
        expect(titles(`tar -${tar}C${within} f`)).toEqual([]);
        expect(titles(`tar -${tar}C/etc f`)).toEqual([OUTSIDE]);
      }),
    );
  });

  it('of which the place alone is underlined', () => {
    const finder = new RiskFinder({ cwd: '/w/a', home: '/home/a' });
    for (const steps of [finder.read('tar -xC../b f', 0), finder.end()]) for (const _ of steps) continue;
    expect(finder.risks().map(({ marks }) => marks)).toEqual([[{ from: 7, to: 11 }]]);
  });
});

describe('C2: git', () => {
  it.each([
    'git fetch origin +main:main',
    'git fetch -f',
    'git fetch -fq origin main:main',
    'git fetch --force . x:main',
    'git fetch --fo',
    'git pull origin +main:main',
    'git pull -f',
    'git -C sub fetch origin "+refs/heads/*:refs/heads/*"',
  ])('overwrites a branch: %s', (command) => {
    expect(titles(command)).toContain('Rewrites history');
  });

  it.each([
    'git clone --config core.fsmonitor=./x a b',
    'git clone --config=core.fsmonitor=./x a',
    'git clone --conf core.pager=x a',
    'git clone -ccore.fsmonitor=./x a b',
    'git clone --config "core.sshCommand=./x y" a',
    'git clone --template=x a b',
    'git clone -u ./x . b',
    'git clone --upload-pack ./x . b',
    'git init --template x',
    'git --exec-path=. x',
    'git fetch --upload-pack ./x origin',
    'git push --receive-pack=./x .',
    'git ls-remote --exec=./x .',
    'git config core.fsmonitor ./x && git status',
    'git config core.hooksPath x',
    'git config core.sshCommand "./x y"',
    'git config core.pager ./x',
    'git config core.editor "sh -c x"',
    'git config diff.external ./x',
    'git config CORE.Pager ./x',
    'git config filter.x.clean ./y',
    'git config filter.x.smudge ./y',
    'git config filter.x.process ./y',
    'git config pager.log ./x',
    'git config credential.helper ./x',
    "git config credential.helper '!x'",
    'git config credential.https://x.test.helper /x',
    "git config alias.st '!rm'",
    'git config --global alias.st "!x"',
    "git config alias.x '-c core.pager=x log'",
    "git config alias.x 'log -c core.pager=x'",
    'git config merge.x.driver ./x',
    'git config diff.x.textconv ./x',
    'git config gpg.program ./x',
    'git config gpg.ssh.program ./x',
    'git config sequence.editor ./x',
    'git config core.askPass ./x',
    'git config include.path x',
    'git config includeIf.gitdir:x.path y',
    'git config init.templateDir x',
    'git config protocol.ext.allow 1',
    "git config submodule.x.update '!x'",
    'git config remote.origin.url ext::x',
    'git config remote.origin.uploadpack ./x',
    'git config mergetool.x.cmd ./x',
    'git config mergetool.x.path ./x',
    'git config difftool.x.cmd ./x',
    'git config browser.x.path y',
    'git config --add core.editor ./x',
    'git config --replace-all core.pager ./x',
    'git config -f .git/config core.pager ./x',
    'git config --file .git/config core.pager ./x',
    'git config --type path core.pager ./x',
    'git config --local core.pager ./x',
    'git config set core.pager ./x',
    'git config set core.pager --all ./x',
    'git config core.pager ./x --get',
    'git config -zf .git/config core.pager ./x',
    'git config --fil .git/config core.pager ./x',
    'git config protocol.ext.allow always',
    'git config set --all core.pager ./x',
    'git -C sub config core.pager ./x',
    'git config "core.pager" "./x"',
    "sh -c 'git config core.pager ./x'",
  ])('runs what it is told: %s', (command) => {
    expect(titles(command)).toContain(RUNS);
  });

  it('any setting that names a program, wherever it is written', () => {
    const key = fc.constantFrom('core.fsmonitor', 'core.hooksPath', 'core.sshCommand', 'core.pager', 'core.editor', 'diff.external', 'filter.a.clean', 'credential.helper', 'merge.a.driver', 'gpg.program'); // prettier-ignore
    const write = fc.constantFrom('git config @ V', 'git config --global --add @ V', 'git config set @ V', 'git -c @=V status', 'git clone -c @=V x', 'git clone -c@=V x', 'git clone --config @=V x', 'git clone --config=@=V x'); // prettier-ignore
    const value = fc.constantFrom('./x', '/bin/x', '"a b"', "'x; y'");
    fc.assert(
      fc.property(key, write, value, (name, form, to) => {
        expect(titles(form.replace('@', name).replace('V', () => to))).toContain(RUNS);
      }),
    );
  });
});

describe('C2: deletes', () => {
  it.each([
    'zip -rm x.zip src',
    'zip -m x.zip a',
    'zip -r9m x a',
    'zip --move x a',
    'tar --remove-files -cf x.tar src',
    'tar -cf x --remove a',
    '7z a -sdel x.7z src',
    'rar m x a',
    'rar a -df x a',

    'trash-put src',
    'gio trash src',
    'fdfind x -delete',
    'entr rm x',
    'ls | entr -r rm x',
    'toybox rm x',
    'fakeroot rm -r x',
    'fakeroot rm x',
    'fakeroot -- rm x',
    'unbuffer rm x',
    'ltrace -f rm x',
    'ltrace -o out rm x',
    'proot rm x',
    'catchsegv rm x',
    'watchexec rm x',
    'script -q /dev/null rm x',
    'arch -x86_64 rm x',
    'watchexec -w src -- rm x',
    'caffeinate -i rm x',
    'chronic rm x',
    'xvfb-run -a rm x',
    'dbus-run-session rm x',
    'systemd-inhibit --what=idle rm x',
    'valgrind -q rm x',
    'torsocks rm x',
    'proxychains4 -q rm x',
    'cross-env A=b rm x',
    'dotenv -f .env rm x',
    'tini -- rm x',
    'hyperfine "rm x"',
    "hyperfine -w 3 'ls' 'rm x'",
    'concurrently "ls" "rm x"',
    'entr -s "rm x"',
    'parallel ::: "rm x"',
    'pkexec rm x',
    'run0 rm x',
    'ssh-agent rm x',
    'eatmydata rm x',
    'numactl -N 0 rm x',
    'faketime now rm x',
    'gosu ada rm x',
    'gdb -ex run --args rm x',

    'poetry run rm x',
    'uv run rm x',
    'mise exec -- rm x',
    'nix develop -c rm x',
    'aws-vault exec p -- rm x',
    'direnv exec . rm x',
    'tmux new -d "rm x"',
    'flock f truncate -s0 x',
    'docker exec c find / -delete',
    'podman-compose exec c rm x',
    'kubectl exec p -- truncate -s0 x',
    'ssh h sudo truncate -s0 x',
    'ssh h docker exec c unlink x',
  ])('%s', (command) => {
    expect(titles(command).some((title) => title.startsWith('Deletes'))).toBe(true);
  });

  it('through any of the words that run those behind them, and any number', () => {
    const run = fc.constantFrom('fakeroot', 'entr', 'toybox', 'unbuffer', 'ltrace -f', 'chronic', 'sudo', 'timeout 5', 'cross-env A=b', 'xargs', 'nice -n 5'); // prettier-ignore
    fc.assert(
      fc.property(fc.array(run, { minLength: 1, maxLength: 4 }), (words) => {
        expect(titles(`${words.join(' ')} rm x`)).toContain(DELETES);
      }),
    );
  });
});
