/** A shell text as a person skims it: commands with their words. No parser of shell: it is for warnings alone. */

export interface Word {
  text: string;
  /** Offsets in UTF-16 units, `to` excluded. */
  from: number;
  to: number;
  /** It begins behind a quote. */
  isQuoted: boolean;
}

export interface ShellCommand {
  /** What is run, without its folder: `rm` for `/bin/rm`. */
  name: string;
  /** The command itself, then what follows it. */
  words: Word[];
  /** Words such as `sudo` and `env` before it. */
  prefixes: Word[];
  /** The switches of those. */
  switches: Word[];
  /** `NAME=value` before it. */
  assignments: Word[];
  /** What parts it from the command before: `|`, `&&`, a quote. */
  after: Word | null;
  /** A `<(` or `$(` stands among its words. */
  readsSubstitution: boolean;
}

/** Words and what parts them. Quotes part too, so that the text in `sh -c "…"` is read like any other. */
const TOKEN = /\\\n|[^\S\n]+|\n+|[<$]\(|[|&;()<>`]+|["']|(?:[^\s|&;()<>`"'$]|\$(?!\())+/g;
/** Words that run the words after them. */
const PREFIXES = new Set(
  'sudo doas env time nohup exec xargs command builtin coproc strace then do else elif if while until ! { nice ionice stdbuf timeout watch parallel -exec -execdir -ok -okdir busybox setsid'.split(
    ' ',
  ),
);
/** Switches of those that take a word, where it is not one of `-n` and `-u`. */
const TAKES_WORD = new Map([
  ['sudo', /^-[ugCDhpRrtTU]$/],
  ['doas', /^-[uC]$/],
  ['env', /^(?:-[uC]|--(?:unset|chdir))$/],
  ['xargs', /^-[aEdILnPs]$/],
  ['timeout', /^-[ks]$/],
  ['ionice', /^-[cnpPu]$/],
  ['stdbuf', /^-[ioe]$/],
  ['parallel', /^-[jnNSIaLP]$/],
  ['strace', /^-[oepuPsSaEbIOX]$/],
  ['time', /^-[fo]$/],
  ['exec', /^-a$/],
]);
const TAKES_WORD_ELSE = /^-[nu]$/;
/** What `timeout` and `nice` take first. */
const AMOUNT = /^\.?\d[\d.]*[smhd]?$/;

/** The last part of a path; `\rm` is `rm`, whatever alias there is. */
export function nameOf(text: string): string {
  return text.slice(text.lastIndexOf('/') + 1).replaceAll('\\', '');
}

/** What comes next is taken as it is. */
const ENDS_IN_ESCAPE = /(?<!\\)(?:\\\\)*\\$/;

/** Tokens after which a reader lets others work. */
const TOKENS_AT_ONCE = 500;

/** Reads a shell text a stretch at a time; a stretch ends after a line feed or is the last one. */
export class ShellReader {
  private current: ShellCommand = begin(null);
  private skipsNext = false;
  /** What comes next without a blank belongs to the value of an assignment. */
  private isInValue = false;
  /** The quote in which that value goes on. */
  private valueQuote: string | null = null;
  /** What comes next in that value is taken as it is. */
  private isEscaped = false;

  /** @param partsValues a quote parts the value of an assignment too, as it does everywhere else */
  constructor(private readonly partsValues = false) {}

  /** One that reads on from here the other way: a quote that a value opens and nothing closes would hide all that follows. */
  fork(): ShellReader {
    const other = new ShellReader(true);
    const { words, prefixes, switches, assignments } = this.current;
    const lists = {
      words: [...words],
      prefixes: [...prefixes],
      switches: [...switches],
      assignments: [...assignments],
    };
    other.current = { ...this.current, ...lists };
    other.skipsNext = this.skipsNext;
    return other;
  }

  /** The commands that end in a stretch, which begins at `offset` of the whole text; null after each few hundred tokens. */
  *read(stretch: string, offset: number): Generator<ShellCommand | null> {
    let tokens = 0;
    for (const match of stretch.matchAll(TOKEN)) {
      if ((tokens += 1) % TOKENS_AT_ONCE === 0) yield null;
      const from = offset + match.index;
      const isQuoted = /["']/.test(stretch[match.index - 1] ?? '');
      const word = { text: match[0], from, to: from + match[0].length, isQuoted };
      if (this.take(word)) yield* this.close(word);
    }
  }

  /** The command that the text ends with. */
  *end(): Generator<ShellCommand> {
    yield* this.close(null);
  }

  private *close(after: Word | null): Generator<ShellCommand> {
    const { current } = this;
    const isEmpty = current.words.length + current.prefixes.length + current.assignments.length === 0;
    // A pipe goes on behind a line break.
    this.current = begin(isEmpty && after?.text.startsWith('\n') && current.after ? current.after : after);
    this.skipsNext = false;
    this.isInValue = false;
    this.valueQuote = null;
    this.isEscaped = false;
    if (isEmpty) return;
    yield current;
    yield* innerCommand(current);
  }

  /** Whether a token ends the command before it. */
  private take(word: Word): boolean {
    const { current } = this;
    const token = word.text;
    if (this.isInValue) {
      const isValue = this.takeValue(word);
      if (isValue) return false;
    }
    if (token === '\\\n' || /^[^\S\n]+$/.test(token)) return false;
    // The text in quotes may be a command (`sh -c "…"`) or a word: it goes on as words of the same one.
    if (token === '"' || token === "'") return false;
    if (token === '<(' || token === '$(') {
      current.readsSubstitution = true;
      return true;
    }
    if (/^[<>]+$/.test(token)) return false;
    if (/^[|&;()<>`\n]+$/.test(token)) return true;
    if (current.words.length > 0) {
      if (PREFIXES.has(token) && token.startsWith('-')) return true;
      current.words.push(word);
    } else if (this.skipsNext) {
      this.skipsNext = false;
    } else if (current.prefixes.length > 0 && token.startsWith('-')) {
      current.switches.push(word);
      const prefix = nameOf(current.prefixes.at(-1)?.text ?? '');
      this.skipsNext = (TAKES_WORD.get(prefix) ?? TAKES_WORD_ELSE).test(token);
    } else if (current.prefixes.length > 0 && AMOUNT.test(token)) {
      return false;
    } else if (/^\w+=/.test(token)) {
      current.assignments.push(word);
      this.isInValue = !this.partsValues;
      this.isEscaped = ENDS_IN_ESCAPE.test(token);
    } else if (PREFIXES.has(nameOf(token))) {
      current.prefixes.push(word);
    } else {
      current.words.push(word);
      current.name = nameOf(token);
    }
    return false;
  }

  /** Takes a token that goes on with the value of an assignment; false where it ends before it, or a command stands in it. */
  private takeValue(word: Word): boolean {
    const { text } = word;
    if (text === '$(' || text === '`') return false;
    const isEscaped = this.isEscaped && this.valueQuote !== "'";
    this.isEscaped = false;
    if (text === this.valueQuote) {
      if (!isEscaped) this.valueQuote = null;
    } else if (this.valueQuote === null && !isEscaped && /^["']$/.test(text)) {
      this.valueQuote = text;
    } else if (this.valueQuote === null && !isEscaped && /^[\s|&;()<>]/.test(text)) {
      this.isInValue = false;
      return false;
    } else {
      this.current.assignments.push(word);
      this.isEscaped = ENDS_IN_ESCAPE.test(text);
    }
    return true;
  }
}

function begin(after: Word | null): ShellCommand {
  return { name: '', words: [], prefixes: [], switches: [], assignments: [], after, readsSubstitution: false };
}

/** What `sh -c` and the like run. */
function innerCommand(command: ShellCommand): ShellCommand[] {
  const at = command.words.findIndex((word) => /^-[a-z]*c$/.test(word.text));
  if (at < 0 || !/^(ba|z|da|k|fi|c|tc)?sh$/.test(command.name)) return [];
  const words = command.words.slice(at + 1);
  const [first] = words;
  return first ? [{ ...begin(null), name: nameOf(first.text), words }] : [];
}
