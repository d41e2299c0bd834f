/** R4: sessions on a file system that fails at one call. The tests run it in memory, `npm run faults` also on the disk. */
import { join } from 'node:path';
import type { JournalFs, PickedFs } from '../../src/main/journal/file/fs';
import { createSessionStore } from '../../src/main/journal/session-store';
import type { JournalStore } from '../../src/main/journal/session-store';
import { FailingFs } from './failing-fs';
import type { Fault, FaultKind } from './failing-fs';
import { assistant, randomHex, user } from './journal';

const SILENT = { warn: (): void => undefined };

/** Every way in which a call fails: once, by half, or from then on. */
export const FAULT_KINDS: readonly Pick<Fault, 'kind' | 'stays'>[] = [
  { kind: 'ENOSPC' },
  { kind: 'EIO' },
  { kind: 'short' },
  { kind: 'ENOSPC', stays: true },
];

/** How much of what was written and not synced a power cut leaves. */
export const SHARES = [0, 0.5, 1];

export interface Place {
  fs: JournalFs;
  /** An empty folder. */
  home: string;
  /** Resolves when an operation counts as hung, or soon after it has settled. */
  late: (hasSettled: () => boolean) => Promise<void>;
}

export interface FaultOutcome {
  calls: number;
  acknowledged: number;
  /** Acknowledged entries that were not there after the crash, or not in order. */
  lost: number;
  /** Ids that came back twice. */
  duplicated: number;
  /** Operations that never settled. */
  hung: number;
  /** Failures whose message was not written for a person. */
  unexplained: string[];
  /** Failed saves for which the app would not have shown that the disk is full, though it was. */
  notShownAsFull: string[];
}

export function storeIn(home: string, fs: JournalFs, picked?: PickedFs): Promise<JournalStore> {
  const dirs = { dir: join(home, 'sessions'), trashDir: join(home, 'trash') };
  return createSessionStore({ ...dirs, clock: Date.now, randomHex, log: SILENT, fs, picked });
}

/** In memory nothing waits for anything but the event loop: what is not settled after so many turns never will be. */
export async function afterManyTurns(hasSettled: () => boolean): Promise<void> {
  for (let turn = 0; turn < 2_000 && !hasSettled(); turn++) await new Promise((resolve) => setImmediate(resolve));
}

const PLAIN =
  /^(Could not save: |The session was imported, but |The session could not be read: |This session is not in the trash|The file of this |copy\.jsonl was not imported: )/;

/** Settles one operation of the store and notes how it failed; null if it did. */
async function settle<T>(
  work: Promise<T>,
  { late }: Place,
  kind: FaultKind | null,
  outcome: FaultOutcome,
): Promise<T | null> {
  let hasSettled = false;
  const done = work.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  void done.then(() => (hasSettled = true));
  const result = await Promise.race([done, late(() => hasSettled).then(() => null)]);
  if (result === null) outcome.hung++;
  if (result === null || 'value' in result) return result?.value ?? null;
  const { message, problem } = result.error as { message: string; problem?: string };
  if (!PLAIN.test(message)) outcome.unexplained.push(message);
  if (kind === 'ENOSPC' && message.startsWith('Could not save: ') && problem !== 'full') {
    outcome.notShownAsFull.push(message);
  }
  return null;
}

function newOutcome(): FaultOutcome {
  return { calls: 0, acknowledged: 0, lost: 0, duplicated: 0, hung: 0, unexplained: [], notShownAsFull: [] };
}

/**
 * A session is written while one call fails (or none), then the machine loses power; everything that was acknowledged
 * must be there afterwards.
 */
