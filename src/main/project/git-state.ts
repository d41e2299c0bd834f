import { access, lstat, opendir, realpath } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { readAtMost, withFile } from '../places/safe-open';
import { UNREAD } from '@shared/policy/git-calls';
import {
  branchOfHead,
  type GitConfigEntry,
  hasOtherFiles,
  MAX_GIT_CONFIG_BYTES,
  parseGitConfig,
  riskyGitEntries,
  type RiskyGitEntry,
} from '@shared/policy/git-config';

/** The index of some 400,000 files. */
export const MAX_INDEX_BYTES = 64 * 1024 * 1024;

/** Why git is not run in a folder, as the end of a sentence. */
export class GitRefusal extends Error {}

interface GitFile {
  bytes: Buffer;
  mtimeMs: number;
}

/**
 * A regular file of a git folder, as it is when it is opened; null where there is none. Never follows a link, waits for a pipe or
 * reads more than it may. Rejects with a `GitRefusal` for whatever else is there. `isTrial`: it is opened and not read.
 */
export async function readGitFile(
  folder: string,
  name: string,
  maxBytes: number,
  isTrial = false,
): Promise<GitFile | null> {
  try {
    return await withFile(join(folder, name), async (handle, { size, mtimeMs }) => {
      const read = (): Promise<Buffer | undefined> => readAtMost(handle, maxBytes);
      const bytes = size > maxBytes ? undefined : isTrial ? Buffer.alloc(0) : await read();
      if (!bytes) throw new GitRefusal(`its ${name} is too large`);
      return { bytes, mtimeMs };
    });
  } catch (error) {
    if (error instanceof GitRefusal) throw error;
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw new GitRefusal(`its ${name} is not a regular file`);
  }
}

/** As loosely as a file system might read the name. */
const SHARED_INDEX = /^sharedindex\.([0-9a-f]{40}|[0-9a-f]{64})$/i;

/**
 * The name of the file that holds most of a split index, which names it by its hash; null where there is none. Looks through all names of a
 * git folder: among very many a file could hide. `index` null: it is read if there are such files.
 */
export async function sharedIndexOf(folder: string, index: Buffer | null): Promise<string | null> {
  let bytes = index;
  for await (const { name } of await opendir(folder)) {
    const hash = SHARED_INDEX.exec(name)?.[1]?.toLowerCase();
    if (hash === undefined) continue;
    bytes ??= (await readGitFile(folder, 'index', MAX_INDEX_BYTES))?.bytes ?? Buffer.alloc(0);
    if (bytes.includes(Buffer.from(hash, 'hex'))) return `sharedindex.${hash}`;
  }
  return null;
}

/** What a folder's `.git` is, found out by reading alone. */
export interface GitState {
  /**
   * `above`: a repository begins in a folder further up. `elsewhere`: a file or link in its place, which leads to a repository that
   * is not in this folder. `bare`: git would take the folder itself for one.
   */
  kind: 'none' | 'repository' | 'above' | 'elsewhere' | 'bare';
  branch: string | null;
  /** The text of its HEAD; empty where it could not be read. */
  head: string;
  /** Its configuration, as far as git reads it. */
  entries: GitConfigEntry[];
  /** Whether all of it was read. */
  isRead: boolean;
  /** Entries of its configuration that are not known to be harmless. */
  risky: RiskyGitEntry[];
  /** Hooks that git would run at commits and checkouts. */
  hooks: string[];
  /** More files lie beside them than are looked through. */
  hasMoreHooks: boolean;
  /** Where its configuration has the hooks instead, if that is not a folder of the repository, whose names could be read. */
  hooksAway: string | null;
  /** Why no git process may look at it; null if one may. */
  refusal: string | null;
}

