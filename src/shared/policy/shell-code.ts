import { nameOf, type ShellCommand, type Word } from './shell-words';

/**
 * Which words of a command are code of a shell, and which are only said; which lines are a here-document, and whether it is a message, in
 * which no command stands (docs/specs/safety.md C2). Each look has a bound.
 */

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

/** Longer lines are no end of one. */
const MOST_CHARS = 100;

/** A delimiter that reads the same with and without its quotes. */
const PLAIN = /^(?:(?<quote>["']?)[\w.-]{1,60}\k<quote>|\\[\w.-]{1,60})$/;

export class HereDocument {
  /** Of the line that is being read, with its command. */
  private begun: { command: ShellCommand; at: number; isStripped: boolean; raw: string; isWhole: boolean } | null =
    null;
  private delimiter: string | null = null;
  private isStripped = false;
  /** `$(…)` in it is none. */
  private isQuoted = false;
  private isText = false;
  private line = '';
  /** There was one of which the end is not known for sure: nothing is taken for a message any more. */
  isUnsure = false;

  /** What comes next is part of one. */
  get isOpen(): boolean {
    return this.delimiter !== null;
  }

  copy(): HereDocument {
    return Object.assign(new HereDocument(), this);
  }

  /** `<<` or `<<-` of a command. */
  begin(operator: Word, command: ShellCommand): void {
    if (this.delimiter !== null) return;
    if (this.begun) this.giveUp();
    const isStripped = operator.text.endsWith('-');
    this.begun = { command, at: command.redirects.length, isStripped, raw: '', isWhole: false };
  }

  /** What follows may be in one of which the end is not known. */
  giveUp(): void {
    this.isUnsure = true;
  }

  /**
   * The end of a line outside of quotes. Returns whether one follows.
   * @param command what is being read
   * @param around the command in whose substitution that stands
   */
  endLine(command: ShellCommand, around: ShellCommand | null): boolean {
    const { begun } = this;
    this.begun = null;
    if (!begun) return false;
    const [word, next] = begun.command.redirects.slice(begun.at, begun.at + 2);
    // In quotes a blank or nothing at all may be part of it.
    if (!word || !PLAIN.test(begun.raw) || !/^[\w.-]{1,60}$/.test(word.text) || next?.at === word.at) {
      this.giveUp();
      return false;
    }
    this.delimiter = word.text;
    this.isStripped = begun.isStripped;
    this.isQuoted = word.isQuoted;
    this.line = '';
    const isHere = begun.command === command && !this.isUnsure;
    const isCat = command.name === 'cat' && command.words.length === 1 && command.redirects.length === 1;
    this.isText = isHere && (saysQuoted(command) || (isCat && around !== null && saysQuoted(around)));
    return true;
  }

  /** What a token is: part of a message, the end of what is none, or neither. */
  take(word: Word, isEscaped: boolean): 'text' | 'end' | null {
    const { text } = word;
    if (this.delimiter === null) {
      this.takeRaw(text);
      return null;
    }
    if (!this.isQuoted && !isEscaped && /^(?:\$\(|`)$/.test(text)) this.isText = false;
    const what = this.isText ? 'text' : null;
    if (!text.endsWith('\n')) {
      if (this.line.length < MOST_CHARS) this.line += text;
      return what;
    }
    // A backslash at its end joins it with the next one.
    if (text === '\\\n' && !this.isQuoted) return what;
    const line = this.isStripped ? this.line.replace(/^\t+/, '') : this.line;
    this.line = '';
    if (line !== this.delimiter) return what;
    this.delimiter = null;
    return what ?? 'end';
  }

  /** The delimiter as it is written, up to the blank or the sign behind it. */
  private takeRaw(text: string): void {
    const { begun } = this;
    if (!begun || begun.isWhole || begun.raw.length > MOST_CHARS) return;
    const quote = /^["']/.exec(begun.raw)?.[0];
    const isOpen = quote !== undefined && (begun.raw.length === 1 || !begun.raw.endsWith(quote));
    const isBetween = /^(?:\\\n|[\s|&;()<>]|\d+[<>])/.test(text);
    if (isOpen || !isBetween) begun.raw += text;
    else if (begun.raw !== '') begun.isWhole = true;
  }
}
