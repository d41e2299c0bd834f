import { createHash } from 'node:crypto';
import { lstat, opendir } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import {
  branchOfHead,
  hasOtherFiles,
  MAX_GIT_CONFIG_BYTES,
  parseGitConfig,
  riskyGitEntries,
  type GitConfigEntry,
  type RiskyGitEntry,
} from '@shared/policy/git-config';
import { UNREAD } from '@shared/policy/git-calls';
import { readGitFile, GitRefusal } from './git-file';

/** What a folder's `.git` is, found out by reading alone. */
export interface GitState {
  /**
   * `above`: a repository begins in a folder further up. `elsewhere`: a file or link in its place, which leads to a repository that
   * is not in this folder.
   */
  kind: 'none' | 'repository' | 'above' | 'elsewhere';
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
  /** Where its configuration has the hooks instead, if that is not a folder of the repository, whose names could be read. */
  hooksAway: string | null;
  /** Why no git process may look at it; null if one may. */
  refusal: string | null;
}

const MAX_HEAD_BYTES = 512;
const MAX_HOOKS = 200;
/** What a list of programs may take in an approval and its rule, and how many of a longer one are named, as many as a card shows. */
const MAX_PROGRAM_CHARS = 2_000;
const MAX_NAMED = 11;
const MAX_NAME_CHARS = 150;
const HASH_DIGITS = 16;
/** Settings that say which further files are read. */
const INCLUDES = /^include(?:if)?\./;
/** As git reads a switch. */
const OFF = /^(false|no|off|0|)$/i;
const NO_GIT: GitState = {
  kind: 'none',
  branch: null,
  head: '',
  entries: [],
  isRead: false,
  risky: [],
  hooks: [],
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
  if (!found)
    return (await repositoryAbove(root)) === null
      ? NO_GIT
      : { ...NO_GIT, kind: 'above', refusal: 'the repository begins above this folder' };
  if (!found.isDirectory())
    return { ...NO_GIT, kind: 'elsewhere', refusal: 'its git data lies outside the folder and is left alone' };
  const state: GitState = { ...NO_GIT, kind: 'repository', refusal: null };
  try {
    state.head = (await readText(folder, 'HEAD', MAX_HEAD_BYTES)) ?? '';
    state.branch = branchOfHead(state.head);
    if (state.branch === null) state.refusal = 'Espalier does not understand its HEAD';
    await assertPlain(folder);
    const [own, ofWorktree] = [await readConfig(folder, 'config'), await readConfig(folder, 'config.worktree')];
    const isOn = own.some(({ name, value }) => name === 'extensions.worktreeconfig' && !OFF.test(value));
    state.entries = isOn ? [...own, ...ofWorktree] : own;
    state.risky = riskyGitEntries([...own, ...ofWorktree]);
    state.isRead = true;
  } catch (error) {
    state.refusal ??= error instanceof GitRefusal ? error.message : 'its git data could not be read';
  }
  const hooksPath = state.entries.filter(({ name }) => name === 'core.hookspath').at(-1)?.value;
  const place = placeOfHooks(root, hooksPath, hasOtherFiles(state.risky));
  if (place === null) state.hooksAway = hooksPath ?? '';
  else state.hooks = await listHooks(place);
  if (state.risky.some(({ canRun }) => canRun)) state.refusal ??= 'its configuration could run programs';
  if (hasOtherFiles(state.risky)) state.refusal ??= 'its configuration says that its files are not in this folder';
  return state;
}

/**
 * The programs that git could run by the settings of the repository in which a real folder lies, in words; hooks too. What could not be
 * read is told as that. By reading alone, of a repository that begins further up as well. Always in one order, which rules depend on: settings
 * as they stand in the files, then hooks by name. Never rejects.
 */
export async function programsOfGit(root: string, found: GitState): Promise<string[]> {
  const above = found.kind === 'above' ? await repositoryAbove(root) : null;
  const state = above === null ? found : await readGitState(above);
  if (state.kind === 'none') return [];
  const unread = state.isRead ? [] : [`${UNREAD}: ${state.refusal ?? ''}`];
  const canRun = state.risky.filter((entry) => entry.canRun);
  const words = ({ name, value }: GitConfigEntry): string => `${name} = ${value}`;
  // First, so that a bound leaves it: whoever has written such a file changes what git runs at any time.
  const further = canRun.filter(({ name }) => INCLUDES.test(name)).map((entry) => `${UNREAD}: ${words(entry)}`);
  const named = canRun.filter(({ name }) => !INCLUDES.test(name)).map(words);
  const away = state.hooksAway === null ? [] : [`${UNREAD}: core.hookspath = ${state.hooksAway}`];
  return bounded([...unread, ...further, ...away, ...named, ...state.hooks.map((hook) => `hook ${hook}`)]);
}

/** As much as an approval and its rule may hold; the rest is there as its hash, so that a change of it is one. */
function bounded(programs: string[]): string[] {
  const text = JSON.stringify(programs);
  if (text.length <= MAX_PROGRAM_CHARS) return programs;
  const hash = createHash('sha256').update(text).digest('hex').slice(0, HASH_DIGITS);
  const shown = programs.slice(0, MAX_NAMED).map((one) => one.slice(0, MAX_NAME_CHARS));
  return [...shown, `${programs.length.toLocaleString('en')} in all, some of them long (fingerprint ${hash})`];
}

/** The folder further up in which git would find a repository. Only names are looked at. */
async function repositoryAbove(root: string): Promise<string | null> {
  for (let at = root, up = dirname(at); up !== at; at = up, up = dirname(at))
    if (await lstat(join(up, '.git')).catch(() => null)) return up;
  return null;
}

/** What is copied or read must be what it is in every repository: a pipe would hold us up, a link lead elsewhere. */
async function assertPlain(folder: string): Promise<void> {
  for (const name of ['objects', 'refs']) {
    if (!(await lstat(join(folder, name)).catch(() => null))?.isDirectory())
      throw new GitRefusal(`its ${name} is not a folder`);
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
function placeOfHooks(root: string, hooksPath: string | undefined, isElsewhere: boolean): string | null {
  if (hooksPath === undefined) return join(root, '.git', 'hooks');
  const place = resolve(root, hooksPath);
  const isInside = place.startsWith(root.endsWith(sep) ? root : root + sep);
  return isInside && !isElsewhere && !hooksPath.startsWith('~') ? place : null;
}

/** The hooks that git knows, however many files lie beside them, and what else lies there, as far as it is looked through. */
async function listHooks(place: string): Promise<string[]> {
  const known: string[] = [];
  for (const name of HOOKS) {
    const stats = await lstat(join(place, name)).catch(() => null);
    if (stats && !stats.isDirectory()) known.push(name);
  }
  const others: string[] = [];
  try {
    for await (const entry of await opendir(place)) {
      if (entry.isDirectory() || entry.name.endsWith('.sample') || HOOKS.includes(entry.name)) continue;
      if (others.length === MAX_HOOKS) return [...known.sort(), ...others.sort(), `(more than ${MAX_HOOKS} files)`];
      others.push(entry.name);
    }
  } catch {
    // No folder of hooks.
  }
  return [...known.sort(), ...others.sort()];
}
