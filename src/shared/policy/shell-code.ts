/** Which words of a command are code of a shell, and which are only said (docs/specs/safety.md C2). Each look has a bound. */

import { nameOf, type ShellCommand, type Word } from './shell-words';

export const SHELLS = new Set(
  'sh bash zsh dash ksh mksh fish csh tcsh ash rbash yash nu elvish xonsh pwsh powershell cmd $SHELL ${SHELL} $BASH ${BASH}'.split(
    ' ',
  ),
);
/** Programs that give the word behind `-c` to a shell. */
const SHELL_BY_SWITCH = new Set('su script flock runuser npm npx'.split(' '));
/** Words of a call that are looked at for what comes behind its switches. */
const MANY_SWITCHES = 12;
/** A switch behind which stands the code for a shell: `-c`, `-lc`, `-Command`. */
const CODE_SWITCH = /^(?:-[a-z]{0,9}c[a-z]{0,9}|--c(?:ommand|all))$/i;
const ALIASES = /^\w[\w.-]*=/;
/** Words before a command that put its words together and give them to a shell. */
const JOINS = new Set(['eval', 'watch', 'parallel', ':::', 'entr', 'watchexec', 'hyperfine', 'concurrently']);
/** Switches of `fd` that run what follows them, or begins in them, for each file or for all of them. */
const FD_RUNS = /^(?:--exec(?:-batch)?(?:=|$)|-[HIusigFalLp01q]*[xX])/;
const FIND_RUNS = /^-(?:exec|ok)(?:dir)?$/;

/**
 * Whether the next word of a command is code for a shell.
 * @param isQuoted it begins with a quote
 */
export function expectsCode({ name, words, prefixes }: ShellCommand, isQuoted: boolean): boolean {
  const last = words.at(-1)?.text;
  if (last === undefined) return isQuoted && JOINS.has(shortName(prefixes.at(-1)));
  if (name === 'trap') return words.length === 1 || (words.length === 2 && last === '--');
  if (name === 'alias') return isQuoted && ALIASES.test(last);
  if (name === 'ssh') return isQuoted && words.length > 1 && !last.startsWith('-');
  if (name === 'git') return expectsCodeOfGit(words);
  if (last === '<<<') return true;
  // `bash -c -e 'rm x'`: what follows its other switches is the code.
  const code = SHELLS.has(name) ? words.slice(0, MANY_SWITCHES).findIndex(({ text }) => CODE_SWITCH.test(text)) : -1;
  if (code > 0 && words.slice(code + 1, MANY_SWITCHES + 1).every(({ text }) => /^[-+]/.test(text))) return true;
  if (!CODE_SWITCH.test(last)) return false;
  return SHELLS.has(name) || SHELL_BY_SWITCH.has(name) || SHELLS.has(shortName(words.at(-2)));
}

/** Of a word of any length. */
function shortName(word: Word | undefined): string {
  return nameOf(word?.text.slice(-40) ?? '');
}

function expectsCodeOfGit(words: readonly Word[]): boolean {
  const [last = '', second = ''] = words
    .slice(-2)
    .reverse()
    .map(({ text }) => text);
  if (last === 'run') return second === 'bisect';
  if (last === '--exec' || last === '-x') return words.slice(1, 8).some(({ text }) => text === 'rebase');
  const texts = words.slice(1, MANY_SWITCHES).map(({ text }) => text);
  const each = texts.indexOf('foreach');
  return (
    words.length <= MANY_SWITCHES &&
    each > 0 &&
    texts.includes('submodule') &&
    texts.slice(each + 1).every((text) => text.startsWith('-'))
  );
}

/**
 * Whether a word of a command says that another one follows, as `-exec` does: null where it does not, else what of that stands in the
 * word itself, as `rm` does in `-xrm` of `fd` and in `x=rm` of `alias`.
 */
export function runsRest({ name, words }: ShellCommand, word: Word): Word | undefined | null {
  if (words.length === 0) return null;
  if (FIND_RUNS.test(word.text)) return undefined;
  const begins = name === 'alias' ? ALIASES : name === 'fd' || name === 'fdfind' ? FD_RUNS : null;
  const length = begins?.exec(word.text)?.[0].length;
  if (length === undefined) return null;
  if (length < word.text.length) return { ...word, text: word.text.slice(length), from: word.from + length };
  return name === 'alias' ? null : undefined;
}

/** Programs that look for what stands in quotes, or say it. */
const SAYS = new Set('echo printf grep egrep fgrep rg ag ack gh glab'.split(' '));
const GIT_SAYS = new Set('commit tag notes stash merge log shortlog grep'.split(' '));

/** Whether what stands in quotes is no command, unless a program is asked for it: a message, a pattern. */
export function saysQuoted({ name, words }: ShellCommand): boolean {
  if (name === 'git') return words.slice(1, 10).some(({ text }) => GIT_SAYS.has(text));
  return SAYS.has(name);
}
