import { execFileSync } from 'node:child_process';
import { copyFile, mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { SessionContext } from '../../../src/main/agent/session-context';
import { nodeFs } from '../../../src/main/journal/file/fs';
import type { JournalStore } from '../../../src/main/journal/session-store';
import { SessionKeeper } from '../../../src/main/session/machine/session-keeper';
import { NO_SESSION, type SessionSnapshot } from '../../../src/shared/session-state/state';
import type { Case, CaseContext, FigureInput } from '../../support/figures';
import { assistant, user } from '../../support/journal';
import { collectGarbage, compare, median, percentile } from '../harness';
import type { OpenedAlone } from '../open-alone';
import { loadPeer } from '../peer';
import { sessionFile } from '../sessions';
import { openStore } from '../store';

const ENTRIES = 50_000;
const SESSION = 'measured';

/** A store with one long session in it, its index written, as after a first open. */
async function storeWithSession(
  { scratch }: CaseContext,
  compactEvery?: number,
): Promise<{ path: string; bytes: number; source: string }> {
  const source = await sessionFile({ entries: ENTRIES, compactEvery });
  await mkdir(join(scratch, 'sessions'), { recursive: true });
  const path = join(scratch, 'sessions', `${SESSION}.jsonl`);
  await copyFile(source, path);
  const store = await openStore(scratch);
  await store.open(SESSION);
  await store.close();
  return { path, bytes: (await stat(path)).size, source };
}

/** What a window is given of a session that was not open. */
async function openToScreen(scratch: string): Promise<SessionSnapshot> {
  const store = await openStore(scratch);
  const log = await store.open(SESSION);
  const seen = new SessionContext(log);
  const nothing = (): void => undefined;
  const keeper = new SessionKeeper(log, { emit: nothing }, () => seen.seenPath());
  const { model, thinkingLevel, usage, queue, failure, interrupted, neverBegan, edits, damage } = NO_SESSION;
  keeper.begin({ model, thinkingLevel, usage, queue, failure, interrupted, neverBegan, edits, damage });
  const snapshot = await keeper.snapshot();
  await store.close();
  return snapshot;
}

/** QP4: what the person waits for, against the peer. Both read everything first. */
async function lastScreen(context: CaseContext): Promise<FigureInput[]> {
  const peer = await loadPeer();
  const { bytes, source } = await storeWithSession(context);
  const result = await compare({
    ours: () => openToScreen(context.scratch),
    peer: () => {
      const session = peer.SessionManager.open(source);
      return { ids: session.getEntries().map(({ id }) => id), leafId: session.getLeafId() };
    },
    equal: ({ leafId, lines }, theirs) => {
      const newest = new Set(theirs.ids.slice(-2 * lines.length));
      return leafId === theirs.leafId && lines.length > 50 && lines.every(({ id }) => newest.has(id));
    },
  });
  const note = `${(bytes / 1e6).toFixed(0)} MB; ${result.note}`;
  const shared = { value: result.ours.median, unit: 'ms', peer: result.peer.median, note };
  return [
    { name: 'P4 open 50k entries to the last screen', ...shared, target: { on: 'value', op: '<=', bound: 75 } },
    { name: 'P4 the same against the peer', ...shared, target: { on: 'ratio', op: '>=', bound: 20 } },
  ];
}

const OPENS = 9;

/**
 * QP4, JN38: the rest of the tree behind the last screen, checked against its CRCs, without holding the process up. Each time in a
 * process of its own: what other cases have left in this one, no start of the app has.
 */
async function fullOpen(context: CaseContext): Promise<FigureInput[]> {
  await storeWithSession(context);
  const program = ['scripts/lib/run-ts.mjs', 'test/bench/open-alone.ts', context.scratch, SESSION];
  const opens = Array.from({ length: OPENS }, () => {
    const printed = execFileSync(process.execPath, program, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
    const opened = JSON.parse(printed.trim().split('\n').at(-1) ?? '') as OpenedAlone;
    if (opened.entries !== ENTRIES) throw new Error(`opened ${opened.entries} of ${ENTRIES} entries`);
    return opened;
  });
  const [times, blocks] = [opens.map(({ ms }) => ms), opens.map(({ blockMs }) => blockMs)];
  const note = `${OPENS} processes, every record checked against its CRC`;
  return [
    {
      name: 'P4 full index in the background',
      value: median(times),
      unit: 'ms',
      note: `${Math.min(...times).toFixed(0)}-${Math.max(...times).toFixed(0)} ms, ${note}`,
      target: { on: 'value', op: '<=', bound: 700 },
    },
    {
      name: 'P4 longest block of the event loop meanwhile',
      value: median(blocks),
      unit: 'ms',
      note: `longest of each, ${note}; worst ${Math.max(...blocks).toFixed(1)} ms`,
      target: { on: 'value', op: '<=', bound: 16 },
    },
  ];
}

async function heapGrowth(open: () => Promise<unknown>): Promise<number> {
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  const kept = await open();
  collectGarbage();
  const grown = process.memoryUsage().heapUsed - before;
  if (kept === undefined) throw new Error('nothing was opened');
  return grown;
}

/** QP5. */
async function heapAfterOpen(context: CaseContext): Promise<FigureInput[]> {
  const peer = await loadPeer();
  const { bytes, source } = await storeWithSession(context, 400);
  const stores: JournalStore[] = [];
  // The first open of each side pays for lazily made code; the second is what a session costs.
  const ours = async (): Promise<number> => {
    const store = await openStore(context.scratch);
    stores.push(store);
    return heapGrowth(async () => {
      const log = await store.open(SESSION);
      await log.loadContextBodies();
      return log;
    });
  };
  const theirs = (): Promise<number> => heapGrowth(() => Promise.resolve(peer.SessionManager.open(source)));
  await ours();
  const [value, peerValue] = [(await ours()) / bytes, (await theirs()) / bytes];
  await Promise.all(stores.map((store) => store.close()));
  return [
    {
      name: 'P5 heap after open of 50k entries',
      value,
      unit: 'x file',
      peer: peerValue,
      note: `file ${(bytes / 1e6).toFixed(0)} MB, with the bodies of the context; ours ${((value * bytes) / 1e6).toFixed(1)} MB`,
      target: { on: 'value', op: '<=', bound: 0.4 },
    },
  ];
}

/** QP11. */
async function durableAppend(context: CaseContext): Promise<FigureInput[]> {
  const store = await openStore(context.scratch);
  const log = await store.create({ workspace: '/workspace' });
  const text = 'x'.repeat(2_000);
  await log.append([user('first')]);
  const bare = await nodeFs.open(join(context.scratch, 'bare'), 'create');
  const bytes = Buffer.alloc(2_300);
  const times: number[] = [];
  const bareTimes: number[] = [];
  for (let n = 0; n < 3_000; n++) {
    const start = performance.now();
    await log.append([assistant(text)]);
    const between = performance.now();
    await bare.append(bytes);
    await bare.datasync();
    if (n < 200) continue;
    times.push(between - start);
    bareTimes.push(performance.now() - between);
  }
  await bare.close();
  const count = 5_000;
  const start = performance.now();
  await Promise.all(Array.from({ length: count }, () => log.append([assistant(text)])));
  const perSecond = count / ((performance.now() - start) / 1000);
  await store.close();
  const note = `${times.length} appends of 2 KB, each against a bare write and fdatasync; p50 ${median(times).toFixed(2)} ms, bare ${median(bareTimes).toFixed(2)} ms`;
  return [
    {
      name: 'P11 durable append, p95',
      value: percentile(times, 0.95),
      unit: 'ms',
      peer: percentile(bareTimes, 0.95),
      note,
      target: { on: 'value', op: '<=', bound: 2 },
    },
    {
      name: 'P11 durable append, p99',
      value: percentile(times, 0.99),
      unit: 'ms',
      peer: percentile(bareTimes, 0.99),
      note,
      target: { on: 'value', op: '<=', bound: 5 },
    },
    {
      name: 'P11 durable appends at once',
      value: perSecond,
      unit: 'entries/s',
      note: `${count} at once, grouped`,
      target: { on: 'value', op: '>=', bound: 1_000 },
    },
  ];
}

const STORE = 'src/main/journal/session-store.ts:createSessionStore';
const KEEPER = 'src/main/session/machine/session-keeper.ts:SessionKeeper.snapshot';

const cases: Case[] = [
  { name: 'P4 last screen of 50k entries', issue: 2, times: [`${STORE}.open`, KEEPER], run: lastScreen },
  { name: 'P4 full open of 50k entries', issue: 2, times: [`${STORE}.open`], run: fullOpen },
  { name: 'P5 heap after open', issue: 2, times: [`${STORE}.open`], run: heapAfterOpen },
  {
    name: 'P11 durable append',
    issue: 2,
    times: ['src/main/journal/file/session-log.ts:JournalLog.append'],
    run: durableAppend,
  },
];
export default cases;
