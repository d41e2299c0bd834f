import { join } from 'node:path';
import { exportSession } from './export-session';
import type { Reconciled } from '../ports';
import type { FileFacts } from './fs';
import { reconcile } from './reconcile';
import type { ReconcileSurroundings } from './reconcile';
import { isSafeSessionId } from './session-files';
import { linesOfFile } from './spool';
import { readHeaderOf } from './tail';

/** Files of ours beside the journals: `<id>.apart-<Unix milliseconds>.jsonl`. */
const APART = /\.apart-\d+\.jsonl$/;

/** `<session id>-DESKTOP-1`: a session's name and more. Ids that we give are UUIDs, whole. */
const NAMED_COPY = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(.+)$/i;

/** A name under which a file is taken for a copy of a session. */
export function copyPath(journal: string, now: number): string {
  return `${journal.slice(0, -'.jsonl'.length)}.copy-${now}.jsonl`;
}

/**
 * Brings the copies that lie beside the journals together with their sessions: sync programs lay them there under names of their
 * own ("… (conflicted copy).jsonl", "….sync-conflict-….jsonl"), with the id of the session in their header. A copy that was
 * taken in goes to the trash; what is no session file is left alone. A failure of one is logged and leaves it where it is.
 */
export async function takeStrays(
  around: ReconcileSurroundings,
  log: { warn(message: string, detail?: unknown): void },
): Promise<Reconciled[]> {
  const { fs, files, trash, clock } = around;
  const taken: Reconciled[] = [];
  for (const name of await strayNames(around)) {
    const path = join(files.dir, name);
    try {
      const header = await readHeaderOf(fs, path);
      if (!header || !isSafeSessionId(header.id)) continue;
      // Somebody still writes on it.
      if (APART.test(name) && around.isApart(header.id)) continue;
      const source = APART.test(name) ? 'here' : 'elsewhere';
      const before = await fs.stat(path);
      const done = await reconcile(around, header.id, linesOfFile(fs, path), source, false);
      taken.push(done.kind === 'rebuilt' ? { ...done, isFromFile: true } : done);
      const after = await fs.stat(path);
      // Still being written: what came meanwhile was not looked at. The next comparison takes it all.
      if (!before || !after || !isSameFile(before, after)) continue;
      await trash.take(path, header.id, clock());
      await fs.syncDir(files.dir);
    } catch (error) {
      log.warn(`A copy of a session could not be taken in: ${name}`, error);
    }
  }
  return taken;
}

/**
 * Some programs name their copy so that it could be a session's journal ("<id>-DESKTOP-1.jsonl"): its header tells. It becomes a copy
 * under a name that no session has, and the session that it was taken for goes to the trash, where the database's rows find it. Until both
 * is done it is there twice. A failure of one is logged and leaves it where it is.
 */
export async function setNamedCopiesAside(
  { fs, files, trash, clock }: Pick<ReconcileSurroundings, 'fs' | 'files' | 'trash' | 'clock'>,
  log: { warn(message: string, detail?: unknown): void },
): Promise<void> {
  for (const id of await files.ids(fs)) {
    const [, owner, rest] = NAMED_COPY.exec(id) ?? [];
    if (owner === undefined || rest === undefined) continue;
    try {
      const header = await readHeaderOf(fs, files.journal(id));
      if (header?.id !== owner) continue;
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
