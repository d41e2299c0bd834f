/** What is compared of one side (GR14): its last answer, its tools with how they ended, the files that they changed. */
import { isDone, endOfCall, statusOf, wordsOfCall } from '@shared/policy/call-outcome';
import type { DiffLine } from '@shared/policy/diff-lines';
import { visibleString } from '@shared/policy/visible-text';
import { beginningOf, MAX_NAME_CHARS } from '@shared/cut-text';
import type { TurnNode } from '@shared/graph/turns';
import type { SessionEntry, ToolCallBlock, ToolResultMessage } from '@shared/session/records/entry';
import { blocksOf, isText, textOf } from '@shared/session/records/message-text';
import { isRecord } from '@shared/checks';
import type { OpenSession } from '../../state/open-session';
import { nextTask } from '../../state/order';
import { viewTool } from '../transcript/tool-state';

/** How often a tool was called, and how many of the calls ended otherwise than done, by their status. */
export interface ToolCount {
  /** In visible form. */
  name: string;
  count: number;
  ends: ReadonlyMap<string, number>;
}

export interface ComparedFile {
  /** As the calls named it. */
  path: string;
  added: number;
  removed: number;
  /** What the calls did to it, one after the other. */
  lines: readonly DiffLine[];
}

export interface ComparedSide {
  answer: string;
  /** The reply that it is from: for the cache of what is drawn. */
  answerId: string;
  /** Of the last reply. */
  model: { provider: string; modelId: string } | null;
  tools: readonly ToolCount[];
  files: readonly ComparedFile[];
  /** Only the last entries were read, because there are too many. */
  isPart: boolean;
  /** Some entries could not be read. */
  isUnread: boolean;
}

/** Entries of a side that are read; of more the last ones. */
const MAX_ENTRIES = 3000;
const BATCH = 200;
/** Entries that are read in one task. */
const PIECE = 20;
/** Characters of an answer that are shown and compared. */
const MAX_ANSWER = 200_000;
const MAX_FILES = 300;
/** Lines of one file, of all its calls. */
const MAX_LINES = 10_000;

interface Reading extends Omit<ComparedSide, 'tools' | 'files'> {
  tools: Map<string, { name: string; count: number; ends: Map<string, number> }>;
  files: Map<string, { path: string; added: number; removed: number; lines: DiffLine[] }>;
  /** Calls whose results did not come yet, by id. */
  open: Map<string, ToolCallBlock>;
}

/** Reads a side part by part; `isOver` ends it early. Rejects with nothing: what can't be read is left out. O(its entries). */
export async function readSide(
  session: OpenSession,
  nodes: readonly TurnNode[],
  isOver: () => boolean,
): Promise<ComparedSide | null> {
  const all = session.graph.graph.turns.entriesOf(new Set(nodes));
  const ids = all.slice(-MAX_ENTRIES);
  const reading: Reading = {
    ...{ answer: '', answerId: '', model: null, isPart: ids.length < all.length, isUnread: false },
    ...{ tools: new Map(), files: new Map(), open: new Map() },
  };
  for (let at = 0; at < ids.length; at += BATCH) {
    const batch = ids.slice(at, at + BATCH);
    await session.loadEntries(batch);
    for (const [index, id] of batch.entries()) {
      if (isOver()) return null;
      takeEntry(reading, session.entry(id));
      // A diff of each of them has thousands of lines.
      if (index % PIECE === PIECE - 1) await nextTask();
    }
  }
  for (const call of reading.open.values()) count(reading, call, 'no result');
  const { tools, files, open: _open, ...rest } = reading;
  return { ...rest, tools: [...tools.values()].sort((a, b) => b.count - a.count), files: [...files.values()] };
}

function takeEntry(reading: Reading, entry: SessionEntry | undefined): void {
  if (!entry) return void (reading.isUnread = true);
  const { message } = entry as { message?: unknown };
  if (!isRecord(message)) return;
  if (message.role === 'assistant') takeReply(reading, entry.id, message);
  else if (message.role === 'toolResult') takeResult(reading, message as unknown as ToolResultMessage);
}

function takeReply(reading: Reading, id: string, message: Record<string, unknown>): void {
  let text = '';
  for (const block of blocksOf(message.content)) {
    if (isText(block) && text.length < MAX_ANSWER) text += text === '' ? block.text : `\n\n${block.text}`;
    if (block.type === 'toolCall') reading.open.set(textOf(block.id), block as ToolCallBlock);
  }
  if (text.trim() !== '') Object.assign(reading, { answer: beginningOf(text.trim(), MAX_ANSWER), answerId: id });
  const [provider, modelId] = [textOf(message.provider), textOf(message.model)];
  if (modelId !== '') reading.model = { provider, modelId };
}

function takeResult(reading: Reading, result: ToolResultMessage): void {
  const call = reading.open.get(result.toolCallId);
  if (!call) return;
  reading.open.delete(result.toolCallId);
  const end = endOfCall(result);
  count(reading, call, isDone(end) ? null : statusOf(end, 'you'));
  const { diff, changes } = viewTool(call, result, 'interrupted');
  const path = isRecord(call.arguments) ? textOf(call.arguments.path) : '';
  if (diff && changes && path !== '') addFile(reading, normal(path), diff, changes);
}

function count({ tools }: Reading, { name: called, arguments: args }: ToolCallBlock, status: string | null): void {
  const { verb, target } = wordsOfCall(called, args, null);
  // A tool that is not ours is named by itself.
  const name = visibleString(beginningOf(verb === 'use' ? target : verb, 60));
  const known = tools.get(name);
  const tool = known ?? { name, count: 0, ends: new Map<string, number>() };
  if (!known) tools.set(name, tool);
  tool.count += 1;
  if (status === null) return;
  // `failed: why` is counted with all that failed.
  const words = visibleString(beginningOf(status.split(':')[0] ?? status, 40));
  tool.ends.set(words, (tool.ends.get(words) ?? 0) + 1);
}

function addFile(
  { files }: Reading,
  path: string,
  diff: readonly DiffLine[],
  { added, removed }: { added: number; removed: number },
): void {
  const known = files.get(path);
  if (!known && files.size === MAX_FILES) return;
  const file = known ?? { path, added: 0, removed: 0, lines: [] };
  if (!known) files.set(path, file);
  file.added += added;
  file.removed += removed;
  if (file.lines.length > 0) file.lines.push({ kind: 'gap', text: '' });
  for (const line of diff.slice(0, MAX_LINES - file.lines.length)) file.lines.push(line);
}

/** One spelling of a path for both sides, as far as that can be told without the disk. */
function normal(path: string): string {
  return beginningOf(path.replace(/^(?:\.\/)+/, '').replace(/\/{2,}/g, '/'), MAX_NAME_CHARS * 8);
}

/** Files that both sides changed, in the order of the first. */
export function bothChanged(a: ComparedSide, b: ComparedSide): string[] {
  const others = new Set(b.files.map(({ path }) => path));
  return a.files.flatMap(({ path }) => (others.has(path) ? [path] : []));
}

/** Tools in a line: `read 5 · edit 4 · run 3 (1 exit 1)`. */
export function toolsInWords(tools: readonly ToolCount[]): string {
  if (tools.length === 0) return 'none';
  return tools
    .map(({ name, count: calls, ends }) => {
      const others = [...ends].map(([words, times]) => `${times} ${words}`).join(', ');
      return `${name} ${calls}${others === '' ? '' : ` (${others})`}`;
    })
    .join(' · ');
}
