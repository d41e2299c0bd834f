import type { SessionHeader } from '@shared/session/entry';
import { NotASessionFileError } from '@shared/session/errors';
import { serializeHeader } from '@shared/session/serialize-entry';
import { AppendFile } from './append-file';
import { errorCode } from './fs';
import { IndexWriter, readLastRow } from './index-file';
import { JournalBuilder } from './journal-builder';
import { loadJournal } from './load-journal';
import type { LoadedJournal } from './load-journal';
import type { SessionFiles } from './session-files';
import { NoJournalError, SessionError, toReadError, whatIsThere } from './session-error';
import { JournalLog } from './session-log';
import type { LogEvents, LogSurroundings } from './log-parts';

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
