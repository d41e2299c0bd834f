import { readdir, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import writeFileAtomic from 'write-file-atomic';
import { isRecord } from './own-file';
import { readRegular, UnfitFile } from './read-regular';

/**
 * Takes what a file held under `name` out of every copy of it that was set aside. A copy of which nobody can say where that stands
 * in it is removed; what is no file of ours is left alone. Rejects if one can't be changed.
 */
export async function forgetInAsides(file: string, name: string): Promise<void> {
  const start = `${basename(file)}.bad-`;
  for (const found of await readdir(dirname(file)).catch(() => [])) {
    if (!found.startsWith(start)) continue;
    const aside = join(dirname(file), found);
    const kept = await without(aside, name);
    if (kept === 'removed') await rm(aside, { force: true });
    else if (kept !== 'as it is') await writeFileAtomic(aside, `${JSON.stringify(kept, null, 2)}\n`, { mode: 0o600 });
  }
}

async function without(aside: string, name: string): Promise<object | 'removed' | 'as it is'> {
  const text = await readRegular(aside).catch((error: unknown) => {
    if (!(error instanceof UnfitFile)) throw error;
    return error;
  });
  // A pipe, a folder, something too large: never written by us. No text: it may have been.
  if (text instanceof UnfitFile) return text.message === NO_TEXT ? 'removed' : 'as it is';
  if (text === null) return 'as it is';
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return 'removed';
  }
  // A name that is there twice: the earlier one would stay in the text.
  if (!isRecord(json) || occurrences(text, JSON.stringify(name)) > 1) return 'removed';
  if (!Object.hasOwn(json, name)) return 'as it is';
  Reflect.deleteProperty(json, name);
  return json;
}

const NO_TEXT = 'it is no text';

function occurrences(text: string, part: string): number {
  return text.split(part).length - 1;
}
