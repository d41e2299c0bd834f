import { createHash } from 'node:crypto';
import type { FoundInstead, Reconciled, SessionLog, SessionMeta } from '../../ports';
import type { JournalFs } from '../file/fs';
import { dropIndex } from '../file/index-file';
import { LogClosedError, whatIsThere } from '../file/session-error';
import { readHeaderOf } from '../file/read-header';
import { isSafeSessionId, type SessionFiles } from '../file/session-files';
import type { JournalLog } from '../file/session-log';
import { writeNewFile } from '../file/write-whole';
import { describeSession, emptyMeta } from '../meta/session-meta';
import type { Trash } from '../trash/trash';
import {
  compareCopies,
  type CopyVerdict,
  type Difference,
  goesOnBehind,
  lineFacts,
  type LineFacts,
  whatIsMore,
  whatWasLost,
} from './compare-copies';
import { linesFrom, linesOfFile, type OldJournal, readJournal, type Spool, spoolLines } from './session-copies';
import { versionTitle } from '@shared/policy/session-title';
import type { SessionHeader } from '@shared/session/records/entry';
import { uuidFrom } from '@shared/session/records/ids';
import { parseRecord } from '@shared/session/records/records';
import { serializeHeader } from '@shared/session/records/serialize-entry';
import type { StoredLine, UploadAnswer } from '@shared/types';

/** What becomes of a session of which there are two copies that are not alike (docs/specs/safety.md, E1). */

/** What the copy is: what was saved here until now, or a file that was laid beside the journal. */
type CopySource = 'here' | 'elsewhere';

/** A journal that changes while it is compared is compared again, so often. */
const ATTEMPTS = 5;

/** What the store does for a comparison. */
export interface ReconcileSurroundings {
  fs: JournalFs;
  files: SessionFiles;
  trash: Trash;
  /** Unix milliseconds. */
  clock: () => number;
  using<T>(sessionId: string, work: (log: JournalLog) => Promise<T>): Promise<T>;
  /** Closes its log, whoever has it; the next use opens the file anew. */
  release(sessionId: string): Promise<void>;
  /** It was deleted here, just now: what the database has goes to the trash with it. */
  isDeleted(sessionId: string): boolean;
  /** Keeps the file of a copy with its deleted session; false if that was deleted for good. */
  keepCopy(sessionId: string, part: string): Promise<boolean>;
  /** True once the store is being closed: nothing is opened any more. */
  isClosed(): boolean;
  /** One comparison of a session after the other. */
  inTurn<T>(sessionId: string, work: () => Promise<T>): Promise<T>;
  open(sessionId: string): Promise<SessionLog>;
  /** Its log goes on beside a file that took the place of its own. */
  isApart(sessionId: string): boolean;
  meta(sessionId: string): SessionMeta | undefined;
  setMeta(sessionId: string, meta: SessionMeta): Promise<void>;
  /** Takes it from memory; a sidecar without a journal is not read at the next start. */
  forgetMeta(sessionId: string): void;
  /** Writes the journal anew; the old one goes to the trash, what is none is set aside. Null, and nothing done, if it is not as it was read any more. */
  replace(
    sessionId: string,
    lines: AsyncIterable<StoredLine[]>,
    rest: readonly StoredLine[],
    old: OldJournal,
  ): Promise<{ log: SessionLog; found?: FoundInstead } | null>;
}

/**
 * Compares the lines of another copy with the journal and brings both together: nothing that only one of them has is lost, and
 * what is replaced lies in the trash, the copy too if it `isReplaced` afterwards. Safe to repeat after a crash at any point: the same copy becomes the same session.
 * Rejects with `NotASessionFileError` if the lines are no session, with `StorageError` if something cannot be written; then
 * both copies are as before.
 */
export async function reconcile(
  around: ReconcileSurroundings,
  sessionId: string,
  lines: AsyncIterable<readonly StoredLine[]>,
  source: CopySource,
  isReplaced: boolean,
): Promise<Reconciled> {
  const { fs, trash } = around;
  const spool = await spoolLines(fs, await trash.placeFor(sessionId, 'copy', around.clock()), sessionId, lines);
  let isKept = false;
  try {
    const here = isReplaced ? around : { ...around, isDeleted: () => false };
    const done = await around.inTurn(sessionId, () => bringTogether(here, sessionId, spool, source));
    // The window replaces its rows by the journal's when it has the answer: from then on they are only here.
    const { then } = done.answer;
    if (isReplaced && then === 'drop') isKept = await around.keepCopy(sessionId, spool.path);
    else if (isReplaced && then === 'replace') {
      await trash.keep(spool.path);
      isKept = true;
    }
    return done;
  } finally {
    if (!isKept) await fs.remove(spool.path).catch(() => undefined);
  }
}

