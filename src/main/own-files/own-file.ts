import { readdir, rename, rm, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { MAX_OWN_BYTES, readPatiently, readRegular, readRegularBytes, UnfitFile } from './read-regular';
import { createOwnFile, NoOwnFile, writeOwnFile } from './write-own';
import { isRecord } from '@shared/checks';
import type { Notice } from '@shared/types';

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
  /** The value of a file that is missing. */
  empty: () => T;
  /** The value where there is a file, but nothing of it can be used. Without it: `empty`. */
  instead?: () => T;
  /** What it means for the person that a file was set aside, a sentence: `Enter your keys again.` */
  remedy?: string;
  /** What it means that a file can't be read for now, a sentence: `No key is used.` */
  meanwhile?: string;
  maxBytes?: number;
  now?: () => number;
}

export interface OwnFileRead<T> {
  value: T;
  /** At most one sentence for the person, told by whoever reads. The next read finds a clean file and has none. */
  problems: string[];
  /** `unread`: the file is there and may be whole, but the system does not let it be read. `aside`: it said nothing and was moved away. */
  state: 'read' | 'missing' | 'unread' | 'aside';
  /** Awaited before anything takes the place of the file. @throws UnreadFile while what is in it is not known, or is nowhere else */
  mayReplace: () => Promise<void>;
}

/** What was not read is not overwritten. The message is for the person. */
class UnreadFile extends RangeError {}

/** A whole file says nothing that can be used. */
class NotThisFile extends Error {
  override readonly name = 'NotThisFile';
}

/**
 * Reads a JSON file of the app's own, whatever became of it (docs/specs/safety.md A5). Bad parts are left out and the file as it was is kept beside
 * it as `<name>.bad-<time>`; a file that says nothing at all is moved there. One that the system does not let be read is neither
 * moved nor replaced. Never throws, never waits for a pipe, never reads more than a bounded file.
 */
export async function readOwnFile<T>(file: string, spec: OwnFileSpec<T>): Promise<OwnFileRead<T>> {
  let text: string | null;
  try {
    text = await readPatiently(file, spec.maxBytes ?? MAX_OWN_BYTES);
  } catch (error) {
    return error instanceof UnfitFile ? setAside(file, spec, error.message) : leave(file, spec, whyNot(error));
  }
  if (text === null) return found(spec.empty(), [], 'missing');
  let parsed: Parsed<T>;
  try {
    parsed = spec.parse(parseJson(text));
  } catch {
    return setAside(file, spec, 'it is damaged');
  }
  if (parsed.bad.length === 0) return found(parsed.value, []);
  return keepBeside(file, spec, parsed);
}

function found<T>(
  value: T,
  problems: string[],
  state: Exclude<OwnFileRead<T>['state'], 'unread'> = 'read',
): OwnFileRead<T> {
  return { value, problems, state, mayReplace: () => Promise.resolve() };
}

/**
 * JSON without the name `__proto__`: copied from one object to another it would become what the other inherits from. An array or a number
 * is not a file of ours either.
 * @throws NotThisFile, SyntaxError
 */
function parseJson(text: string): Record<string, unknown> {
  const json: unknown = JSON.parse(text, (key, value: unknown) => (key === '__proto__' ? undefined : value));
  if (!isRecord(json)) throw new NotThisFile();
  return json;
}

async function setAside<T>(file: string, spec: OwnFileSpec<T>, reason: string): Promise<OwnFileRead<T>> {
  const aside = asideOf(file, spec);
  const isKept = await rename(file, aside).then(
    () => true,
    () => false,
  );
  if (!isKept) return leave(file, spec, { reason, cure: 'move it away' });
  const words = [`${spec.name} could not be read: ${reason.replace(/^it\b/, 'the file')}.`];
  words.push(`The old file is kept as ${basename(aside)}.`, spec.remedy ?? '');
  return found((spec.instead ?? spec.empty)(), [words.join(' ').trim()], 'aside');
}

/** What can't be read may be whole: it stays, nothing takes its place, and the person is told what to do. */
function leave<T>(file: string, spec: OwnFileSpec<T>, { reason, cure }: Obstacle): OwnFileRead<T> {
  const words = [`${spec.name} could not be read: ${reason}.`, spec.meanwhile ?? ''];
  words.push(`${file} was left unchanged: ${cure}, then restart Espalier.`);
  const mayReplace = (): Promise<never> =>
    Promise.reject(
      new UnreadFile(
        `${spec.name} could not be read when Espalier started, so they are not overwritten. ${file}: ${cure}, then restart Espalier.`,
      ),
    );
  const value = (spec.instead ?? spec.empty)();
  return { value, problems: [words.filter((part) => part !== '').join(' ')], state: 'unread', mayReplace };
}

