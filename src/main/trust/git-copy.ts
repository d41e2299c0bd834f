import { lstat, mkdir, mkdtemp, opendir, realpath, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { headTarget, statusConfig } from '@shared/policy/git-config';
import { isAtOrBelow } from '../tools/protected-paths';
import { readGitFile, GitRefusal, type GitFile } from './git-file';
import type { GitState } from './git-state';

/** The index of 500,000 files or so; git itself would not be done with it in the time that it has. */
const MAX_INDEX_BYTES = 64 * 1024 * 1024;
const MAX_PACKED_REFS_BYTES = 16 * 1024 * 1024;
const MAX_PATTERN_BYTES = 1024 * 1024;
const MAX_REF_BYTES = 512;
/** As many as git follows. */
const MAX_REF_STEPS = 5;
const MAX_NAMES = 1000;

/**
 * Runs `work` with a git folder of our own that stands for the one in a real folder: the commit and the index as they are now, what
 * the repository ignores, and of its configuration only values that say how files are compared. Git never opens the original,
 * so nobody can change, after it was looked at, what git does (docs/specs/safety.md B2). Rejects with a `GitRefusal` where it
 * can't be made.
 */
export async function withGitCopy<T>(root: string, state: GitState, work: (gitDir: string) => Promise<T>): Promise<T> {
  const temporary = await realpath(tmpdir());
  if (isAtOrBelow(temporary, root)) throw new GitRefusal('the system’s folder for temporary files lies in it');
  const copy = await mkdtemp(join(temporary, 'espalier-git-'));
  try {
    await fill(join(root, '.git'), copy, state);
    return await work(copy);
  } finally {
    await rm(copy, { recursive: true, force: true, maxRetries: 3 }).catch(() => undefined);
  }
}

async function fill(from: string, to: string, { head, entries }: GitState): Promise<void> {
  const config = statusConfig(entries);
  if (config === null) throw new GitRefusal('its configuration has a value that is not understood');
  // Git takes a folder for its own by these.
  for (const name of ['refs', 'objects', 'info']) await mkdir(join(to, name));
  await writeFile(join(to, 'config'), config);
  await writeFile(join(to, 'HEAD'), await commitOf(from, head));
  for (const name of ['info/exclude', 'info/attributes']) {
    const file = await readGitFile(from, name, MAX_PATTERN_BYTES);
    if (file) await writeFile(join(to, name), file.bytes);
  }
  const index = await readGitFile(from, 'index', MAX_INDEX_BYTES);
  if (!index) return;
  await put(join(to, 'index'), index);
  await copySharedIndex(from, to, index.bytes);
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
  throw new GitRefusal('its HEAD leads to something that is not understood');
}

function packedCommit(packed: Buffer | undefined, ref: string): string | undefined {
  const line = packed
    ?.toString('utf8')
    .split('\n')
    .find((one) => one.endsWith(` ${ref}`));
  return /^([0-9a-f]{40}|[0-9a-f]{64}) /.exec(line ?? '')?.[1];
}

/** A split index names the file that holds most of it. */
async function copySharedIndex(from: string, to: string, index: Buffer): Promise<void> {
  let looked = 0;
  for await (const { name } of await opendir(from)) {
    looked += 1;
    if (looked > MAX_NAMES) return;
    const [, hash] = /^sharedindex\.([0-9a-f]{40}|[0-9a-f]{64})$/.exec(name) ?? [];
    if (hash === undefined || !index.includes(Buffer.from(hash, 'hex'))) continue;
    const shared = await readGitFile(from, name, MAX_INDEX_BYTES);
    if (shared) await put(join(to, name), shared);
    return;
  }
}

/** With its time, never a later one: git looks into files that were changed when the index was written, or after. */
async function put(file: string, { bytes, mtimeMs }: GitFile): Promise<void> {
  await writeFile(file, bytes);
  const seconds = Math.floor(mtimeMs / 1000);
  await utimes(file, seconds, seconds);
}
