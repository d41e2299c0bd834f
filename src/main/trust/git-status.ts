import { execFile } from 'node:child_process';
import { devNull } from 'node:os';
import { join } from 'node:path';
import { launchClosed } from '../tools/launch';
import { withGitCopy } from './git-copy';
import { GitRefusal } from './git-file';
import { readGitState, type GitState } from './git-state';

/** Git may hang on a network drive or a lock; the first reply must not wait for it. */
const GIT_TIMEOUT_MS = 3000;
const MAX_STATUS_LINES = 20;

/**
 * Lines for the system prompt about the repository at the top of a real folder that the person trusts. Git runs only where the
 * folder's own configuration can't make it run anything else, and only through a copy (docs/specs/safety.md B2); else the
 * branch alone is told. Never rejects.
 */
export async function gitFacts(root: string, clip: (name: string) => string): Promise<string[]> {
  const state = await readGitState(root);
  if (state.kind === 'none') return ['- Not a git repository'];
  if (state.kind === 'above') return ['- Git: the repository begins above this folder and is not read'];
  if (state.kind === 'elsewhere') return ['- Git: the repository’s data lie outside the workspace and were not read'];
  const on = state.branch === null ? 'a branch that could not be read' : clip(state.branch);
  const { status, why } = await statusOf(root, state);
  if (status === null) return [`- Git: on ${on}; what changed is not known: ${clip(why)}`];
  const changes = status.split('\n').filter((line) => line !== '');
  if (changes.length === 0) return [`- Git: on ${on}, nothing changed`];
  const shown = changes.slice(0, MAX_STATUS_LINES).map((line) => `  ${clip(line)}`);
  const rest = changes.length - shown.length;
  return [
    `- Git: on ${on}; changed when this session was opened:`,
    ...shown,
    ...(rest > 0 ? [`  … and ${rest} more`] : []),
  ];
}

async function statusOf(
  root: string,
  state: GitState,
): Promise<{ status: string; why?: undefined } | { status: null; why: string }> {
  try {
    if (state.refusal !== null) throw new GitRefusal(state.refusal);
    const status = await withGitCopy(root, state, (gitDir) => runStatus(root, gitDir));
    return status === null ? { status, why: 'git did not answer' } : { status };
  } catch (error) {
    const why = error instanceof GitRefusal ? error.message : 'its state could not be copied';
    return { status: null, why: `git was not run, because ${why}` };
  }
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

function runStatus(root: string, gitDir: string): Promise<string | null> {
  const args = [
    ...['--no-optional-locks', '--no-pager', ...QUIET, '-C', root],
    ...['status', '--porcelain=v1', '--untracked-files=normal', '--ignore-submodules=all', '--no-renames'],
  ];
  const launch = launchClosed('git', args);
  return new Promise((resolve) => {
    execFile(
      launch.file,
      launch.args,
      { timeout: GIT_TIMEOUT_MS, killSignal: 'SIGKILL', maxBuffer: 4 * 1024 * 1024, env: environment(root, gitDir) },
      (error, stdout) => resolve(error ? null : stdout),
    );
  });
}

/**
 * Of the repository itself git opens the objects alone, which it only reads. Provider keys in the app's environment stay out of child
 * processes. The person's own configuration stays out too: the folder's `.gitattributes` choose which of its filters run, on files
 * that the folder brings.
 */
function environment(root: string, gitDir: string): NodeJS.ProcessEnv {
  const { PATH, LANG } = process.env;
  return {
    PATH,
    LANG,
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
