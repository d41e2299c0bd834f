import { opendir } from 'node:fs/promises';
import { execFile } from 'node:child_process';
import { devNull } from 'node:os';
import { join } from 'node:path';
import { launchClosed } from '../commands/launch';
import { findProgram, type Program } from '../commands/programs';
import type { Workspace } from '../places/workspace';
import { tryGitCopy, withGitCopy } from './git-copy';
import { GitRefusal, type GitState, programsOfGit, readGitState } from './git-state';

/** For the look, the copy and git together: each may hang on a slow drive, and the first reply must not wait for it. */
const GIT_TIMEOUT_MS = 3000;
const MAX_STATUS_LINES = 20;

/**
 * Lines for the system prompt about the repository at the top of a real folder that the person trusts. Git runs only where the
 * folder's own configuration can't make it run anything else, and only through a copy (docs/specs/safety.md B2); else the
 * branch alone is told. Never rejects.
 */
async function gitFacts(root: string, clip: (name: string) => string): Promise<string[]> {
  const stop = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const end = new Promise<null>((resolve) => {
    timer = setTimeout(() => {
      stop.abort();
      resolve(null);
    }, GIT_TIMEOUT_MS);
  });
  // What hangs can't be called off: it is left behind, and cleans up when it goes on.
  const inTime = <T>(work: Promise<T>): Promise<T | null> => Promise.race([work, end]);
  try {
    const state = await inTime(readGitState(root));
    if (!state) return ['- Git: the repository could not be read in time'];
    if (state.kind === 'none') return ['- Not a git repository'];
    if (state.kind === 'above') return ['- Git: the repository begins above this folder and is not read'];
    if (state.kind === 'bare') return ['- Git: the folder itself looks like a bare repository and was not read'];
    if (state.kind === 'elsewhere') return ['- Git: the repository’s data lies outside the workspace and was not read'];
    const on = state.branch === null ? 'a branch that could not be read' : clip(state.branch);
    const { status, why } = (await inTime(statusOf(root, state, stop.signal))) ?? TOO_LATE;
    if (status === null) return [`- Git: on ${on}; what changed is not known: ${clip(why)}`];
    const changes = status.split('\n').filter((line) => line !== '');
    if (changes.length === 0) return [`- Git: on ${on}, nothing changed`];
    const shown = changes.slice(0, MAX_STATUS_LINES).map((line) => `  ${clip(line)}`);
    const rest = changes.length - shown.length;
    const more = rest > 0 ? [`  … and ${rest} more`] : [];
    return [`- Git: on ${on}; changed when this session was opened:`, ...shown, ...more];
  } finally {
    clearTimeout(timer);
  }
}

/** What a sheet says of a repository, and why git would not be run in it; by reading alone. */
export interface GitLook {
  state: GitState;
  /** What a command that calls git could run besides, for its card. */
  programs: string[];
  whyNot: string | null;
}

/** Never rejects. */
export async function lookAtGit(root: string): Promise<GitLook> {
  const state = await readGitState(root);
  return { state, programs: await programsOfGit(root, state), whyNot: await whyNoGit(root, state) };
}

/** Why git would not be run in a folder that is trusted; null if it would. By reading alone. Never rejects. */
async function whyNoGit(root: string, state: GitState): Promise<string | null> {
  try {
    await gitFor(root, state);
    await tryGitCopy(root, state);
    return null;
  } catch (error) {
    return wordsOf(error);
  }
}

type Status = { status: string; why?: undefined } | { status: null; why: string };
const TOO_LATE: Status = { status: null, why: 'git was not done in time' };

async function statusOf(root: string, state: GitState, stop: AbortSignal): Promise<Status> {
  try {
    const git = await gitFor(root, state);
    const status = await withGitCopy(root, state, stop, (gitDir) => runStatus(git, root, gitDir, stop));
    return status === null ? { status, why: 'git did not answer' } : { status };
  } catch (error) {
    return { status: null, why: `git was not run, because ${wordsOf(error)}` };
  }
}

