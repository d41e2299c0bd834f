/** Here-documents of a shell text: which lines are one, and whether it is a message, in which no command stands (docs/specs/safety.md C2). */

import { saysQuoted } from './shell-code';
import type { ShellCommand, Word } from './shell-words';

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
