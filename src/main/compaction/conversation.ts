import { createHash } from 'node:crypto';
import { addFileOps, addGroupFiles, type FileOps, noFileOps, type PathPlace } from '@shared/compaction/file-activity';
import { fitPart, fitPrefix, foldHistory, type TextPart } from '@shared/compaction/request-body';
import { callsOf, isResult, MessageGroups, type ReplyCall } from '@shared/compaction/call-results';
import { type SerializeOptions, Teller, type Told } from '@shared/compaction/serialize';
import { endOfCall, NEVER_MADE, type CallEnd, type KnownEnd } from '@shared/policy/call-outcome';
import { ranInstead } from '@shared/edited-command';
import { isSilence, NO_ANSWER } from '@shared/silence';
import type { ProjectedMessage, ToolResultMessage } from '@shared/session/records/entry';
import { estimateText } from '@shared/session/records/estimate';
import { isOfExtension, textOf } from '@shared/session/records/message-text';
import { projectEntry } from '@shared/session/messages/projection';
import { parseRecord } from '@shared/session/records/records';
import { applyEdit, type ViewEdit } from '@shared/session/messages/view-edits';
import type { FoundEnds } from './end-finder';

export type Section = 'history' | 'prefix';

/** One entry as it crosses to the worker: the exact line of the file, so that main parses nothing. */
export interface SourceLine {
  line: string;
  /** Unix milliseconds. */
  timeMs: number;
  edit?: ViewEdit;
  /** Raw tokens that its text may take; absent: all of it. */
  limit?: number;
  /** Messages that are left out right before it; a marker says so. */
  gap?: number;
  /** What it is told behind did not stand before it: it was picked out of what a summary tells. */
  isApart?: boolean;
  /** Ids of its calls that ran and did not fail, for who asks about files alone (FA1). */
  done?: ReadonlySet<string>;
  /** Ids of its calls that are known not to have been made, for who asks about commands. */
  notMade?: ReadonlySet<string>;
  /** It is there for the call that it answers, and is not told itself. */
  isMute?: boolean;
  /** What is known of its calls that no other line answers. */
  ends?: FoundEnds;
}

/** What the calls of some lines did to files (FA1). */
export interface Activity {
  files: FileOps;
  /** Commands ran: what they changed nobody knows. */
  hasCommands: boolean;
}

/** How messages are told, and where their paths begin. */
export interface ConversationOptions extends SerializeOptions {
  place: PathPlace;
}

/** Texts of the requests of one compaction. */
export interface ConversationTexts {
  /** History, in as many parts as the budget asks for; empty if there is none. */
  windows: string[];
  /** The beginning of a divided turn, or an empty string. */
  prefix: string;
  files: FileOps;
}

/** A message, and how much of it is told. */
interface Heard extends Pick<SourceLine, 'limit' | 'isMute' | 'isApart'> {
  message: ProjectedMessage;
  /** What became of the call that it answers: read before an edit of the view took its words. */
  end: CallEnd | null;
  /** What is known of its calls that no other message answers (SU19). */
  known?: ReadonlyMap<string, KnownEnd | null>;
  gap: number;
  timeMs: number;
}

const heardGroups = (): MessageGroups<Heard> => new MessageGroups(({ message }) => message);

/** The messages of one compaction as text, gathered line by line (SU15 to SU26, FA1). */
export class Conversation {
  private readonly parts: Record<Section, TextPart[]> = { history: [], prefix: [] };
  private readonly groups: Record<Section, MessageGroups<Heard>> = { history: heardGroups(), prefix: heardGroups() };
  private readonly tellers: Record<Section, Teller> = { history: new Teller(digest), prefix: new Teller(digest) };
  /** When the prompt came that was told last, if nothing was told since. */
  private readonly lastPrompt: Record<Section, number | null> = { history: null, prefix: null };
  private readonly files: FileOps;
  /** Calls whose results may come after another reply (CX9). */
  private readonly open: Record<Section, Map<string, ReplyCall[]>> = { history: new Map(), prefix: new Map() };

  constructor(private readonly options: ConversationOptions) {
    this.files = noFileOps(options.place);
  }

  /** Adds lines in path order. Lines that are no messages add nothing. */
  add(section: Section, lines: readonly SourceLine[]): void {
    for (const { limit, isMute, isApart, gap = 0, ends, ...source } of lines) {
      const { message, plain } = messagesOf(source);
      const end = isResult(plain) ? endOfCall(plain) : null;
      const heard = {
        message,
        end,
        limit,
        isMute,
        isApart,
        gap,
        timeMs: source.timeMs,
        ...(ends ? { known: knownOf(ends) } : {}),
      };
      for (const group of this.groups[section].add(heard)) this.tell(section, group);
    }
  }

