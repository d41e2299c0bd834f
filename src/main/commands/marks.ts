import { readFile } from 'node:fs/promises';
import { COMMAND_MARK, lockMark } from './programs';
import { processIds, readProcStat, sendSignal, type ProcStat } from './proc';

/**
 * What a process carries of the command that it came from. The environment can be cleared. The limit on file locks can only be lowered,
 * by all but root: a process with another number than that of its command is still known to be of one (docs/decisions/0021).
 */
interface Command {
  mark: string;
  /** When its shell started; undefined where it is not known. */
  since?: string;
}

/** Commands of this app of which something may live. */
const known = new Set<Command>();
/** Those of them that have not begun to end. */
const running = new Set<Command>();

/** From now on the command is one that a process may be of. */
export function announceRunning(command: Command): { ending(): void; ended(): void } {
  known.add(command);
  running.add(command);
  return { ending: () => running.delete(command), ended: () => known.delete(command) };
}

/** Looks at what is new while others ended under it: a process that ends may just have made one. */
const MAX_ROUNDS = 5;

/** Living processes that carry the marks of a command, whatever group they moved to. Linux; elsewhere none. */
export async function findMarked(command: Command): Promise<number[]> {
  const judged = new Set([process.pid]);
  const limits = new Map<number, number>();
  const marked: number[] = [];
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const fresh = (await processIds()).filter((pid) => !judged.has(pid));
    const found = await Promise.all(fresh.map((pid) => judge(pid, command.mark)));
    for (const [at, pid] of fresh.entries()) {
      judged.add(pid);
      const { limit = null, isMarked: isFound = false } = found[at] ?? {};
      if (limit !== null) limits.set(pid, limit);
      if (isFound) marked.push(pid);
    }
    if (marked.length > 0 || found.every((judgement) => judgement !== undefined)) break;
  }
  return [...marked, ...(await findLowered(command, limits))];
}

/** Undefined if the process ended before it could be judged. */
async function judge(pid: number, mark: string): Promise<{ limit: number | null; isMarked: boolean } | undefined> {
  const limit = await lockLimit(pid);
  const hasMarks = limit === lockMark(mark) || (await hasInEnvironment(pid, mark));
  const stat = await readProcStat(pid);
  if (!stat) return undefined;
  return stat.state === 'Z' ? { limit: null, isMarked: false } : { limit, isMarked: hasMarks };
}

/** Whether a process carries the marks of a command. */
export async function isMarked(pid: number, mark: string): Promise<boolean> {
  return (await lockLimit(pid)) === lockMark(mark) || hasInEnvironment(pid, mark);
}

async function hasInEnvironment(pid: number, mark: string): Promise<boolean> {
  const environment = await readFile(`/proc/${pid}/environ`).catch(() => undefined);
  return environment?.includes(`${COMMAND_MARK}=${mark}`) === true;
}

/** The limit on file locks that a process can't raise; null if there is none. */
async function lockLimit(pid: number | 'self'): Promise<number | null> {
  const text = await readFile(`/proc/${pid}/limits`, 'latin1').catch(() => '');
  const hard = /^Max file locks +\S+ +(\d+) /mu.exec(text)?.[1];
  return hard === undefined ? null : Number(hard);
}

/**
 * Processes that took off the number of their command by lowering it. One that may be of several commands is left to the last of
 * them to end: it must not be missed by a command that still runs.
 */
async function findLowered(command: Command, limits: ReadonlyMap<number, number>): Promise<number[]> {
  const numbers = new Set([command, ...known].map(({ mark }) => lockMark(mark)));
  const strange = [...limits].filter(([, limit]) => !numbers.has(limit));
  // Root may take off any limit, and where we have one ourselves nothing follows from that of others.
  if (strange.length === 0 || process.geteuid?.() === 0 || (await lockLimit('self')) !== null) return [];
  const intact = new Set(await Promise.all(strange.map(([pid, limit]) => intactNumber(pid, limit))));
  const unknown = strange.filter(([, limit]) => !intact.has(limit));
  const others = [...running].filter(({ mark }) => mark !== command.mark);
  const above = await ancestors();
  const found = await Promise.all(
    unknown.map(async ([pid, limit]) => {
      const stat = await readProcStat(pid);
      if (!stat || stat.state === 'Z' || !mayBeOf(command, stat, limit)) return undefined;
      if (others.some((other) => mayBeOf(other, stat, limit))) return undefined;
      return (await isOrphan(stat, limits, above)) && sendSignal(pid, 0) ? pid : undefined;
    }),
  );
  return found.filter((pid) => pid !== undefined);
}

/**
 * The number of a process whose two marks agree: it is of a command that another Espalier runs, or another run of this one, and so is
 * whatever has the same number.
 */
async function intactNumber(pid: number, limit: number): Promise<number | undefined> {
  const environment = await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '');
  const own = environment.split('\0').find((variable) => variable.startsWith(`${COMMAND_MARK}=`));
  return own !== undefined && lockMark(own.slice(COMMAND_MARK.length + 1)) === limit ? limit : undefined;
}

function mayBeOf({ mark, since }: Command, { startTime }: ProcStat, limit: number): boolean {
  return since !== undefined && limit < lockMark(mark) && Number(startTime) >= Number(since);
}

/**
 * Whether the topmost process with a limit above this one lost its parents: the system then gave it one of ours. What another
 * program started with such a limit has that program as its parent, or is in the session of its parent; no command is.
 */
async function isOrphan(
  stat: ProcStat,
  limits: ReadonlyMap<number, number>,
  above: ReadonlyMap<number, ProcStat>,
): Promise<boolean> {
  let top = stat;
  for (const climbed = new Set<number>(); limits.has(top.parent) && !climbed.has(top.parent);) {
    climbed.add(top.parent);
    const next = await readProcStat(top.parent);
    if (!next) return false;
    top = next;
  }
  const parent = above.get(top.parent);
  return parent !== undefined && parent.session !== top.session;
}

/** The app and the processes above it. */
async function ancestors(): Promise<Map<number, ProcStat>> {
  const found = new Map<number, ProcStat>();
  for (let pid = process.pid; pid > 0 && !found.has(pid);) {
    const stat = await readProcStat(pid);
    if (!stat) break;
    found.set(pid, stat);
    pid = stat.parent;
  }
  return found;
}
