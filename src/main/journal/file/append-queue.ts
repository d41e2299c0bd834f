import { RecordTooLargeError } from '../../own-files/storage-error';
import type { AppendedRecord } from '../../ports';
import { isLarge, writeLarge } from './large-entry';
import { MAX_RECORD_BYTES } from '@shared/record-limits';
import { type EntryDraft, isOpaque, type SessionEntry } from '@shared/session/records/entry';
import type { RandomHex } from '@shared/session/records/ids';
import { parseRecord } from '@shared/session/records/records';
import { serializeEntry } from '@shared/session/records/serialize-entry';
import { prepareAppend } from '@shared/session/tree/drafts';
import type { SessionTree } from '@shared/session/tree/tree';

/** One waiting append. */
export interface AppendJob {
  /** Drafts, worked out against the tree as it is when the write begins. */
  drafts: (tree: SessionTree) => readonly EntryDraft[];
  parentId?: string | null;
  /** Must not share a write with others. */
  isAlone: boolean;
  resolve: (records: AppendedRecord[]) => void;
  reject: (error: unknown) => void;
}

const MAX_JOBS = 1000;

/**
 * Takes the appends that may share one write: those that go to the leaf. One that names its parent, or that is worked out
 * from the tree, goes alone. The entries of a group chain exactly as if they were written one by one.
 */
export function takeGroup(waiting: AppendJob[]): AppendJob[] {
  const alone = waiting.findIndex((job) => job.isAlone);
  const count = alone === 0 ? 1 : alone === -1 ? waiting.length : alone;
  return waiting.splice(0, Math.min(count, MAX_JOBS));
}

export interface PreparedEntry {
  /** Read back from the line: the tree holds what the file says, not the caller's objects. */
  entry: SessionEntry;
  /** Without its newline. */
  line: string;
  /** What a line of many megabytes was put together from. */
  pieces?: readonly string[];
  /** The line with its newline. */
  bytes: Buffer;
}

/**
 * The entries of a group with their lines, and how many belong to each job.
 * Throws if a draft has an unknown parent, an id that is taken, or content that JSON cannot hold or that could not be read
 * again (docs/specs/safety.md A3).
 */
export async function prepareGroup(
  tree: SessionTree,
  jobs: readonly AppendJob[],
  now: number,
  randomHex: RandomHex,
): Promise<{ prepared: PreparedEntry[]; counts: number[] }> {
  const drafts = jobs.map((job) => job.drafts(tree));
  const taken = new Set<string>();
  for (const { id } of drafts.flat()) {
    if (id === undefined) continue;
    if (tree.has(id) || taken.has(id)) throw new Error(`Entry ${id} exists already`);
    taken.add(id);
  }
  const entries = prepareAppend(tree, drafts.flat(), { now, randomHex, parentId: jobs[0]?.parentId });
  const prepared: PreparedEntry[] = [];
  for (const entry of entries) prepared.push(isLarge(entry) ? await prepareLarge(entry) : prepare(entry));
  return { prepared, counts: drafts.map((list) => list.length) };
}

function prepare(entry: SessionEntry): PreparedEntry {
  const line = serializeEntry(entry);
  const bytes = Buffer.from(`${line}\n`, 'utf8');
  if (bytes.length > MAX_RECORD_BYTES) throw new RecordTooLargeError(bytes.length);
  return { entry: readBack(entry, line), line, bytes };
}

/** The same for one with pictures: this thread answers meanwhile. */
async function prepareLarge(entry: SessionEntry): Promise<PreparedEntry> {
  const { line, pieces, bytes, skeleton, restore } = await writeLarge(entry);
  if (bytes.length > MAX_RECORD_BYTES) throw new RecordTooLargeError(bytes.length);
  return { entry: restore(readBack(entry, skeleton)), line, pieces, bytes };
}

function readBack(entry: SessionEntry, line: string): SessionEntry {
  const record = parseRecord(line);
  if (record.kind !== 'entry') throw new Error(`An entry of type ${entry.type} is not a record`);
  if (isOpaque(record.entry)) throw new Error(`An entry of type ${entry.type} can't be stored: ${record.entry.flaw}`);
  return record.entry;
}