const MAX_HEAD_BYTES = 512;
const MAX_HOOKS = 200;
const HOOK = 'hook ';
/** What a list of programs may take in an approval and its rule, and how many of a longer one are named: a card picks those that its command is about. */
const MAX_PROGRAM_CHARS = 2_000;
const MAX_NAMED = 38;
const MAX_NAME_CHARS = 100;
const HASH_DIGITS = 16;
/** How an index marks a submodule. */
const SUBMODULE_MODE = Buffer.from([0, 0, 0xe0, 0]);
/** Settings that say which further files are read. */
const INCLUDES = /^include(?:if)?\./;
/** As git reads a switch. */
const OFF = /^(false|no|off|(0x)?0+|)$/i;
const ON = /^(true|yes|on|1)$/i;
const NO_GIT: GitState = {
  kind: 'none',
  branch: null,
  head: '',
  entries: [],
  isRead: false,
  risky: [],
  hooks: [],
  hasMoreHooks: false,
  hooksAway: null,
  refusal: 'it is not a git repository',
};

/**
 * Looks at the repository at the top of a real folder, without git and without following a link. One that begins further up, or
 * whose data lie elsewhere (a linked worktree), is not looked at: it is not what the person trusts. Never rejects.
 */
export async function readGitState(root: string): Promise<GitState> {
  const folder = join(root, '.git');
  const found = await lstat(folder).catch(() => null);
  if (!found) {
    if (await isBare(root))
      return { ...NO_GIT, kind: 'bare', refusal: 'git would take this folder itself for a repository' };
    if ((await repositoryAbove(root)) === null) return NO_GIT;
    return { ...NO_GIT, kind: 'above', refusal: 'the repository begins above this folder' };
  }
  if (!found.isDirectory())
    return { ...NO_GIT, kind: 'elsewhere', refusal: 'its git data lies outside the folder and is left alone' };
  const state: GitState = { ...NO_GIT, kind: 'repository', refusal: null };
  try {
    state.head = (await readText(folder, 'HEAD', MAX_HEAD_BYTES)) ?? '';
    state.branch = branchOfHead(state.head);
    if (state.branch === null) state.refusal = 'Espalier does not understand its HEAD';
    await assertPlain(folder);
    const [own, ofWorktree] = [await readConfig(folder, 'config'), await readConfig(folder, 'config.worktree')];
    const last = own.filter(({ name }) => name === 'extensions.worktreeconfig').at(-1);
    if (last && !OFF.test(last.value) && !ON.test(last.value))
      throw new GitRefusal('Espalier does not understand its extensions.worktreeConfig');
    state.entries = last && !OFF.test(last.value) ? [...own, ...ofWorktree] : own;
    state.risky = riskyGitEntries([...own, ...ofWorktree]);
    // Git looks further up where it does not understand a HEAD either.
    state.isRead = state.branch !== null;
  } catch (error) {
    state.refusal ??= error instanceof GitRefusal ? error.message : 'its git data could not be read';
  }
  const hooksPath = state.entries.filter(({ name }) => name === 'core.hookspath').at(-1)?.value;
  const place = await placeOfHooks(root, hooksPath, hasOtherFiles(state.risky));
  if (place === null)
    state.hooksAway = hooksPath === undefined ? '.git/hooks is a link' : `core.hookspath = ${hooksPath}`;
  else Object.assign(state, await listHooks(place));
  if (state.risky.some(({ canRun }) => canRun)) state.refusal ??= 'its configuration could run programs';
  if (hasOtherFiles(state.risky)) state.refusal ??= 'its configuration says that its files are not in this folder';
  return state;
}

/**
 * What git could run by the settings of the repository in which a real folder lies, in words: every setting that is not known to be
 * harmless, and hooks. What could not be read is told as that. By reading alone, of a repository that begins further up as well. Always
 * in one order, which rules depend on: settings as they stand in the files, then hooks by name. Never rejects.
 */
export async function programsOfGit(root: string, found: GitState): Promise<string[]> {
  const above = found.kind === 'above' ? await repositoryAbove(root) : null;
  const state = above === null ? found : await readGitState(above);
  if (state.kind === 'none') return [];
  const unread = state.isRead ? await unreadInside(above ?? root) : [`${UNREAD}: ${state.refusal ?? ''}`];
  const words = ({ name, value }: GitConfigEntry): string => `${name} = ${value}`;
  // First, so that a bound leaves it: whoever has written such a file changes what git runs at any time.
  const further = state.risky.filter(({ name }) => INCLUDES.test(name)).map((entry) => `${UNREAD}: ${words(entry)}`);
  const named = state.risky.filter(({ name }) => !INCLUDES.test(name)).map(words);
  const away = state.hooksAway === null ? [] : [`${UNREAD}: ${state.hooksAway}`];
  return bounded([...unread, ...further, ...away], named, hooksOf(state));
}

