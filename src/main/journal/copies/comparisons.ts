import { join } from 'node:path';
import { toStorageError } from '../../own-files/storage-error';
import type { Reconciled } from '../../ports';
import { errorCode, type FileFacts, type JournalFs } from '../file/fs';
import { readIndex } from '../file/index-file';
import { readHeaderOf } from '../file/read-header';
import { LogClosedError } from '../file/session-error';
import { isSafeSessionId, type SessionFiles } from '../file/session-files';
import { exportSession } from '../transfer/exports';
import { reconcile, type ReconcileSurroundings } from './reconcile';
import { linesOfFile } from './session-copies';
import { parseRecord } from '@shared/session/records/records';
import type { StoredLine } from '@shared/types';

/** Files of ours beside the journals: `<id>.apart-<Unix milliseconds>.jsonl`. */
const APART = /^(.+)\.apart-\d+\.jsonl$/;

/** `<session id>-DESKTOP-1`: a session's name and more. Ids that we give are UUIDs, whole. */
const NAMED_COPY = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(.+)$/i;

/** A name under which a file is taken for a copy of a session. */
export function copyPath(journal: string, now: number): string {
  return `${journal.slice(0, -'.jsonl'.length)}.copy-${now}.jsonl`;
}

/**
 * Brings the copies that lie beside the journals together with their sessions: sync programs lay them there under names that they make
 * of the journal's ("… (conflicted copy).jsonl", "….sync-conflict-….jsonl"). A copy that was taken in goes to the trash; what is no
 * session file, or no session's copy, is left alone. A failure of one is logged and leaves it where it is.
 */
async function takeStrays(
  around: ReconcileSurroundings,
  log: { warn(message: string, detail?: unknown): void },
): Promise<Reconciled[]> {
  const { fs, files, trash, clock } = around;
  const taken: Reconciled[] = [];
  for (const name of await strayNames(around)) {
    const path = join(files.dir, name);
    try {
      const owner = await ownerOf(around, name);
      if (owner === null) {
        log.warn(`A file beside the sessions is no copy of one by its name and header; it is left alone: ${name}`);
        continue;
      }
      // Somebody still writes on it.
      if (APART.test(name) && around.isApart(owner)) continue;
      const source = APART.test(name) ? 'here' : 'elsewhere';
      const before = await fs.stat(path);
      const done = await reconcile(around, owner, linesOfFile(fs, path), source, false);
      taken.push(done.kind === 'rebuilt' ? { ...done, wrote: source } : done);
      const after = await fs.stat(path);
      // Still being written: what came meanwhile was not looked at. The next comparison takes it all.
      if (!before || !after || !isSameFile(before, after)) continue;
      await trash.take(path, owner, clock());
      await fs.syncDir(files.dir);
    } catch (error) {
      log.warn(`A copy of a session could not be taken in: ${name}`, error);
    }
  }
  return taken;
}

/**
 * The session that a file beside the journals is a copy of; null if it is of none. By its name, and then by its header: sessions that were
 * imported of one session have the same header, whose id is that of one of them at most.
 */
async function ownerOf({ fs, files }: ReconcileSurroundings, name: string): Promise<string | null> {
  const [, apartFrom] = APART.exec(name) ?? [];
  // We gave it its name.
  if (apartFrom !== undefined) return isSafeSessionId(apartFrom) ? apartFrom : null;
  const header = await readHeaderOf(fs, join(files.dir, name));
  if (!header) return null;
  // A session whose file was moved to this name has its index yet.
  const indexed = (await fs.list(files.dir)).flatMap((beside) => /^(.+)\.index$/.exec(beside)?.[1] ?? []);
  const ids = new Set([...(await files.ids(fs)), ...indexed, header.id]);
  const [owner] = [...ids]
    .filter((id) => isSafeSessionId(id) && isNamedAfter(name, id))
    .sort((a, b) => b.length - a.length);
  if (owner === undefined) return null;
  return (await mayBeCopyOf(fs, files, owner, header.id)) ? owner : null;
}

/** Whether a file name has an id in it, and not as a part of another word. */
function isNamedAfter(name: string, id: string): boolean {
  for (let at = name.indexOf(id); at >= 0; at = name.indexOf(id, at + 1))
    if (!/[A-Za-z0-9]/.test(`${name.charAt(at - 1)}${name.charAt(at + id.length)}`)) return true;
  return false;
}

/** Whether a header of this id is that of a session: its own, or what it was imported with, by its file or by the index of that. */
async function mayBeCopyOf(fs: JournalFs, files: SessionFiles, owner: string, headerId: string): Promise<boolean> {
  if (headerId === owner) return true;
  const own = await readHeaderOf(fs, files.journal(owner)).catch(() => null);
  if (own?.id === headerId) return true;
  // The file was moved to this name, or another one is in its place.
  const row = (await readIndex(fs, files.index(owner)).catch(() => null))?.peek();
  const record = row?.kind === 'header' ? parseRecord(row.text) : null;
  return record?.kind === 'header' && record.header.id === headerId;
}

