import { spawn } from 'node:child_process';
import { access, mkdir, readdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { systemPath } from './programs';

/**
 * A control group of the system for each command, where the app may make one (Linux, cgroup 2, as under a systemd session):
 * no process leaves it by itself, whatever it does to its environment, session or parent, and all of it ends with one write.
 * The command sees nothing of it, and sudo, ps and kill work as ever (docs/decisions/0021).
 */
const PREFIX = 'espalier-';
const PROBE_MS = 2_000;

let known: Promise<string | null> | undefined;

/** The folder in which groups can be made, found out once by ending a process in one; null where they can't. */
export function commandGroups(): Promise<string | null> {
  return (known ??= probe().catch(() => null));
}

/** Makes the group of a command. Null where there are none. */
export async function makeCommandGroup(mark: string): Promise<string | null> {
  const home = await commandGroups();
  if (home === null) return null;
  const group = join(home, PREFIX + mark);
  return mkdir(group).then(
    () => group,
    () => null,
  );
}

/** Whether a path names the group of a command: it is read from a file when a crash is cleared up. */
export function isCommandGroup(path: string, mark: string): boolean {
  return path.startsWith('/sys/fs/cgroup/') && !path.includes('/../') && basename(path) === PREFIX + mark;
}

/** Processes in a group. */
export async function processesOfGroup(group: string): Promise<number[]> {
  const text = await readFile(join(group, 'cgroup.procs'), 'utf8').catch(() => '');
  const own = text.split('\n').filter((line) => line !== '').map(Number); // prettier-ignore
  const below = await readdir(group, { withFileTypes: true }).catch(() => []);
  // A command may have made groups in its own.
  const nested = below.filter((entry) => entry.isDirectory()).map((entry) => processesOfGroup(join(group, entry.name)));
  return [...own, ...(await Promise.all(nested)).flat()];
}

/** SIGKILL to all processes of a group at once, also to those that are being made. */
export async function killGroup(group: string): Promise<void> {
  await writeFile(join(group, 'cgroup.kill'), '1').catch(() => undefined);
}

/** Removes a group without processes, with the groups in it. */
export async function removeGroup(group: string): Promise<void> {
  const below = await readdir(group, { withFileTypes: true }).catch(() => []);
  for (const entry of below) if (entry.isDirectory()) await removeGroup(join(group, entry.name));
  await rmdir(group).catch(() => undefined);
}

async function probe(): Promise<string | null> {
  if (process.platform !== 'linux') return null;
  const own = await ownGroup();
  if (own === null) return null;
  const group = join(own, `${PREFIX}probe-${process.pid}`);
  await mkdir(group);
  try {
    await access(join(group, 'cgroup.kill'));
    return (await endsWithGroup(group)) ? own : null;
  } finally {
    await removeGroup(group);
  }
}

/** Whether a process that joined the group ends with it. */
async function endsWithGroup(group: string): Promise<boolean> {
  const child = spawn('/bin/sh', ['-c', 'echo $$ > "$0" && echo in && exec sleep 60', join(group, 'cgroup.procs')], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { PATH: systemPath() },
  });
  const ended = new Promise<NodeJS.Signals | null>((resolve) => {
    child.once('error', () => resolve(null));
    child.once('close', (_, signal) => resolve(signal));
  });
  const limit = setTimeout(() => child.kill('SIGTERM'), PROBE_MS);
  child.stdout.once('data', () => void killGroup(group));
  const signal = await ended;
  clearTimeout(limit);
  return signal === 'SIGKILL';
}

/** The folder of the group that the app itself is in. */
async function ownGroup(): Promise<string | null> {
  const [groups, mounts] = await Promise.all([
    readFile('/proc/self/cgroup', 'utf8'),
    readFile('/proc/self/mountinfo', 'utf8'),
  ]);
  const path = /^0::(\/.*)$/mu.exec(groups)?.[1];
  const mount = /^\S+ \S+ \S+ \/ (\S+) .* - cgroup2 /mu.exec(mounts)?.[1];
  if (path === undefined || mount === undefined || path.includes('..')) return null;
  const folder = join(mount, path);
  // In a command of another Espalier: beside that command's group there is nothing to make.
  return dirname(folder) === folder ? null : folder;
}
