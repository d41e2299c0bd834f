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
  const places = new Map<number, string>();
  for (let seq = own; seq < table.count; seq++) places.set(table.offset(seq), idAt(builder, seq));
  for await (const lines of readLines(file, table.offset(own), size)) {
    for (const { offset, bytes } of lines) {
      if (offset >= end) return false;
      const record = parseRecord(decodeLine(bytes));
      if (record.kind !== 'entry' && record.kind !== 'header') continue;
      const id = record.kind === 'entry' ? record.entry.id : record.header.id;
      const written = places.get(offset);
      if (written === undefined || !isNear(id, written)) return true;
    }
  }
  return false;
}

function idAt({ table, headerLine }: JournalBuilder, seq: number): string {
  if (table.kind(seq) !== 'header') return table.id(seq);
  const header = parseRecord(headerLine);
  return header.kind === 'header' ? header.header.id : '';
}

function isNear(id: string, written: string): boolean {
  if (id.length !== written.length) return false;
  let changed = 0;
  for (let at = 0; at < id.length; at++) if (id[at] !== written[at]) changed++;
  return changed <= MAX_CHANGED;
}
