import { MAX_READ_COMMAND_CHARS } from '../limits';
import { trimBlanks } from './git-config';
import { EXPORTS } from './git-settings';
import { ShellReader } from './shell-reader';
import { nameOf, type ShellCommand } from './shell-words';

/**
 * Whether a command calls git, as a person who skims it would say: no guard, like the risk words (docs/specs/safety.md C2). A script
 * that calls git by itself is not told apart from one that does not. Some are so plain that what git reads and runs is known from the
 * folder's repository alone. Only these can be allowed for longer (TL7): the list says what is understood, never what is not. Pure,
 * linear in the text.
 */

/** Verbs that only look: whatever they find in the index was there when the question was asked. */
const LOOKS = new Set(
  'status diff log show blame describe rev-parse rev-list ls-files ls-tree cat-file shortlog reflog grep name-rev merge-base branch tag remote'.split(
    ' ',
  ),
);
/** Verbs after which a later call may find more than was there; by themselves they go nowhere else. */
const CHANGES = new Set(['add', 'commit', 'fetch', 'rm', 'mv']);
/** Other programs that call git in the folder they are started in, and commit, some of them. */
const OTHERS = new Set(
  'gh glab hub pre-commit lefthook husky lint-staged semantic-release changeset nx turbo npm pnpm yarn go'.split(' '),
);
/** What may stand beside a call: it writes no file, so git finds what it found when the question was asked. */
const READERS = new Set('echo cat head tail wc cut tr grep true false'.split(' '));
/** Switches by which git writes a file or starts a program, however they are shortened, and wherever they stand among short ones. */
const WRITES = /^(?:-\w*[oO]|--o(?!neline$))/;
/** With these `branch` and `tag` only tell; without any they make one at most. */
const LISTS =
  /^(?:-[avrlqn\d]+|--(?:list|all|remotes|verbose|show-current|contains|merged|no-merged|points-at|(?:sort|format)=.*))$/;
/** What `fetch` may be told: the name of a remote, and switches that take no word. Others name a program, or another folder. */
const FETCHES =
  /^(?:-[apqtvfn]+|--(?:all|force|prune|prune-tags|quiet|verbose|tags|no-tags|dry-run|unshallow)|[a-z]\w*)$/;
/** The switches of the others that go nowhere. */
const HARMLESS = /^(?:-[vxy]|--(?:yes|version|no-git-tag-version))$/;

