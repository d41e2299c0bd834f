import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_COMMAND_BYTES, MAX_READ_COMMAND_CHARS } from '@shared/limits';
import { callsGit, gitRunsOf } from '@shared/policy/git-calls';
import { scopesOffered, stakesOf, standsOut } from '@shared/policy/stakes';
import { DELETES, DISCARDS, titles } from '../../support/risk-titles';

const STARTS = 'Runs commands through another program';
const FILE = 'Runs code from a file';
const PRIVILEGE = 'Requests elevated privileges';

describe('C2: scripts and switches that start programs', () => {
  it.each([
    'tar xf a.tar --checkpoint=1 --checkpoint-action=exec=sh\\ x.sh',
    'tar cf a.tar --checkpoint-action=exec="sh x.sh" .',
    'tar xf a.tar --checkpoint=1 --checkpoint-action exec=id',
    "tar -I 'sh -c id' -xf a.tar",
    'tar -F ./x.sh -cf a.tar b',
    'tar -I./x.sh -xf a.tar',
    'tar --use-compress-program=./x.sh -xf a.tar',
    'tar xf a.tar --to-command=cat',
    'tar xf a.tar --to-command "sh -c x"',
    "sed '1e ls' x",
    'sed 1e x',
    "sed -n '$e' x",
    "sed 's/x/y/e' x",
    "sed -e 's/a b/c;d/ge' x",
    "sed -n 's|a|b|pe' x",
    'sed s/x/y/e x',
    "sed -i '/x/ { s/a/b/; e ls' x",
    "sed -e 's/a/b/' -e 's/c/d/e' x",
    "sed --expression='s/a/b/e' x",
    "sed -ne's/a/b/e' x",
    'sed "s/a/\\"/e" x',
    'sed "s/a/${b}/e" x',

    `awk '{ system("ls") }' x`,
    `awk 'BEGIN { "date" | getline d; print d }'`,
    `awk '{ print $1 | "sort" }' x`,
    `awk '{ print "a;b" | "sh" }' x`,
    'awk "{print \\$1 | \\"sh\\"}" x',
    `awk '{ if ($1 > (2)) { print | "sh" } }' x`,
    `awk '{ printf("%s", $1) | "sh" }' x`,
    `gawk 'BEGIN {\n  print "ls" | cmd\n}'`,
    `find . -name x -exec awk '{ system($0) }' {} \\;`,
  ])('%s', (command) => {
    expect(titles(command)).toContain(STARTS);
  });

  it.each(['bash < x.sh', 'sh -s a <x.sh', 'ssh h bash < x.sh', 'docker exec -i c sh < x.sh', 'sudo bash < x'])(
    '%s',
    (command) => {
      expect(titles(command)).toContain(FILE);
    },
  );

  it.each([
    'docker-compose down -v',
    'docker compose down -v',
    'docker compose -f a.yml down --volumes',
    'docker compose down -t 5 -v',
    'docker volume rm x',
    'docker system prune -af',
    'dropdb shop',
    'sudo -u postgres dropuser x',
    'gosu postgres dropdb x',
  ])('%s', (command) => {
    expect(titles(command)).toContain(DELETES);
  });

  it.each(['gosu root ls', 'su-exec root ls', 'runuser -u ada -- ls'])('%s', (command) => {
    expect(titles(command)).toContain(PRIVILEGE);
  });

  it('what ends a rebase or a merge discards what was resolved, a rebase rewrites', () => {
    expect(titles('git rebase --abort')).toEqual([DISCARDS]);
    expect(titles('git -C x merge --abort && git status')).toEqual([DISCARDS]);
    expect(titles('git cherry-pick --abort')).toEqual([DISCARDS]);
    expect(titles('git rebase --show-current-patch')).toEqual([]);
    expect(titles('git rebase main')).toEqual(['Rewrites history']);
    expect(titles('git rebase --continue')).toEqual(['Rewrites history']);
  });

  it('finds it behind whatever commands of sed and in whatever parts', () => {
    const plain = fc.constantFrom('p', 'd', 's/e/e/g', 's|a;e|b|', '/e/d', 'y/abc/dee/', '1,/e/p', '$!N', 's/\\/e/x/');
    fc.assert(
      fc.property(
        fc.array(plain, { minLength: 1, maxLength: 6 }),
        fc.constantFrom('e ls', '1e', 's/a/b/e', 's,a,b,2e'),
        (before, by) => {
          expect(titles(`sed '${before.join(';')}' e`)).toEqual([]);
          expect(titles(`sed '${[...before, by].join(';')}' e`)).toEqual([STARTS]);
        },
      ),
    );
  });

  it.each(['sed -e "', "sed '", 'sed b;', "awk 'print|", 'sed -e "$(', "sed -e '{b;", 'bash < x;', 'sed -e "$x'])(
    '200 KB of %s are read without an error',
    (unit) => {
      expect(titles(unit.repeat(200_000 / unit.length))).toBeInstanceOf(Array);
      expect(titles(unit + unit.slice(-1).repeat(200_000))).toBeInstanceOf(Array);
    },
  );
});

const command = (text: string) => ({ kind: 'command' as const, command: text, cwd: '/w' });

describe('C2: a command that is too long to be read at once', () => {
  const scopes = { session: { kind: 'command' as const, command: '', cwd: '/w' } };

  it('stands out, says so in the card, and is remembered for nothing', () => {
    const short = `echo ${'a'.repeat(MAX_READ_COMMAND_CHARS - 5)}`;
    expect(scopesOffered(command(short), scopes, '/h')).toEqual(scopes);
    expect(stakesOf(command(short), { risks: [], warnings: [] }).warnings).toEqual([]);
    expect(standsOut(command(`${short}a`), '/h')).toBe(true);
    expect(scopesOffered(command(`${short}a`), scopes, '/h')).toEqual({});
    expect(stakesOf(command(`${short}a`), { risks: [], warnings: [] }).warnings).toEqual([
      'This command is long, so Espalier asks every time.',
    ]);
  });

  it('names what git could run wherever a program that runs git is named', () => {
    const long = `echo ${'a'.repeat(MAX_READ_COMMAND_CHARS)}`;
    expect(callsGit(long)).toBe(false);
    expect(gitRunsOf(long, '/w', ['core.pager = x'])).toEqual([]);
    for (const call of ['git pull', '/usr/bin/git pull', 'g"i"t pull', 'npm version', 'sh -c "gh pr list"'])
      expect(gitRunsOf(`${long}; ${call}`, '/w', ['core.pager = x'])).toEqual([
        'settings that were not read: the command is too long to tell how it calls git',
        'core.pager = x',
      ]);
  });

  it.each(['"', "'", `"'`, '"a" ', '$(', 'git reset;', 'аb ', '{git '])('of %s it takes no time of main', (unit) => {
    const text = `bash -c ${unit.repeat(MAX_COMMAND_BYTES / unit.length)}`.slice(0, MAX_COMMAND_BYTES);
    const before = process.cpuUsage();
    expect(standsOut(command(text), '/h')).toBe(true);
    gitRunsOf(text, '/w', []);
    const { user, system } = process.cpuUsage(before);
    // Read token by token it takes some 350 ms.
    expect((user + system) / 1000).toBeLessThan(100);
  });
});
