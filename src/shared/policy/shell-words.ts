/** A shell text as a person skims it: commands with their words. No parser of shell: it is for warnings alone. */

export interface Word {
  text: string;
  /** Offsets in UTF-16 units, `to` excluded. */
  from: number;
  to: number;
}

export interface ShellCommand {
  /** What is run, without its folder: `rm` for `/bin/rm`. */
  name: string;
  /** The command itself, then what follows it. */
  words: Word[];
  /** Words such as `sudo` and `env` before it. */
  prefixes: Word[];
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
  'sudo doas env time nohup exec xargs command builtin then do else if while until ! nice ionice stdbuf timeout watch parallel -exec -execdir -ok busybox setsid'.split(
    ' ',
  ),
);
/** Switches of those that take a word. */
const TAKES_WORD = /^-[ugnIPLUCsk]$/;

/** The last part of a path. */
export function nameOf(text: string): string {
  return text.slice(text.lastIndexOf('/') + 1);
}

/** The commands of a shell text in order. Linear in its length. */
export function commandsOf(text: string): ShellCommand[] {
  const commands: ShellCommand[] = [];
  let current: ShellCommand = begin(null);
  let skipsNext = false;
  const close = (after: Word | null): void => {
    if (current.words.length > 0 || current.prefixes.length > 0 || current.assignments.length > 0)
      commands.push(current);
    current = begin(after);
    skipsNext = false;
  };
  for (const match of text.matchAll(TOKEN)) {
    const [token] = match;
    const word = { text: token, from: match.index, to: match.index + token.length };
    if (token === '\\\n' || /^[^\S\n]+$/.test(token)) continue;
    if (token === '"' || token === "'") {
      // The text in quotes may be a command (`sh -c "…"`) or a word: it goes on as words of the same one.
      continue;
    }
    if (token === '<(' || token === '$(') {
      current.readsSubstitution = true;
      close(word);
    } else if (/^[<>]+$/.test(token)) {
      continue;
    } else if (/^[|&;()<>`\n]+$/.test(token)) {
      close(word);
    } else if (current.words.length > 0) {
      if (PREFIXES.has(token) && token.startsWith('-')) close(word);
      else current.words.push(word);
    } else if (skipsNext) {
      skipsNext = false;
    } else if (current.prefixes.length > 0 && token.startsWith('-')) {
      skipsNext = TAKES_WORD.test(token);
    } else if (/^\w+=/.test(token)) {
      current.assignments.push(word);
    } else if (PREFIXES.has(nameOf(token))) {
      current.prefixes.push(word);
    } else {
      current.words.push(word);
      current.name = nameOf(token);
    }
  }
  close(null);
  return [...commands, ...commands.flatMap((command) => innerCommand(command))];
}

function begin(after: Word | null): ShellCommand {
  return { name: '', words: [], prefixes: [], assignments: [], after, readsSubstitution: false };
}

/** What `sh -c` and the like run. */
function innerCommand(command: ShellCommand): ShellCommand[] {
  const at = command.words.findIndex((word) => /^-[a-z]*c$/.test(word.text));
  if (at < 0 || !/^(ba|z|da|k|fi|c|tc)?sh$/.test(command.name)) return [];
  const words = command.words.slice(at + 1);
  const [first] = words;
  return first ? [{ ...begin(null), name: nameOf(first.text), words }] : [];
}