async function bringTogether(
  around: ReconcileSurroundings,
  sessionId: string,
  spool: Spool,
  source: CopySource,
): Promise<Reconciled> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const done = await compareOnce(around, sessionId, spool, source).catch(async (error: unknown) => {
      if (!(error instanceof LogClosedError) || around.isClosed()) throw error;
      // Closed by somebody else, or shorter than its log says: it is opened and looked at anew.
      await around.release(sessionId);
      return null;
    });
    if (done) return done;
  }
  throw new Error(`The journal of session ${sessionId} kept changing while it was compared.`);
}

/** Null if the journal changed meanwhile: nothing was done. */
async function compareOnce(
  around: ReconcileSurroundings,
  sessionId: string,
  spool: Spool,
  source: CopySource,
): Promise<Reconciled | null> {
  const journal = await readJournal(around, sessionId);
  if (!journal && (around.isDeleted(sessionId) || (await isInTrash(around, sessionId, spool))))
    return { kind: 'kept', answer: { then: 'drop' } };
  const verdict: CopyVerdict = journal ? compareCopies(journal.facts, spool.facts) : { kind: 'database' };
  if (verdict.kind === 'journal')
    return { kind: 'kept', merged: { sessionId, messages: verdict.merged }, answer: { then: 'replace' } };
  // A copy that lay beside it is another matter: the file itself is the session's.
  const replacedBy = async (): Promise<string | undefined> =>
    source === 'here' && journal ? whoseFile(around, sessionId, spool, journal.facts) : undefined;
  if (verdict.kind === 'conflict' && source === 'here' && journal?.hasChanged) {
    // Its index is of what was there before: by that, lines of the file that is there now are damage.
    await around.release(sessionId);
    await dropIndex(around.fs, around.files.index(sessionId));
    return null;
  }
  if (verdict.kind === 'conflict')
    return setApart(around, sessionId, spool, { ...verdict, fileOf: await replacedBy() }, source);
  // That a file has its name proves nothing: a newer copy is what goes on where the journal ends.
  if (verdict.kind === 'database' && source === 'elsewhere' && journal && !goesOnBehind(spool.facts, journal.facts))
    return setApart(around, sessionId, spool, whatIsMore(spool.facts, journal.facts), source);
  const rest =
    verdict.kind === 'both' && journal ? await linesFrom(around, sessionId, journal.facts, verdict.from) : [];
  const copy = linesOfFile(around.fs, spool.path);
  const done = await around.replace(sessionId, copy, rest, journal ?? { size: null });
  const was = journal ? whatWasLost(journal.facts, spool.facts) : 'missing';
  return done && { kind: 'rebuilt', ...done, was, answer: { then: 'nothing' } };
}

/** Whether a session that was deleted has in the trash all that the copy has: then it stays deleted. */
async function isInTrash({ fs, trash }: ReconcileSurroundings, sessionId: string, spool: Spool): Promise<boolean> {
  const path = await trash.journalOf(sessionId);
  if (path === null) return false;
  const facts: LineFacts[] = [];
  try {
    for await (const lines of linesOfFile(fs, path)) facts.push(...lines.map(({ line }) => lineFacts(line)));
  } catch (error) {
    if (whatIsThere(error) === null) throw error;
  }
  return compareCopies(facts, spool.facts).kind === 'journal';
}

