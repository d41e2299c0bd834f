/** Which commands run what another program gives them, or settings name (docs/specs/safety.md C2). Pure, linear in the words. */

import { pipeInto } from './open-command';
import { riskySettingOf } from './git-settings';
import { isReplaced, putsInto, runsUnnamed, substitutionAt } from './interpreters';
import { MOST_RUNNERS, runByIt } from './runners';
import { SHELLS } from './shell-code';
import { isSubstitution, nameOf, span, type Mark, type ShellCommand, type Word } from './shell-words';

/** A word that is a variable, whatever is cut from it or put in place of it, or more than one; no path that begins with one. */
const VARIABLE = /^\\?\$(?:\{[!#]?(\w+(?!\w)|[@*])[^}]*(?:\}|$)|(\w+(?!\w)|[@*]))(?:\$|$)/;
const NAME = /^\w+$/;
/** Commands that take what comes in into variables, with those that they take where none is named. */
const TAKES = new Map([
  ['read', 'REPLY'],
  ['mapfile', 'MAPFILE'],
  ['readarray', 'MAPFILE'],
]);
/** Loops over what a substitution says. */
const LOOPS = new Set(['for', 'select']);
const POSITIONAL = ['@', '*', ...'123456789'];
/** With these `sudo` starts a shell where no command follows. */
const STARTS_SHELL = /^(?:-[a-zA-Z]*[is]|--(?:login|shell))$/;
const AS_ANOTHER = new Set(['sudo', 'doas']);

/** The variables that hold what came in, or what another program said, up to here. */
export class TakenVariables {
  private readonly names = new Set<string>();

  /** Whether a word, as a command or as code, is what such a variable holds. */
  has = ({ text }: Word): boolean => {
    const [, braced, plain] = VARIABLE.exec(text) ?? [];
    return this.names.has(braced ?? plain ?? '');
  };

  /** Of a command that was read. */
  add(command: ShellCommand): void {
    const { name, words, assignments } = command;
    const otherwise = TAKES.get(name);
    if (otherwise !== undefined) {
      this.names.add(otherwise);
      for (const { text } of words) this.addName(text.replace(/^-r?a/, ''));
    } else if (LOOPS.has(name) && words.some(isSubstitution)) this.addName(words[1]?.text ?? '');
    else if (name === 'set' && words.some(isSubstitution)) for (const one of POSITIONAL) this.names.add(one);
    // `c=$(head -1)` takes from the pipe as well.
    if (pipeInto(command) !== null)
      for (const [at, word] of assignments.entries())
        if (isSubstitution(word) && assignments[at - 1]?.at === word.at)
          this.addName((assignments[at - 1]?.text ?? '').replace(/\+?=$/, ''));
    this.addCopies(assignments);
  }

  private addName(name: string): void {
    if (NAME.test(name)) this.names.add(name);
  }

  /** `x=$c` holds what `c` does. */
  private addCopies(assignments: readonly Word[]): void {
    for (const [at, word] of assignments.entries()) {
      const [begin = '', name = ''] = /^(\w+)\+?=/.exec(word.text) ?? [];
      const glued = { ...word, text: word.text.slice(begin.length) };
      const next = assignments[at + 1];
      if (name !== '' && (this.has(glued) || (next?.at === word.at && this.has(next)))) this.names.add(name);
    }
  }
}

/**
 * Where a command runs what it is not named.
 * @param isShell false for a content: there `$(CC)` may begin a line of a makefile
 */
export function runsOf(command: ShellCommand, isShell: boolean, taken: TakenVariables): Mark[] {
  const { words, prefixes, after } = command;
  const evaluates = prefixes.find((word) => nameOf(word.text) === 'eval');
  if (evaluates) return span(evaluates, evaluates);
  const names =
    isShell && !(after && /^["']$/.test(after.text))
      ? prefixes.find(({ text, isInside }) => text === '$(' || (text === '`' && !isInside))
      : undefined;
  if (names) return span(names, names);
  const [first] = words;
  // From where it comes in to the program that runs it.
  const comes = pipeInto(command);
  const input = after?.text === '>(' ? after : comes;
  if (!first) return isShell ? runsOfPrefixes(command, input) : [];
  const setting = riskySettingOf(command);
  if (setting) return span(setting, setting);
  if (command.runsOutput) return span(first, first);
  if (isShell && isNamedByInput(command, first, taken)) return span(input ?? first, first);
  const runs = runsUnnamed(command, taken.has);
  if (runs !== 'input') return runs ? span(prefixes.includes(runs) ? (comes ?? runs) : first, first) : [];
  if (input) return span(input, first);
  return readsSubstitution(command, isShell) ? span(first, first) : [];
}

/** `bash < <(curl …)`, `bash <<< "$(curl …)"`. */
function readsSubstitution({ redirects }: ShellCommand, isShell: boolean): boolean {
  return redirects.some(({ text }, at) => (isShell || text === '<(') && substitutionAt(redirects, at) !== null);
}

/** `bash < file`, `docker exec -i c sh < file`: from the shell to the file that it is given to run. */
export function fileOf(command: ShellCommand, taken: TakenVariables): Mark[] {
  const { words, redirects, reads } = command;
  const shell = reads && words.find(({ text }) => SHELLS.has(nameOf(text)));
  const file = reads && redirects.find(({ from }) => from >= reads.to);
  if (!shell || !file || isSubstitution(file) || file.text === '/dev/null') return [];
  return runsUnnamed(command, taken.has) === 'input' ? span(shell, file) : [];
}

/** Whether the program itself is what comes in: `read c; $c`, `xargs -I{} {}`, `parallel "{}"`. */
function isNamedByInput(command: ShellCommand, first: Word, taken: TakenVariables): boolean {
  if (taken.has(first) || runsTaken(command, taken)) return true;
  if (putsInto(command)) return isReplaced(command, first);
  // Code in quotes, of which that is all.
  return command.fedBy !== null && command.after?.text === '"' && first.text === '{}';
}

/** `docker exec c $c` */
function runsTaken(command: ShellCommand, taken: TakenVariables): boolean {
  let inner: ShellCommand | null = command;
  for (let depth = 0; inner && depth < MOST_RUNNERS; depth += 1) {
    inner = runByIt(inner);
    if (inner?.words[0] && taken.has(inner.words[0])) return true;
  }
  return false;
}

/** Of words that run those behind them, where none stand there: `xargs`, `xargs sudo`, `parallel`, `sudo -s`. */
function runsOfPrefixes(command: ShellCommand, input: Word | null): Mark[] {
  const last = command.prefixes.at(-1);
  if (!last || command.runsQuoted) return [];
  const name = nameOf(last.text);
  const puts = putsInto(command);
  if (puts && puts !== last) return span(input ?? puts, last);
  const isFed = input !== null || readsSubstitution(command, true);
  const starts = AS_ANOTHER.has(name) && command.switches.some(({ text }) => STARTS_SHELL.test(text));
  return isFed && (starts || name === 'parallel') ? span(input ?? last, last) : [];
}
