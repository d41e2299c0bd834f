import { parseRecord } from '@shared/session/records';
import type { JournalFile } from './fs';
import type { JournalBuilder } from './journal-builder';
import { decodeLine, readLines } from './line-reader';

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