/** The copy becomes a session of its own, once: its id follows from its lines, so that who sees it again finds it. Null if it changed meanwhile. */
async function setApart(
  around: ReconcileSurroundings,
  sessionId: string,
  spool: Spool,
  difference: Difference & { fileOf?: string },
  source: CopySource,
): Promise<Reconciled | null> {
  const { inJournal, inDatabase, since, sharesNothing, fileOf } = difference;
  const conflict = {
    ...{ with: sessionId, there: inJournal, here: inDatabase, since, isRead: false },
    ...(sharesNothing ? { sharesNothing } : {}),
    ...(fileOf === undefined ? {} : { fileOf }),
    ...(source === 'elsewhere' ? { isCopy: true } : {}),
  };
  const known = await findApart(around, sessionId, spool);
  const found = known ?? (await writeApart(around, sessionId, spool, conflict));
  if (!found) return null;
  const log = await around.open(found.sessionId);
  const meta = around.meta(found.sessionId);
  // No preview: the process died before the session was described.
  if (!meta?.conflict || meta.preview === '') {
    const described = await describeSession(log, around.clock());
    const { preview } = described;
    const origin = around.meta(sessionId);
    const plain = log.tree.name ?? (origin?.title || described.title);
    const given = found.isNew
      ? chosenFor(origin, await titleFor(around, found.sessionId, plain, spool), described)
      : { ...(meta ?? described), preview };
    await around.setMeta(found.sessionId, { ...given, conflict: meta?.conflict ?? conflict });
    // The file's own sidecar still tells of what was said in the copy.
    await describeAnew(around, sessionId).catch(() => undefined);
  }
  const header = (await firstLines(log, spool.headerSeq)).at(-1);
  const last = spool.facts.length - 1;
  const crc = await around.using(found.sessionId, (its) => Promise.resolve(its.crcAt(last)));
  const canMove = found.isSameLayout && header !== undefined && crc !== null;
  const answer: UploadAnswer = canMove ? { then: 'move', to: found.sessionId, header, crc } : { then: 'replace' };
  return { kind: 'apart', log, from: sessionId, wasThere: known !== null, answer };
}

/**
 * The other session whose file stands in the place of this one's; undefined if it is this one's own, as another computer has it. By its
 * header; of sessions that were imported of one, which all have the same, it is the one that has all its records.
 */
async function whoseFile(
  around: ReconcileSurroundings,
  sessionId: string,
  spool: Spool,
  journal: readonly LineFacts[],
): Promise<string | undefined> {
  const { fs, files } = around;
  const headerOf = (id: string): Promise<SessionHeader | null> => readHeaderOf(fs, files.journal(id)).catch(() => null);
  const there = await headerOf(sessionId);
  if (!there) return undefined;
  const isForeign = there.id !== sessionId && there.id !== spool.header.id;
  if (isForeign && isSafeSessionId(there.id) && (await fs.stat(files.journal(there.id)).catch(() => null)))
    return there.id;
  for (const id of await files.ids(fs)) {
    if (id === sessionId || (await headerOf(id))?.id !== there.id) continue;
    const other = await readJournal(around, id).catch(() => null);
    if (other && compareCopies(other.facts, journal).kind === 'journal') return id;
  }
  // One that is gone, or that is nobody's here.
  return isForeign ? there.id : undefined;
}

/** Brings the last words and the time of a session's sidecar in line with its file. */
async function describeAnew(around: ReconcileSurroundings, sessionId: string): Promise<void> {
  const described = await around.using(sessionId, (log) => describeSession(log, around.clock()));
  const meta = around.meta(sessionId);
  const { preview, updatedAt } = described;
  await around.setMeta(sessionId, { ...(meta ?? described), preview, updatedAt });
}

interface Apart {
  sessionId: string;
  /** Its lines are the copy's, but for the header. */
  isSameLayout: boolean;
  /** It has no sidecar of a person's choice yet. */
  isNew: boolean;
}

/** A session made of this one that has all of the copy: made of it before a crash, or by the other computer. */
async function findApart(around: ReconcileSurroundings, sessionId: string, spool: Spool): Promise<Apart | null> {
  const { fs, files } = around;
  const own = new Set(ownIds(sessionId, spool.digest));
  for (const id of await files.ids(fs)) {
    if (id === sessionId) continue;
    const header = await readHeaderOf(fs, files.journal(id)).catch(() => null);
    if (header?.parentSession !== sessionId) continue;
    const journal = await readJournal(around, id).catch((error: unknown) => {
      // Taken for another one it would be written a second time.
      if (error instanceof LogClosedError) throw error;
      return null;
    });
    if (!journal || compareCopies(journal.facts, spool.facts).kind !== 'journal') continue;
    const isSameLayout = spool.facts.every(({ hash, isHeader }, seq) =>
      seq === spool.headerSeq ? isHeader && journal.facts[seq]?.isHeader : journal.facts[seq]?.hash === hash,
    );
    return { sessionId: id, isSameLayout, isNew: own.has(id) && around.meta(id)?.titleSource !== 'person' };
  }
  return null;
}