  private tell(section: Section, group: readonly Heard[]): void {
    const messages = group.map(({ message }) => message);
    const ends = new Map<ProjectedMessage, CallEnd | null>(group.map(({ message, end }) => [message, end]));
    const endOf = (result: ToolResultMessage): CallEnd => ends.get(result) ?? endOfCall(result);
    const known = group[0]?.known;
    addGroupFiles(this.files, messages, endOf, known, this.open[section]);
    const told = this.tellers[section].tell(messages, {
      ...this.options,
      endOf,
      known,
      isAlone: group.some(({ isMute }) => isMute === true),
    });
    for (const [index, heard] of group.entries()) {
      const { message, limit, gap, isMute = false } = heard;
      if (gap > 0) this.parts[section].push(gapPart(gap));
      if (this.isAfterSilence(section, heard)) this.parts[section].push(notePart(`[Note: no answer]: ${NO_ANSWER}`));
      if (!told[index]?.pieces.length || isMute) continue;
      const { role } = message;
      this.parts[section].push({
        ...textOfTold(told[index], limit),
        isUser: role === 'user' && !isOfExtension(message),
        isGroupStart: role !== 'toolResult',
      });
    }
  }

  /** Whether a prompt comes some time after another to which no answer is told (TS6). */
  private isAfterSilence(section: Section, { message, gap, isApart = false, timeMs }: Heard): boolean {
    const isPrompt = message.role === 'user';
    const before = gap > 0 || isApart || !isPrompt ? null : this.lastPrompt[section];
    this.lastPrompt[section] = isPrompt && !isApart ? timeMs : null;
    return before !== null && isSilence(before, timeMs);
  }

  /** The texts for a budget of raw tokens a request. May be asked again with a smaller one; no line comes after it. */
  texts(budget: number): ConversationTexts {
    for (const section of ['history', 'prefix'] as const)
      for (const group of this.groups[section].end()) this.tell(section, group);
    const { history, prefix } = this.parts;
    return { windows: foldHistory(history, budget), prefix: fitPrefix(prefix, budget), files: this.files };
  }
}

/** What is known of calls: what a result elsewhere says, that one can't have begun, what the person put in its place. */
function knownOf({ results = [], ran = [], unbegun = [], late = [] }: FoundEnds): ReadonlyMap<string, KnownEnd | null> {
  const known = new Map<string, KnownEnd | null>(ran.map(([id, command]) => [id, { end: null, ran: command }]));
  for (const id of unbegun) known.set(id, { end: NEVER_MADE, ran: null });
  for (const line of results) {
    const record = parseRecord(line);
    // What can't be read counts as not known.
    if (record.kind !== 'entry') continue;
    const message = projectEntry(record.entry, 0);
    if (!isResult(message)) continue;
    known.set(textOf(message.toolCallId), { end: endOfCall(message), ran: ranInstead(message.details) });
  }
  for (const id of late) known.set(id, null);
  return known;
}

/** The files that the calls of one line name (FA1). */
export function filesOfLine(source: SourceLine): string[] {
  const files = noFileOps(null);
  addFileOps(files, messageOf(source), source.done);
  return [...files.touched];
}

/** What the calls of some lines did, all together. */
export function activityOfLines(lines: readonly SourceLine[]): Activity {
  const files = noFileOps(null);
  let hasCommands = false;
  for (const line of lines) {
    const message = messageOf(line);
    addFileOps(files, message, line.done);
    hasCommands ||= runsCommand(message, line.notMade);
  }
  return { files, hasCommands };
}

/** Whether a command ran, or may have. @param notMade ids of calls that are known not to have been made */
function runsCommand(message: ProjectedMessage, notMade: ReadonlySet<string> | undefined): boolean {
  if (message.role === 'bashExecution' || message.role === 'pythonExecution') return true;
  return callsOf(message).some(({ id, name }) => name === 'bash' && notMade?.has(id) !== true);
}

/** What is told of a message as one text of at most `limit` raw tokens. */
function textOfTold({ pieces, again }: Told, limit = Infinity): Pick<TextPart, 'text' | 'tokens' | 'pieces' | 'again'> {
  const text = pieces.join('\n\n');
  const tokens = estimateText(text);
  if (tokens > limit) {
    const cut = fitPart({ text, tokens, pieces }, limit);
    return { text: cut, tokens: estimateText(cut) };
  }
  const { call, answer } = again ?? { call: '', answer: '' };
  return {
    text,
    tokens,
    ...(pieces.length > 1 ? { pieces } : {}),
    ...(again ? { again: { call, answer, text: again.pieces.join('\n\n') } } : {}),
  };
}

/** Of a text that is compared and not kept. */
function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}

function gapPart(count: number): TextPart {
  return notePart(`[... ${count} ${count === 1 ? 'message' : 'messages'} left out here]`);
}

function notePart(text: string): TextPart {
  return { text, tokens: estimateText(text), isUser: false, isGroupStart: true };
}

function messageOf(source: SourceLine): ProjectedMessage {
  return messagesOf(source).message;
}

/** A message as the view edits show it, and as it was. */
function messagesOf({ line, timeMs, edit }: SourceLine): Record<'message' | 'plain', ProjectedMessage> {
  const record = parseRecord(line);
  if (record.kind !== 'entry') throw new Error('A line to summarise holds no entry');
  const plain = projectEntry(record.entry, timeMs);
  return { message: edit ? applyEdit(plain, edit) : plain, plain };
}
