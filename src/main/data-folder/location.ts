import { existsSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { isRecord } from '@shared/checks';
import { readRegularSync } from '../own-files/read-regular';
import { saveOwnFile } from '../own-files/write-own';

/**
 * Where the data folder is, if the person moved it (SY13): one small file in the browser profile, which no move takes along. It is
 * replaced as a whole, and that is the moment in which another folder is the one that counts.
 */

export interface DataLocation {
  /** Null: where it was from the first. */
  data: string | null;
  /** The folders that it was in before, newest last: they stay until the person removes them. */
  former: readonly string[];
  /** A copy that waits for the next start: where it is, and by what its marker is known. */
  next: { to: string; mark: string } | null;
}

export const UNMOVED: DataLocation = { data: null, former: [], next: null };

const MAX_BYTES = 64 * 1024;
const MAX_FORMER = 20;
const MARK = /^[0-9a-f]{32}$/;

/** It can't be known where the person's files are. The message says what to do. */
export class LostDataError extends Error {
  override readonly name = 'LostDataError';
}

/** What the file says. @throws LostDataError where it can't be read, or the folder that it names is not there: an empty one must not stand in for it */
export function readLocation(file: string): DataLocation {
  let location: DataLocation | null;
  try {
    location = parse(JSON.parse(readRegularSync(file, MAX_BYTES) ?? 'null'));
  } catch {
    location = null;
  }
  if (location === null)
    throw new LostDataError(
      `${file} says where your files are, and it is damaged. Set ESPALIER_HOME to the folder with your sessions, or remove the file if you never moved them.`,
    );
  if (location.data !== null && !existsSync(join(location.data, 'sessions')))
    throw new LostDataError(
      `Your files were moved to ${location.data}, and they are not there now. Connect the disk and start Espalier again. If the folder is lost, remove ${file}: Espalier then uses the one before it.`,
    );
  return location;
}

export async function writeLocation(file: string, location: DataLocation): Promise<void> {
  await saveOwnFile(file, `${JSON.stringify(location, null, 2)}\n`);
}

function parse(json: unknown): DataLocation | null {
  if (json === null) return UNMOVED;
  if (!isRecord(json)) return null;
  const { data, former, next } = json;
  const isPlace = (value: unknown): value is string => typeof value === 'string' && isAbsolute(value);
  if (data !== null && !isPlace(data)) return null;
  if (!Array.isArray(former) || former.length > MAX_FORMER || !former.every(isPlace)) return null;
  if (next === null) return { data, former, next };
  if (!isRecord(next) || !isPlace(next.to) || typeof next.mark !== 'string' || !MARK.test(next.mark)) return null;
  return { data, former, next: { to: next.to, mark: next.mark } };
}

/** The same, once the folder that waits has become the one that counts. */
export function switched(location: DataLocation, from: string): DataLocation {
  const { next, former } = location;
  if (!next) return location;
  const before = [...former.filter((folder) => folder !== from && folder !== next.to), from];
  return { data: next.to, former: before.slice(-MAX_FORMER), next: null };
}
