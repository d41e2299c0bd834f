import { execFileSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { performance } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const MIN_BATCH_MS = 10; // shorter calls are timed many at once, so that the clock and a stray interrupt don't count
const MAX_BATCH = 100_000;
/**
 * Either side is warmed up for so long at least, in processor time of its calls: V8 compiles what has run often, as the app's has
 * by the time anyone waits for it. The collections in between don't count; on a large heap they are most of the time.
 */
const WARMUP_MS = 1000;

/** One side of a comparison: a call, or a call on something made anew (untimed) before each repetition. */
export type Side<T> = (() => T | Promise<T>) | PreparedSide<T>;
interface PreparedSide<T> {
  prepare(): unknown;
  run(prepared: never): T | Promise<T>;
}

/** Times of one side in ms per call. */
export interface Sample {
  median: number;
  min: number;
  max: number;
  times: number[];
}

export interface Comparison {
  ours: Sample;
  peer: Sample;
  /** Medians and spread of both, for a figure's note. */
  note: string;
}

interface Options<T, P> {
  ours: Side<T>;
  peer: Side<P>;
  /** Checked once before anything is timed: a fast wrong answer is not a result. */
  equal?: (ours: T, peer: P) => boolean;
  repetitions?: number;
  warmups?: number;
}

/** The middle of the values, or the mean of the two middle ones. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)] ?? NaN;
  const lower = sorted[Math.ceil(sorted.length / 2) - 1] ?? NaN;
  return (lower + upper) / 2;
}

/** The value that a share (0 to 1) of the values does not exceed. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? NaN;
}

let gc: (() => void) | undefined;
/** Collects garbage now, so that one side's waste isn't paid for by the other, and heap figures mean something. */
export function collectGarbage(): void {
  if (gc === undefined) {
    setFlagsFromString('--expose-gc');
    gc = runInNewContext('gc') as () => void;
  }
  gc();
}

async function callOnce<T>(side: Side<T>): Promise<T> {
  return typeof side === 'function' ? side() : side.run((await side.prepare()) as never);
}

/** One repetition: `batch` calls in a row. */
interface Timed {
  /** Milliseconds per call. */
  perCall: number;
  /** Processor time of all of them, milliseconds. */
  cpu: number;
}

async function time(side: Side<unknown>, batch: number): Promise<Timed> {
  const prepared = typeof side === 'function' ? undefined : await side.prepare();
  const call = typeof side === 'function' ? side : () => side.run(prepared as never);
  collectGarbage();
  const before = process.cpuUsage();
  const start = performance.now();
  for (let i = 0; i < batch; i += 1) {
    const result = call();
    if (result instanceof Promise) await result;
  }
  const perCall = (performance.now() - start) / batch;
  const { user, system } = process.cpuUsage(before);
  return { perCall, cpu: (user + system) / 1000 };
}

/** Runs a side until its code is compiled. Gives how many calls of it a repetition takes. */
async function warmUp(side: Side<unknown>, warmups: number): Promise<number> {
  let batch = 1;
  let fastest = Infinity;
  let cpu = 0;
  for (let i = 0; i < warmups || (typeof side === 'function' && cpu < WARMUP_MS); i += 1) {
    const timed = await time(side, batch);
    cpu += timed.cpu;
    fastest = Math.min(fastest, timed.perCall);
    // What is prepared anew each time is not called twice on it.
    if (typeof side === 'function') batch = Math.min(MAX_BATCH, Math.ceil(MIN_BATCH_MS / Math.max(fastest, 1e-5)));
  }
  return batch;
}

function summarise(times: number[]): Sample {
  return { median: median(times), min: Math.min(...times), max: Math.max(...times), times };
}

function describe({ median, min, max }: Sample): string {
  const ms = (value: number) => Number(value.toPrecision(3));
  return `${ms(median)} ms (${ms(min)}-${ms(max)})`;
}

/** Measures one side alone, in ms per call. */
export async function measure(side: Side<unknown>, { repetitions = 7, warmups = 2 } = {}): Promise<Sample> {
  return onOneCore(async () => {
    const batch = await warmUp(side, warmups);
    const times: number[] = [];
    for (let i = 0; i < repetitions; i += 1) times.push((await time(side, batch)).perCall);
    return summarise(times);
  });
}

/**
 * Measures ours and the peer's in turns (A B A B ...), after a check that both give the same result (QD1).
 * A plain function that takes under 2 ms is called many times a repetition; give a side `prepare` when a call changes
 * what it works on.
 * @throws when `equal` says that the results differ.
 */
export async function compare<T, P>({
  ours,
  peer,
  equal,
  repetitions = 7,
  warmups = 2,
}: Options<T, P>): Promise<Comparison> {
  if (equal && !equal(await callOnce(ours), await callOnce(peer))) {
    throw new Error("ours and the peer's result differ, so their times are not compared");
  }
  return onOneCore(async () => {
    const batches = { ours: await warmUp(ours, warmups), peer: await warmUp(peer, warmups) };
    const times: { ours: number[]; peer: number[] } = { ours: [], peer: [] };
    for (let i = 0; i < repetitions; i += 1) {
      times.ours.push((await time(ours, batches.ours)).perCall);
      times.peer.push((await time(peer, batches.peer)).perCall);
    }
    const result = { ours: summarise(times.ours), peer: summarise(times.peer) };
    return {
      ...result,
      note: `ours ${describe(result.ours)}, peer ${describe(result.peer)}, ${repetitions} runs each`,
    };
  });
}

/** Keeps this process on one core while it measures, where Linux lets it; child processes started then would inherit it. */
async function onOneCore<T>(body: () => Promise<T>): Promise<T> {
  const before =
    availableParallelism() > 1 ? taskset(['-p', String(process.pid)])?.match(/: (\S+)\s*$/)?.[1] : undefined;
  if (before === undefined) return body();
  taskset(['-a', '-c', '-p', '1', String(process.pid)]);
  try {
    return await body();
  } finally {
    taskset(['-a', '-p', before, String(process.pid)]);
  }
}

function taskset(args: string[]): string | null {
  try {
    return execFileSync('taskset', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  } catch {
    return null;
  }
}