export async function writeWithFault(place: Place, fault: Fault | null, share = 0): Promise<FaultOutcome> {
  const outcome = newOutcome();
  const fs = new FailingFs(fault, place.fs);
  const settles = <T>(work: Promise<T>): Promise<T | null> => settle(work, place, fault?.kind ?? null, outcome);
  const acknowledged: string[] = [];
  let sessionId = '';
  // A store that cannot start is told by the app as a whole; here it only must not hang.
  const store = await storeIn(place.home, fs).catch(() => null);
  if (store) {
    const log = await store.create({ workspace: '/workspace' });
    sessionId = log.sessionId;
    const append = async (texts: string[]): Promise<void> => {
      const records = await settles(log.append(texts.map(user)));
      for (const { entry } of records ?? []) acknowledged.push(entry.id);
    };
    await append(['one']);
    await append(['two', 'three']);
    await settles(store.setMeta(sessionId, { pinned: true }));
    await Promise.all([append(['four']), append(['five']), append(['six'])]);
    await settles(log.moveLeaf(acknowledged[0] ?? null, 'test'));
    await append(['seven']);
    await append(['eight']);
    outcome.calls = fs.calls;
    await fs.crash(share);
    await store.close();
  }
  outcome.acknowledged = acknowledged.length;
  await check(place, sessionId, acknowledged, outcome);
  return outcome;
}

/**
 * Sessions are imported, exported, deleted, brought back and written anew while one call fails; then the app is started
 * again. The session and the entries in it must be in the store or, whole, in the trash.
 */
export async function moveWithFault(place: Place, fault: Fault | null): Promise<FaultOutcome> {
  const outcome = newOutcome();
  const { home } = place;
  const before = await storeIn(home, place.fs);
  const written = await before.create({ workspace: '/workspace' });
  const { sessionId } = written;
  const records = await written.append([user('one'), assistant('two')]);
  await before.exportTo(sessionId, join(home, 'copy.jsonl'), false);
  await before.close();

  const fs = new FailingFs(fault, place.fs);
  const settles = <T>(work: Promise<T>): Promise<T | null> => settle(work, place, fault?.kind ?? null, outcome);
  const store = await storeIn(home, fs).catch(() => null);
  if (store) {
    await settles(store.importFile(join(home, 'copy.jsonl')));
    await settles(store.exportTo(sessionId, join(home, 'other.jsonl'), true));
    await settles(store.trash(sessionId));
    await settles(store.restore(sessionId));
    const lines = records.map(({ line }) => line);
    const header = { seq: 0, id: '', line: JSON.stringify(written.header) };
    // The same once more, then with one that the journal lacks: it is written anew.
    await settles(store.reconcile(sessionId, chunks([header, ...lines])));
    const more = { type: 'custom', customType: 'x', id: 'abcdef12', parentId: lines.at(-1)?.id, timestamp: '' };
    const longer = [header, ...lines, { seq: lines.length + 1, id: more.id, line: JSON.stringify(more) }];
    await settles(store.reconcile(sessionId, chunks(longer)));
    outcome.calls = fs.calls;
    await settles(store.close());
  }
  const again = await storeIn(home, place.fs);
  if (!(await again.list()).some((session) => session.sessionId === sessionId)) {
    await again.restore(sessionId).catch(() => undefined);
  }
  await again.close();
  const ids = records.map(({ entry }) => entry.id);
  outcome.acknowledged = ids.length;
  await check(place, sessionId, ids, outcome);
  return outcome;
}

async function* chunks<T>(lines: T[]): AsyncGenerator<T[]> {
  for (const line of lines) yield [line];
}

async function check(place: Place, sessionId: string, ids: readonly string[], outcome: FaultOutcome): Promise<void> {
  const again = await storeIn(place.home, place.fs);
  if (ids.length > 0) {
    const log = await again.open(sessionId);
    const found = log.tree.entriesInOrder().map((node) => node.id);
    const bodies = await log.loadBodies(ids);
    const places = ids.map((id) => found.indexOf(id));
    const missing = places.filter((at, n) => at === -1 || at < (places[n - 1] ?? 0)).length;
    outcome.lost = missing + ids.length - bodies.length;
    const lines: string[] = [];
    for await (const chunk of log.lines(0)) lines.push(...chunk.lines.map(({ id }) => id).filter((id) => id !== ''));
    outcome.duplicated = lines.length - new Set(lines).size;
    await log.append([user('after the crash')]);
  }
  await again.close();
}