function hooksOf({ hooks, hasMoreHooks }: GitState): string[] {
  const named = hooks.map((hook) => HOOK + hook);
  return hasMoreHooks ? [...named, `hook (more than ${MAX_HOOKS} files)`] : named;
}

/**
 * As much as an approval and its rule may hold; the rest is there as its hash, so that a change of it is one. Of too many
 * those come first that no number of others can hide: hooks that git knows, then settings, each once as it is in force.
 */
function bounded(unread: string[], named: string[], hooks: string[]): string[] {
  const programs = [...unread, ...named, ...hooks];
  const text = JSON.stringify(programs);
  if (text.length <= MAX_PROGRAM_CHARS) return programs;
  const hash = createHash('sha256').update(text).digest('hex').slice(0, HASH_DIGITS);
  const isKnown = (hook: string): boolean => HOOKS.includes(hook.slice(HOOK.length));
  const settings = inForce(named);
  const others = hooks.filter((hook) => !isKnown(hook));
  const shown = [...unread, ...hooks.filter(isKnown), ...settings, ...others]
    .slice(0, MAX_NAMED)
    .map((one) => one.slice(0, MAX_NAME_CHARS));
  return [...shown, `${programs.length.toLocaleString('en')} in all, some of them long (fingerprint ${hash})`];
}

/** Of settings with one name the last, which is the one in force; aliases, which only their own words run, behind the others. */
function inForce(named: string[]): string[] {
  const byName = new Map(named.map((setting) => [setting.split(' = ', 1)[0], setting]));
  const isAlias = (setting: string): boolean => setting.startsWith('alias.');
  const settings = [...byName.values()];
  return [...settings.filter((one) => !isAlias(one)), ...settings.filter(isAlias)];
}

/** The folder further up in which git would find a repository. Only names are looked at. */
async function repositoryAbove(root: string): Promise<string | null> {
  for (let at = root, up = dirname(at); up !== at; at = up, up = dirname(at))
    if ((await exists(join(up, '.git'))) || (await isBare(up))) return up;
  return null;
}

/** Whether a folder has what git knows a repository by, without a `.git` of its own. */
async function isBare(folder: string): Promise<boolean> {
  const has = (name: string): Promise<boolean> => exists(join(folder, name));
  if (!(await has('HEAD'))) return false;
  return (await has('commondir')) || ((await has('objects')) && (await has('refs')));
}

async function exists(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => null)) !== null;
}

/** Git looks into each submodule with that one's own settings, and `status` is enough for it. */
async function unreadInside(root: string): Promise<string[]> {
  const folder = join(root, '.git');
  const submodules = [`${UNREAD}: the settings of its submodules`];
  if ((await exists(join(folder, 'modules'))) || (await exists(join(root, '.gitmodules')))) return submodules;
  try {
    const index = await readGitFile(folder, 'index', MAX_INDEX_BYTES);
    if (index && hasSubmodule(index.bytes)) return submodules;
    const isSplit = index !== null && (await sharedIndexOf(folder, index.bytes)) !== null;
    return isSplit ? [`${UNREAD}: its index is split, which may hide submodules`] : [];
  } catch (error) {
    return [`${UNREAD}: ${error instanceof GitRefusal ? error.message : 'its index could not be read'}`];
  }
}

/** Searches an index for the mode of a submodule; where the same bytes stand by chance a command is asked about once too often. */
function hasSubmodule(index: Buffer): boolean {
  // Before version 4 entries begin, and have their mode, at such places only; others hold sizes of files.
  const isPacked = index.length < 8 || index.readUInt32BE(4) > 3;
  for (let at = index.indexOf(SUBMODULE_MODE); at >= 0; at = index.indexOf(SUBMODULE_MODE, at + 1))
    if (isPacked || at % 8 === 4) return true;
  return false;
}

