import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { findProgram, systemPath } from './programs';

/** What the system tells of its processes: /proc on Linux, ps on macOS. */
const run = promisify(execFile);

/** What `ps` says; nothing where there is none. */
async function ps(...args: string[]): Promise<string> {
  const program = await findProgram('ps', null, systemPath());
  if (!program) return '';
  return run(program.file, args).then(
    ({ stdout }) => stdout,
    () => '',
  );
}

export interface ProcStat {
  state: string;
  parent: number;
  processGroup: number;
  session: number;
  /** Since the computer started, in ticks of the system. */
  startTime: string;
}

/** Numbers of all processes; none where there is no /proc. */
export async function processIds(): Promise<number[]> {
  return (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/u.test(name)).map(Number);
}

export async function readProcStat(pid: number): Promise<ProcStat | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => undefined);
  return text === undefined ? undefined : parseStat(text);
}

/** When a child started that was made in this same step: it can't be gone yet. Undefined where there is no /proc. */
export function startTimeOfNewChild(pid: number): string | undefined {
  try {
    return parseStat(readFileSync(`/proc/${pid}/stat`, 'latin1'))?.startTime;
  } catch {
    return undefined;
  }
}

function parseStat(text: string): ProcStat | undefined {
  // The name in parentheses may hold anything, so fields count from its last closing one.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [parent, processGroup, session] = fields.slice(1, 4).map(Number);
  if (parent === undefined || processGroup === undefined || session === undefined) return undefined;
  return { state: fields[0] ?? '', parent, processGroup, session, startTime: fields[19] ?? '' };
}

/** When a process started, as an opaque text that tells it from a later process with the same id; undefined if it is gone. */
export async function processStartTime(pid: number): Promise<string | undefined> {
  const stat = await readProcStat(pid);
  if (stat) return stat.state === 'Z' ? undefined : stat.startTime;
  const stdout = await ps('-o', 'lstart=', '-p', String(pid));
  return stdout.trim() === '' ? undefined : stdout.trim();
}

/** All processes with parent and group, where there is no /proc. */
export async function listByPs(): Promise<{ pid: number; parent: number; processGroup: number }[]> {
  const stdout = await ps('-axo', 'pid=,ppid=,pgid=');
  return stdout.split('\n').flatMap((line) => {
    const [pid, parent, processGroup] = line.trim().split(/\s+/u).map(Number);
    return pid && parent !== undefined && processGroup !== undefined ? [{ pid, parent, processGroup }] : [];
  });
}

/** Sends a signal; false if there is no such process (or group, for a negative id), or it is another user's. */
export function sendSignal(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch {
    return false;
  }
}

/** What tells a living process from any other that has or had its number, also before the system was started again; null if it is gone, or not Linux. */
export async function sinceOf(pid: number): Promise<string | null> {
  const stat = await readProcStat(pid);
  if (!stat || stat.state === 'Z' || stat.state === 'X') return null;
  const boot = await readFile('/proc/sys/kernel/random/boot_id', 'latin1').catch(() => '');
  return `${boot.trim()}:${stat.startTime}`;
}