/**
 * Some programs name their copy so that it could be a session's journal ("<id>-DESKTOP-1.jsonl"): its header tells. It becomes a copy
 * under a name that no session has, and the session that it was taken for goes to the trash, where the database's rows find it. Until both
 * is done it is there twice. A failure of one is logged and leaves it where it is.
 */
async function setNamedCopiesAside(
  { fs, files, trash, clock }: Pick<ReconcileSurroundings, 'fs' | 'files' | 'trash' | 'clock'>,
  log: { warn(message: string, detail?: unknown): void },
): Promise<void> {
  for (const id of await files.ids(fs)) {
    const [, owner, rest] = NAMED_COPY.exec(id) ?? [];
    if (owner === undefined || rest === undefined) continue;
    try {
      const header = await readHeaderOf(fs, files.journal(id));
      // A session of its own that only looks like a copy.
      if (!header || header.id === id || !(await mayBeCopyOf(fs, files, owner, header.id))) continue;
      await exportSession(fs, files, id, join(files.dir, `${owner}.copy-${clock()}${rest}.jsonl`), false);
      await trash.put(files, id, clock());
    } catch (error) {
      log.warn(`A copy of a session could not be set aside: ${id}`, error);
    }
  }
}

function isSameFile(before: FileFacts, after: FileFacts): boolean {
  const { identity, size, changedMs } = after;
  return before.identity === identity && before.size === size && before.changedMs === changedMs;
}

/** Session files that are no session's journal: their names say more than an id. Hidden ones are half-written copies. */
async function strayNames({ fs, files }: ReconcileSurroundings): Promise<string[]> {
  const names = await fs.list(files.dir);
  return names.filter(
    (name) =>
      name.endsWith('.jsonl') &&
      !name.endsWith('.original.jsonl') &&
      !/^[.~]/.test(name) &&
      !isSafeSessionId(name.slice(0, -'.jsonl'.length)),
  );
}

/** What the comparisons need of the store. */
export interface ComparedStore extends Omit<ReconcileSurroundings, 'inTurn' | 'isClosed'> {
  /** Closes the log of a session, whoever has it and whatever is under way in it. */
  shut(sessionId: string): Promise<void>;
  log: { warn(message: string, detail?: unknown): void };
}

/** Brings journals and their other copies together, one comparison of a session after the other, until the store is closed. */
export class Comparisons {
  private readonly around: ReconcileSurroundings;
  /** The last comparison of each session. */
  private readonly turns = new Map<string, Promise<unknown>>();
  private readonly underWay = new Set<Promise<unknown>>();

  constructor(
    private readonly store: ComparedStore,
    private readonly closed: AbortSignal,
  ) {
    this.around = {
      ...store,
      isClosed: () => closed.aborted,
      inTurn: (id, work) => this.inTurn(id, work),
    };
  }

  /** At the start: copies that a sync program laid beside their journals, under names of sessions. */
  setNamedCopiesAside(): Promise<void> {
    return setNamedCopiesAside(this.around, this.store.log);
  }

  /** With the lines that the database has. See `SessionStore.reconcile`. */
  reconcile(sessionId: string, lines: AsyncIterable<StoredLine[]>): Promise<Reconciled> {
    return this.untilDone(async () => {
      const copy = untilAborted(lines, this.closed);
      return reconcile(this.around, sessionId, copy, 'here', true);
    }).catch((error: unknown) => {
      throw errorCode(error) === '' ? error : toStorageError(error);
    });
  }

  /** With the copies that lie beside the journals. See `SessionStore.takeStrays`. */
  takeStrays(closing?: string): Promise<Reconciled[]> {
    return this.untilDone(async () => {
      if (closing !== undefined) await this.store.shut(closing);
      return takeStrays(this.around, this.store.log);
    });
  }

  /** Resolves when those that are under way have ended. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.underWay);
  }

  /** Work that `settled` waits for; refused once the store is being closed. */
  private async untilDone<T>(work: () => Promise<T>): Promise<T> {
    if (this.closed.aborted) throw new LogClosedError();
    const done = work();
    this.underWay.add(done);
    try {
      return await done;
    } finally {
      this.underWay.delete(done);
    }
  }

  private async inTurn<T>(sessionId: string, work: () => Promise<T>): Promise<T> {
    const earlier = this.turns.get(sessionId);
    const done = earlier ? earlier.then(work, work) : work();
    this.turns.set(sessionId, done);
    try {
      return await done;
    } finally {
      if (this.turns.get(sessionId) === done) this.turns.delete(sessionId);
    }
  }
}

/** The chunks of another copy; ends with an error once `signal` is aborted, whether or not the next one ever comes. */
async function* untilAborted<T>(chunks: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T, void, void> {
  let end = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => (end = () => reject(new LogClosedError())));
  aborted.catch(() => undefined);
  signal.addEventListener('abort', end);
  try {
    signal.throwIfAborted();
    const iterator = chunks[Symbol.asyncIterator]();
    for (;;) {
      const next = await Promise.race([iterator.next(), aborted]);
      if (next.done) return;
      yield next.value;
    }
  } finally {
    signal.removeEventListener('abort', end);
  }
}
