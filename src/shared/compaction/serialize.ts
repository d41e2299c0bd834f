import {
  CUT_OFF,
  endOfCall,
  toldAtCall,
  toldToModels,
  withoutEndNote,
  wordsInResult,
  type KnownEnd,
} from '../policy/call-outcome';
import { ranInstead, tellsEdited, tellsPerhapsEdited } from '../edited-command';
import type { ContentBlock, ProjectedMessage, ToolResultMessage } from '../session/records/entry';
import { escapeBreaks, escapeMarks, plainName, stripTagBlocks } from '../session/records/own-marks';
import { isSent } from '../session/records/estimate';
import {
  blocksOf,
  fileMentionText,
  isImage,
  isMissingImage,
  isText,
  MISSING_IMAGE,
  isOfExtension,
  saidIn,
  textOf,
} from '../session/records/message-text';
import { isRecord } from '../checks';
import { endsOf } from '../cut-text';
import { type AnsweredCall, answeredCalls, type EndOf, isCutOff, isResult } from './call-results';
import { sameAgain, toldEdit, withPathsOnce } from './told-calls';

export interface SerializeOptions {
  /** Thinking goes in too (`compaction.includeThinking`). */
  includeThinking?: boolean;
  /** Characters of a tool result or command output that stay (`compaction.toolResultChars`). */
  toolResultChars?: number;
}

/** How one group is told. */
export interface GroupOptions extends SerializeOptions {
  /** What became of the call of a result: an edit of the view may have taken its words. */
  endOf?: EndOf;
  /** The results are not told themselves, but for the person's words in them: each call says what became of it. */
  isAlone?: boolean;
  /** What is known of calls whose results are not in the group, by their ids; null: the result is told with a later one. */
  known?: ReadonlyMap<string, KnownEnd | null>;
}

export const DEFAULT_TOOL_RESULT_CHARS = 2000;
/** To leave out less says less than the note in its place. */
const LEAST_CUT = 60;
/** Share of a result that stays at its head: errors stand at the end. */
const RESULT_HEAD = 0.6;
/** Share of the limit that a file has which was read: it can be read again, and is the most of a request. */
const READ_SHARE = 0.4;

/** Characters of a tool's result that stay (SU22). @param limit `compaction.toolResultChars` */
export function keptOfResult(tool: string, limit: number): number {
  return tool === 'read' ? Math.ceil(limit * READ_SHARE) : limit;
}

/** What is told of one message. */
export interface Told {
  /** Texts with a mark of their own each; none where it has nothing to say. */
  pieces: readonly string[];
  /** Where the same call gave the same before in a request: what is told then. */
  again?: { call: string; answer: string; pieces: readonly string[] };
}

/**
 * Tells the groups of messages (see `MessageGroups`) of one conversation, in their order, as the text of a summary request (SU15 to SU24).
 * Nothing in them can pose as a line of ours (SU14); the caller escapes section tags.
 */
export class Teller {
  /** Calls whose results did not come with their reply, by their ids, newest last. */
  private readonly open = new Map<string, AnsweredCall[]>();

  /** @param digest of what a call answered: equal where that is. Where it is not given the text is kept. */
  constructor(private readonly digest: (text: string) => string = (text) => text) {}

  /** What is told of each message of the next group. O(group). */
  tell(group: readonly ProjectedMessage[], options: GroupOptions = {}): Told[] {
    const [reply, ...behind] = group;
    const calls = reply?.role === 'assistant' ? answeredCalls(reply, behind) : [];
    const callOf = new Map(calls.flatMap((call) => (call.result ? [[call.result, call] as const] : [])));
    const told = group.map((message) => {
      if (!isSent(message)) return { pieces: [] };
      if (message.role === 'assistant') return { pieces: replyParts(message, calls, options) };
      if (isResult(message)) return this.result(message, callOf.get(message) ?? this.late(message), options);
      return { pieces: otherParts(message, limitOf(options)).filter((piece) => piece !== '') };
    });
    for (const call of calls) if (!call.result) this.leaveOpen(call);
    return told;
  }

  private leaveOpen(call: AnsweredCall): void {
    const calls = this.open.get(call.id);
    if (calls) calls.push(call);
    else this.open.set(call.id, [call]);
  }

  /** A result that came after another reply belongs to the nearest earlier call with its id that has none (CX9). */
  private late({ toolCallId }: ToolResultMessage): AnsweredCall | undefined {
    return this.open.get(textOf(toolCallId))?.pop();
  }

