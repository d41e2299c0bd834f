import { constants } from 'node:fs';
import { access, lstat, mkdir, mkdtemp, opendir, realpath, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { headTarget, statusConfig } from '@shared/policy/git-config';
import { isAtOrBelow } from '../places/protected-paths';
import { GitRefusal, type GitState, MAX_INDEX_BYTES, readGitFile, sharedIndexOf } from './git-state';
const MAX_PACKED_REFS_BYTES = 16 * 1024 * 1024;
const MAX_PATTERN_BYTES = 1024 * 1024;
const MAX_REF_BYTES = 512;
/** As many as git follows. */
const MAX_REF_STEPS = 5;

const NAME = /^espalier-git-[A-Za-z0-9]{6}$/;
const STALE_MS = 24 * 60 * 60 * 1000;
const MAX_SWEPT = 10_000;

/**
 * Runs `work` with a git folder of our own that stands for the one in a real folder: the commit and the index as they are now, what
 * the repository ignores, and of its configuration only values that say how files are compared. Git never opens the original,
 * so nobody can change, after it was looked at, what git does (docs/specs/safety.md B2). Rejects with a `GitRefusal` where it
 * can't be made, and between two files once `stop` was aborted.
 */
export async function withGitCopy<T>(
  root: string,
  state: GitState,
  stop: AbortSignal,
  work: (gitDir: string) => Promise<T>,
): Promise<T> {
  const copy = await mkdtemp(join(await placeOutside(root), 'espalier-git-'));
  try {
    // Git takes a folder for its own by these.
    for (const name of ['refs', 'objects', 'info']) await mkdir(join(copy, name));
    for await (const { name, bytes, mtimeMs } of partsOf(join(root, '.git'), state)) {
      stop.throwIfAborted();
      await put(join(copy, name), bytes, mtimeMs);
    }
    stop.throwIfAborted();
    return await work(copy);
  } finally {
    await rm(copy, { recursive: true, force: true, maxRetries: 3 }).catch(() => undefined);
  }
}

/** Rejects as `withGitCopy` would, by the same look at the same files; writes nothing. */
export async function tryGitCopy(root: string, state: GitState): Promise<void> {
  await access(await placeOutside(root), constants.W_OK | constants.X_OK);
  for await (const part of partsOf(join(root, '.git'), state, true)) void part;
}

/** Removes copies that a crash left behind; call once at start. Only folders of this user, and none that may be in use. Never rejects. */
export async function sweepGitCopies(): Promise<void> {
  try {
    const temporary = await realpath(tmpdir());
    let looked = 0;
    for await (const { name } of await opendir(temporary)) {
      looked += 1;
      if (looked > MAX_SWEPT) return;
      if (!NAME.test(name)) continue;
      const path = join(temporary, name);
      const stats = await lstat(path).catch(() => null);
      const isOurs = stats?.isDirectory() === true && stats.uid === (process.getuid?.() ?? stats.uid);
      if (isOurs && Date.now() - stats.mtimeMs > STALE_MS)
        await rm(path, { recursive: true, force: true }).catch(() => undefined);
    }
  } catch {
    // They take up room and nothing else.
  }
}

async function placeOutside(root: string): Promise<string> {
  const temporary = await realpath(tmpdir());
  if (isAtOrBelow(temporary, root)) throw new GitRefusal('the system’s folder for temporary files lies in it');
  return temporary;
}

interface Part {
  name: string;
  bytes: Buffer | string;
  /** Undefined: it does not matter. */
  mtimeMs?: number;
}

/** What a copy consists of, each part read when it is asked for. `isTrial`: of the index, which may be large, only the size. */
async function* partsOf(from: string, { head, entries }: GitState, isTrial = false): AsyncGenerator<Part> {
  const config = statusConfig(entries);
  if (config === null) throw new GitRefusal('Espalier does not understand a value in its configuration');
  yield { name: 'config', bytes: config };
  yield { name: 'HEAD', bytes: await commitOf(from, head) };
  for (const name of ['info/exclude', 'info/attributes', 'info/sparse-checkout']) {
    const file = await readGitFile(from, name, MAX_PATTERN_BYTES);
    if (file) yield { name, bytes: file.bytes };
  }
  const index = await readGitFile(from, 'index', MAX_INDEX_BYTES, isTrial);
  if (!index) return;
  yield { name: 'index', ...index };
  const shared = await sharedIndexOf(from, isTrial ? null : index.bytes);
  const file = shared === null ? null : await readGitFile(from, shared, MAX_INDEX_BYTES, isTrial);
  if (shared !== null && file) yield { name: shared, ...file };
}

/** What HEAD leads to: the commit itself, so that no other reference is needed; its branch where that has no commit yet. */
async function commitOf(from: string, head: string): Promise<string> {
  let text = head;
  for (let step = 0; step < MAX_REF_STEPS; step += 1) {
    const target = headTarget(text);
    if (target?.kind === 'commit') return `${target.commit}\n`;
    if (!target) break;
    // An empty folder may be left over from branches that were called like it.
    const isFolder = (await lstat(join(from, target.ref)).catch(() => null))?.isDirectory() === true;
    const loose = isFolder ? null : await readGitFile(from, target.ref, MAX_REF_BYTES);
    if (!loose) {
      const packed = await readGitFile(from, 'packed-refs', MAX_PACKED_REFS_BYTES);
      return `${packedCommit(packed?.bytes, target.ref) ?? `ref: ${target.ref}`}\n`;
    }
    text = loose.bytes.toString('latin1');
  }
  throw new GitRefusal('its HEAD leads to something that Espalier does not understand');
}

function packedCommit(packed: Buffer | undefined, ref: string): string | undefined {
  const line = packed
    ?.toString('utf8')
    .split('\n')
    .find((one) => one.endsWith(` ${ref}`));
  return /^([0-9a-f]{40}|[0-9a-f]{64}) /.exec(line ?? '')?.[1];
}

/** An index with its time, never a later one: git looks into files that were changed when the index was written, or after. */
async function put(file: string, bytes: Buffer | string, mtimeMs: number | undefined): Promise<void> {
  await writeFile(file, bytes);
  if (mtimeMs === undefined) return;
  const seconds = Math.floor(mtimeMs / 1000);
  await utimes(file, seconds, seconds);
}
