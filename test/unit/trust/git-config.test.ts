import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { branchOfHead, MAX_GIT_CONFIG_BYTES, parseGitConfig, riskyGitEntries } from '@shared/policy/git-config';

const risky = (text: string): string[] | string => {
  const config = parseGitConfig(text);
  return config.ok ? riskyGitEntries(config.entries).map(({ name }) => name) : `refused: ${config.reason}`;
};

describe('B2: a repository’s own configuration', () => {
  it('what git, GitHub’s client and VS Code write by themselves is harmless', () => {
    const text = [
      '[core]',
      '\trepositoryformatversion = 0',
      '\tfilemode = true',
      '\tbare = false',
      '\tlogallrefupdates = true ; by git init',
      '[remote "origin"]',
      '\turl = git@github.com:a/b.git',
      '\tfetch = +refs/heads/*:refs/remotes/origin/*',
      '\tgh-resolved = base',
      '[branch "feature/a.b"]',
      '\tremote = origin',
      '\tmerge = refs/heads/feature/a.b',
      '\tvscode-merge-base = origin/main',
      '[user]',
      '\tname = "A # B" # the name',
      '\temail = a@b.c',
      '[submodule "vendor/x"]',
      '\tactive = true',
      '\turl = https://example.com/x.git',
      '',
    ].join('\n');
    expect(risky(text)).toEqual([]);
    expect(risky(text.replaceAll('\n', '\r\n'))).toEqual([]);
    expect(risky(`\ufeff${text}`)).toEqual([]);
    const parsed = parseGitConfig(text);
    expect(parsed.ok && parsed.entries.find(({ name }) => name === 'user.name')?.value).toBe('A # B');
  });

  it('what people set by hand every day is harmless', () => {
    const text = [
      ...['[user]', 'signingKey = A', '[commit]', 'gpgSign = true', '[status]', 'showUntrackedFiles = no'],
      ...['[core]', 'sparseCheckout = true', 'sparseCheckoutCone = true', 'fsmonitor = false', 'commentChar = ;'],
      ...['[index]', 'sparse = true', '[push]', 'default = current', '[pull]', 'rebase = true', '[gui]', 'wmstate = x'],
      ...['[branch]', 'autoSetupMerge = always', '[branch "a"]', 'rebase = true', '[remote "o"]', 'pushurl = x'],
      ...['[remote]', 'pushDefault = o', '[merge]', 'conflictStyle = zdiff3', '[color "diff"]', 'meta = blue'],
      ...['[diff]', 'algorithm = histogram', '[credential "https://a.b"]', 'username = c', '[maintenance]', 'auto = 0'],
      ...['[lfs "https://a.b/c.git/info/lfs"]', 'locksverify = true', '[advice]', 'detachedHead = false'],
    ];
    expect(risky(text.join('\n'))).toEqual([]);
  });

  it.each([
    ['[filter "x"]\nclean = touch /tmp/x', 'filter.x.clean'],
    ['[filter "x"]\nprocess = x', 'filter.x.process'],
    ['[diff "x"]\ntextconv = x', 'diff.x.textconv'],
    ['[diff]\nexternal = x', 'diff.external'],
    ['[core]\nfsmonitor = x', 'core.fsmonitor'],
    ['[CORE]\nfsMonitor = x', 'core.fsmonitor'],
    ['[core]\nhooksPath = x', 'core.hookspath'],
    ['[core]\nsshCommand = x', 'core.sshcommand'],
    ['[core]\npager = x', 'core.pager'],
    ['[core]\neditor = x', 'core.editor'],
    ['[core]\naskPass = x', 'core.askpass'],
    ['[core]\ngitProxy = x', 'core.gitproxy'],
    ['[core]\nworktree = /', 'core.worktree'],
    ['[core]\nattributesFile = /x', 'core.attributesfile'],
    ['[core]\nbare = true', 'core.bare'],
    ['[core]\nbare', 'core.bare'],
    ['[include]\npath = ../x', 'include.path'],
    ['[includeIf "gitdir:/"]\npath = x', 'includeif.gitdir:/.path'],
    ['[alias]\nstatus = !x', 'alias.status'],
    ['[credential]\nhelper = !x', 'credential.helper'],
    ['[gpg]\nprogram = x', 'gpg.program'],
    ['[gpg "ssh"]\nprogram = x', 'gpg.ssh.program'],
    ['[merge "x"]\ndriver = x', 'merge.x.driver'],
    ['[submodule "x"]\nupdate = !x', 'submodule.x.update'],
    ['[remote "o"]\nuploadpack = x', 'remote.o.uploadpack'],
    ['[remote "o"]\npromisor = true', 'remote.o.promisor'],
    ['[extensions]\npartialClone = o', 'extensions.partialclone'],
    ['[lfs "extension.x"]\nclean = x', 'lfs.extension.x.clean'],
    ['[url "ext::sh -c x"]\ninsteadOf = git', 'url.ext::sh -c x.insteadof'],
    ['[trailer "x"]\ncommand = x', 'trailer.x.command'],
    ['[a]\nkey-of-a-later-git = x', 'a.key-of-a-later-git'],
    ['[__proto__]\nx = y', 'refused'],
    ['[constructor]\nx = y', 'constructor.x'],
  ])('%j is not harmless', (text, name) => {
    expect(String(risky(text))).toContain(name);
  });

  it.each([
    '[core]\nfilemode = tr\\\nue',
    '[core]\nfsmonitor = "x\n"',
    '[core] fsmonitor = x',
    '[core.x]\ny = z',
    '[core "a\\n"]\nx = y',
    '[core\n]\nx = y',
    'x = y',
    '[core]\n= y',
    '[core]\nx y',
    '[core]\nx = \\q',
    '[core]\nx = a\u0000b',
    '[core]\nx = a\rb',
    '[core]\u000bx = y',
  ])('%j is refused rather than guessed', (text) => {
    expect(parseGitConfig(text).ok).toBe(false);
  });

  it.each(['\u00a0', '\u3000', '\ufeff', '\u2003', '\u1680', '\u2028', '\u0085'])(
    'a blank that is none to git is refused at the ends of a value and outside of it: %j',
    (blank) => {
      for (const line of [`hooksPath = .husky${blank}`, `hooksPath =${blank}.husky`, `fsmonitor = false${blank}`])
        expect(risky(`[core]\n\t${line}\n`)).toMatch(/^refused: line 2 /);
    },
  );

  it('within a value, as in a name, and in a comment it is what it is', () => {
    expect(parseGitConfig('[user]\n\tname = 山田　太郎\n# a\u00a0comment\n')).toEqual({
      ok: true,
      entries: [{ name: 'user.name', value: '山田　太郎' }],
    });
  });

  it('takes as many blanks as there is room for, bare, quoted and in a comment, without getting slow', () => {
    const blanks = ' '.repeat(MAX_GIT_CONFIG_BYTES - 40);
    for (const line of [`x = a${blanks}b`, `x = "${blanks}a"`, `# a${blanks}b`, `x = a${blanks}`, `x = "a${blanks}b"`])
      parseGitConfig(`[core]\n${line}\n`);
  });

  it('a tab within a value, of which some versions of git make a space, is refused', () => {
    expect(risky('[core]\n\thooksPath = my\thooks\n')).toContain('refused: line 2');
    expect(risky('[core]\n\thooksPath = hooks \t\n')).toEqual(['core.hookspath']);
  });

  it('takes any text in linear time, and an entry that is found stands in it (property)', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (text) => {
        const config = parseGitConfig(text);
        if (config.ok)
          for (const { name } of config.entries) expect(text.toLowerCase()).toContain(name.split('.').at(-1));
      }),
    );
    const line = `[${'a'.repeat(100_000)} "${'\\"'.repeat(50_000)}`;
    expect(parseGitConfig(line).ok).toBe(false);
    expect(parseGitConfig(`[a]\nb = ${'"a" '.repeat(50_000)}`).ok).toBe(true);
  });
});

it('B2: the branch of a HEAD file', () => {
  expect(branchOfHead('ref: refs/heads/main\n')).toBe('main');
  expect(branchOfHead('ref: refs/heads/a/b-c')).toBe('a/b-c');
  expect(branchOfHead(`${'a1'.repeat(20)}\n`)).toBe('a1a1a1a1a1 (no branch)');
  for (const text of [
    '',
    'main',
    'ref: refs/heads/',
    'ref: /etc/passwd',
    'ref: refs/heads/../../x',
    'ref: refs/heads/a\nb',
  ])
    expect(branchOfHead(text)).toBeNull();
});
