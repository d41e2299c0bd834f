/**
 * Reads the commands of a shell text as a person skims it, for warnings alone (docs/specs/safety.md C2). No parser: whatever stands in
 * quotes may be a command, and no text is refused. Linear in the text.
 */

import { FedGroups, OpenCommand } from './open-command';
import { expectsCode, HereDocument, runsRest, saysQuoted, SHELLS } from './shell-code';
import { isAwk, startsInAwk, startsInQuote, startsInWord } from './script-code';
import { isSubstitution, ShellWords, trailing, type Quote, type ShellCommand, type Word } from './shell-words';

/** Of a value in quotes that a program runs. */
const MAX_VALUE_CHARS = 1_000;
/** Blanks, redirections, what parts commands, quotes, words. They follow each other without a gap. */
const TOKEN =
  /\\\n|[ \t]+|\n+|[<>$]\(|&>>?|\d*(?:<<<|<<-?|<>|<&|>>|>\||>&|[<>](?!\())|[|&]+|;+&?|[()`]|["']|(?:[^ \t\n|&;()<>`"'$\\]|\$(?!\()|\\\\|\\(?!\n))+/g;
const BLANK = /^(?:\\\n|[ \t]+)$/;
const SEPARATES = /^[|&;()\n]/;
const REDIRECTS = /^(?:&>|\d*[<>])/;

/** Tokens after which a reader lets others work. */
const TOKENS_AT_ONCE = 500;
/** Commands that may stand within each other. Deeper ones end those around them. */
const MOST_FRAMES = 32;

/** A command that is being read, in what encloses it. */
interface Frame {
  /** What ends it: the quote, `)`, as many backslashes as stand before its backquote, or the command around it. */
  kind: Quote | ')' | number | 'rest';
  /** Of quotes: they hold the code of a shell from their beginning. */
  isCode: boolean;
  open: OpenCommand;
  /** The word of the shell that is code: more than one quote may be part of it. */
  codeAt: number | null;
  /** Brackets that are open in it, and `case`s, whose patterns end in one. */
  brackets: number;
  cases: number;
  groups: FedGroups;
}

function frame(kind: Frame['kind'], open: OpenCommand, isCode = false, fedBy: Word | null = null): Frame {
  return { kind, open, isCode, codeAt: null, brackets: 0, cases: 0, groups: new FedGroups(fedBy) };
}

/** Reads a shell text a stretch at a time; a stretch ends after a line feed or is the last one. */
export class ShellReader {
  /** What stands in what, the outermost first: `git -C "$(pwd)" reset` goes on behind the bracket. */
  private stack: Frame[] = [frame('rest', new OpenCommand(null))];
  /** What is being read, and where in the whole text it begins. */
  private stretch = '';
  private offset = 0;
  /** Backslashes right before the next token. */
  private backslashes = 0;
  /** The next token may begin a comment. */
  private isAtStart = true;
  private isComment = false;
  /** The last token was a bracket, behind which `#` is a comment or part of a pattern: what follows is read, and nothing more is a message. */
  private isBehindBracket = false;
  /** There was a `${`, `$[` or `((` of which the end is not seen at a glance: `<<` may be a shift from then on, and `#` part of a word. */
  private isUnclear = false;
  private here = new HereDocument();
  /** How many frames there were where it began. */
  private hereFrom = 1;

  /**
   * @param endsQuotes a quote ends with its line, whether or not it is closed
   * @param isCommand a here-document may be a message; false for a content, which may begin or end anywhere
   */
  constructor(
    private readonly endsQuotes = false,
    private readonly isCommand = true,
  ) {
    if (!isCommand) this.here.giveUp();
  }

  /** Whether a quote or a backquote is open: it may be none, as in `it's` of a text, and hide what follows. */
  get isInQuotes(): boolean {
    return this.quotesFrom > 0 || this.top.open.words.quote !== null;
  }

  /** Whether all that began has ended, so that what was read in quotes did stand in quotes. */
  get isSettled(): boolean {
    return !this.isInQuotes && this.stack.every(({ kind }) => kind === 'rest') && !this.here.isUnsure;
  }

  /** One that reads on from here, at the end of a line, without the quotes that are open. */
  fork(): ShellReader {
    const other = new ShellReader(true, this.isCommand);
    other.stack = this.stack.map((one) => ({ ...one, open: one.open.copy(), groups: one.groups.copy() }));
    other.here = this.here.copy();
    other.hereFrom = this.hereFrom;
    other.isUnclear = this.isUnclear;
    // What they end is told by this one.
    const ended = [other.dropQuotes(null), other.close(null)];
    for (const one of ended) while (!one.next().done);
    return other;
  }

  /** The commands that end in a stretch, which begins at `offset` of the whole text; null after each few hundred tokens. */
  *read(stretch: string, offset: number): Generator<ShellCommand | null> {
    let tokens = 0;
    this.stretch = stretch;
    this.offset = offset;
    for (const match of stretch.matchAll(TOKEN)) {
      if ((tokens += 1) % TOKENS_AT_ONCE === 0) yield null;
      const from = offset + match.index;
      const text = match[0];
      const isQuoted = /["']/.test(stretch[match.index - 1] ?? '');
      if (!this.isUnclear && isUnclearAt(stretch, match.index, text)) {
        this.isUnclear = true;
        this.here.giveUp();
      }
      yield* this.token({ text, from, to: from + text.length, isQuoted, isInside: false, at: -1 });
      this.backslashes = trailing(text, '\\');
      this.isAtStart = BLANK.test(text) || SEPARATES.test(text);
      this.isBehindBracket = text === ')' || text === '(';
    }
  }

  /** The commands that the text ends with. */
  *end(): Generator<ShellCommand> {
    while (this.stack.length > 1) yield* this.pop(null);
    yield* this.close(null);
  }

  private get top(): Frame {
    return this.stack.at(-1) as Frame;
  }

  private get isFull(): boolean {
    return this.stack.length >= MOST_FRAMES;
  }

  /** Place of the outermost frame in quotes or backquotes; -1 for none. */
  private get quotesFrom(): number {
    return this.stack.findIndex(({ kind }) => isQuote(kind) || typeof kind === 'number');
  }

  private *token(word: Word): Generator<ShellCommand> {
    const isEscaped = this.backslashes % 2 === 1;
    const here = this.here.take(word, isEscaped);
    if (here === 'text') return;
    if (here === 'end') yield* this.endHere(word);
    if (this.isComment && !word.text.endsWith('\n')) return;
    // No backslash joins a comment with the next line.
    if (this.isComment) word.text = '\n';
    this.isComment = false;
    const { text } = word;
    const { open, kind } = this.top;
    const isInside = open.words.quote !== null;
    const around = this.stack.at(-2)?.open.command ?? null;
    if (text.startsWith('\n') && !isInside && this.here.endLine(open.command, around))
      this.hereFrom = this.stack.length;
    word.isInside = isInside;
    const mayComment = this.isAtStart && open.words.isBetween && !this.isBehindBracket && !this.isUnclear;
    word.at = open.words.take(text);
    if (BLANK.test(text)) return;
    if (/^[(|]/.test(text)) this.noteAwk(word);
    if (text === '"' || text === "'") yield* this.takeQuote(word, isEscaped, isInside);
    else if (text === '`') yield* this.takeBackquote(word, isEscaped);
    else if (isSubstitution(word)) yield* this.takeSubstitution(word, ')', isEscaped);
    else if (kind === 'rest' && this.stack.length > 1 && text === ';' && (isEscaped || isInside))
      yield* this.endExec(word);
    else if (REDIRECTS.test(text)) this.takeRedirection(word, isEscaped);
    else if (!SEPARATES.test(text)) yield* this.takeWord(word, mayComment);
    else if (isEscaped && text.length === 1) open.take(word);
    else if (isInside && !this.endsQuotesAt(word)) yield* this.takeSeparatorInside(word);
    else yield* this.takeSeparator(word);
  }

  /** A bracket or a pipe in a script of `awk` may start a program. */
  private noteAwk(word: Word): void {
    const awk = this.stack.find(({ open }) => open.words.quote !== null && isAwk(open.command));
    if (awk && startsInAwk(this.stretch, word.from - this.offset)) awk.open.command.starts = word;
  }

  /** The text of a quote that begins, as far as this line goes. */
  private inQuotes({ text, to }: Word): string {
    const from = to - this.offset;
    const end = this.stretch.indexOf(text, from);
    return this.stretch.slice(from, Math.min(end < 0 ? Infinity : end, from + MAX_VALUE_CHARS));
  }

  private *takeQuote(word: Word, isEscaped: boolean, wasInside: boolean): Generator<ShellCommand> {
    const { open } = this.top;
    // Nothing in single quotes may have one, whatever stands in them.
    const single = word.text === "'" ? this.stack.find(({ kind }) => isQuote(kind) && kind !== '"') : undefined;
    const around = single ?? this.stack.filter(({ kind }) => kind !== 'rest').at(-1);
    if (around && ends(around.kind, word.text, isEscaped)) {
      while (this.stack.includes(around)) yield* this.pop(word);
      this.top.open.words.take(word.text);
      return;
    }
    open.takeQuote(word.at);
    const { quote } = open.words;
    if (wasInside || quote === null) return;
    if (startsInQuote(open.command, this.stretch, word.to - this.offset, word.text)) open.command.starts = word;
    if (this.isFull) return;
    const isRunValue = open.isRunValue(word.at);
    if (isRunValue) open.takeRunValue(this.inQuotes(word));
    const isCode = isRunValue || (!open.isAside(word.at) && expectsCode(open.command, true));
    if (isCode && !open.isAside(word.at) && open.command.words.length === 0) open.command.runsQuoted = true;
    if (!isCode && this.top.codeAt !== word.at) return;
    this.top.codeAt = word.at;
    if (open.command.words.length > 0) open.take(word);
    this.push(quote, word, true);
  }

  private *takeBackquote(word: Word, isEscaped: boolean): Generator<ShellCommand> {
    const key = this.backslashes;
    const at = this.stack.map(({ kind }) => kind).lastIndexOf(key);
    if (at > 0) {
      while (this.stack.length > at) yield* this.pop(word);
      return;
    }
    const isNested = this.stack.some(({ kind, isCode }) => isCode || typeof kind === 'number');
    if (isEscaped && !isNested) this.top.open.take(word);
    else yield* this.takeSubstitution(word, key, isEscaped);
  }

  private *takeSubstitution(word: Word, kind: ')' | number, isEscaped: boolean): Generator<ShellCommand> {
    const { open } = this.top;
    // It is none of this shell, and may have no other one.
    if (open.words.quote?.endsWith("'")) {
      yield* this.takeSeparatorInside(word);
      return;
    }
    open.take(word);
    const around = this.top.isCode && this.top.kind === '"' && !isEscaped ? this.stack.at(-2) : undefined;
    if (around) around.open.command.runsOutput = true;
    if (!this.isFull) {
      this.push(kind, word);
      return;
    }
    yield* this.close(word);
    if (kind === ')') this.top.brackets += 1;
  }

  private takeRedirection(word: Word, isEscaped: boolean): void {
    const { open } = this.top;
    const { command } = open;
    if (isEscaped) open.take(word);
    else if (open.words.quote !== null && (open.isAside(word.at) || this.isSaid(word))) return;
    // What a shell is given to read.
    else if (word.text.endsWith('<<<') && SHELLS.has(command.name)) command.words.push(word);
    else {
      const isSure =
        this.isAtStart &&
        !this.isUnclear &&
        open.words.quote === null &&
        this.stack.every(({ kind, isCode }) => isCode || !isQuote(kind));
      if (/^\d*<<-?$/.test(word.text)) {
        if (isSure) this.here.begin(word, command);
        else this.here.giveUp();
      }
      open.redirect(word);
    }
  }

  private *takeWord(word: Word, mayComment: boolean): Generator<ShellCommand> {
    const { open, kind } = this.top;
    const { command } = open;
    const { text } = word;
    if (text.startsWith('#') && this.isBehindBracket && !word.isInside) this.here.giveUp();
    if (text.startsWith('#') && mayComment && !word.isInside) {
      this.isComment = this.stack.every((one) => one.kind === 'rest');
      if (!this.isComment) this.here.giveUp();
    }
    // Of `$'…'`, which the quote begins.
    if (this.isComment || (text === '$' && expectsCode(command, false))) return;
    if (!word.isInside && startsInWord(command, word)) command.starts = word;
    if (open.isAside(word.at)) open.take(word);
    else if (text === '+' && kind === 'rest' && command.words.at(-1)?.text.endsWith('{}')) yield* this.endExec(word);
    else {
      const begun = runsRest(command, word);
      if (begun !== null) yield* this.beginRest(word, begun);
      else if (!text.startsWith('-') && expectsCode(command, false)) yield* this.beginRest(word, word);
      else open.take(word);
    }
  }

  /** What follows is a command of its own, up to the end of the one around it. */
  private *beginRest(word: Word, begun: Word | undefined): Generator<ShellCommand> {
    if (this.isFull) yield* this.close(word);
    else this.push(this.top.open.words.quote ?? 'rest', word);
    const { open } = this.top;
    if (begun) open.take({ ...begun, at: open.words.take(begun.text) });
  }

  /** Behind `\;` and `+` the words are those of `find` again. */
  private *endExec(word: Word): Generator<ShellCommand> {
    if (this.stack.length === 1) return;
    const { quote } = this.top.open.words;
    yield* this.pop(word);
    // Of `';'` the quote is still to be closed.
    this.top.open.words.quote = quote;
  }

  /** Text in quotes may be code of a shell, or none: what a separator begins there is read like any other command. */
  private *takeSeparatorInside(word: Word): Generator<ShellCommand> {
    const { open } = this.top;
    if (open.isAside(word.at) || this.isSaid(word)) return;
    if (this.isFull || open.words.quote === null) yield* this.close(word);
    else this.stack.push(frame(open.words.quote, new OpenCommand(word)));
  }

  /** A quote that a here-document opened ends with it. */
  private *endHere(word: Word): Generator<ShellCommand> {
    while (this.stack.length > this.hereFrom) yield* this.pop(word);
    yield* this.close(word);
  }

  /** Whether what is in quotes is a message or a pattern; not where the program that says it stands there as well. */
  private isSaid(word: Word): boolean {
    const { command } = this.top.open;
    // Of what is not clear the quotes may be out of step.
    return !this.isUnclear && command.words[0]?.at !== word.at && saysQuoted(command);
  }

  private *takeSeparator(word: Word): Generator<ShellCommand> {
    if (this.endsQuotesAt(word)) yield* this.dropQuotes(word);
    while (this.top.kind === 'rest' && this.stack.length > 1) yield* this.pop(word);
    yield* this.close(word);
    const { top } = this;
    if (word.text === '(') top.brackets += 1;
    if (word.text !== ')') return;
    if (top.brackets > 0) {
      top.brackets -= 1;
      top.groups.endGroup();
    } else if (top.kind === ')' && top.cases === 0) yield* this.pop(word);
  }

  private endsQuotesAt({ text }: Word): boolean {
    return this.endsQuotes && text.startsWith('\n');
  }

  private *dropQuotes(after: Word | null): Generator<ShellCommand> {
    const from = this.quotesFrom;
    while (from > 0 && this.stack.length > from) yield* this.pop(after);
  }

  /** What is run by the command that is being read, or for it, reads what comes to that, but for what it writes to. A table of a text is no pipe. */
  private push(kind: Frame['kind'], after: Word, isCode = false): void {
    const { groups, open } = this.top;
    const begun = new OpenCommand(after, new ShellWords(isCode && kind === '"'));
    const isFed = isCode || (this.isCommand && !this.here.isOpen && after.text !== '>(');
    this.stack.push(frame(kind, begun, isCode, isFed ? groups.feeding(open.command) : null));
  }

  private *pop(after: Word | null): Generator<ShellCommand> {
    yield* this.close(after);
    this.stack.pop();
  }

  /** Ends the command that is being read, and begins the next one beside it. */
  private *close(after: Word | null): Generator<ShellCommand> {
    const { top } = this;
    const { command, isEmpty } = top.open;
    if (command.name === 'case') top.cases += 1;
    if (command.name === 'esac' && top.cases > 0) top.cases -= 1;
    // A pipe goes on behind a line break and a bracket.
    const goesOn = isEmpty && after !== null && /^[\n(]/.test(after.text);
    top.groups.endCommand(command, after?.text === '(');
    top.codeAt = null;
    top.open = new OpenCommand(
      (goesOn ? command.after : null) ?? after,
      new ShellWords(top.isCode && top.kind === '"'),
    );
    if (!isEmpty) yield command;
  }
}

/** What ends where a glance says: neither quotes nor escapes nor others stand in it. */
const CLEAR_BRACES =
  /\$\{[#!]?[\w@*?$!-]{1,100}(?:\[[\w@*$-]{0,100}\])?(?:[:#%/^,+=?-]{1,3}(?:[\w./:*@, -]{0,200}|"[\w./:*@, -]{0,200}"))?\}/y;
const CLEAR_SUM = /\(\((?:[^()<\n"'\\#]|\([^()<\n"'\\#]{0,200}\)){0,200}\)\)/y;

/** Whether a token begins something that ends nobody knows where. */
function isUnclearAt(stretch: string, at: number, text: string): boolean {
  if (text.includes('$[')) return true;
  for (let from = text.indexOf('${'); from >= 0; from = text.indexOf('${', from + 2))
    if (!matchesAt(CLEAR_BRACES, stretch, at + from)) return true;
  const end = at + text.length;
  return text.endsWith('(') && stretch[end] === '(' && !matchesAt(CLEAR_SUM, stretch, end - 1);
}

function matchesAt(pattern: RegExp, text: string, at: number): boolean {
  pattern.lastIndex = at;
  return pattern.test(text);
}

function isQuote(kind: Frame['kind']): boolean {
  return kind === '"' || kind === "'" || kind === "$'";
}

/** Whether a quote ends what began with one. */
function ends(kind: Frame['kind'], text: string, isEscaped: boolean): boolean {
  return kind === "'" ? text === kind : isQuote(kind) && String(kind).endsWith(text) && !isEscaped;
}
