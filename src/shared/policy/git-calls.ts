/**
 * Whether a command calls git, as a person who skims it would say: no guard, like the risk words (docs/specs/safety.md C2). A script
 * that calls git by itself is not told apart from one that does not. Pure, linear in the text.
 */

import { nameOf, ShellReader, type ShellCommand } from './shell-words';

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

/** Whether git would be run. */
export function callsGit(command: string): boolean {
  const reader = new ShellReader();
  for (const one of reader.read(command, 0)) if (one && isGit(one)) return true;
  for (const one of reader.end()) if (isGit(one)) return true;
  return false;
}

function isGit({ name, words }: ShellCommand): boolean {
  if (CALL_GIT.has(name) || name.startsWith('git-')) return true;
  const verb = words.slice(1).find((word) => !word.text.startsWith('-'));
  return verb !== undefined && CALL_GIT_VERBS.get(name)?.has(nameOf(verb.text)) === true;
}
