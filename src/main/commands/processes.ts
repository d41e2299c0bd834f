import { killGroup, processesOfGroup } from './command-group';
import { findMarked, isMarked } from './marks';
import { listByPs, processIds, processStartTime, readProcStat, sendSignal } from './proc';

/** Whether a process group has a member that is more than an unreaped entry. */
export async function isGroupAlive(group: number): Promise<boolean> {
  if (!sendSignal(-group, 0)) return false;
  const pids = await processIds();
  if (pids.length === 0) return true;
  const stats = await Promise.all(pids.map(readProcStat));
  return stats.some(
    (stat) => stat !== undefined && stat.processGroup === group && stat.state !== 'Z' && stat.state !== 'X',
  );
}

/** The processes of one command: its group, what carries its marks, what is in its control group, what was seen to be of it. */
export interface CommandProcesses {
  group?: number;
  mark: string;
  /** When its shell started. */
  since?: string;
  /** The folder of its control group. */
  controlGroup?: string;
  /** Those that were seen to be of it while it ran and still live. */
  seen?: () => Promise<number[]>;
}

/** Whether anything of a command is still running. */
export async function isCommandAlive(processes: CommandProcesses): Promise<boolean> {
  const { group } = processes;
  return (group !== undefined && (await isGroupAlive(group))) || (await findOthers(processes)).length > 0;
}

/**
 * Ends a command with everything it started: SIGTERM, `graceMs` for an orderly end, SIGKILL. Resolves when nothing of it is
 * alive, or half a second after the first SIGKILL.
 */
export async function endProcesses(processes: CommandProcesses, graceMs: number): Promise<void> {
  if (processes.group !== undefined) sendSignal(-processes.group, 'SIGTERM');
  for (const pid of await findOthers(processes)) sendSignal(pid, 'SIGTERM');
  if (await isGoneWithin(processes, graceMs)) return;
  await isGoneWithin(processes, 500, true);
}

/** Living processes of a command in and out of its process group. */
async function findOthers({ mark, since, controlGroup, seen }: CommandProcesses): Promise<number[]> {
  const found = await Promise.all([
    findMarked({ mark, since }),
    controlGroup === undefined ? [] : processesOfGroup(controlGroup),
    seen?.() ?? [],
  ]);
  return [...new Set(found.flat())];
}

/** Kills again at each look, if it kills: what is about to be ended may be making others. */
async function isGoneWithin(processes: CommandProcesses, limitMs: number, kills = false): Promise<boolean> {
  const { group, controlGroup } = processes;
  for (const end = Date.now() + limitMs; ;) {
    const others = await findOthers(processes);
    if (others.length === 0 && (group === undefined || !(await isGroupAlive(group)))) return true;
    if (kills && controlGroup !== undefined) await killGroup(controlGroup);
    if (kills) for (const pid of group === undefined ? others : [-group, ...others]) sendSignal(pid, 'SIGKILL');
    if (Date.now() >= end) return false;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

/** A list of all processes costs a process of its own where there is no /proc. */
const POLL_MS = process.platform === 'linux' ? 150 : 1_000;
/** The first looks come sooner: what leaves a trace at all mostly does so at its start. */
const FIRST_POLL_MS = 10;

interface Process {
  pid: number;
  parent: number;
  processGroup: number;
}

/**
 * What was seen of a command while it runs, looked at again and again: whoever once was in its process group or control group,
 * carried its marks or descended from it is of it, whatever it does later. Each process is judged when it is new.
 */
export class SeenProcesses {
  /** Those of the command with their start times. */
  private readonly known = new Map<number, string>();
  /** All that were there at the last look. */
  private before = new Set<number>();
  private timer: NodeJS.Timeout | undefined;
  private pollMs = FIRST_POLL_MS;
  private looking: Promise<void> = Promise.resolve();

  constructor(
    private readonly root: number,
    private readonly command: { mark: string; since?: string; controlGroup?: string },
  ) {}

  start(): void {
    const next = (): void => {
      this.looking = this.look().catch(() => undefined);
      void this.looking.then(() => {
        this.pollMs = Math.min(POLL_MS, this.pollMs * 2);
        if (this.timer) this.timer = setTimeout(next, this.pollMs).unref();
      });
    };
    this.timer = setTimeout(next, 0).unref();
  }

  /** No more looking; resolves after a last look. */
  async stop(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    await this.looking;
    await this.look().catch(() => undefined);
  }

  /** Those that were seen and still live. */
  async alive(): Promise<number[]> {
    const found = await Promise.all(
      [...this.known].map(async ([pid, startTime]) => ((await processStartTime(pid)) === startTime ? pid : undefined)),
    );
    return found.filter((pid) => pid !== undefined);
  }

  private async look(): Promise<void> {
    const { present, fresh } = await this.list();
    for (const pid of this.known.keys()) if (!present.has(pid)) this.known.delete(pid);
    const { mark, controlGroup } = this.command;
    const found = controlGroup === undefined ? [] : await processesOfGroup(controlGroup);
    const isMarkedNow = await Promise.all(fresh.map(({ pid }) => isMarked(pid, mark)));
    found.push(...fresh.flatMap(({ pid }, at) => (isMarkedNow[at] === true ? [pid] : [])));
    const ours = new Set([this.root, ...this.known.keys(), ...found]);
    // A child may have a lower number than its parent: once more as long as one was found.
    for (let size = 0; size !== ours.size;) {
      size = ours.size;
      for (const { pid, parent, processGroup } of fresh)
        if (processGroup === this.root || ours.has(parent)) ours.add(pid);
    }
    ours.delete(this.root);
    for (const pid of ours) if (!this.known.has(pid)) await this.note(pid);
    this.before = present;
  }

  /** What is there, and of it what is new and no older than the command. */
  private async list(): Promise<{ present: Set<number>; fresh: Process[] }> {
    const isNew = ({ pid }: { pid: number }): boolean => !this.before.has(pid) && pid !== process.pid;
    if (process.platform !== 'linux') {
      const all = await listByPs();
      return { present: new Set(all.map(({ pid }) => pid)), fresh: all.filter(isNew) };
    }
    const pids = await processIds();
    const since = Number(this.command.since ?? 0);
    const stats = await Promise.all(
      pids.map((pid) => ({ pid })).filter(isNew).map(async ({ pid }) => ({ pid, stat: await readProcStat(pid) })), // prettier-ignore
    );
    const fresh = stats.flatMap(({ pid, stat }) => (stat && Number(stat.startTime) >= since ? [{ pid, ...stat }] : []));
    return { present: new Set(pids), fresh };
  }

  private async note(pid: number): Promise<void> {
    const startTime = await processStartTime(pid);
    if (startTime !== undefined) this.known.set(pid, startTime);
  }
}
