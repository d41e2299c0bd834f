import { killGroup, processesOfGroup } from './command-group';
import { findMarked } from './marks';
import { processIds, readProcStat, sendSignal } from './proc';

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
