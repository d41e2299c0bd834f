import type { AppendFile } from './append-file';
import type { JournalFile } from './fs';
import type { JournalBuilder } from './journal-builder';
import { decodeLine, NotLinesError, readLines } from './line-reader';
import { parseRecord } from '@shared/session/records/records';
import type { SessionTree } from '@shared/session/tree/tree';

/** Characters in which a damaged id may differ from the one that was written; random ones differ in nearly all. */
const MAX_CHANGED = 2;

/**
 * Whether the end of a file, of which no byte is as the index knows it from record `own` on, was written by somebody else rather
 * than damaged: it has records under ids that are not those of the index. A record that only changed keeps its place and id.
 */
export async function endsForeign(
  builder: JournalBuilder,
  file: JournalFile,
  own: number,
  size: number,
): Promise<boolean> {
  const { table } = builder;
  const { end } = table;
  const places = new Map<number, number>();
  for (let seq = own; seq < table.count; seq++) places.set(table.offset(seq), seq);
  for await (const lines of readLines(file, table.offset(own), size)) {
    for (const { offset, bytes } of lines) {
      if (offset >= end) return false;
      if (isForeign(builder, places.get(offset), bytes)) return true;
    }
  }
  return false;
}

/** Whether a line is a record of its own, and not what became of record `seq`. */
export function isForeign(builder: JournalBuilder, seq: number | undefined, bytes: Uint8Array): boolean {
  const record = parseRecord(decodeLine(bytes));
  if (record.kind !== 'entry' && record.kind !== 'header') return false;
  const id = record.kind === 'entry' ? record.entry.id : record.header.id;
  return seq === undefined || !isNear(id, idAt(builder, seq));
}

function idAt(builder: JournalBuilder, seq: number): string {
  if (builder.table.kind(seq) !== 'header') return builder.idAt(seq);
  const header = parseRecord(builder.headerLine);
  return header.kind === 'header' ? header.header.id : '';
}

function isNear(id: string, written: string): boolean {
  if (id.length !== written.length) return false;
  let changed = 0;
  for (let at = 0; at < id.length; at++) if (id[at] !== written[at]) changed++;
  return changed <= MAX_CHANGED;
}

/** Above them the next start reads it. A line takes some hundred bytes of memory, however short it is. */
const MAX_ADDED_BYTES = 256 * 1024 * 1024;
const MAX_ADDED_LINES = 100_000;
const NEWLINE = Buffer.from('\n');

/** A line that another writer added. */
export interface AddedLine {
  bytes: Buffer;
  ended: boolean;
}

/**
 * All that another writer added to a file, read whole before any of it is taken: a read that fails takes nothing (JN11).
 * @param isOpen the last line that we know has no newline yet
 * @returns `unread` where what was added is not in whole lines behind ours, or is too much; `other` where that makes the file none of a
 *   session (JN32). Rejects with what a read rejects with
 */
export async function readAdded(file: AppendFile, isOpen: boolean): Promise<AddedLine[] | 'unread' | 'other'> {
  const { size } = await file.reader.stat();
  if (size - file.size > MAX_ADDED_BYTES) return 'unread';
  if (isOpen) {
    const next = Buffer.alloc(1);
    await file.reader.read(next, file.size);
    if (!next.equals(NEWLINE)) return 'unread';
  }
  const added: AddedLine[] = [];
  try {
    for await (const lines of readLines(file.reader, file.size + (isOpen ? 1 : 0), size)) {
      if (added.length + lines.length > MAX_ADDED_LINES) return 'unread';
      for (const { bytes, ended } of lines) added.push({ bytes: Buffer.from(bytes), ended });
    }
  } catch (error) {
    if (error instanceof NotLinesError) return 'other';
    throw error;
  }
  await file.advanceTo(size);
  return added;
}

/**
 * Where the leaf lies below an entry from record `seq` on that follows one which is not in the file, the leaf before that entry; else
 * null. Somebody else wrote it, for ours always follow one that is there, and it must not take the conversation away from the person.
 */
export function leafBeforeStray(tree: SessionTree, seq: number): string | null {
  const [root] = tree.pathTo(tree.leafId);
  if (!root || root.seq < seq || root.facts.parentId === null) return null;
  return tree.copyUpTo(root.seq).leafId;
}

/**
 * How many messages a session has from record `seq` on, if the first of them hangs neither at the leaf of what comes before nor at the
 * record before it. Ours always do: who says something elsewhere has moved the leaf first, and that is a record.
 */
export function strayedFrom(tree: SessionTree, seq: number): number {
  const nodes = tree.entriesInOrder();
  const at = nodes.findIndex((node) => node.seq >= seq);
  const first = nodes[at];
  if (first?.facts.type !== 'message' || at === 0) return 0;
  const { parentId } = first.facts;
  if (parentId === nodes[at - 1]?.id || parentId === tree.copyUpTo(seq).leafId) return 0;
  return nodes.slice(at).filter(({ facts }) => facts.type === 'message').length;
}
