/** Tool calls in words, for approval cards and the transcript (TS2). */

import { own } from '../checks';
import { isDeeper, MAX_DEPTH } from '../session/records/check-entry';
import { visibleString } from './visible-text';

export interface ToolCallDescription {
  /** Past tense for the transcript: "read", "ran", "edited". */
  verb: string;
  /** Imperative for a card that asks: "Read", "Run", "Edit". */
  ask: string;
  /** One line, in visible form already. */
  target: string;
  /** What that line is made from, exactly, in as many characters as there are. */
  whole: string;
}

type Args = Readonly<Record<string, unknown>>;

const MAX_TARGET_CHARS = 200;

function text(args: Args, key: string): string | undefined {
  const value = args[key];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function positive(args: Args, key: string): number | undefined {
  const value = args[key];
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? Math.floor(value) : undefined;
}

/**
 * One line in visible form: what hides in a target is written out, blanks stay as many as they are, line breaks are a sign
 * (docs/specs/safety.md C1).
 */
function clip(target: string): string {
  const source = target.slice(0, MAX_TARGET_CHARS * 20).replace(/ ?\r?\n[\r\n ]*/g, ' ⏎ ');
  // Twice what is shown is enough to count what repeats, and little enough for thousands of calls.
  const line = visibleString(
    source.length > MAX_TARGET_CHARS * 2 ? `${source.slice(0, MAX_TARGET_CHARS * 2)}…` : source,
  );
  return line.length > MAX_TARGET_CHARS ? `${line.slice(0, MAX_TARGET_CHARS - 1)}…` : line;
}

function readTarget(args: Args): string {
  const path = text(args, 'path') ?? 'a file';
  const offset = positive(args, 'offset');
  const limit = positive(args, 'limit');
  if (offset === undefined && limit === undefined) return path;
  const first = offset ?? 1;
  return limit === undefined ? `${path}:${first}-` : `${path}:${first}-${first + limit - 1}`;
}

function searchTarget(args: Args): string {
  const pattern = text(args, 'pattern') ?? '';
  const where = text(args, 'path') ?? text(args, 'glob');
  return where === undefined ? pattern : `${pattern} in ${where}`;
}

/** The arguments that the words of a call say; what a file is written with stands in its diff. */
const SAID: Readonly<Record<string, readonly string[]>> = {
  read: ['path', 'offset', 'limit'],
  write: ['path', 'content'],
  edit: ['path', 'edits', 'oldText', 'newText'],
  bash: ['command', 'timeout'],
  grep: ['pattern', 'path'],
  find: ['pattern', 'path'],
};

/** All that a call was made with (docs/specs/safety.md C1): its words where they say all of it, else its name and arguments. */
export function wholeCall(name: string, args: unknown, words: string): string {
  const given = Object.entries(args !== null && typeof args === 'object' ? args : {});
  const said = own(SAID, name) ?? [];
  const isAll = given.every(([key, value]) => said.includes(key) || value === words);
  if (isAll) return words;
  // No entry of a session is (safety A3); a row must not end in a full stack whatever it is made of.
  if (args !== null && typeof args === 'object' && isDeeper(args, MAX_DEPTH))
    return `${name} (arguments nested more than ${MAX_DEPTH} levels deep)`;
  return `${name} ${JSON.stringify(args, null, 2)}`;
}

function inWords(verb: string, ask: string, whole: string): ToolCallDescription {
  return { verb, ask, target: clip(whole), whole };
}

function folderTarget(args: Args): string {
  const path = text(args, 'path')?.trim() ?? '';
  return ['', '.', './'].includes(path) ? 'the workspace' : path;
}

/**
 * A call in words: `{verb: "read", target: "src/app.ts:1-80"}`, `{verb: "ran", target: "npm test"}`. Takes any
 * arguments, also half-streamed ones; the target is one line of at most 200 characters.
 */
export function describeToolCall(name: string, rawArgs: unknown): ToolCallDescription {
  const args: Args = rawArgs !== null && typeof rawArgs === 'object' ? (rawArgs as Args) : {};
  switch (name) {
    case 'read':
      return inWords('read', 'Read', readTarget(args));
    case 'write':
      return inWords('wrote', 'Write', text(args, 'path') ?? 'a file');
    case 'edit':
      return inWords('edited', 'Edit', text(args, 'path') ?? 'a file');
    case 'bash':
      return inWords('ran', 'Run', text(args, 'command') ?? 'a command');
    case 'grep':
      return inWords('searched for', 'Search for', searchTarget(args));
    case 'find':
      return inWords('looked for files', 'Look for files', searchTarget(args));
    case 'ls':
      return inWords('listed', 'List', folderTarget(args));
    case 'recall':
      return inWords('recalled', 'Recall', text(args, 'query') ?? 'this session');
    default:
      return inWords('used', 'Use', name === '' ? 'a tool' : name);
  }
}
