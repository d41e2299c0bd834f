import { readdir, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isRecord } from '@shared/own';
import { readRegular, UnfitFile } from './read-regular';
import { NoOwnFile, writeOwnFile } from './write-own';

/**
 * Takes what a file held under `names` out of every copy of it that was set aside. A copy of which nobody can say where that stands
 * in it is removed; what is not a file of ours is left alone. Goes through all, then rejects with a sentence about one that can't be changed.
 */
export async function forgetInAsides(file: string, names: readonly string[]): Promise<void> {
  const start = `${basename(file)}.bad-`;
  const refused: string[] = [];
  for (const found of await readdir(dirname(file)).catch(() => [])) {
    if (!found.startsWith(start)) continue;
    const aside = join(dirname(file), found);
    await forget(aside, names).catch((error: unknown) => {
      const why = error instanceof NoOwnFile ? 'a link' : ((error as NodeJS.ErrnoException).code ?? String(error));
      refused.push(`${aside} (${why})`);
    });
  }
  const [first] = refused;
  if (first === undefined) return;
  throw new RangeError(
    `What you remove may still be in a copy that Espalier set aside and can’t change: ${first}. Remove that file, then try again.`,
  );
}

async function forget(aside: string, names: readonly string[]): Promise<void> {
  const kept = await without(aside, names);
  if (kept === 'removed') await rm(aside, { force: true });
  else if (kept !== 'as it is') await writeOwnFile(aside, `${JSON.stringify(kept, null, 2)}\n`);
}

async function without(aside: string, names: readonly string[]): Promise<object | 'removed' | 'as it is'> {
  let text: string | null;
  try {
    text = await readRegular(aside);
  } catch (error) {
    // A pipe, a folder, a link to itself, something too large: never written by us. No text: it may have been.
    if (error instanceof UnfitFile) return error.kind === 'no text' ? 'removed' : 'as it is';
    if (NO_FILE.has((error as NodeJS.ErrnoException).code ?? '')) return 'as it is';
    throw error;
  }
  if (text === null) return 'as it is';
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return 'removed';
  }
  // A name that is there twice: the earlier one would stay in the text.
  if (!isRecord(json) || names.some((name) => occurrences(text, JSON.stringify(name)) > 1)) return 'removed';
  const held = names.filter((name) => Object.hasOwn(json, name));
  for (const name of held) Reflect.deleteProperty(json, name);
  return held.length > 0 ? json : 'as it is';
}

const NO_FILE = new Set(['EISDIR', 'ELOOP']);

function occurrences(text: string, part: string): number {
  return text.split(part).length - 1;
}
