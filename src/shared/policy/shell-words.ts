/** The words of a shell text, and the commands that they make, as a person skims them: for warnings alone. */

export interface Word {
  text: string;
  /** Offsets in UTF-16 units, `to` excluded. */
  from: number;
  to: number;
  /** It begins behind a quote. */
  isQuoted: boolean;
  /** It stands in quotes. */
  isInside: boolean;
  /** Which word of the shell it is, or a part of: in `-c "a b" c` the parts are of words 0, 1, 1 and 2. */
  at: number;
}

export interface Mark {
  /** Offsets in UTF-16 units, `to` excluded. */
  from: number;
  to: number;
}

/** What hands the output of one command to the next. */
export const PIPE = /^\|&?$/;

/** From one word to another of a command, both included. */
export function span(first: Word, last: Word): Mark[] {
  return [{ from: Math.min(first.from, last.from), to: Math.max(first.to, last.to) }];
}

export interface ShellCommand {
  /** What is run, without its folder: `rm` for `/bin/rm`. */
  name: string;
  /** The command itself, then what follows it. Of a substitution and of code in quotes its beginning is a word. */
  words: Word[];
  /** Words such as `sudo` and `env` before it, and substitutions. */
  prefixes: Word[];
  /** The switches of those, with what they take. */
  switches: Word[];
  /** `NAME=value` before it. */
  assignments: Word[];
  /** Those of the assignments whose value stands in quotes and names a program, whole: the quotes hold a command of its own. */
  runValues: Word[];
  /** Where its input comes from and its output goes. */
  redirects: Word[];
  /** What parts it from the command before: `|`, `&&`, a quote. */
  after: Word | null;
  /** The pipe whose output the group that it stands in is given; null outside of such a group. */
  fedBy: Word | null;
  /** What another program says is put into the code that it runs: `sh -c "$(…)"`. */
  runsOutput: boolean;
  /** The words before it run what stands in quotes, which is read as commands of their own: `parallel "gzip {}"`. */
  runsQuoted: boolean;
  /** Where its script, or a switch, starts a program: `awk '… | getline'`. */
  starts: Word | null;
  /** `<`, with which a file is given to it. */
  reads: Word | null;
}

/** A command of which nothing has been read. */
export function noCommand(after: Word | null): ShellCommand {
  const lists = { words: [], prefixes: [], switches: [], assignments: [], runValues: [], redirects: [] };
  return { name: '', ...lists, after, fedBy: null, runsOutput: false, runsQuoted: false, starts: null, reads: null };
}

/** The last part of a path; `\rm` is `rm`, whatever alias there is. */
export function nameOf(text: string): string {
  return text.slice(text.lastIndexOf('/') + 1).replaceAll('\\', '');
}

const SUBSTITUTES = /^(?:[<>$]\(|`)$/;

/** Whether a word stands for what another program says. */
export function isSubstitution({ text }: Word): boolean {
  return SUBSTITUTES.test(text);
}

export type Quote = '"' | "'" | "$'";

/** Numbers the words of one command as a shell parts them: no blank in quotes and none behind a backslash does. */
export class ShellWords {
  /** The quote that is open. */
  quote: Quote | null = null;
  private count = 0;
  private isInWord = false;
  /** What comes next is taken as it is. */
  private isEscaped = false;
  /** A quote that comes next is `$'`, in which a backslash takes what follows it as it is. */
  private isBehindDollar = false;

  /** @param isInDouble it is code in double quotes, where `\"` is a quote of the code */
  constructor(private readonly isInDouble = false) {}

  /** What comes next begins a word. */
  get isBetween(): boolean {
    return !this.isInWord && !this.isEscaped;
  }

  copy(): ShellWords {
    return Object.assign(new ShellWords(this.isInDouble), this);
  }

  /** The number of the word that a token is part of; -1 where it parts words. */
  take(text: string): number {
    if (text === '\\\n') return this.isInWord ? this.count - 1 : -1;
    const isEscaped = this.isEscaped && this.quote !== "'";
    const { isBehindDollar } = this;
    this.isEscaped = false;
    this.isBehindDollar = false;
    if (this.quote === null && !isEscaped && PARTS.test(text) && !SUBSTITUTES.test(text)) {
      this.isInWord = false;
      return -1;
    }
    if (!this.isInWord) this.count += 1;
    // Of several blanks a backslash takes the first one.
    this.isInWord = this.quote !== null || text.length === 1 || !/^[ \t\n]/.test(text);
    if (text === '"' || text === "'") this.takeQuote(text, isEscaped && !this.isInDouble, isBehindDollar);
    else {
      this.isEscaped = trailing(text, '\\') % 2 === 1;
      this.isBehindDollar = endsInDollar(text);
    }
    return this.count - 1;
  }

  private takeQuote(text: '"' | "'", isEscaped: boolean, isBehindDollar: boolean): void {
    if (isEscaped) return;
    if (this.quote === null) this.quote = text === "'" && isBehindDollar ? "$'" : text;
    else if (this.quote.endsWith(text)) this.quote = null;
  }
}

const PARTS = /^(?:[ \t\n|&;()]|\d*[<>])/;

/** How often a text ends, at `end`, in a character. */
export function trailing(text: string, character: string, end = text.length): number {
  let from = end;
  while (text[from - 1] === character) from -= 1;
  return end - from;
}

/** Whether the `$` at the end is one that begins something: neither escaped nor the second of `$$`. */
function endsInDollar(text: string): boolean {
  const dollars = trailing(text, '$');
  return (dollars - (trailing(text, '\\', text.length - dollars) % 2)) % 2 === 1;
}