/** Words without anything a shell looks at, quotes that hold nothing of the kind, what parts commands, and output thrown away. */
const TOKEN =
  /[ \t]+|&&|\|\||[|;]|(?:2>&1|[12&]?>[ ]?\/dev\/null)(?![^ \t|;&])|(?:[\w./:@%+,^~=-]|"[^"$`\\!\n]*"|'[^'\n]*')+/y;
const PARTS = new Set(['&&', '||', '|', ';']);

/** The words of each part of a plain command, without quotes; null if there is anything else in it. */
function plainParts(command: string): string[][] | null {
  const parts: string[][] = [[]];
  const text = trimBlanks(command);
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.length) {
    const token = TOKEN.exec(text)?.[0];
    if (token === undefined) return null;
    if (PARTS.has(token)) parts.push([]);
    else if (!/^[ \t]/.test(token) && !/^[12&]?>/.test(token))
      parts.at(-1)?.push(token.replace(/"([^"]*)"|'([^']*)'/g, '$1$2'));
  }
  return parts;
}

/** Whether a command that calls git does so in words of which each is understood, in the folder it starts in. */
function isPlainGit(command: string, cwd: string): boolean {
  const parts = plainParts(command);
  if (!parts) return false;
  let calls = 0;
  let changes = 0;
  for (const [name = '', ...words] of parts) {
    const isHere = name === 'cd' && words.length === 1 && (words[0] === '.' || words[0] === cwd);
    if (isHere || READERS.has(name)) continue;
    calls += 1;
    if (name === 'git') {
      const [verb = '', ...rest] = words[0] === '--no-pager' ? words.slice(1) : words;
      if (!LOOKS.has(verb) && !CHANGES.has(verb)) return false;
      if (rest.some((word) => WRITES.test(word))) return false;
      // An address may be a folder, with settings of its own.
      if (verb === 'fetch' && rest.some((word) => !FETCHES.test(word))) return false;
      if ((verb === 'branch' || verb === 'tag') && rest.some((word) => word.startsWith('-') && !LISTS.test(word)))
        return false;
      if (verb === 'tag' && rest.some((word) => /^-\w*a/.test(word))) return false;
      if (verb === 'remote' && rest.some((word) => word !== '-v')) return false;
      if (CHANGES.has(verb)) changes += 1;
    } else {
      if (!OTHERS.has(name) || words.some((word) => word.startsWith('-') && !HARMLESS.test(word))) return false;
      changes += 1;
    }
  }
  return changes === 0 || calls === 1;
}

/** How an item of `gitRuns` begins that stands for settings which may name any program. */
export const UNREAD = 'settings that were not read';
const UNREAD_START = `${UNREAD}: `;

/** Programs that do their work by running git. */
const CALL_GIT = new Set(
  'git gitk scalar gh glab hub jj tig lazygit gitui pre-commit lefthook husky lint-staged semantic-release changeset nx turbo'.split(
    ' ',
  ),
);
/** Programs that run git with these words only, behind whatever switches. */
const CALL_GIT_VERBS = new Map([
  ['npm', new Set(['version', 'publish'])],
  ['pnpm', new Set(['version', 'publish'])],
  ['yarn', new Set(['version', 'publish'])],
  // They write the commit into the program.
  ['go', new Set(['build', 'install'])],
]);

/** Words by which git, or the shell before it, goes to another repository. */
const GOES = new Set(['cd', 'pushd', 'popd', 'chdir']);
const LEADS = /^(?:-C.*|--bare|--(?:git-dir|work-tree|config-env|exec-path)(?:=.*)?)$/;
const LEADING_SETTING = /^(?:include(?:if)?\.|core\.(?:hookspath|worktree)=)/i;
const LEADS_OTHERS = /^--(?:prefix|dir|cwd)(?:=.*)?$/;
const LEADING_VARIABLE = /^(?:GIT_\w+|CDPATH)(?:\[[^\]]*\])?\+?=/;
const EXPORTED_VARIABLE = /^GIT_\w/;
/** Switches with which `env` and `sudo` go to another folder first. */
const LEADING_SWITCH = /^(?:-[CD].*|--chdir(?:=.*)?)$/;
/** Tests of `find` that run a command in the folder of each file. */
const RUNS_ELSEWHERE = new Set(['-execdir', '-okdir']);
/** The word wherever it may be a program; neither `.git`, `git.md` nor `git@host`. */
const WORD_GIT = /(?<![\w.-])git(?:\.exe)?(?![\w.@/-])/i;
/** The word for any of the programs that may run git, in a text that is not read word by word. */
const ANY_CALLER = new RegExp(
  `(?<![\\w.-])(?:${[...CALL_GIT, ...CALL_GIT_VERBS.keys()].join('|')}|git-\\w+)(?:\\.exe)?(?![\\w.@-])`,
  'i',
);

/**
 * Whether git would be run, or might be: a word `git` of which the reader does not see what it does counts as well. Of a command that is
 * too long to be read, any word that names a program which runs git.
 */
export function callsGit(command: string): boolean {
  if (command.length > MAX_READ_COMMAND_CHARS) return ANY_CALLER.test(unquoted(command));
  const commands = [...commandsOf(command)];
  return commands.some(isGit) || hidesGit(command, commands);
}

/** Whether the word stands elsewhere than where a call of git was recognised. Quotes and escapes may stand within it. */
function hidesGit(command: string, commands: readonly ShellCommand[]): boolean {
  let rest = '';
  let done = 0;
  const calls = commands.flatMap(({ name, words: [first] }) => (name === 'git' && first ? [first] : []));
  // One ends behind those that stand in it.
  for (const first of calls.sort((a, b) => a.from - b.from)) {
    if (first.from < done) continue;
    rest += `${command.slice(done, first.from)} `;
    done = first.to;
  }
  return WORD_GIT.test(unquoted(rest + command.slice(done)));
}

function unquoted(text: string): string {
  return text.replace(/\\\n|["'\\]/g, '');
}

/**
 * What a card names, and a rule is bound to, of the programs that git could run (C2, TL7): those of the folder's repository where the command
 * calls git, and that more was not read where it goes to another one; empty where it calls none.
 * @param programs of the repository in which `cwd` lies
 */
export function gitRunsOf(command: string, cwd: string, programs: readonly string[]): string[] {
  if (command.length > MAX_READ_COMMAND_CHARS)
    return callsGit(command) ? [`${UNREAD_START}the command is too long to tell how it calls git`, ...programs] : [];
  const commands = [...commandsOf(command)];
  const isHidden = hidesGit(command, commands);
  if (!isHidden && !commands.some(isGit)) return [];
  // `git -"C" sub` as well.
  const goes = [...commands, ...commandsOf(unquoted(command))].some((one) => leadsElsewhere(one, cwd));
  return [
    ...(goes ? [`${UNREAD_START}the settings of another folder, if git runs there`] : []),
    ...(isHidden ? [`${UNREAD_START}Espalier does not see how this command uses the word git`] : []),
    ...(!goes && !isHidden && !isPlainGit(command, cwd)
      ? [`${UNREAD_START}the command is more than a plain call`]
      : []),
    ...programs,
  ];
}

/** Whether some of it was not read: what git runs may change then and none of it tells. */
export function hasUnread(gitRuns: readonly string[]): boolean {
  return gitRuns.some(isUnread);
}

export function isUnread(gitRun: string): boolean {
  return gitRun.startsWith(UNREAD);
}

/** Why it was not read, item by item, in words. */
export function unreadOf(gitRuns: readonly string[]): string[] {
  return gitRuns.filter(isUnread).map((one) => (one.startsWith(UNREAD_START) ? one.slice(UNREAD_START.length) : one));
}

function* commandsOf(command: string): Generator<ShellCommand> {
  const reader = new ShellReader();
  for (const one of reader.read(command, 0)) if (one !== null) yield one;
  yield* reader.end();
}

function leadsElsewhere(one: ShellCommand, cwd: string): boolean {
  if (one.assignments.some(({ text }) => LEADING_VARIABLE.test(text))) return true;
  if (one.switches.some(({ text }) => LEADING_SWITCH.test(text))) return true;
  if (one.after && RUNS_ELSEWHERE.has(one.after.text)) return true;
  const { name } = one;
  if (one.prefixes.some(({ text }) => nameOf(text) === 'eval')) return true;
  const words = one.words.slice(1).map(({ text }) => text);
  // Alone it goes home.
  if (GOES.has(name)) return words.length === 0 || !words.every((word) => word === '.' || word === cwd);
  if (EXPORTS.has(name) && words.some((word) => EXPORTED_VARIABLE.test(word))) return true;
  if (name !== 'git' && isGit(one) && words.some((word) => LEADS_OTHERS.test(word))) return true;
  return isGit(one) && words.some((word) => LEADS.test(word) || LEADING_SETTING.test(word));
}

function isGit({ name, words }: ShellCommand): boolean {
  if (CALL_GIT.has(name) || name.startsWith('git-')) return true;
  const verbs = CALL_GIT_VERBS.get(name);
  return verbs !== undefined && words.some(({ text }, at) => at > 0 && verbs.has(nameOf(text)));
}
