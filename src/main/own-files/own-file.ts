import { copyFile, rename } from 'node:fs/promises';
import { basename } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import writeFileAtomic from 'write-file-atomic';
import { MAX_OWN_BYTES, readRegular, UnfitFile } from './read-regular';

/** What of a file's JSON can be used. */
export interface Parsed<T> {
  value: T;
  /** What can't, each in a few words: `the address of “work”`. Empty: all is well. */
  bad: string[];
  /** What stays in the file when something is bad: JSON that `parse` finds nothing wrong with. */
  kept: unknown;
}

export interface OwnFileSpec<T> {
  /** What the file holds, as a sentence begins: `The saved endpoints`. A plural. */
  name: string;
  /** Looks at each part by itself, so that one bad part costs no other. Whatever it throws counts as a file that says nothing. */
  parse: (json: unknown) => Parsed<T>;
  /** The value of a file that is missing, or of which nothing can be used. */
  empty: () => T;
  /** What that means for the person, a sentence: `Enter your keys again.` */
  remedy?: string;
  maxBytes?: number;
  now?: () => number;
}

export interface OwnFileRead<T> {
  value: T;
  /** At most one sentence for the person, told by whoever reads. The next read finds a clean file and has none. */
  problems: string[];
}

/** A whole file says nothing that can be used. */
export class NotThisFile extends Error {
  override readonly name = 'NotThisFile';
}

/**
 * Reads a JSON file of the app's own, whatever became of it (docs/specs/safety.md A5). Bad parts are left out and the file as it was is kept beside
 * it as `<name>.bad-<time>`; a file that says nothing at all, and anything that is no regular file, is moved there. Never throws,
 * never waits for a pipe, never reads more than a bounded file.
 */
export async function readOwnFile<T>(file: string, spec: OwnFileSpec<T>): Promise<OwnFileRead<T>> {
  let text: string | null;
  try {
    text = await readPatiently(file, spec.maxBytes ?? MAX_OWN_BYTES);
  } catch (error) {
    return setAside(file, spec, error instanceof UnfitFile ? error.message : reasonOf(error));
  }
  if (text === null) return { value: spec.empty(), problems: [] };
  let parsed: Parsed<T>;
  try {
    parsed = spec.parse(parseJson(text));
  } catch {
    return setAside(file, spec, 'it is damaged');
  }
  if (parsed.bad.length === 0) return { value: parsed.value, problems: [] };
  return { value: parsed.value, problems: [await keepBeside(file, spec, parsed)] };
}

/** What passes by itself: too many open files, a disk or a file that is busy. */
const PASSING = new Set(['EMFILE', 'ENFILE', 'EBUSY', 'EAGAIN', 'EIO', 'ENOMEM', 'ETXTBSY']);
/** Milliseconds between tries. */
const PAUSES = [20, 80, 300, 600];

/** A file that can't be read for a moment is not damaged: it is tried again, for a second in all. */
async function readPatiently(file: string, maxBytes: number): Promise<string | null> {
  for (const pause of PAUSES) {
    try {
      return await readRegular(file, maxBytes);
    } catch (error) {
      if (!PASSING.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
      await setTimeout(pause);
    }
  }
  return readRegular(file, maxBytes);
}

/**
 * JSON without the name `__proto__`: copied from one object to another it would become what the other inherits from. An array or a number
 * is no file of ours either.
 * @throws NotThisFile, SyntaxError
 */
function parseJson(text: string): Record<string, unknown> {
  const json: unknown = JSON.parse(text, (key, value: unknown) => (key === '__proto__' ? undefined : value));
  if (!isRecord(json)) throw new NotThisFile();
  return json;
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

async function setAside<T>(file: string, spec: OwnFileSpec<T>, reason: string): Promise<OwnFileRead<T>> {
  const aside = asideOf(file, spec);
  const isKept = await rename(file, aside).then(
    () => true,
    () => false,
  );
  const end = isKept ? `What was there is kept as ${basename(aside)}.` : `It was left where it is: ${file}.`;
  const words = [`${spec.name} could not be read: ${reason.replace(/^it\b/, 'the file')}.`, end, spec.remedy ?? ''];
  return { value: spec.empty(), problems: [words.join(' ').trim()] };
}

async function keepBeside<T>(file: string, spec: OwnFileSpec<T>, { bad, kept }: Parsed<T>): Promise<string> {
  const aside = asideOf(file, spec);
  const more = bad.length > MAX_NAMED ? ` and ${bad.length - MAX_NAMED} more` : '';
  const words = `${spec.name} were read, but not all of them: ${bad.slice(0, MAX_NAMED).join(', ')}${more} could not be used.`;
  try {
    // The copy first: until it stands nothing is changed.
    await copyFile(file, aside);
    await writeFileAtomic(file, `${JSON.stringify(kept, null, 2)}\n`, { mode: 0o600 });
    return `${words} The file as it was is kept as ${basename(aside)}.`;
  } catch {
    return `${words} The file was left as it is: ${file}.`;
  }
}

const MAX_NAMED = 3;

function asideOf<T>(file: string, { now = Date.now }: OwnFileSpec<T>): string {
  return `${file}.bad-${new Date(now()).toISOString().replace(/\D/g, '').slice(0, 17)}`;
}

function reasonOf(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'EACCES' || code === 'EPERM') return 'this user may not open it';
  if (code === 'ELOOP') return 'it is a link that leads to itself';
  return code === undefined ? String(error) : `the system says ${code}`;
}
