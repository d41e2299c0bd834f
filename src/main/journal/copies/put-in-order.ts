import type { FileFacts, JournalFile, JournalFs } from '../file/fs';
import { dropIndex, readIndex } from '../file/index-file';
import { decodeLine, pause, readLines } from '../file/line-reader';
import type { SessionFiles } from '../file/session-files';
import type { JournalLog } from '../file/session-log';
import { writeFileWhole } from '../file/write-whole';
import type { Trash } from '../trash/trash';
import { lineFacts } from './compare-copies';
import { NotASessionFileError, type SessionHeader } from '@shared/session/records/entry';
import { parseRecord, versionOf } from '@shared/session/records/records';
import { serializeHeader } from '@shared/session/records/serialize-entry';

/** A record of a file: where it lies, and where it belongs. */
interface Place {
  offset: number;
  length: number;
  id: string;
  parentId: string | null;
  time: number;
}

/** What is in a file that has no header where one belongs. */
interface Contents {
  header: { line: string; version: number } | null;
  entries: Place[];
  /** What is no record, other headers, titles: kept behind the records. */
  rest: Place[];
}

interface OrderSurroundings {
  fs: JournalFs;
  files: SessionFiles;
  trash: Pick<Trash, 'keepDamaged'>;
  /** Unix milliseconds. */
  clock: () => number;
  /** State of each file that was found to be none: it is not read again before it changes. */
  unfit: Map<string, string>;
}

/**
 * Writes a session's file anew whose header is not at its beginning, because another program sorted, turned round or joined its
 * lines: the header, then every record behind the one that it hangs at, by time. Where the header is gone it is taken from the index, else from
 * `known`, who knows the session. The file as it was goes to the trash. False, and nothing is done, if it is not such a file, or changes meanwhile.
 */
async function putInOrder(
  { fs, files, trash, clock, unfit }: OrderSurroundings,
  sessionId: string,
  known: SessionHeader | null,
): Promise<boolean> {
  const path = files.journal(sessionId);
  const file = await fs.open(path, 'read');
  try {
    const before = await file.stat();
    const state = `${before.identity} ${before.size} ${before.changedMs}`;
    if (unfit.get(path) === state) return false;
    const { header, entries, rest } = await contentsOf(file, before.size, sessionId);
    const line = header?.line ?? (await headerInIndex(fs, files.index(sessionId), sessionId)) ?? lineOf(known);
    if (line === null || entries.length === 0 || (header && header.version < 2)) {
      unfit.set(path, state);
      return false;
    }
    const isAsRead = async (): Promise<boolean> => isSame(before, await fs.stat(path));
    if (!(await isAsRead())) return false;
    await trash.keepDamaged(path, sessionId, clock());
    const lines = async function* (): AsyncGenerator<Uint8Array> {
      yield Buffer.from(`${line}\n`, 'utf8');
      yield* bytesOf(file, [...inOrder(entries), ...rest]);
      await dropIndex(fs, files.index(sessionId));
    };
    // At the very last: syncing takes its time.
    const last = async (): Promise<void> => {
      if (!(await isAsRead())) throw new ChangedError();
    };
    await writeFileWhole(fs, path, lines(), { last });
    return true;
  } catch (error) {
    if (error instanceof ChangedError || (error instanceof Error && error.cause instanceof ChangedError)) return false;
    throw error;
  } finally {
    await file.close();
  }
}

/**
 * Opens a session. One whose header is not at the beginning of its file is put in order first, where that can be done; else rejects with what
 * `open` rejected with.
 */
export async function openInOrder(
  around: OrderSurroundings & { log: { warn(message: string, detail?: unknown): void } },
  sessionId: string,
  known: () => SessionHeader | null,
  open: () => Promise<JournalLog>,
): Promise<JournalLog> {
  return open().catch(async (error: unknown) => {
    if (!(error instanceof Error && error.cause instanceof NotASessionFileError)) throw error;
    const isInOrder = await putInOrder(around, sessionId, known()).catch((failure: unknown) => {
      around.log.warn(`The file of session ${sessionId} could not be put in order`, failure);
      return false;
    });
    if (!isInOrder) throw error;
    around.log.warn(`The header of session ${sessionId} was not at the beginning of its file, which was put in order.`);
    return open();
  });
}

