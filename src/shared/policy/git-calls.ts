/**
 * Whether a command calls git, as a person who skims it would say: no guard, like the risk words (docs/specs/safety.md C2). A script
 * that calls git by itself is not told apart from one that does not. Pure, linear in the text.
 */

import { riskyGitEntries } from './git-config';
import { nameOf, ShellReader, type ShellCommand, type Word } from './shell-words';

/** How an item of `gitRuns` begins that stands for settings which may name any program. */
export const UNREAD = 'settings that were not read';

/** Programs that do their work by running git. */
const CALL_GIT = new Set(
  'git gitk gh glab hub jj tig lazygit gitui pre-commit lefthook husky lint-staged semantic-release changeset nx turbo'.split(
    ' ',
  ),
);
/** Programs that run git with these first words only. */
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
const LEADING_VARIABLE = /^GIT_\w+=/;
/** Words that set a variable for what follows them. */
const EXPORTS = new Set(['export', 'declare', 'typeset', 'readonly', 'local']);
/** Switches with which `env` goes to another folder first. */
const LEADING_SWITCH = /^(?:-C.*|--chdir(?:=.*)?)$/;

/** Whether git would be run. */
export function callsGit(command: string): boolean {
  for (const one of commandsOf(command)) if (isGit(one)) return true;
  return false;
}

/**
 * What a card names, and a rule is bound to, of the programs that git could run (C2, TL7): those of the folder's repository where the command
 * calls git, and that more was not read where it goes to another one; empty where it calls none.
 * @param programs of the repository in which `cwd` lies
 */
export function gitRunsOf(command: string, cwd: string, programs: readonly string[]): string[] {
  const commands = [...commandsOf(command)];
  if (!commands.some(isGit)) return [];
  const goes = commands.some((one) => leadsElsewhere(one, cwd));
  return [...(goes ? [`${UNREAD}: those of another folder, if git runs there`] : []), ...programs];
}

/** Whether some of it was not read: what git runs may change then and none of it tells. */
export function hasUnread(gitRuns: readonly string[]): boolean {
  return gitRuns.some((one) => one.startsWith(UNREAD));
}

/** A setting that a call of git is given by `-c` and that is not known to be harmless: it may name a program. */
export function riskySettingOf({ name, words }: ShellCommand): Word | null {
  if (name !== 'git') return null;
  for (let at = 1; words[at]?.text.startsWith('-'); at += 1) {
    if (words[at]?.text !== '-c') continue;
    const setting = words[(at += 1)];
    if (!setting) return null;
    const [, key = '', value = 'true'] = /^([^=]*)(?:=([^]*))?$/.exec(setting.text) ?? [];
    if (riskyGitEntries([{ name: key.toLowerCase(), value }]).length > 0) return setting;
  }
  return null;
}

function* commandsOf(command: string): Generator<ShellCommand> {
  const reader = new ShellReader();
  for (const one of reader.read(command, 0)) if (one !== null) yield one;
  yield* reader.end();
}

function leadsElsewhere(one: ShellCommand, cwd: string): boolean {
  if (one.assignments.some(({ text }) => LEADING_VARIABLE.test(text))) return true;
  if (one.switches.some(({ text }) => LEADING_SWITCH.test(text))) return true;
  const words = one.words.slice(1).map(({ text }) => text);
  // `\cd` is `cd`, whatever alias there is; alone it goes home.
  const name = one.name.replace(/^\\/, '');
  if (GOES.has(name)) return words.length === 0 || !words.every((word) => word === '.' || word === cwd);
  if (EXPORTS.has(name) && words.some((word) => LEADING_VARIABLE.test(word))) return true;
  return isGit(one) && words.some((word) => LEADS.test(word) || LEADING_SETTING.test(word));
}

function isGit({ name, words }: ShellCommand): boolean {
  if (CALL_GIT.has(name) || name.startsWith('git-')) return true;
  const verb = words.slice(1).find((word) => !word.text.startsWith('-'));
  return verb !== undefined && CALL_GIT_VERBS.get(name)?.has(nameOf(verb.text)) === true;
}
