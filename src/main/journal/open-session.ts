import type { MadeFrom, SessionLog } from '../ports';
import { AppendFile } from './file/append-file';
import { errorCode, type JournalFs } from './file/fs';
import { IndexWriter, readLastRow } from './file/index-file';
import { JournalBuilder } from './file/journal-builder';
import { type LoadedJournal, loadJournal } from './file/load-journal';
import type { LogEvents, LogSurroundings } from './file/log-parts';
import type { MetaStore } from './meta/meta-store';
import { NoJournalError, SessionError, toReadError, whatIsThere } from './file/session-error';
import type { SessionFiles } from './file/session-files';
import { JournalLog } from './file/session-log';
import { describeSession, emptyMeta } from './meta/session-meta';
import { writeNewFile } from './file/write-whole';
import { NotASessionFileError, type SessionHeader } from '@shared/session/records/entry';
import { serializeHeader } from '@shared/session/records/serialize-entry';

const NO_HEADER =
  'The file of this session is damaged at its beginning and could not be read. It was left as it is; restart Espalier to bring the session back from its database.';

/** A session in memory; its file is made at the first message (JN1). `missing`: lines that an emptied one had. */
export function newSession(
  around: LogSurroundings,
  files: SessionFiles,
  sessionId: string,
  header: SessionHeader,
  events: LogEvents,
  missing = 0,
): JournalLog {
  const builder = new JournalBuilder(`${sessionId}.jsonl`);
  const line = Buffer.from(`${serializeHeader(header)}\n`, 'utf8');
  const { row } = builder.takeLine(line.subarray(0, -1), true);
  builder.report.missing = missing;
  const parts = {
    sessionId,
    builder,
    path: files.journal(sessionId),
    indexPath: files.index(sessionId),
    tree: builder.finish(),
    index: new IndexWriter(around.fs, files.index(sessionId), 0),
    file: null,
    unendedRow: null,
    held: { rows: [row], lines: [line], records: [] },
  };
  return new JournalLog(parts, around, events);
}

/**
 * Opens the journal of a session. `emptyHeader` is used if the file is there but empty. Rejects with `SessionError` if it is
 * gone, cannot be read or is no session; the file is never written.
 */
export async function openSession(
  around: LogSurroundings,
  files: SessionFiles,
  sessionId: string,
  emptyHeader: () => SessionHeader,
  events: LogEvents,
): Promise<JournalLog> {
  const path = files.journal(sessionId);
  const stat = await readable(around.fs.stat(path));
  if (!stat)
    throw new SessionError('The file of this session is gone. Restart Espalier to bring it back from its database.');
  // Opening to append creates nothing: the file is there. A read-only folder still lets the person read.
  let isReadOnly = false;
  const file = await readable(
    around.fs.open(path, 'append').catch((error: unknown) => {
      if (!['EACCES', 'EPERM', 'EROFS'].includes(errorCode(error))) throw error;
      isReadOnly = true;
      return around.fs.open(path, 'read');
    }),
  );
  let loaded: LoadedJournal | null = null;
  try {
    if ((await file.stat()).size === 0) {
      await file.close();
      const known = await readLastRow(around.fs, files.index(sessionId));
      return newSession(around, files, sessionId, emptyHeader(), events, known ? known.seq + 1 : 0);
    }
    loaded = await loadJournal(around.fs, file, files.index(sessionId), `${sessionId}.jsonl`, around.isClosed);
    if (loaded.isOther) events.other?.();
    const adopted = await AppendFile.adopt(around.fs, path, file, loaded.facts, isReadOnly);
    return new JournalLog(
      { ...loaded, sessionId, path, indexPath: files.index(sessionId), file: adopted },
      around,
      events,
    );
  } catch (error) {
    await loaded?.index.close();
    await file.close().catch(() => undefined);
    throw error instanceof NotASessionFileError ? new SessionError(NO_HEADER, { cause: error }) : toOpenError(error);
  }
}

async function readable<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw toOpenError(error);
  }
}

function toOpenError(error: unknown): unknown {
  const what = whatIsThere(error);
  return what === null ? toReadError(error) : new NoJournalError(what);
}

interface MakingSurroundings {
  fs: JournalFs;
  files: SessionFiles;
  metas: MetaStore;
  /** Unix milliseconds. */
  clock: () => number;
  log: { warn(message: string, detail?: unknown): void };
  /** Opens the session once its journal is there. */
  open: () => Promise<SessionLog>;
}

/**
 * Makes a session whose journal is there as a whole or not at all. What only its sidecar says comes first: a process that dies in between
 * leaves a session that is known for what it is.
 * @throws StorageError, or what `batches` throws: then nothing is there
 */
export async function makeSession(
  { fs, files, metas, clock, log, open }: MakingSurroundings,
  header: SessionHeader,
  { workspace, title = '', demo = false, tour = false, fork }: MadeFrom,
  batches: AsyncIterable<string[]>,
): Promise<SessionLog> {
  const { id } = header;
  const own = { ...(title ? { title } : {}), ...(tour ? { tour } : {}), ...(fork ? { fork } : {}), workspace, demo };
  metas.put(id, { ...emptyMeta(workspace, clock()), titleSource: title ? 'auto' : 'none', ...own });
  try {
    await metas.save(id);
    await writeNewFile(fs, files.journal(id), linesOf(header, batches), log);
  } catch (error) {
    metas.forget(id);
    await fs.remove(files.meta(id)).catch(() => undefined);
    throw error;
  }
  const made = await open();
  const { suggestion: _own, ...meta } = await describeSession(made, clock());
  metas.put(id, { ...meta, ...own });
  await metas.saveMade(id);
  return made;
}

async function* linesOf(header: SessionHeader, batches: AsyncIterable<string[]>): AsyncGenerator<Uint8Array> {
  yield Buffer.from(`${serializeHeader(header)}\n`);
  for await (const lines of batches) yield Buffer.from(lines.map((line) => `${line}\n`).join(''));
}
