/**
 * Where the scripts of `sed` and `awk`, and the switches of `tar`, start programs (docs/specs/safety.md C2). Read as a person skims
 * them, for warnings alone. Linear: a script of `sed` is read once, of `awk` each look has a bound.
 */

import type { ShellCommand, Word } from './shell-words';

const SEDS = new Set(['sed', 'gsed']);
const AWKS = new Set(['awk', 'gawk', 'mawk', 'nawk']);
const TARS = new Set(['tar', 'gtar', 'bsdtar']);
/** Switches of `tar` that name a program of one's own; to compress it names one that does just that. */
const TAR_RUNS = /^(?:--(?:checkpoint-action=['"]?exec|to-com|info-s|new-v|rsh-c|rmt-c)|-F)/;
const TAR_COMPRESSES = /^(?:-[a-zA-Z]*I|--use-c[a-z-]*)$/;
/** The same with its program glued to it. */
const TAR_COMPRESSES_BY = /^(?:-[a-zA-Z]*?I|--use-c[a-z-]*=)(.+)$/;
/** What compresses, and nothing else. */
const COMPRESSOR =
  /^(?:\S*\/)?(?:pigz|unpigz|p?zstd(?:mt)?|unzstd|gzip|gunzip|xz|unxz|pixz|lz4|lzop|lzma|lzip|plzip|[pl]?bzip2|brotli)$/;

/** Behind it stands a script. */
const SCRIPT_SWITCH = /^(?:-[nrEsuz]*e|--expression=?)$/;
/** It names a file that holds the script. */
const FILE_SWITCH = /^(?:-[nrEsuz]*f|--file)/;
/** Words of a call of `sed` before its script. */
const MOST_WORDS = 12;

/** Longer words are no switches of these. */
const MOST_CHARS = 40;

/** Whether the next word of a command is a script of `sed`. */
function expectsSedScript({ name, words }: ShellCommand): boolean {
  if (!SEDS.has(name)) return false;
  if (SCRIPT_SWITCH.test(words.at(-1)?.text.slice(0, MOST_CHARS) ?? '')) return true;
  if (words.length > MOST_WORDS) return false;
  const switches = words.slice(1).map(({ text }) => text.slice(0, MOST_CHARS));
  return switches.every(
    (text) => text.startsWith('-') && !FILE_SWITCH.test(text) && !/^(?:-[nrEsuz]*e|--exp)/.test(text),
  );
}

/** Whether a word without quotes is, or holds, a script of `sed` that starts a program. */
export function startsInWord(command: ShellCommand, { text }: Word): boolean {
  if (!SEDS.has(command.name)) return false;
  const glued = /^(?:-[nrEsuz]*e(?=.)|--expression=(?=.))/.exec(text)?.[0].length;
  if (glued !== undefined) return startsBySed(asGiven(text.slice(glued)));
  return !text.startsWith('-') && expectsSedScript(command) && startsBySed(asGiven(text));
}

/** Whether a quote that was just opened, up to its end or that of its line, is a script of `sed` that starts a program. */
export function startsInQuote(command: ShellCommand, line: string, from: number, quote: string): boolean {
  if (!expectsSedScript(command)) return false;
  let to = from;
  while (to < line.length && line[to] !== quote) to += quote === '"' && line[to] === '\\' ? 2 : 1;
  const script = line.slice(from, to);
  return startsBySed(quote === '"' ? asGiven(script) : script);
}

/** What the program is given of a text that is not in single quotes: a variable may hold a number, and is one here. */
function asGiven(script: string): string {
  return script.replace(/\\([$"`\\])|\$(?:\{[^}$]{0,100}\}|\w+)/g, (_, escaped?: string) => escaped ?? '0');
}

/** Whether a script of `sed` has the command `e`, or `s///e`. */
function startsBySed(script: string): boolean {
  for (let at = 0; at < script.length; at += 1) {
    at = behindAddress(script, at);
    const command = script[at] ?? '';
    if (command === 'e') return true;
    if (command === 's' || command === 'y') {
      const delimiter = script[at + 1] ?? '';
      const end = behindPart(script, behindPart(script, at + 2, delimiter), delimiter);
      const flags = /[gpiImMe\d]*/y;
      flags.lastIndex = end;
      const found = flags.exec(script)?.[0] ?? '';
      // Without its third delimiter it is no such command.
      if (command === 's' && found.includes('e') && script[end - 1] === delimiter) return true;
      at = end + found.length - 1;
    } else if (/[aicrRwWbtT:#]/.test(command)) {
      const ends = /[btT}]/.test(command) ? /[;\n]/ : /\n/;
      while (at < script.length && !ends.test(script[at] ?? '')) at += 1;
    }
  }
  return false;
}

/** Where the command stands behind its addresses: `1,/x/!`. */
function behindAddress(script: string, from: number): number {
  let at = from;
  while (at < script.length) {
    const character = script[at] ?? '';
    if (character === '/') at = behindPart(script, at + 1, '/');
    else if (character === '\\') at = behindPart(script, at + 2, script[at + 1] ?? '');
    else if (/[\s\d$,!~+;{}IM]/.test(character)) at += 1;
    else break;
  }
  return at;
}

function behindPart(script: string, from: number, delimiter: string): number {
  let at = from;
  while (at < script.length && script[at] !== delimiter) at += script[at] === '\\' ? 2 : 1;
  return at + 1;
}

/** Characters before a pipe of a script that are looked at. */
const LOOK_BACK = 200;
const PRINTS = /(?:^|[^\w.])printf?(?![\w.])[^;{}]*$/;
const READS = /\|&?[ \t]*getline(?!\w)/y;
const TO_NAME = /\|&?[ \t]*(?:\\?"|[\w(])/y;

/** Whether a script of `awk` starts a program at a bracket or a pipe of a line. */
export function startsInAwk(line: string, at: number): boolean {
  if (line[at] === '(') return /(?:^|\W)system[ \t]*$/.test(line.slice(Math.max(0, at - 20), at));
  if (line[at] !== '|' || line[at + 1] === '|') return false;
  READS.lastIndex = at;
  if (READS.test(line)) return true;
  TO_NAME.lastIndex = at;
  const [to] = TO_NAME.exec(line) ?? [];
  if (to === undefined) return false;
  // In quotes of its own it is a text of the script: `print a "|" b`.
  const pieces = line.slice(Math.max(0, at - LOOK_BACK), at).split(to.endsWith('\\"') ? '\\"' : '"');
  return pieces.length % 2 === 1 && PRINTS.test(pieces.filter((_, place) => place % 2 === 0).join(''));
}

export function isAwk({ name }: ShellCommand): boolean {
  return AWKS.has(name);
}

/** The word of `tar` that names a program. */
export function startsByTar({ name, words }: ShellCommand): Word | undefined {
  if (!TARS.has(name)) return undefined;
  return words.find(({ text }, at) => {
    const before = words[at - 1]?.text ?? '';
    if (TAR_COMPRESSES.test(before)) return !COMPRESSOR.test(text);
    const [, by] = TAR_COMPRESSES_BY.exec(text) ?? [];
    if (by !== undefined && !COMPRESSOR.test(by)) return true;
    return TAR_RUNS.test(text) || (before === '--checkpoint-action' && text.startsWith('exec'));
  });
}
