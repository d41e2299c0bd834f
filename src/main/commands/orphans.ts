import { randomUUID } from 'node:crypto';
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { readdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { KILL_GRACE_MS } from '@shared/limits';
import { z } from 'zod';
import { readRegular } from '../own-files/read-regular';
import { isCommandGroup, processesOfGroup, removeGroup } from './command-group';
import { findMarked } from './marks';
import { processStartTime } from './proc';
import { endProcesses } from './processes';

/**
 * One file per running command (QB4): `<dataDir>/running/<mark>.json`. After a crash the next start ends what the
 * files name, but only processes that are proven to be those: same start time, or the command's mark in the environment.
 */
const recordSchema = z.object({
  mark: z.string().regex(/^[0-9a-f-]{36}$/u),
  /** Process group; absent in the moment before the command starts. */
  group: z.number().int().min(2).optional(),
  startTime: z.string().optional(),
  /** Folder of its control group, where there are such. */
  controlGroup: z.string().optional(),
  owner: z.object({ pid: z.number().int(), startTime: z.string() }),
});
type RunningRecord = z.infer<typeof recordSchema>;

const MAX_RECORD_BYTES = 64 * 1024;
const NAME = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.json(?:\.tmp)?$/u;

let ownStart: Promise<string> | undefined;
const ownStartTime = (): Promise<string> => (ownStart ??= processStartTime(process.pid).then((time) => time ?? ''));

export interface RunningFile {
  mark: string;
  /** Notes the process group as soon as it is known, and the control group. */
  started(group: number, controlGroup?: string | null): Promise<void>;
  remove(): Promise<void>;
}

/** Announces a command before it starts, so that a crash at any moment leaves a trace. */
export async function announceCommand(runningDir: string): Promise<RunningFile> {
  const mark = randomUUID();
  const file = join(runningDir, `${mark}.json`);
  const record: RunningRecord = { mark, owner: { pid: process.pid, startTime: await ownStartTime() } };
  mkdirSync(runningDir, { recursive: true, mode: 0o700 });
  const save = (next: RunningRecord): void => {
    // `wx`: a name that nobody can know is there already only as a link.
    writeFileSync(`${file}.tmp`, JSON.stringify(next), { mode: 0o600, flag: 'wx' });
    renameSync(`${file}.tmp`, file);
  };
  save(record);
  return {
    mark,
    async started(group, controlGroup) {
      const startTime = await processStartTime(group);
      save({ ...record, group, startTime, controlGroup: controlGroup ?? undefined });
    },
    remove: () => unlink(file).catch(() => undefined),
  };
}

/**
 * Ends what a crashed run left behind; call once at start. Resolves to the number of commands that were still alive.
 * Files of a living owner are left alone. Never throws: an unreadable file of that name is removed, whatever it is; other names, which a link in
 * place of the folder may lead to, are none of ours.
 */
export async function reapOrphans(runningDir: string): Promise<number> {
  const names = (await readdir(runningDir).catch(() => [])).filter((name) => NAME.test(name));
  const ended = await Promise.all(names.map((name) => reapOne(join(runningDir, name))));
  return ended.filter((wasAlive) => wasAlive).length;
}

async function reapOne(file: string): Promise<boolean> {
  const record = await readRecord(file);
  if (record && (await processStartTime(record.owner.pid)) === record.owner.startTime) return false;
  const wasAlive = record ? await endRecorded(record) : false;
  await unlink(file).catch(() => undefined);
  return wasAlive;
}

async function readRecord(file: string): Promise<RunningRecord | undefined> {
  try {
    return recordSchema.parse(JSON.parse((await readRegular(file, MAX_RECORD_BYTES)) ?? 'null'));
  } catch {
    return undefined;
  }
}

async function endRecorded(record: RunningRecord): Promise<boolean> {
  const { mark, group, startTime } = record;
  const controlGroup =
    record.controlGroup !== undefined && isCommandGroup(record.controlGroup, mark) ? record.controlGroup : undefined;
  const isSameLeader = group !== undefined && startTime !== undefined && (await processStartTime(group)) === startTime;
  const others = [
    ...(await findMarked({ mark, since: startTime })),
    ...(controlGroup === undefined ? [] : await processesOfGroup(controlGroup)),
  ];
  const wasAlive = isSameLeader || others.length > 0;
  // Without its leader the group's number may belong to someone else by now: then only marked processes are ended.
  if (wasAlive)
    await endProcesses(
      { group: isSameLeader ? group : undefined, mark, since: startTime, controlGroup },
      KILL_GRACE_MS,
    );
  if (controlGroup !== undefined) await removeGroup(controlGroup);
  return wasAlive;
}
