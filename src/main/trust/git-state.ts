import { lstat, opendir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import {
  branchOfHead,
  MAX_GIT_CONFIG_BYTES,
  parseGitConfig,
  riskyGitEntries,
  type GitConfigEntry,
} from '@shared/policy/git-config';
import { withFile } from '../tools/safe-open';

/** What a folder's `.git` is, found out by reading alone. */
export interface GitState {
  /**
   * `above`: a repository begins in a folder further up. `elsewhere`: a file or link in its place, which leads to a repository that
   * is not in this folder.
   */
  kind: 'none' | 'repository' | 'above' | 'elsewhere';
  branch: string | null;
  /** Entries of its configuration that could run a program, or that are not known to be harmless. */
  risky: GitConfigEntry[];
  /** Hooks that git would run at commits and checkouts. */
  hooks: string[];
  /** Why no git process may look at it; null if one may. */
  refusal: string | null;
}

const MAX_HEAD_BYTES = 512;
const MAX_HOOKS = 200;
const NO_GIT: GitState = { kind: 'none', branch: null, risky: [], hooks: [], refusal: 'it is no git repository' };

/**
 * Looks at the repository at the top of a real folder, without git and without following a link. One that begins further up, or
 * whose data lie elsewhere (a linked worktree), is not looked at: it is not what the person trusts. Never rejects.
 */
export async function readGitState(root: string): Promise<GitState> {
  const folder = join(root, '.git');
  const found = await lstat(folder).catch(() => null);
  if (!found)
    return (await beginsAbove(root))
      ? { ...NO_GIT, kind: 'above', refusal: 'the repository begins above this folder' }
      : NO_GIT;
  if (!found.isDirectory())
    return { ...NO_GIT, kind: 'elsewhere', refusal: 'its git data lie outside the folder and are left alone' };
  const state: GitState = {
    kind: 'repository',
    branch: null,
    risky: [],
    hooks: await listHooks(folder),
    refusal: null,
  };
  try {
    state.branch = branchOfHead(await readSmall(join(folder, 'HEAD'), MAX_HEAD_BYTES));
    if (state.branch === null) state.refusal = 'its HEAD is none that Espalier understands';
    await assertPlain(folder);
    for (const name of ['config', 'config.worktree']) await addConfig(state, join(folder, name));
  } catch (error) {
    state.refusal ??= (error as Error).message;
  }
  if (state.risky.length > 0) state.refusal ??= 'its configuration could run programs';
  return state;
}

/** Whether git would find a repository further up. Only names are looked at. */
async function beginsAbove(root: string): Promise<boolean> {
  for (let at = root, up = dirname(at); up !== at; at = up, up = dirname(at))
    if (await lstat(join(up, '.git')).catch(() => null)) return true;
  return false;
}

/** What git opens by itself must be what it is in every repository: a pipe would hold it up, a link lead it elsewhere. */
async function assertPlain(folder: string): Promise<void> {
  for (const name of ['objects', 'refs']) {
    if (!(await lstat(join(folder, name)).catch(() => null))?.isDirectory())
      throw new Error(`its ${name} are no folder`);
  }
  for (const name of ['index', 'packed-refs', 'shallow', 'info/exclude', 'info/attributes']) {
    const stats = await lstat(join(folder, name)).catch(() => null);
    if (stats && !stats.isFile()) throw new Error(`its ${name} is no regular file`);
  }
  for (const name of ['commondir', 'gitdir', 'objects/info/alternates', 'objects/info/http-alternates']) {
    if (await lstat(join(folder, name)).catch(() => null)) throw new Error(`its ${name} leads elsewhere`);
  }
}

async function addConfig(state: GitState, file: string): Promise<void> {
  const name = file.endsWith('config') ? 'configuration' : 'worktree configuration';
  if (!(await lstat(file).catch(() => null))) return;
  let text: string;
  try {
    text = await readSmall(file, MAX_GIT_CONFIG_BYTES);
  } catch {
    throw new Error(`its ${name} is no regular file of a sensible size`);
  }
  const config = parseGitConfig(text);
  if (!config.ok) throw new Error(`its ${name} is not understood (${config.reason})`);
  state.risky.push(...riskyGitEntries(config.entries));
}

/** A whole small regular file. Throws for anything else; never blocks, never follows a link. */
async function readSmall(file: string, maxBytes: number): Promise<string> {
  return withFile(file, async (handle, stats) => {
    if (stats.size > maxBytes) throw new Error(`${file} is too large`);
    const buffer = Buffer.alloc(maxBytes + 1);
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, 0);
    if (bytesRead > maxBytes) throw new Error(`${file} is too large`);
    return new TextDecoder('utf-8', { fatal: true }).decode(buffer.subarray(0, bytesRead));
  });
}

async function listHooks(folder: string): Promise<string[]> {
  const names: string[] = [];
  let looked = 0;
  try {
    for await (const entry of await opendir(join(folder, 'hooks'))) {
      looked += 1;
      if (looked > MAX_HOOKS) break;
      if (!entry.isDirectory() && !entry.name.endsWith('.sample')) names.push(entry.name);
    }
  } catch {
    // No folder of hooks.
  }
  return names.sort();
}
