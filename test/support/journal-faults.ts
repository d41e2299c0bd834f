/** Fault runs on a journal that the tests run in short and `npm run faults` in full. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createSessionStore } from '../../src/main/journal/session-store';
import type { JournalStore } from '../../src/main/journal/session-store';
import { FailingFs } from './failing-fs';
import type { Fault } from './failing-fs';
import { assistant, randomHex, user } from './journal';

const SILENT = { warn: (): void => undefined };
/** R4: an operation that takes longer hangs. */
const SETTLES_MS = 3_000;

function storeIn(home: string, fs?: FailingFs): Promise<JournalStore> {
  return createSessionStore({
    dir: join(home, 'sessions'),
    trashDir: join(home, 'trash'),
    clock: Date.now,
    randomHex,
    log: SILENT,
    fs,
  });
}

/** A journal of about `bytes` bytes with its index: texts in several scripts, so that cuts fall inside characters too. */
export async function sampleJournal(
  home: string,
  bytes: number,
): Promise<{ id: string; path: string; indexPath: string }> {
  const store = await storeIn(home);
  const log = await store.create({ workspace: '/workspace' });
  const { sessionId: id } = log;
  const path = join(home, 'sessions', `${id}.jsonl`);
  await log.append([user('a first question, ünïcode 数据')]);
  await log.append([{ type: 'model_change', provider: 'demo', modelId: 'demo-1' }]);
  for (let n = 0; ; n++) {
    const [record] = await log.append([
      n % 2 === 0 ? assistant(`answer ${n} → ${'データ '.repeat(20)}`) : user(`question ${n} ${'é'.repeat(60)}`),
    ]);
    if (n === 10) await log.append([{ type: 'label', targetId: record!.entry.id, label: 'ten' }]);
    const { seq } = log.mark();
    if (seq * 380 > bytes) break;
  }
  await store.close();
  return { id, path, indexPath: join(home, 'sessions', `${id}.index`) };
}

export interface Opened {
  ids: string[];
  bodies: string[];
  damage: readonly string[];
}

/** Opens the only session of a folder, appends to it, opens it again. Throws what opening throws. */
export async function openAndAppend(
  home: string,
  id: string,
): Promise<{ first: Opened; appended: string; second: Opened }> {
  const look = async (store: JournalStore): Promise<Opened> => {
    const log = await store.open(id);
    const ids = log.tree.entriesInOrder().map((node) => node.id);
    const bodies = (await log.loadBodies(ids)).map((body) => JSON.stringify(body));
    return { ids, bodies, damage: [...log.damage] };
  };
  const store = await storeIn(home);
  const first = await look(store);
  const [record] = await (await store.open(id)).append([user('after the damage')]);
  await store.close();
  const again = await storeIn(home);
  const second = await look(again);
  await again.close();
  return { first, appended: record!.entry.id, second };
}

export interface FaultOutcome {
  calls: number;
  acknowledged: number;
  /** Acknowledged entries that were not there after the crash, or not in order. */
  lost: number;
  /** Ids that came back twice. */
  duplicated: number;
  /** Operations that took longer than 3 s. */
  hung: number;
  /** Failures whose message was not written for a person. */
  unexplained: string[];
}

async function settles<T>(work: Promise<T>, outcome: FaultOutcome): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'late'>((resolve) => (timer = setTimeout(() => resolve('late'), SETTLES_MS)));
  try {
    const result = await Promise.race([work, late]);
    if (result !== 'late') return result;
    outcome.hung++;
    return null;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    if (!/^(Could not save: |The session could not be read: )/.test(message)) outcome.unexplained.push(message);
    return null;
  } finally {
    clearTimeout(timer);
  }
}

/**
 * A session is written while one call fails (or none), then the machine loses power; everything that was acknowledged
 * must be there afterwards.
 */
export async function runWithFault(parent: string, fault: Fault | null, share = 0): Promise<FaultOutcome> {
  const outcome: FaultOutcome = { calls: 0, acknowledged: 0, lost: 0, duplicated: 0, hung: 0, unexplained: [] };
  await mkdir(parent, { recursive: true });
  const home = await mkdtemp(join(parent, 'fault-'));
  const fs = new FailingFs(fault);
  const acknowledged: string[] = [];
  let sessionId = '';
  // A store that cannot start is told by the app as a whole; here it only must not hang.
  const store = await storeIn(home, fs).catch(() => null);
  if (store) {
    const log = await store.create({ workspace: '/workspace' });
    sessionId = log.sessionId;
    const append = async (texts: string[]): Promise<void> => {
      const records = await settles(log.append(texts.map(user)), outcome);
      for (const { entry } of records ?? []) acknowledged.push(entry.id);
    };
    await append(['one']);
    await append(['two', 'three']);
    await settles(store.setMeta(sessionId, { pinned: true }), outcome);
    await Promise.all([append(['four']), append(['five']), append(['six'])]);
    await settles(log.moveLeaf(acknowledged[0] ?? null, 'test'), outcome);
    await append(['seven']);
    await append(['eight']);
    outcome.calls = fs.calls;
    await fs.crash(share);
  }
  outcome.acknowledged = acknowledged.length;
  await check(home, sessionId, acknowledged, outcome);
  await rm(home, { recursive: true, force: true });
  return outcome;
}

async function check(
  home: string,
  sessionId: string,
  acknowledged: readonly string[],
  outcome: FaultOutcome,
): Promise<void> {
  const again = await storeIn(home);
  if (acknowledged.length > 0) {
    const log = await again.open(sessionId);
    const found = log.tree.entriesInOrder().map((node) => node.id);
    const bodies = await log.loadBodies(acknowledged);
    const places = acknowledged.map((id) => found.indexOf(id));
    outcome.lost =
      places.filter((place, n) => place === -1 || place < (places[n - 1] ?? 0)).length +
      acknowledged.length -
      bodies.length;
    const lines: string[] = [];
    for await (const chunk of log.lines(0)) lines.push(...chunk.lines.map(({ id }) => id).filter((id) => id !== ''));
    outcome.duplicated = lines.length - new Set(lines).size;
    await log.append([user('after the crash')]);
  }
  await again.close();
}

/** Writes bytes in place of a journal; `index` null removes the index. */
export async function plant(
  path: string,
  bytes: Uint8Array,
  indexPath: string,
  index: Uint8Array | null,
): Promise<void> {
  await writeFile(path, bytes);
  if (index) await writeFile(indexPath, index);
  else await rm(indexPath, { force: true });
}