  private result(message: ToolResultMessage, call: AnsweredCall | undefined, options: GroupOptions): Told {
    const said = wordsInResult(message);
    const words = said ? [part('[User]: ', escapeMarks(said.why))] : [];
    if (options.isAlone === true) return { pieces: words };
    const blocks = blocksOf(message.content);
    const number = call?.number ? ` ${call.number}` : '';
    const end = (options.endOf ?? endOfCall)(message);
    const outcome = toldToModels(end);
    const name = plainName(call?.name ?? textOf(message.toolName));
    const text = said
      ? `Nothing was done.${said.rest}`
      : withoutEndNote(textsOf(blocks).join('\n').trimEnd(), message).trimEnd();
    // The call says what it changed; what the tool says of it is that it did.
    if (name === 'edit' && end.outcome === 'ran' && !/\n./s.test(text) && !blocks.some(isImage)) return { pieces: [] };
    const mark = `[Tool result${number}: ${name}${outcome === '' ? '' : `, ${outcome}`}]: `;
    const cut = cutText(PRINTS_PATHS.has(name) ? withPathsOnce(text) : text, keptOfResult(name, limitOf(options)));
    const told = beginsWithEdit(message, text) ? cut.replace(/^\\/, '') : cut;
    const pieces = [part(mark, withImages(told, blocks)), ...words].filter((piece) => piece !== '');
    const note = call ? sameAgain(name, told, text.length) : null;
    if (!call || note === null) return { pieces };
    const named = [part(mark, withImages(note, blocks)), ...words];
    // What is left out of it, and its pictures, may differ.
    const answer = this.digest(JSON.stringify([mark, text, blocks.filter(isImage).map(({ data }) => data)]));
    return { pieces, again: { call: this.digest(`${name} ${JSON.stringify(call.arguments)}`), answer, pieces: named } };
  }
}

/** Tools that print lines behind the paths of their files. */
const PRINTS_PATHS = new Set(['grep', 'bash']);

function limitOf({ toolResultChars }: SerializeOptions): number {
  return toolResultChars ?? DEFAULT_TOOL_RESULT_CHARS;
}

/** What was said by somebody else than the model and its tools. */
function otherParts(message: ProjectedMessage, limit: number): string[] {
  const fields: Record<string, unknown> = { ...message };
  switch (message.role) {
    case 'bashExecution':
      return ranParts('bash', `Ran \`${escapeMarks(textOf(fields.command))}\``, fields, limit);
    case 'pythonExecution':
      return ranParts('python', `Ran Python \`${escapeMarks(textOf(fields.code))}\``, fields, limit);
    case 'compactionSummary':
    case 'branchSummary':
      return [part('[Summary of earlier work]: ', escapeMarks(stripTagBlocks(textOf(fields.summary))))];
    case 'fileMention':
      return [part(NAMED_FILE, escapeMarks(fileMentionText(fields.files)))];
    case 'user':
      return saidParts(blocksOf(fields.content), limit, isOfExtension(message) ? '[Note: extension]: ' : '[User]: ');
    default: {
      const blocks = blocksOf(fields.content);
      const text = withImages(escapeMarks(textsOf(blocks).join('')), blocks);
      return [part(`[Note: ${plainName(textOf(fields.customType) || message.role)}]: `, text)];
    }
  }
}

const NAMED_FILE = '[Tool result: read, named by the person]: ';

/** What the person said, and apart from it what they sent with it: a file is not their words, nor is a skill that they called. */
function saidParts(blocks: readonly ContentBlock[], limit: number, mark: string): string[] {
  const said: string[] = [];
  const files: string[] = [];
  for (const text of textsOf(blocks)) {
    const { words, sent } = saidIn(text);
    if (sent?.kind !== 'file') said.push(words);
    if (sent) files.push(sent.kind === 'file' ? `${sent.name}\n${sent.text}` : sent.text);
  }
  const most = keptOfResult('read', limit);
  return [
    part(mark, withImages(escapeMarks(said.join('')), blocks)),
    ...files.map((file) => NAMED_FILE + cutText(file.trimEnd(), most)),
  ];
}

/** A longer text with its head and tail around a note of what is missing; never inside a surrogate pair (SU22). Escaped (SU14). */
export function cutText(text: string, limit: number): string {
  if (text.length <= limit + LEAST_CUT) return escapeMarks(text);
  const ends = endsOf(text, Math.ceil(limit * RESULT_HEAD), limit - Math.ceil(limit * RESULT_HEAD));
  const note = `[... ${ends.missing} more characters truncated ...]`;
  return [escapeMarks(ends.head), note, escapeMarks(ends.tail)].filter((piece) => piece !== '').join('\n\n');
}

function replyParts(message: ProjectedMessage, calls: readonly AnsweredCall[], options: GroupOptions): string[] {
  const blocks = 'content' in message ? blocksOf(message.content) : [];
  const thinking = blocks.flatMap((block) => (block.type === 'thinking' ? [textOf(block.thinking)] : []));
  const isBroken = isCutOff(message);
  const told = calls.map((call) => callText(call, isBroken, options));
  return [
    options.includeThinking === true
      ? part('[Assistant thinking]: ', escapeMarks(thinking.filter((text) => text !== '').join('\n')))
      : '',
    part(
      isBroken ? '[Assistant, cut off]: ' : '[Assistant]: ',
      withImages(escapeMarks(textsOf(blocks).join('\n')), blocks),
    ),
    part('[Assistant tool calls]: ', joinCalls(told)),
  ].filter((text) => text !== '');
}

/** Calls behind each other; one with lines of its own ends with them. */
function joinCalls(told: readonly string[]): string {
  return told.reduce((all, call, at) => all + (at === 0 ? '' : told[at - 1]?.includes('\n') ? '\n' : '; ') + call, '');
}

