/** A shell text as a person skims it: commands with their words. No parser of shell: it is for warnings alone. */

export interface Word {
  text: string;
  /** Offsets in UTF-16 units, `to` excluded. */
  from: number;
  to: number;
  /** It begins behind a quote. */
  isQuoted: boolean;
  /** Which word of the shell it is, or a part of: in `-c "a b" c` the parts are of words 0, 1, 1 and 2. */
  at: number;
}

export interface Mark {
  /** Offsets in UTF-16 units, `to` excluded. */
  from: number;
  to: number;
}

/** From one word to another of a command, both included. */
export function span(first: Word, last: Word): Mark[] {
  return [{ from: Math.min(first.from, last.from), to: Math.max(first.to, last.to) }];
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

/** `NAME=`, `NAME+=` and `NAME[0]=`, with which an assignment begins. */
const ASSIGNS = /^\w+(?:\[[^\]]*\])?\+?=/;
/** Switches of `fd` that run what follows them, or begins in them, for each file or for all of them. */
const FD_RUNS = /^(?:--exec(?:-batch)?(?:=|$)|-[HIusigFalLp01q]*[xX])/;
const FD = new Set(['fd', 'fdfind']);

/** Tokens after which a reader lets others work. */
const TOKENS_AT_ONCE = 500;

/** Reads a shell text a stretch at a time; a stretch ends after a line feed or is the last one. */
export class ShellReader {
  private current: ShellCommand = begin(null);
  private skipsNext = false;
  private shellWords = new ShellWords();
  /** The word of the shell that assigns: what else is part of it belongs to the value. */
  private assigning: number | null = null;

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
    other.shellWords = this.shellWords.copy();
    return other;
  }

  /** The commands that end in a stretch, which begins at `offset` of the whole text; null after each few hundred tokens. */
  *read(stretch: string, offset: number): Generator<ShellCommand | null> {
    let tokens = 0;
    for (const match of stretch.matchAll(TOKEN)) {
      if ((tokens += 1) % TOKENS_AT_ONCE === 0) yield null;
      const from = offset + match.index;
      const isQuoted = /["']/.test(stretch[match.index - 1] ?? '');
      const text = match[0];
      const word = { text, from, to: from + text.length, isQuoted, at: this.shellWords.take(text) };
      if (!this.take(word)) continue;
      yield* this.close(word);
      const glued = gluedTo(word);
      if (glued) this.take(glued);
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
    this.shellWords = new ShellWords();
    this.assigning = null;
    if (isEmpty) return;
    yield current;
    yield* innerCommand(current);
  }

  /** Whether a token ends the command before it. */
  private take(word: Word): boolean {
    const { current } = this;
    const token = word.text;
    if (this.assigning !== null && this.takeValue(word)) return false;
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
      if (FD.has(current.name) && FD_RUNS.test(token)) return true;
      current.words.push(word);
    } else if (this.skipsNext) {
      this.skipsNext = false;
    } else if (current.prefixes.length > 0 && token.startsWith('-')) {
      current.switches.push(word);
      const prefix = nameOf(current.prefixes.at(-1)?.text ?? '');
      this.skipsNext = (TAKES_WORD.get(prefix) ?? TAKES_WORD_ELSE).test(token);
    } else if (current.prefixes.length > 0 && AMOUNT.test(token)) {
      return false;
    } else if (ASSIGNS.test(token)) {
      current.assignments.push(word);
      if (!this.partsValues) this.assigning = word.at;
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
    if (word.at !== this.assigning) {
      this.assigning = null;
      return false;
    }
    if (text !== '"' && text !== "'") this.current.assignments.push(word);
    return true;
  }
}

/** What `fd` runs and that stands in the switch itself: `rm` in `-xrm`. */
function gluedTo(word: Word): Word | null {
  const length = FD_RUNS.exec(word.text)?.[0].length ?? word.text.length;
  return length < word.text.length ? { ...word, text: word.text.slice(length), from: word.from + length } : null;
}

/** Numbers the words of one command as a shell parts them: no blank in quotes and none behind a backslash does. */
class ShellWords {
  private count = 0;
  private isInWord = false;
  private quote: '"' | "'" | "$'" | null = null;
  /** What comes next is taken as it is. */
  private isEscaped = false;
  /** A quote that comes next is `$'`, in which a backslash takes what follows it as it is. */
  private isBehindDollar = false;

  copy(): ShellWords {
    return Object.assign(new ShellWords(), this);
  }

  /** The number of the word that a token is part of; -1 where it parts words. */
  take(text: string): number {
    if (text === '\\\n') return this.isInWord ? this.count - 1 : -1;
    const isEscaped = this.isEscaped && this.quote !== "'";
    const { isBehindDollar } = this;
    this.isEscaped = false;
    this.isBehindDollar = false;
    if (this.quote === null && !isEscaped && /^[\s|&;()<>]/.test(text)) {
      this.isInWord = false;
      return -1;
    }
    if (!this.isInWord) this.count += 1;
    // Of several blanks a backslash takes the first one.
    this.isInWord = this.quote !== null || text.length === 1 || !/^\s/.test(text);
    if (text === '"' || text === "'") {
      if (this.quote === null && !isEscaped) this.quote = text === "'" && isBehindDollar ? "$'" : text;
      else if (!isEscaped && this.quote?.endsWith(text)) this.quote = null;
    } else {
      this.isEscaped = oddAtEnd(text, '\\', text.length);
      this.isBehindDollar = endsInDollar(text);
    }
    return this.count - 1;
  }
}

/** Whether a text ends, at `end`, in an odd number of a character. */
function oddAtEnd(text: string, character: string, end: number): boolean {
  let from = end;
  while (text[from - 1] === character) from -= 1;
  return (end - from) % 2 === 1;
}

/** Whether the `$` at the end is one that begins something: neither escaped nor the second of `$$`. */
function endsInDollar(text: string): boolean {
  let from = text.length;
  while (text[from - 1] === '$') from -= 1;
  return (text.length - from - (oddAtEnd(text, '\\', from) ? 1 : 0)) % 2 === 1;
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
