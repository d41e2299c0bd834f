import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { COMMAND_MARK, lockMark } from './command-env';
import { killGroup, processesOfGroup } from './command-group';

const run = promisify(execFile);

interface ProcStat {
  state: string;
  processGroup: number;
  startTime: string;
}

async function readProcStat(pid: number): Promise<ProcStat | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => undefined);
  if (text === undefined) return undefined;
  // The name in parentheses may hold anything, so fields count from its last closing one.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return { state: fields[0] ?? '', processGroup: Number(fields[2]), startTime: fields[19] ?? '' };
}

/** When a process started, as an opaque text that tells it from a later process with the same id; undefined if it is gone. */
export async function processStartTime(pid: number): Promise<string | undefined> {
  const stat = await readProcStat(pid);
  if (stat) return stat.state === 'Z' ? undefined : stat.startTime;
  const { stdout } = await run('ps', ['-o', 'lstart=', '-p', String(pid)]).catch(() => ({ stdout: '' }));
  return stdout.trim() === '' ? undefined : stdout.trim();
}

/**
 * Living processes that carry the mark of a command, in their environment or their limits, whatever group they moved to. Linux;
 * elsewhere none.
 */
export async function findMarked(mark: string): Promise<number[]> {
  const inEnvironment = Buffer.from(`${COMMAND_MARK}=${mark}`);
  const inLimits = new RegExp(`^Max file locks .*\\b${lockMark(mark)}\\b`, 'mu');
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/u.test(name)).map(Number);
  const found = await Promise.all(
    pids.map(async (pid) => {
      const environment = await readFile(`/proc/${pid}/environ`).catch(() => undefined);
      const isMarked =
        environment?.includes(inEnvironment) === true ||
        inLimits.test(await readFile(`/proc/${pid}/limits`, 'latin1').catch(() => ''));
      if (!isMarked) return undefined;
      return (await readProcStat(pid))?.state === 'Z' ? undefined : pid;
    }),
  );
  return found.filter((pid) => pid !== undefined && pid !== process.pid) as number[];
}

/** Sends a signal; false if there is no such process (or group, for a negative id). */
export function sendSignal(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch {
    return false;
  }
}

/** Whether a process group has a member that is more than an unreaped entry. */
export async function isGroupAlive(group: number): Promise<boolean> {
  if (!sendSignal(-group, 0)) return false;
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/u.test(name)).map(Number);
  if (pids.length === 0) return true;
  const stats = await Promise.all(pids.map(readProcStat));
  return stats.some(
    (stat) => stat !== undefined && stat.processGroup === group && stat.state !== 'Z' && stat.state !== 'X',
  );
}

/** The processes of one command: its group, what carries its mark, what is in its control group, what descended from it. */
export interface CommandProcesses {
  group?: number;
  mark: string;
  /** The folder of its control group. */
  controlGroup?: string;
  /** Those that were seen to descend from it and still live. */
  descendants?: () => Promise<number[]>;
}

/** Whether anything of a command is still running. */
export async function isCommandAlive(processes: CommandProcesses): Promise<boolean> {
  const { group } = processes;
  return (group !== undefined && (await isGroupAlive(group))) || (await findOthers(processes)).length > 0;
}

/**
 * Ends a command with everything it started: SIGTERM, `graceMs` for an orderly end, SIGKILL. Resolves when nothing of it is
 * alive, or half a second after SIGKILL.
 */
export async function endProcesses(processes: CommandProcesses, graceMs: number): Promise<void> {
  await signalAll(processes, 'SIGTERM');
  if (await waitUntilGone(processes, graceMs)) return;
  if (processes.controlGroup !== undefined) await killGroup(processes.controlGroup);
  await signalAll(processes, 'SIGKILL');
  await waitUntilGone(processes, 500);
}

/** Living processes of a command in and out of its process group. */
async function findOthers({ mark, controlGroup, descendants }: CommandProcesses): Promise<number[]> {
  const found = await Promise.all([
    findMarked(mark),
    controlGroup === undefined ? [] : processesOfGroup(controlGroup),
    descendants?.() ?? [],
  ]);
  return [...new Set(found.flat())];
}

async function signalAll(processes: CommandProcesses, signal: NodeJS.Signals): Promise<void> {
  if (processes.group !== undefined) sendSignal(-processes.group, signal);
  for (const pid of await findOthers(processes)) sendSignal(pid, signal);
}

async function waitUntilGone(processes: CommandProcesses, limitMs: number): Promise<boolean> {
  for (const end = Date.now() + limitMs; ;) {
    if (!(await isCommandAlive(processes))) return true;
    if (Date.now() >= end) return false;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}