/** The sidecar first: wherever the process dies, no session is there of which it is not told where it comes from. Null if it changed meanwhile. */
async function writeApart(
  around: ReconcileSurroundings,
  sessionId: string,
  spool: Spool,
  conflict: NonNullable<SessionMeta['conflict']>,
): Promise<Apart | null> {
  const { fs, files, trash, clock } = around;
  const deleted = new Set(await trash.ids());
  for (const id of ownIds(sessionId, spool.digest)) {
    // One of this id that was deleted, or went another way, is another session.
    if (deleted.has(id)) continue;
    const header = serializeHeader({ ...spool.header, id, parentSession: sessionId });
    const lines = withHeader(linesOfFile(fs, spool.path), header);
    if (await fs.stat(files.journal(id))) {
      const again = await writeAgain(around, id, lines, spool.facts, conflict);
      if (again === 'other') continue;
      return again;
    }
    const origin = around.meta(sessionId);
    const title = await titleFor(around, id, origin?.title ?? '', spool);
    const named = chosenFor(origin, title, origin ?? emptyMeta('', clock()));
    try {
      await around.setMeta(id, { ...named, preview: '', conflict });
      await writeNewFile(fs, files.journal(id), bytesOf(lines));
    } catch (error) {
      if (!(await fs.stat(files.journal(id)).catch(() => null))) around.forgetMeta(id);
      throw error;
    }
    return { sessionId: id, isSameLayout: true, isNew: true };
  }
  throw new Error(`Session ${sessionId} was set apart too often.`);
}

/**
 * Writes the copy again into the session that it became before, if that was cut since; what the person chose for it stays. `other`: what is
 * there is another session. Null if it changed meanwhile.
 */
async function writeAgain(
  around: ReconcileSurroundings,
  id: string,
  lines: AsyncIterable<StoredLine[]>,
  facts: readonly LineFacts[],
  conflict: NonNullable<SessionMeta['conflict']>,
): Promise<Apart | 'other' | null> {
  const journal = await readJournal(around, id).catch(() => null);
  if (!journal || compareCopies(journal.facts, facts).kind !== 'database') return 'other';
  if (!(await around.replace(id, lines, [], journal))) return null;
  const meta = around.meta(id);
  if (meta) await around.setMeta(id, { ...meta, conflict });
  await describeAnew(around, id).catch(() => undefined);
  return { sessionId: id, isSameLayout: true, isNew: meta?.conflict === undefined };
}

/** The ids that a copy may have as a session of its own, in order: the same on every computer and at every repetition. */
function ownIds(sessionId: string, digest: string): string[] {
  return Array.from({ length: 100 }, (_, n) =>
    uuidFrom(createHash('sha256').update(`${sessionId}\n${digest}\n${n}`).digest('hex')),
  );
}

async function* withHeader(chunks: AsyncIterable<StoredLine[]>, header: string): AsyncGenerator<StoredLine[]> {
  let isReplaced = false;
  for await (const lines of chunks) {
    // By what it is: blank lines before it may be more or fewer records in the copy than in its file.
    const at: number = isReplaced ? -1 : lines.findIndex(({ line }) => parseRecord(line).kind === 'header');
    isReplaced ||= at >= 0;
    yield lines.map((line, n) => (n === at ? { ...line, line: header } : line));
  }
}

async function* bytesOf(chunks: AsyncIterable<StoredLine[]>): AsyncGenerator<Uint8Array> {
  for await (const lines of chunks) yield Buffer.from(lines.map(({ line }) => `${line}\n`).join(''), 'utf8');
}

async function firstLines(log: SessionLog, last: number): Promise<StoredLine[]> {
  const found: StoredLine[] = [];
  for await (const { lines } of log.lines(0)) {
    found.push(...lines.filter(({ seq }) => seq <= last));
    if (found.length > last) break;
  }
  return found;
}

/** The title of the session that a copy becomes: no other session has it. */
async function titleFor(
  { fs, files, meta, clock }: ReconcileSurroundings,
  id: string,
  title: string,
  { facts }: Spool,
): Promise<string> {
  const others = (await files.ids(fs)).filter((other) => other !== id);
  const last = facts.flatMap(({ time }) => time ?? []).at(-1) ?? clock();
  return versionTitle(title, last, new Set(others.map((other) => meta(other)?.title ?? '')));
}

/** What the person chose for the session holds for the one that is set apart. */
function chosenFor(known: SessionMeta | undefined, title: string, described: SessionMeta): SessionMeta {
  // Nor is a folder suggested to it that the person has chosen another for.
  const { workspace, suggestion, pinned, archived, demo } = known ?? described;
  const titleSource = known?.titleSource === 'person' ? 'person' : 'auto';
  return { ...described, workspace, suggestion, pinned, archived, demo, title, titleSource };
}
