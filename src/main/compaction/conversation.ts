import { addFileOps, noFileOps } from '@shared/compaction/file-activity';
import type { FileOps } from '@shared/compaction/file-activity';
import { fitPrefix, fitText, foldHistory } from '@shared/compaction/fold';
import type { TextPart } from '@shared/compaction/fold';
import { serializeMessage } from '@shared/compaction/serialize';
import type { SerializeOptions } from '@shared/compaction/serialize';
import type { ProjectedMessage } from '@shared/session/entry';
import { estimateText } from '@shared/session/estimate';
import { blocksOf } from '@shared/session/message-text';
import { projectEntry } from '@shared/session/project-entry';
import { parseRecord } from '@shared/session/records';
import { applyEdit } from '@shared/session/view-edits';
import type { ViewEdit } from '@shared/session/view-edits';

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
}

/** What the calls of some lines did to files (FA1). */
export interface Activity {
  files: FileOps;
  /** Commands ran: what they changed nobody knows. */
  hasCommands: boolean;
}

/** Texts of the requests of one compaction. */
export interface ConversationTexts {
  /** History, in as many parts as the budget asks for; empty if there is none. */
  windows: string[];
  /** The beginning of a divided turn, or an empty string. */
  prefix: string;
  files: FileOps;
}

/** The messages of one compaction as text, gathered line by line (SU15 to SU26, FA1). */
export class Conversation {
  private readonly parts: Record<Section, TextPart[]> = { history: [], prefix: [] };
  private readonly files = noFileOps();

  constructor(private readonly options: SerializeOptions) {}

  /** Adds lines in path order. Lines that are no messages add nothing. */
  add(section: Section, lines: readonly SourceLine[]): void {
    for (const { line, timeMs, edit, limit, gap = 0 } of lines) {
      const message = messageOf({ line, timeMs, edit });
      addFileOps(this.files, message);
      const whole = serializeMessage(message, this.options);
      if (gap > 0) this.parts[section].push(gapPart(gap));
      if (whole === '') continue;
      const text = limit === undefined ? whole : fitText(whole, limit);
      const { role } = message;
      const isUser = role === 'user';
      this.parts[section].push({ text, tokens: estimateText(text), isUser, isGroupStart: role !== 'toolResult' });
    }
  }

  /** The texts for a budget of raw tokens a request. May be asked again with a smaller one. */
  texts(budget: number): ConversationTexts {
    const { history, prefix } = this.parts;
    return { windows: foldHistory(history, budget), prefix: fitPrefix(prefix, budget), files: this.files };
  }
}

/** The files that the calls of one line name (FA1). */
export function filesOfLine(source: SourceLine): string[] {
  const files = noFileOps();
  addFileOps(files, messageOf(source));
  return [...new Set([...files.read, ...files.written, ...files.edited])];
}

/** What the calls of some lines did, all together. */
export function activityOfLines(lines: readonly SourceLine[]): Activity {
  const files = noFileOps();
  let hasCommands = false;
  for (const line of lines) {
    const message = messageOf(line);
    addFileOps(files, message);
    hasCommands ||= runsCommand(message);
  }
  return { files, hasCommands };
}

function runsCommand(message: ProjectedMessage): boolean {
  if (message.role === 'bashExecution' || message.role === 'pythonExecution') return true;
  if (message.role !== 'assistant' || !('content' in message)) return false;
  return blocksOf(message.content).some((block) => block.type === 'toolCall' && block.name === 'bash');
}

function gapPart(count: number): TextPart {
  const text = `[... ${count} ${count === 1 ? 'message' : 'messages'} left out here]`;
  return { text, tokens: estimateText(text), isUser: false, isGroupStart: true };
}

function messageOf({ line, timeMs, edit }: SourceLine): ProjectedMessage {
  const record = parseRecord(line);
  if (record.kind !== 'entry') throw new Error('A line to summarise holds no entry');
  const plain = projectEntry(record.entry, timeMs);
  return edit ? applyEdit(plain, edit) : plain;
}
