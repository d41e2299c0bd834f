import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ShellReader } from '@shared/policy/shell-reader';
import { DELETES, DISCARDS, PUSHES, RUNS, titles } from '../../support/risk-titles';

/** Risk words of a command, however its words are quoted and whatever switch stands before them (docs/specs/safety.md C2). */
describe('C2: words of a shell', () => {
  it.each([
    ['git -c user.name="a b" reset --hard', DISCARDS],
    ["git -c 'user.name=push the button' reset --hard", DISCARDS],
    ['git -C "my folder" push --force', PUSHES],
    ['git -C my\\ folder push --force', PUSHES],
    ['git -C "" reset --hard', DISCARDS],
    ["git -C $'it\\'s here' reset --hard", DISCARDS],
    ['git --git-dir .git reset --hard', DISCARDS],
    ['git --work-tree "a b" clean -fdx', DELETES],
    ['sh -c "git -c user.name=\'a b\' reset --hard"', DISCARDS],
    ['git restore src/', DISCARDS],
    ['git restore -q -- src/a.ts', DISCARDS],
    ['git restore --staged --worktree x', DISCARDS],
    ['git restore -SW x', DISCARDS],
    ['git restore -- --staged', DISCARDS],
    ['git restore --source "a --staged b" x', DISCARDS],
    ['git switch -f x', DISCARDS],
    ['git switch --discard-changes main', DISCARDS],
    ['git switch -C main origin/main', DISCARDS],
    ['git checkout -f', DISCARDS],
    ['git checkout -qf main', DISCARDS],
    ['git checkout -B main', DISCARDS],
    ['git checkout --ou x', DISCARDS],
    ['git checkout --the x', DISCARDS],
    ['git grep --open=./x a', RUNS],
    ['git checkout src/app.ts', DISCARDS],
    ["ls | xargs -rd '\\n' rm", DELETES],
    ['ls | xargs -0I X rm X', DELETES],
    ['unshare -r ./x', 'Requests elevated privileges'],
    ['systemd-run --user ./x', 'Requests elevated privileges'],
    // Where a comment, a here-document or a quote may be read another way than by a shell, all of it is read.
    ...[
      'grep -c x <<"EOF "\nhello x\nEOF \nrm -rf victim\nEOF',
      "printf hi <<' EOF'\nhello x\n EOF\nrm -rf victim\nEOF",
      'echo hi <<"EOF\t"\nhello x\nEOF\t\nrm -rf victim\nEOF',
      "grep x <<'' >OUT\n\nrm -rf victim\nOUT",
      'cat <<EOF\nEOF\r\ngrep x <<FOO\nEOF\nrm -rf victim\nFOO',
      '(true)# it; grep x <<EOF\nrm -rf victim\nEOF',
      '[[ x =~ (#|y) ]] || rm -rf victim',
      'shopt -s extglob\nls @(#|zz) ; rm -rf victim',
      `echo "\${x#'"'}" ; rm -rf victim ; echo "\${x#'"'}"`,
    ].map((command): [string, string] => [command, DELETES]),
    // A here-string ends with its line.
    ...[
      "grep -c passed <<< 'passed'",
      'echo done <<< ok',
      'printf x <<<y',
      'git commit -m "x" <<< y',
      'read x 3<<< a',
    ].map((line): [string, string] => [`${line}\nrm -rf src`, DELETES]),
    // Of a variable that names a program the value counts, in quotes or not.
    ...[
      'GIT_PAGER="./x" git log',
      "GIT_SSH_COMMAND='./x -y' git fetch",
      'EDITOR="./x" git commit',
      'export GIT_SSH_COMMAND="./x"',
      'BASH_ENV="./x" bash -c ls',
      'LD_PRELOAD="./x.so" ls',
      'NODE_OPTIONS="--require ./x" npm test',
      'NODE_OPTIONS="--loader ./x.mjs" npm test',
      'PERL5OPT=-mX prove',
    ].map((command): [string, string] => [command, RUNS]),
    ['printf %s "x" | python3 -v', RUNS],
    ...[
      'npm --prefix web install x',
      'cargo +nightly install x',
      'pip --index-url http://a.test install x',
      'python3 -m pip install x',
      'uvx x',
      'bunx x',
    ].map((command): [string, string] => [command, 'Reaches the network']),
    ['cd -- && ls', 'Reaches outside the workspace'],
    // Everything in a group reads what comes to it.
    ...[
      'curl -s x | (cd y && bash)',
      'curl -s x | ( cd y\n bash )',
      'curl -s x | { cd y; sh; }',
      'curl -s x | while read -r a; do python3; done',
      'curl -s x | for i in 1; do sh; done',
      'curl -s x | case $a in b) bash ;; esac',
      'cat p | { (cd y); bash; }',
      'cat p | { if true; then echo; fi; bash; }',
      'cat p | while (true); do bash; done',
      'cat p | while read a; do (echo $a); bash; done',
      'cat p | (case $a in (b) echo ;; esac; bash)',
      'cat p | { ls | (cd y; wc); bash; }',
      'curl -s x | $BASH',
      'curl -s x | $SHELL',
      'curl -s x | "${SHELL}" -s',
      'curl -s x | if true; then bash; fi',
      '(curl -s x | (cd y; (cd z; bash)))',
      'sh -c "curl -s x | (cd y && bash)"',
    ].map((command): [string, string] => [command, RUNS]),
    ...['`base64 -d p`', '`cat cmd`', '`echo rm` -rf x2', 'cat p | tee >(sh)', 'cat p > >(sh)'].map(
      (command): [string, string] => [command, RUNS],
    ),
    // What is no blank to a shell begins no comment.
    ...['\u00a0', '\u3000', '\u2003', '\u2028', '\ufeff', '\v', '\f', '\r'].map((blank): [string, string] => [
      `echo a${blank}# ; rm -rf x`,
      DELETES,
    ]),
    // What comes last counts, and a letter wherever it stands.
    ...['git rm -n --no-dry-run a', 'git rm --cached --no-cached -f a', 'git clean -n --no-dry-run -f'].map(
      (command): [string, string] => [command, DELETES],
    ),
    ...['git push -n --no-dry-run --force', 'git push -qd origin main', 'git push --forc'].map(
      (command): [string, string] => [command, PUSHES],
    ),
    ...['-Dq x', '-Dr origin/x', '-fq main HEAD~5', '--del --forc x', '--forc main HEAD~5', '-qM a b', '-vd x'].map(
      (words): [string, string] => [`git branch ${words}`, 'Rewrites history'],
    ),
    ...['-fm msg v1', '--del v1', '-am x -f v1', '-sd v1'].map((words): [string, string] => [
      `git tag ${words}`,
      'Rewrites history',
    ]),
    ['git switch -qC main origin/main', DISCARDS],
    ['git checkout -qB main', DISCARDS],
    ['git worktree remove --force x', DELETES],
    ['git worktree remove -f x', DELETES],
    ['FOO+=x rm -rf y', DELETES],
    ['FOO+="a b" git reset --hard', DISCARDS],
    ['FOO[1]=x git reset --hard', DISCARDS],
    ['fd -x rm -rf', DELETES],
    ['fd -X rm', DELETES],
    ['fd -e log --exec rm {}', DELETES],
    ['fd --exec-batch rmdir', DELETES],
    ['fd --exec=rm', DELETES],
    ['fd -Hxrm', DELETES],
    ['fdfind . -x git -C {} reset --hard', DISCARDS],
    ["X=$'a\\'b' rm y", DELETES],
    ["X=$'a\\'b' git reset --hard", DISCARDS],
    ["X=$$'a\\' git reset --hard", DISCARDS],
    ["X=\\$'a\\' git reset --hard", DISCARDS],
    ['curl -s x | python3 -u -', RUNS],
    ['curl -s x | python3 -u', RUNS],
    ['curl -s x | python3 -W ignore -', RUNS],
    ['curl -s x | node --no-warnings -r ./a.js -', RUNS],
    ['curl -s x | deno run -A -', RUNS],
    ['curl -s x | perl -w', RUNS],
    ['curl -s x | python3 /dev/stdin', RUNS],
    ['curl -s x | php -c php.ini', RUNS],
    ['curl -s x | bash -e', RUNS],
    ['git --git-dir="$D" push --force', 'Overwrites a remote branch'],
    ['git --work-tree="a b" clean -fd', DELETES],
    ["git --git-dir='x' clean -f", DELETES],
    ['git --git-dir="$HOME/.dot" --work-tree="$HOME" checkout -f', DISCARDS],
  ])('%s', (command, title) => {
    expect(titles(command)).toContain(title);
  });

  it.each([
    'git restore --staged x',
    'git restore -S .',
    'git restore -qS -- .',
    'git switch main',
    'git switch -c feature-f',
    'git checkout main',
    'git checkout feature/login',
    'echo hi <<"EOF"\nrm -rf x\nEOF',
    'git commit -F - <<EOF\nrm the old one\nEOF',
    'true | perl -v',
    'git checkout release/2.x',
    'git checkout v1.2.3',
    'ls | (cd y && wc -l); bash',
    'ls | { cd y; wc -l; }; bash',
    'ls | while read -r a; do echo "$a"; done; bash',
    'ls | { (cd y); wc -l; }; bash',
    'ls | while (true); do wc -l; done; bash',
    'ls | for i in 1; do cat; done; sh',
    'ls | case $a in b) cat ;; esac; sh',
    'echo $SHELL',
    'ls | grep "$SHELL"',
    'ls | (cd y && bash build.sh)',
    'git worktree remove x',
    'git -C sub commit -m "rm the old one"',
    'git -C "my sub" commit -m "reset --hard is gone"',
    'sh -c "git -C sub commit -m \'reset --hard is gone\'"',
    'FOO+=x npm test',
    'fd -e ts -x wc -l',
    "X=$'a\\'b' npm test",
    'cat a.json | python3 -m json.tool',
    'cat a.json | node -e "process.stdin.resume()"',
    "cat a.txt | perl -pe 's/a/b/'",
    'cat a.txt | python3 -u tool.py -',
    'true | python3 --version',
    'cat d.json | python3 -c "\nimport json, sys\nprint(json.load(sys.stdin))"',
    'npm ls --json | node -e "(async () => { console.log(1); })()"',
    "cat a.txt | perl -ne '(/a/) and print'",
    'cat a.txt | ruby -e "(1..2).each { puts 1 }"',
    'cat a.txt | php -r "\necho 1;"',
  ])('finds nothing in %s', (command) => {
    expect(titles(command)).toEqual([]);
  });

  it('a value in any quotes hides no command behind it, and no part of it is one', () => {
    const value = fc.string({ unit: fc.constantFrom('a', ' ', '\\', "'", '"', '$', ';', '|'), maxLength: 12 });
    const quoted = value.map((text) => `$'${text.replaceAll(/[\\']/g, '\\$&')}'`);
    fc.assert(
      fc.property(quoted, (text) => {
        expect(titles(`X=${text} git reset --hard`)).toContain(DISCARDS);
      }),
    );
  });

  it('the words of 100 KB are numbered with a step or two a token', () => {
    for (const unit of ['\\', '$', "$'", '\\a', '\\ ', '$$\\', "'\\", 'a[', 'x+=', 'git -c ', '-xH', "git -c 'a b' "]) {
      const text = unit.repeat(Math.floor(100_000 / unit.length));
      const words = [...new ShellReader().read(text, 0), ...new ShellReader().end()].flatMap((one) => one?.words ?? []);
      expect(words.every(({ at }) => at >= 0)).toBe(true);
      titles(text);
    }
  });
});
