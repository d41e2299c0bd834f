import type { SessionMeta, SessionStore } from '../ports';
import type { JournalFs } from './file/fs';
import { type IndexRow, readRowsAtEnd } from './file/index-file';
import { CHUNK_BYTES } from './file/line-reader';
import type { MetaStore } from './meta/meta-store';
import type { OpenLogs } from './file/open-logs';
import { LogClosedError, whatInstead } from './file/session-error';
import type { SessionFiles } from './file/session-files';
import type { JournalLog } from './file/session-log';
import { describeSession, emptyMeta, isUnnoted } from './meta/session-meta';
import type { EntryFacts } from '@shared/session/records/facts';
import { decodeFacts } from '@shared/session/records/facts-codec';
import { endOfFile, turnEnd } from '@shared/session/tree/turn-end';
import type { TurnEnd } from '@shared/types';

type Listed = Awaited<ReturnType<SessionStore['list']>>[number];

interface ListSurroundings {
  /** Unix milliseconds. */
  clock: () => number;
  fs: JournalFs;
  files: SessionFiles;
  logs: OpenLogs;
  metas: MetaStore;
  isClosed: () => boolean;
  log: { warn(message: string, detail?: unknown): void };
}

/** The list of all sessions. Rejects with `LogClosedError` once the store is being closed. */
export async function listSessions(around: ListSurroundings): Promise<Listed[]> {
  const { fs, files, logs, isClosed, log } = around;
  const ids = new Set([...(await files.ids(fs)), ...logs.ids()]);
  const listed: Listed[] = [];
  for (const id of ids) {
    if (isClosed()) throw new LogClosedError();
    try {
      listed.push(await describe(around, id));
    } catch (error) {
      log.warn(`Session ${id} could not be listed`, error);
      listed.push(await unreadable(around, id, error));
    }
  }
  return listed;
}

/** A session's line in the list: from its sidecar and the last row of its index where they suffice. */
async function describe(around: ListSurroundings, sessionId: string): Promise<Listed> {
  const { fs, files, logs, metas } = around;
  const meta = metas.get(sessionId);
  const rows = logs.get(sessionId) ? null : await readRowsAtEnd(fs, files.journal(sessionId), files.index(sessionId));
  const row = rows?.last;
  if (meta && row && row.malformed === 0 && (row.entries === 0 || !isUnnoted(meta))) {
    return { sessionId, meta, entryCount: row.entries, compactions: row.compactions, damage: [], turn: turnOf(rows) };
  }
  return logs.using(sessionId, async (log) => {
    const made = meta ?? (await metas.made(sessionId));
    if (!meta) await metas.saveMade(sessionId);
    const known = (await noted(around, sessionId, log)) ?? made;
    const { compactions, damage } = log;
    const { size: entryCount } = log.tree;
    return { sessionId, meta: known, entryCount, compactions, damage: [...damage], turn: turnEnd(log.tree) };
  });
}

/** How the newest turn of a session ended, from the end of its index (NT1). */
function turnOf({ newestFirst }: { newestFirst: Iterable<IndexRow> }): TurnEnd {
  function* facts(): Generator<EntryFacts> {
    for (const { kind, text } of newestFirst) {
      const found = kind === 'entry' ? decodeFacts(JSON.parse(text)) : null;
      if (found) yield found;
    }
  }
  try {
    return endOfFile(facts()) ?? 'none';
  } catch {
    return 'none'; // Text that is no JSON: the index is made anew when the session is opened.
  }
}

/** The sidecar of a session; where the app ended before it had title and last words, with those of the journal (JN25). */
async function noted(
  { metas, clock }: ListSurroundings,
  sessionId: string,
  log: JournalLog,
): Promise<SessionMeta | undefined> {
  const before = metas.get(sessionId);
  if (!before || !isUnnoted(before) || log.tree.size === 0) return before;
  const { title, titleSource, preview, updatedAt } = await describeSession(log, clock());
  const meta = metas.get(sessionId);
  if (!meta || !isUnnoted(meta) || (title === '' && preview === '')) return meta;
  const isGiven = titleSource === 'person';
  metas.put(sessionId, { ...meta, title, titleSource: isGiven ? titleSource : meta.titleSource, preview, updatedAt });
  await metas.saveMade(sessionId);
  return metas.get(sessionId);
}

async function unreadable({ fs, files, metas }: ListSurroundings, sessionId: string, error: unknown): Promise<Listed> {
  const damage = [error instanceof Error ? error.message : String(error)];
  const known = metas.get(sessionId);
  const path = files.journal(sessionId);
  // One that we once read is damaged, whatever it looks like now.
  const what = known ? undefined : await whatInstead(fs, path, error);
  const at = what === undefined ? 0 : await fs.stat(path).then((stat) => stat?.modifiedMs ?? 0, () => 0); // prettier-ignore
  const listed = {
    sessionId,
    meta: known ?? emptyMeta('', 0),
    entryCount: 0,
    compactions: 0,
    damage,
    turn: 'none' as const,
  };
  return what === undefined ? listed : { ...listed, foreign: { what, at } };
}

/** The session that has an entry of this id, looked for in the newest ones first; null if none has. */
export async function findSessionOf(
  entryId: string,
  except: readonly string[],
  { fs, files, metas }: { fs: JournalFs; files: SessionFiles; metas: MetaStore },
): Promise<string | null> {
  const time = (id: string): number => metas.get(id)?.updatedAt ?? 0;
  const ids = (await files.ids(fs)).filter((id) => !except.includes(id));
  for (const id of ids.sort((a, b) => time(b) - time(a)))
    if (await hasEntry(fs, files.journal(id), entryId).catch(() => false)) return id;
  return null;
}

/** True if a session file has a record of this id, read in chunks: neither parsed nor held in memory. O(file). */
async function hasEntry(fs: JournalFs, path: string, entryId: string): Promise<boolean> {
  // Writers that put a blank behind the colon are found too: pi and we write none.
  const needles = ['"id":', '"id": '].map((key) => Buffer.from(key + JSON.stringify(entryId)));
  const overlap = Math.max(...needles.map(({ length }) => length)) - 1;
  const file = await fs.open(path, 'read');
  try {
    const buffer = Buffer.allocUnsafe(CHUNK_BYTES + overlap);
    for (let position = 0, kept = 0; ;) {
      const read = await file.read(buffer.subarray(kept), position);
      if (read === 0) return false;
      const filled = buffer.subarray(0, kept + read);
      if (needles.some((needle) => filled.includes(needle))) return true;
      position += read;
      kept = Math.min(overlap, filled.length);
      filled.copy(buffer, 0, filled.length - kept);
    }
  } finally {
    await file.close();
  }
}