/** What is copied or read must be what it is in every repository: a pipe would hold us up, a link lead elsewhere. */
async function assertPlain(folder: string): Promise<void> {
  for (const name of ['objects', 'refs']) {
    if (!(await lstat(join(folder, name)).catch(() => null))?.isDirectory())
      throw new GitRefusal(`its ${name} is not a folder`);
    // Git passes over such a repository, and takes the folder itself or one further up.
    await access(join(folder, name), constants.X_OK).catch(() => {
      throw new GitRefusal(`its ${name} may not be entered`);
    });
  }
  for (const name of ['index', 'packed-refs', 'info/exclude', 'info/attributes', 'info/sparse-checkout']) {
    const stats = await lstat(join(folder, name)).catch(() => null);
    if (stats && !stats.isFile()) throw new GitRefusal(`its ${name} is not a regular file`);
  }
  for (const name of ['commondir', 'gitdir', 'objects/info/alternates', 'objects/info/http-alternates']) {
    if (await lstat(join(folder, name)).catch(() => null)) throw new GitRefusal(`its ${name} leads elsewhere`);
  }
}

/** The entries of one file; none where there is none. */
async function readConfig(folder: string, name: string): Promise<GitConfigEntry[]> {
  const text = await readText(folder, name, MAX_GIT_CONFIG_BYTES);
  if (text === null) return [];
  const config = parseGitConfig(text);
  if (!config.ok) throw new GitRefusal(`Espalier does not understand its ${name} (${config.reason})`);
  return config.entries;
}

async function readText(folder: string, name: string, maxBytes: number): Promise<string | null> {
  const file = await readGitFile(folder, name, maxBytes);
  try {
    return file && new TextDecoder('utf-8', { fatal: true }).decode(file.bytes);
  } catch {
    throw new GitRefusal(`its ${name} is not text`);
  }
}

/** Names under which git looks for a program of its own accord; those of servers included, a push to a folder runs them here. */
const HOOKS = (
  'applypatch-msg pre-applypatch post-applypatch pre-commit pre-merge-commit prepare-commit-msg commit-msg post-commit ' +
  'pre-rebase post-checkout post-merge pre-push pre-receive update proc-receive post-receive post-update ' +
  'reference-transaction push-to-checkout pre-auto-gc post-rewrite sendemail-validate fsmonitor-watchman post-index-change'
).split(' ');

/** The folder of the hooks; null if that is none of this repository's, or nobody can tell. `isElsewhere`: its files lie in another folder. */
async function placeOfHooks(root: string, hooksPath: string | undefined, isElsewhere: boolean): Promise<string | null> {
  // Git has words for places that are no folder's name: `~user`, `%(prefix)`, `:(optional)`.
  if (hooksPath !== undefined && (isElsewhere || /^(?:~|%\(|:\()/.test(hooksPath))) return null;
  const named = resolve(root, hooksPath ?? '.git/hooks');
  const place = await realpath(named).catch(() => named);
  return place.startsWith(root.endsWith(sep) ? root : root + sep) ? place : null;
}

/** The hooks that git knows, however many files lie beside them, and what else lies there, as far as it is looked through. */
async function listHooks(place: string): Promise<Pick<GitState, 'hooks' | 'hasMoreHooks'>> {
  const known: string[] = [];
  for (const name of HOOKS) {
    const stats = await lstat(join(place, name)).catch(() => null);
    if (stats && !stats.isDirectory()) known.push(name);
  }
  const others: string[] = [];
  let hasMoreHooks = false;
  try {
    for await (const entry of await opendir(place)) {
      if (entry.isDirectory() || entry.name.endsWith('.sample') || HOOKS.includes(entry.name)) continue;
      hasMoreHooks = others.length === MAX_HOOKS;
      if (hasMoreHooks) break;
      others.push(entry.name);
    }
  } catch {
    // No folder of hooks.
  }
  return { hooks: [...known.sort(), ...others.sort()], hasMoreHooks };
}