/** The good parts take the place of the file once it is kept as it was. Until then it stays: before anything is saved it is tried again. */
async function keepBeside<T>(
  file: string,
  spec: OwnFileSpec<T>,
  { value, bad, kept }: Parsed<T>,
): Promise<OwnFileRead<T>> {
  const aside = asideOf(file, spec);
  const more = bad.length > MAX_NAMED ? ` and ${bad.length - MAX_NAMED} more` : '';
  const words = `${spec.name} were only partly read: ${bad.slice(0, MAX_NAMED).join(', ')}${more} could not be used.`;
  let isKept = false;
  try {
    await copyAside(file, aside, spec.maxBytes);
    isKept = true;
    await writeOwnFile(file, `${JSON.stringify(kept, null, 2)}\n`);
    return found(value, [`${words} The original file is kept as ${basename(aside)}.`]);
  } catch (error) {
    // One copy for each start would be the price of a file that can't be replaced.
    if (isKept) await unlink(aside).catch(() => undefined);
    const { reason } = whyNot(error);
    const problem = `${words} The file was left unchanged: ${file}. It can’t be repaired now: ${reason}.`;
    let isSafe = false;
    const mayReplace = async (): Promise<void> => {
      if (isSafe) return;
      try {
        await copyAside(file, asideOf(file, spec), spec.maxBytes);
        isSafe = true;
      } catch (again) {
        const { reason: still, cure } = whyNot(again);
        throw new UnreadFile(
          `The unusable parts of ${file} can’t be backed up: ${still}. So the file is not overwritten: ${cure}, then try again.`,
        );
      }
    };
    return { value, problems: [problem], state: 'read', mayReplace };
  }
}

/** The copy first, durable: until it stands nothing is changed. */
async function copyAside(file: string, aside: string, maxBytes?: number): Promise<void> {
  const bytes = await readRegularBytes(file, maxBytes);
  // Gone meanwhile: there is nothing to lose.
  if (bytes) await createOwnFile(aside, bytes);
}

const MAX_NAMED = 3;

function asideOf<T>(file: string, { now = Date.now }: OwnFileSpec<T>): string {
  return `${file}.bad-${new Date(now()).toISOString().replace(/\D/g, '').slice(0, 17)}`;
}

/** Why a file can't be read, and what the person can do about it. */
interface Obstacle {
  reason: string;
  cure: string;
}

function whyNot(error: unknown): Obstacle {
  if (error instanceof NoOwnFile) return { reason: 'a link, a pipe or a folder is in its place', cure: 'move it away' };
  const code = (error as NodeJS.ErrnoException).code ?? String(error);
  if (code === 'ENOSPC' || code === 'EDQUOT') return { reason: 'the disk is full', cure: 'free some space' };
  if (code === 'EROFS') return { reason: 'the disk is read-only', cure: 'make it writable' };
  if (code === 'EACCES' || code === 'EPERM')
    return { reason: 'you don’t have permission to open the file', cure: 'give yourself permission to read it' };
  if (code === 'EISDIR') return { reason: 'there is a folder in its place', cure: 'move the folder away' };
  if (code === 'ELOOP') return { reason: 'it is a link to itself', cure: 'remove the link' };
  if (code === 'ENOTDIR')
    return { reason: 'something other than a folder is in the place of its folder', cure: 'move that away' };
  if (code === 'EIO') return { reason: 'the disk reported an error', cure: 'check the disk' };
  return { reason: `the system reported ${code}`, cure: 'fix this' };
}

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

/**
 * What was wrong with the app's own files, in one notice: each is told once, because who read it left a clean file. However many
 * there are, they are one message for the person. Null if all is well.
 */
export function problemsNotice(problems: readonly string[]): Notice | null {
  const [first, ...more] = problems;
  if (first === undefined) return null;
  if (more.length === 0) return { level: 'warning', code: 'own-files', text: first };
  return {
    ...{ level: 'warning', code: 'own-files', text: 'Some of Espalier’s own files could not be fully used' },
    detail: 'What could be read is in use, and nothing was deleted.',
    items: [...problems],
  };
}