class ChangedError extends Error {}

function isSame(before: FileFacts, now: FileFacts | null): boolean {
  return now?.identity === before.identity && now.size === before.size && now.changedMs === before.changedMs;
}

async function headerInIndex(fs: JournalFs, path: string, sessionId: string): Promise<string | null> {
  const row = (await readIndex(fs, path))?.peek();
  const record = row?.kind === 'header' ? parseRecord(row.text) : null;
  return row && record?.kind === 'header' && record.header.id === sessionId ? row.text : null;
}

const lineOf = (header: SessionHeader | null): string | null => header && serializeHeader(header);

async function contentsOf(file: JournalFile, size: number, sessionId: string): Promise<Contents> {
  const found: Contents = { header: null, entries: [], rest: [] };
  for await (const lines of readLines(file, 0, size)) {
    await pause();
    for (const { offset, bytes } of lines)
      for (const [from, to] of recordsIn(bytes)) take(found, bytes.subarray(from, to), offset + from, sessionId);
  }
  return found;
}

function take(found: Contents, bytes: Uint8Array, offset: number, sessionId: string): void {
  const text = decodeLine(bytes);
  const record = parseRecord(text);
  if (record.kind === 'blank') return;
  if (record.kind === 'header' && !found.header && record.header.id === sessionId) {
    found.header = { line: text, version: versionOf(record.header) };
    return;
  }
  const { isSound, id, parentId, time } = lineFacts(text);
  const place = { offset, length: bytes.length, id, parentId, time: time ?? Number.POSITIVE_INFINITY };
  (isSound ? found.entries : found.rest).push(place);
}

/** More records than these are in no line that lost its ends: each takes memory, and `{}` is one. */
const MOST_IN_LINE = 200_000;
const [QUOTE, BACKSLASH, OPEN, CLOSE] = [0x22, 0x5c, 0x7b, 0x7d];

/** Where the records in a line are: more than one where their line ends were lost. Cost: O(bytes). */
function recordsIn(line: Uint8Array): [from: number, to: number][] {
  const whole: [number, number][] = [[0, line.length]];
  if (parseRecord(decodeLine(line)).kind !== 'malformed') return whole;
  const found: [number, number][] = [];
  let [from, depth, isText] = [0, 0, false];
  for (let at = 0; at < line.length; at++) {
    const byte = line[at];
    if (isText && byte === BACKSLASH) at += 1;
    else if (byte === QUOTE) isText = !isText;
    else if (!isText && byte === OPEN) depth += 1;
    else if (!isText && byte === CLOSE && --depth === 0) {
      found.push([from, at + 1]);
      if (found.length > MOST_IN_LINE) return whole;
      from = at + 1;
    }
  }
  if (from < line.length) found.push([from, line.length]);
  return found.length > 1 ? found : whole;
}

/** By time, and none before the one that it hangs at. */
function inOrder(entries: readonly Place[]): Place[] {
  const byId = new Map(entries.map((entry) => [entry.id, entry]).reverse() as [string, Place][]);
  const done = new Set<Place>();
  const ordered: Place[] = [];
  for (const entry of [...entries].sort((a, b) => (a.time === b.time ? 0 : a.time - b.time))) {
    const chain: Place[] = [];
    for (let at: Place | undefined = entry; at && !done.has(at); at = byId.get(at.parentId ?? '')) {
      done.add(at);
      chain.push(at);
    }
    for (let at = chain.pop(); at; at = chain.pop()) ordered.push(at);
  }
  return ordered;
}

async function* bytesOf(file: JournalFile, places: readonly Place[]): AsyncGenerator<Uint8Array> {
  for (const { offset, length } of places) {
    const line = Buffer.alloc(length + 1, '\n');
    if ((await file.read(line.subarray(0, length), offset)) < length) throw new ChangedError();
    yield line;
  }
}