/** The git to run: never one that the folder itself brings. */
async function gitFor(root: string, { refusal }: GitState): Promise<Program> {
  if (refusal !== null) throw new GitRefusal(refusal);
  const git = await findProgram(process.platform === 'win32' ? 'git.exe' : 'git', root);
  if (!git) throw new GitRefusal('there is no git in the PATH outside the folder');
  return git;
}

function wordsOf(error: unknown): string {
  return error instanceof GitRefusal ? error.message : 'its state could not be copied';
}

/** Nothing but reading: whatever git could start, fetch, ask or follow is off. */
const QUIET = [
  ['core.fsmonitor', 'false'],
  ['core.hooksPath', devNull],
  ['core.attributesFile', devNull],
  ['core.pager', 'cat'],
  ['core.untrackedCache', 'false'],
  ['diff.external', ''],
  ['submodule.recurse', 'false'],
  ['safe.bareRepository', 'explicit'],
  ['protocol.allow', 'never'],
].flatMap(([name, value]) => ['-c', `${name}=${value}`]);

function runStatus(git: Program, root: string, gitDir: string, signal: AbortSignal): Promise<string | null> {
  const args = [
    ...['--no-optional-locks', '--no-pager', ...QUIET, '-C', root],
    ...['status', '--porcelain=v1', '--untracked-files=normal', '--ignore-submodules=all', '--no-renames'],
  ];
  const launch = launchClosed(git.file, args);
  return new Promise((resolve) => {
    execFile(
      launch.file,
      launch.args,
      { signal, killSignal: 'SIGKILL', maxBuffer: 4 * 1024 * 1024, env: environment(git, root, gitDir) },
      (error, stdout) => resolve(error ? null : stdout),
    );
  });
}

/**
 * Of the repository itself git opens the objects alone, which it only reads. Provider keys in the app's environment stay out of child
 * processes. The person's own configuration stays out too: the folder's `.gitattributes` choose which of its filters run, on files
 * that the folder brings.
 */
function environment(git: Program, root: string, gitDir: string): NodeJS.ProcessEnv {
  return {
    PATH: git.path,
    LANG: process.env.LANG,
    GIT_DIR: gitDir,
    GIT_WORK_TREE: root,
    GIT_OBJECT_DIRECTORY: join(root, '.git', 'objects'),
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: devNull,
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_NO_LAZY_FETCH: '1',
    GIT_ALLOW_PROTOCOL: 'none',
  };
}

const MAX_LISTED = 60;
/** Reading a folder of a million files must not delay the first reply. */
const MAX_SCANNED = 5000;
const MAX_NAME_LENGTH = 120;
const NO_LISTING = '- The workspace folder could not be listed';

/**
 * Lines about a trusted workspace for the system prompt: git branch and status, top-level listing. Bounded in size and time; never rejects.
 */
export async function gatherWorkspaceFacts(workspace: Workspace): Promise<string[]> {
  const root = await workspace.root().catch(() => null);
  if (root === null) return [NO_LISTING];
  const [git, listing] = await Promise.all([gitFacts(root, clip), listTopLevel(root)]);
  return [...git, ...listing];
}

async function listTopLevel(workspaceDir: string): Promise<string[]> {
  const names: string[] = [];
  let cutOff = false;
  try {
    const folder = await opendir(workspaceDir);
    for await (const entry of folder) {
      if (entry.name === '.git') continue;
      names.push(clip(entry.name) + (entry.isDirectory() ? '/' : ''));
      if (names.length >= MAX_SCANNED) {
        cutOff = true;
        break;
      }
    }
  } catch {
    return [NO_LISTING];
  }
  if (names.length === 0) return ['- The workspace is empty'];
  names.sort();
  const shown = names.slice(0, MAX_LISTED);
  const rest = names.length - shown.length;
  const more = rest > 0 ? `, … ${cutOff ? 'over ' : ''}${rest} more` : '';
  return [`- Top level: ${shown.join(', ')}${more}`];
}

function clip(name: string): string {
  const printable = name.replace(/[\u0000-\u001f\u007f]/g, '\uFFFD');
  return printable.length > MAX_NAME_LENGTH ? `${printable.slice(0, MAX_NAME_LENGTH)}…` : printable;
}
