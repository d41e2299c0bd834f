import { execFile } from 'node:child_process';
import { devNull } from 'node:os';
import { dirname, join } from 'node:path';
import { launchClosed } from '../tools/launch';
import { readGitState } from './git-state';

/** Git may hang on a network drive or a lock; the first reply must not wait for it. */
const GIT_TIMEOUT_MS = 3000;
const MAX_STATUS_LINES = 20;

/**
 * Lines for the system prompt about the repository at the top of a real folder that the person trusts. Git runs only where the
 * folder's own configuration can't make it run anything else (docs/specs/safety.md B2); else the branch alone is told. Never
 * rejects.
 */
export async function gitFacts(root: string, clip: (name: string) => string): Promise<string[]> {
  const state = await readGitState(root);
  if (state.kind === 'none') return ['- Not a git repository'];
  if (state.kind === 'above') return ['- Git: the repository begins above this folder and is not read'];
  if (state.kind === 'elsewhere') return ['- Git: the repository’s data lie outside the workspace and were not read'];
  const on = state.branch === null ? 'a branch that could not be read' : clip(state.branch);
  const status = state.refusal === null ? await runStatus(root) : null;
  if (status === null) {
    const why = state.refusal === null ? 'git did not answer' : `git was not run, because ${clip(state.refusal)}`;
    return [`- Git: on ${on}; what changed is not known: ${why}`];
  }
  const changes = status.split('\n').filter((line) => line !== '' && !line.startsWith('## '));
  if (changes.length === 0) return [`- Git: on ${on}, nothing changed`];
  const shown = changes.slice(0, MAX_STATUS_LINES).map((line) => `  ${clip(line)}`);
  const rest = changes.length - shown.length;
  return [
    `- Git: on ${on}; changed when this session was opened:`,
    ...shown,
    ...(rest > 0 ? [`  … and ${rest} more`] : []),
  ];
}

/** Nothing but reading: whatever git could start, fetch, ask or follow is off, whatever the folder says. */
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

function runStatus(root: string): Promise<string | null> {
  const args = [
    // Named, not looked for: git would walk up from a repository that it can't read, and a path may hold what separates ceilings.
    ...['--no-optional-locks', '--no-pager', ...QUIET, '-C', root],
    ...[`--git-dir=${join(root, '.git')}`, `--work-tree=${root}`],
    ...['status', '--porcelain=v1', '--branch', '--no-ahead-behind', '--untracked-files=normal'],
    ...['--ignore-submodules=all', '--no-renames'],
  ];
  const launch = launchClosed('git', args);
  return new Promise((resolve) => {
    execFile(
      launch.file,
      launch.args,
      { timeout: GIT_TIMEOUT_MS, killSignal: 'SIGKILL', maxBuffer: 4 * 1024 * 1024, env: environment(root) },
      (error, stdout) => resolve(error ? null : stdout),
    );
  });
}

/**
 * Provider keys in the app's environment stay out of child processes. The person's own configuration stays out too: the folder's
 * `.gitattributes` choose which of its filters run, on files that the folder brings. Repositories above the folder are not
 * looked for.
 */
function environment(root: string): NodeJS.ProcessEnv {
  const { PATH, LANG } = process.env;
  return {
    PATH,
    LANG,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: devNull,
    GIT_ATTR_NOSYSTEM: '1',
    GIT_CEILING_DIRECTORIES: dirname(root),
    GIT_TERMINAL_PROMPT: '0',
    GIT_NO_LAZY_FETCH: '1',
    GIT_ALLOW_PROTOCOL: 'none',
  };
}
