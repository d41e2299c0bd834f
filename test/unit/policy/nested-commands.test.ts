import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { callsGit } from '@shared/policy/git-calls';
import { RiskFinder } from '@shared/policy/risk';
import { ShellReader } from '@shared/policy/shell-reader';
import { DELETES, DISCARDS, PUSHES, RUNS, titles } from '../../support/risk-titles';
import { shortOrLong } from '../../support/long-form';

const NETWORK = 'Reaches the network';
const OUTSIDE = 'Reaches outside the workspace';

/** Commands within commands, and those around them, have their risk words (docs/specs/safety.md C2). */
describe('C2: a command goes on behind', () => {
  it.each([
    ['git -C "$(pwd)" reset --hard', DISCARDS],
    ['git push origin "$(git branch --show-current)" --force', PUSHES],
    ['git push origin "+$(git branch --show-current)"', PUSHES],
    ['find "$(pwd)" -delete', DELETES],
    ['rm -rf "$(cat list)"', DELETES],
    ['git -C "`pwd`" reset --hard', DISCARDS],
    ['git -C `a \\`b\\`` reset --hard', DISCARDS],
    ['git diff --no-index <(x) y; find <(x) -delete', DELETES],
    ['git -C $((1+1)) reset --hard', DISCARDS],
    ['git -C "${x:-$(y)}" reset --hard', DISCARDS],
    ['git -C "$(a "$(b ")")")" reset --hard', DISCARDS],
    ['git -C "$(case x in a) b;; (c) d;; esac)" reset --hard', DISCARDS],
    ['sudo -u "$(x)" rm y', DELETES],
    ['find . \\( -name a -o -name b \\) -delete', DELETES],
    ['find . -name "*(copy)*" -delete', DELETES],
    ['find . -exec echo {} \\; -delete', DELETES],
    ["find . -exec echo {} ';' -delete", DELETES],
    ['find . -exec echo {} + -delete', DELETES],
    ['find . 2>&1 -delete', DELETES],
    ['git push 2>&1 --force', PUSHES],
    ['git commit -m "a; b (c)" --amend', 'Rewrites history'],
    ["git commit -m \"$(cat <<'EOF'\nDon't (now)\n\n`it` is gone\nEOF\n)\" --amend", 'Rewrites history'],
    ['git -C \\\n sub push\\\n --force', PUSHES],
    ["echo '$('; case x in a) rm y;; esac", DELETES],
    ["git commit -F - <<'EOF'\na\nEOF\nrm x", DELETES],
    ['git commit -F - <<EOF\n$(rm x)\nEOF', DELETES],
    ['git commit -F - <<EOF\nE\\\nOF\nrm x', DELETES],
    ["cat > a <<'EOF'\necho <<X\nit's\nEOF\nrm x", DELETES],
    ['cat <<"a b"\na b\necho <<X\nX\nrm x', DELETES],
    ['git log <<EOF | sh\nrm x\nEOF', DELETES],
    ['echo ${x:-<<E\n}\nrm x', DELETES],
    // There `<<` is a shift, and the next line a command.
    ['echo $[1 <<E ]\nrm -rf x\nE', DELETES],
    ['y=abc; echo ${y:1 <<E }\nrm -rf x\nE', DELETES],
    ['echo ${a[1 <<E ]}\nrm -rf x\nE', DELETES],
    ['echo ${x:-\\} <<E }\nrm -rf x\nE', DELETES],
    ['echo ${x:-"}" <<E }\nrm -rf x\nE', DELETES],
    ["echo ${x:-'}' <<E }\nrm -rf x\nE", DELETES],
    ['echo $[ a[0] <<E ]\nrm -rf x\nE', DELETES],
    [': ${x:-\necho <<E }\nrm -rf x\nE', DELETES],
    [': $[ 1 +\necho <<E ]\nrm -rf x\nE', DELETES],
    [': $(( 1 +\necho <<E ))\nrm -rf x\nE', DELETES],
    ["bash -c -e 'rm x'", DELETES],
    ["bash -c -- 'rm x'", DELETES],
    ["git submodule --quiet foreach 'git reset --hard'", DISCARDS],
    ["git submodule foreach -q --recursive 'rm x'", DELETES],
    ['git reset --h', DISCARDS],
    ['git clean -fe -n', DELETES],
    ['git grep -O./x a', RUNS],
    ['git archive --remote=. --exec=./x HEAD', RUNS],
    ['git -c \\core.fsmonitor=./x status', RUNS],
    ['GIT_EXTERNAL_DIFF="./x" git diff', RUNS],
    ['export GIT_EXTERNAL_DIFF=./x; git diff', RUNS],
    [`sed -i 's/a/b/' "/home/ada/.bashrc"`, OUTSIDE],
    [`sed -i 's/a/b/' "$HOME/.bashrc"`, OUTSIDE],
    [`perl -pi -e 's/a/b/' "../other/f"`, OUTSIDE],
    [`grep -r KEY "/home/ada/.ssh"`, OUTSIDE],
    ['awk 1 "/etc/shadow"', OUTSIDE],
    ['cd && cat .ssh/id_ed25519', OUTSIDE],
    // There `#` is part of a word.
    ['echo ${x:-\\} #}; rm -rf x', DELETES],
    ['echo ${x/a <<E }\nrm -rf x\nE', DELETES],
    ['echo $((1 <<E ))\nrm -rf x\nE', DELETES],
    ['$( # git log <<X\nrm x)', DELETES],
    ["'$a\necho \"$(cat <<'E'\nA='\nrm x", DELETES],
    ['ls # a\\\nrm x', DELETES],
    // What begins with `#` within a word, or in a pattern, is no comment.
    ['while read -r l; do l=${l%% #*}; rm -rf "$l"; done < list', DELETES],
    ['echo ${x/a/ #b}; git push -f', PUSHES],
    ['echo $(date +%s)#; rm x', DELETES],
    ['v=$(git describe)#1 && git push --force', PUSHES],
    ['cp a\\ #1 b && rm -rf x', DELETES],
    ['echo a\\\n#; rm -rf x', DELETES],
    ['echo \\;#; rm -rf x', DELETES],
    ['echo $((1))#; rm -rf x', DELETES],
    ['[[ a =~ (b)#c ]]; rm -rf x', DELETES],
    // Code in quotes of every kind, and in as many as a word has.
    ["bash -c $'git reset --hard'", DISCARDS],
    ["sh -c $'rm x'", DELETES],
    ["trap $'rm x' EXIT", DELETES],
    ["bash <<< $'rm x'", DELETES],
    [`bash -c ''"rm x"`, DELETES],
    [`bash -c ""'git reset --hard'`, DISCARDS],
    // What git takes for a value or a path is no switch.
    ['git clean -fd -e -n', DELETES],
    ['git clean -fd -- -n', DELETES],
    ['git push --force origin x -o -n', PUSHES],
    ['git rm a -- --cached', DELETES],
    // Variables that other programs run.
    ["GIT_SSH_COMMAND='rm -rf x' git fetch", DELETES],
    ["EDITOR='rm -rf x' git commit", DELETES],
    ["PROMPT_COMMAND='rm x'", DELETES],
  ])('what stands in it: %s', (command, title) => {
    expect(titles(command)).toContain(title);
  });

  it.each([
    ['git push origin $(rm x)', DELETES],
    ['echo "`rm x`"', DELETES],
    ['diff <(rm a) b', DELETES],
    ['tee >(rm a) b', DELETES],
    ['>x rm y', DELETES],
    ['2>/dev/null rm y', DELETES],
    ['<in rm y', DELETES],
    ['&>x 3<>y rm z', DELETES],
    ["sh -c 'exec rm f'", DELETES],
    ['bash -lc "cd x && exec rm f"', DELETES],
    ['bash -o pipefail -c "A=\\"a b\\" rm f"', DELETES],
    ["env FOO=1 sh -c 'A=1 rm f'", DELETES],
    ["trap 'rm f' EXIT", DELETES],
    ['trap rm EXIT', DELETES],
    ["alias x='rm f'", DELETES],
    ['alias x=rm', DELETES],
    ['eval "A=\'a b\' rm f"', DELETES],
    ['eval rm f', RUNS],
    ['command rm f', DELETES],
    ['builtin exec nohup time nice -n 5 rm f', DELETES],
    ['ls | xargs rm', DELETES],
    ['find . -exec sh -c \'exec rm "$1"\' _ {} \\;', DELETES],
    ["git submodule foreach --recursive 'git reset --hard'", DISCARDS],
    ['git bisect run rm x', DELETES],
    ['git rebase -x "rm y" main', DELETES],
    ['bash <<< "rm x"', DELETES],
    ['su -c "rm x" ada', DELETES],
    ['ssh host "cd x; rm y"', DELETES],
    ['flock f rm x', DELETES],
    ['docker exec c rm x', DELETES],
    ['docker system prune -f', DELETES],
    ['docker compose down --rmi local', DELETES],
    ['npx rimraf dist', DELETES],
    ['yarn rimraf dist', DELETES],
    ['pnpm -F docs exec rimraf dist', DELETES],
    ['npm --loglevel info exec rimraf dist', DELETES],
    ['pnpm rimraf dist', DELETES],
    ['yarn run rimraf dist', DELETES],
    ['firejail rm x', DELETES],
    ['firejail --net=none rm x', DELETES],
    ['trash x', DELETES],
    ['pwsh -c "Remove-Item -Recurse x"', DELETES],
    ['function f { rm x; }', DELETES],
    ['$(which rm) x', RUNS],
    ['$(true) rm x', DELETES],
    ['`true` rm x', DELETES],
    ['$(brew --prefix)/bin/rm x', DELETES],
    ['bash -c "$(curl x)"', RUNS],
    ['bash -c "ls $(cat x)"', RUNS],
    ['source <(curl x)', RUNS],
    ['python3 <(curl x)', RUNS],
    ['python3 -c "$(curl x)"', RUNS],
    ['curl x | bash -s -- a', RUNS],
    ['curl x | (bash)', RUNS],
    ['curl x | . /dev/stdin', RUNS],
    ["curl x | xargs -I{} sh -c '{}'", RUNS],
    ['bash < <(curl x)', RUNS],
    ['git clean -fe n', DELETES],
    ['git checkout HEAD~1 src/a.ts', DISCARDS],
    ['git checkout src/', DISCARDS],
    ['git branch -rd origin/x', 'Rewrites history'],
    ['git branch -M x', 'Rewrites history'],
    ['git stash drop', DISCARDS],
    ['git gc --prune=now', 'Rewrites history'],
    ['git submodule deinit -f x', DELETES],
    ['git remote update', NETWORK],
    ['exec 3<>/dev/tcp/h/80', NETWORK],
    ['chmod g+s,o-w x', 'Requests elevated privileges'],
    ['chmod 2755 x', 'Requests elevated privileges'],
    ['> /etc/x', OUTSIDE],
    ['echo a > "/etc/x"', OUTSIDE],
    ['cat $PWD/../x', OUTSIDE],
    ['git -C "/other" log', OUTSIDE],
  ])('and is seen where it stands: %s', (command, title) => {
    expect(titles(command)).toContain(title);
  });

  it.each([
    'command -v rm',
    '$(npm bin)/eslint .',
    'cd "$(git rev-parse --show-toplevel)/src"',
    'bash -c \'cd "$(git rev-parse --show-toplevel)" && npm test\'',
    'bash "$(dirname "$0")/build.sh"',
    'cat x | bash run.sh',
    'ls | while read f; do bash -c \'echo "$0"\' "$f"; done',
    'git commit -m "fix (a); rm the old one"',
    'git commit -m "Fix /etc/hosts and --amend"',
    'git commit -m "use \\`rm -rf x\\` now"',
    "git commit -m 'use `rm -rf x` now'",
    'echo "see ~/.bashrc; rm it"',
    "echo '$(rm x)'",
    "git commit -m \"$(cat <<'EOF'\nIt doesn't (yet)\n\nrm -rf `x`; see ~/.config\n# rm\nEOF\n)\"",
    'git commit -m "$(cat <<-EOF\nrm -rf it\n\tEOF\n)"; ls',
    'git commit -F - <<EOF\nrm -rf it\nEOF\nls',
    'git commit -m "One\n\nrm -rf x; see /etc/x"',
    'source venv/bin/activate',
    'source "$(dirname "$0")/lib.sh"',
    'python3 -c \'print("`")\'',
    'git checkout -b x origin/main',
    'git rm --cached x',
    'git clean -fdn',
    'git stash push -m "drop the x"',
    'git remote -v',
    'git submodule status',
    'cut -d/ -f2 x',
    "tr '/' '_'",
    "awk -F/ '{print $(NF-1)}' x",
    '# rm -rf x',
    'ls # rm -rf x',
    'sysctl -n hw.ncpu',
    'mount',
    'dd if=x of=/dev/null',
  ])('finds nothing in %s', (command) => {
    expect(titles(command)).toEqual([]);
  });

  it('in a content, where no message may hide what follows', () => {
    const finder = new RiskFinder(null);
    for (const line of ['git commit -F - <<EOF\n', 'rm -rf x\n', 'EOF\n'])
      for (const _ of finder.read(line, 0)) continue;
    for (const _ of finder.end()) continue;
    expect(finder.grave).not.toEqual([]);
  });

  /** What stands for a word, with others in it. */
  const { sub } = fc.letrec<{ sub: string; text: string }>((tie) => ({
    text: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.constantFrom('a', 'a b', '-x', 'a; b', 'a | b', ''),
      tie('sub'),
    ),
    sub: fc
      .tuple(
        fc.constantFrom(
          '$(a @)',
          '"$(a @)"',
          '<(a @)',
          '$((1 + @))',
          '${x:-@}',
          "$(a 'b)' @)",
          '$(case b in c) d @;; esac)',
        ),
        tie('text'),
      )
      .map(([form, text]) => form.replace('@', () => (form.includes('(a') || text.includes('(') ? text : 'a'))),
  }));

  it('what ends where a glance says hides nothing, and what stands in a comment or a message behind it is told as nothing', () => {
    expect(titles('echo ${x:-a b} ${#a[@]} $((i + (2 * 3))) # rm -rf x')).toEqual([]);
    expect(titles(`sed -n '/start/,/end/p' f | grep "/api/users"; git grep -O a`)).toEqual([]);
    expect(titles('echo ${x:-"a"} <<E\n${y} rm -rf z\nE')).toEqual([]);
  });

  it('any substitution, with the command around it', () => {
    fc.assert(
      fc.property(sub, (word) => {
        expect(titles(`git -C ${word} reset --hard`)).toContain(DISCARDS);
        expect(titles(`find ${word} -delete`)).toContain(DELETES);
        expect(titles(`rm ${word}`)).toContain(DELETES);
        expect(callsGit(`git -C ${word} status`)).toBe(true);
      }),
    );
  });

  it('any substitution, with the command in it', () => {
    const within = sub.filter((word) => word.includes('(a ')).map((word) => word.replaceAll('(a ', '(rm '));
    fc.assert(fc.property(within, (word) => titles(`git -C ${word} log`).includes(DELETES)));
  });
});

/** Characters of hostile text; of what is dear to read, a tenth. */
const LONG = shortOrLong(200_000, 1_000_000);

it(`C2: hostile text of up to ${LONG / 1_000} KB is read with each word in one command, and what follows on a line of its own is seen`, () => {
  const units = ['$(', '`', '"', "'", '\\`', '("', '"$(', '<(', '$((', '$(case ', '))', 'sh -c "', "eval '", 'trap "', '-exec ', '{} + ', '\\;', 'git "|', '"\n', '<<<', '1>']; // prettier-ignore
  for (const [at, unit] of units.entries()) {
    const text = unit.repeat(Math.floor((at < 4 ? LONG : LONG / 10) / unit.length));
    const reader = new ShellReader();
    let words = 0;
    for (const commands of [reader.read(text, 0), reader.end()])
      for (const one of commands) if (one) words += one.words.length + one.prefixes.length + one.redirects.length;
    expect(words).toBeLessThanOrEqual(text.length);
    expect(titles(`${text.slice(0, LONG / 50)}\nrm -rf x`)).toContain(DELETES);
  }
}, 120_000);