/** A call, and what became of it where its result doesn't say so: it is not told, or is not here (SU19). */
function callText(call: AnsweredCall, isBroken: boolean, options: GroupOptions): string {
  const { name, arguments: given, number, result } = call;
  const place = number === null ? '' : `${number}. `;
  const known = knownEnd(call, isBroken, options);
  const isDone = known?.end ? known.end.outcome === 'ran' : true;
  // Elsewhere the result itself says how the call ended, and what ran in its place.
  const isToldThere = known === null || (result !== null && options.isAlone !== true && tellsWhatRan(result));
  const note = isToldThere ? '' : escapeMarks(toldAtCall(known));
  const edit = name === 'edit' && isRecord(given) ? toldEdit(given, isDone) : null;
  const words = `${place}${plainName(name)}(${argumentsText(edit ? edit.rest : given, isDone)})`;
  return `${words}${note === '' ? '' : ` [${note}]`}${edit ? `\n${edit.lines}` : ''}`;
}

/** What is known of a call; null: its result is told with a later reply. */
function knownEnd({ id, result }: AnsweredCall, isBroken: boolean, options: GroupOptions): KnownEnd | null {
  if (result) return { end: (options.endOf ?? endOfCall)(result), ran: ranInstead(result.details) };
  const known = options.known?.get(id);
  if (known === null) return null;
  return { end: known?.end ?? (isBroken ? CUT_OFF : null), ran: known?.ran ?? null };
}

/** True for a text that begins with what we say of a command that the person changed: in the text of any other such a line is escaped. */
function beginsWithEdit({ details }: ToolResultMessage, text: string): boolean {
  const ran = ranInstead(details);
  return ran !== null && [tellsEdited(ran), tellsPerhapsEdited(ran)].some((sentence) => text.startsWith(sentence));
}

/** True for a result that tells the command that ran, unless it is the call's own: an edit of the view may have taken that away. */
function tellsWhatRan({ details, content }: ToolResultMessage): boolean {
  const ran = ranInstead(details);
  if (ran === null) return true;
  const [text = ''] = textsOf(blocksOf(content));
  return [tellsEdited(ran), tellsPerhapsEdited(ran)].some((sentence) => text.includes(sentence));
}

function argumentsText(value: unknown, isDone: boolean): string {
  if (!isRecord(value)) return '';
  const told = Object.entries(value).map(
    ([key, argument]) => `${plainName(key)}=${JSON.stringify(shortened(argument, key, isDone))}`,
  );
  // JSON leaves some line breaks as they are: what stands behind one would be a line, and could read as a call.
  return escapeMarks(escapeBreaks(told.join(', ')));
}

/** Characters of an argument above which it is cut, and what stays of it (SU20). */
const ARGUMENT = { most: 1000, head: 600, tail: 300 };
/** What an edit replaced is of less use than what it wrote, and so is all that was not done. */
const LESS = { most: 400, head: 200, tail: 100 };
const OLD_TEXTS = new Set(['oldText', 'oldString']);

/** An argument whose long strings keep their ends, at any depth. */
function shortened(value: unknown, key: string, isDone: boolean): unknown {
  if (typeof value === 'string') {
    const { most, head, tail } = isDone && !OLD_TEXTS.has(key) ? ARGUMENT : LESS;
    if (value.length <= most) return value;
    const ends = endsOf(value, head, tail);
    return `${ends.head}[... ${ends.missing} characters ...]${ends.tail}`;
  }
  if (Array.isArray(value)) return value.map((item) => shortened(item, key, isDone));
  if (!isRecord(value)) return value;
  // Entries, for a name such as `__proto__` is a key like others.
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shortened(inner, name, isDone)]));
}

/** What the person ran is theirs; what it printed is not. */
function ranParts(name: string, words: string, run: Record<string, unknown>, limit: number): string[] {
  const output = textOf(run.output);
  const notes = [
    run.cancelled === true ? '(cancelled)' : '',
    typeof run.exitCode === 'number' && run.exitCode !== 0 ? `(exit code ${run.exitCode})` : '',
  ].filter((note) => note !== '');
  const printed = [output === '' ? '(no output)' : cutText(withPathsOnce(output), limit), ...notes].join('\n');
  return [`[User]: ${words}`, `[Tool result: ${name}, run by the person]: ${printed}`];
}

function textsOf(blocks: readonly ContentBlock[]): string[] {
  return blocks.filter(isText).map(({ text }) => text);
}

/** Images by kind and size, because a summary request takes none. */
function withImages(text: string, blocks: readonly ContentBlock[]): string {
  const images = blocks.filter(isImage).map((image) => {
    if (isMissingImage(image)) return MISSING_IMAGE;
    const { mimeType, data } = image;
    const kilobytes = Math.max(1, Math.round((data.length * 3) / 4 / 1024));
    return `[image: ${plainName(textOf(mimeType))}, ${kilobytes} KB]`;
  });
  return [text, ...images].filter((line) => line !== '').join('\n');
}

function part(prefix: string, text: string): string {
  return text === '' ? '' : prefix + text;
}
