import { execFile } from 'node:child_process';
import { opendir } from 'node:fs/promises';
import path from 'node:path';

/** Git may hang on a network drive or a lock; the first reply must not wait for it. */
const GIT_TIMEOUT_MS = 1500;
const MAX_STATUS_LINES = 20;
const MAX_LISTED = 60;
/** Reading a folder of a million files must not delay the first reply. */
const MAX_SCANNED = 5000;
const MAX_NAME_LENGTH = 120;

/** Lines about the workspace for the system prompt: git branch and status, top-level listing. Bounded in size and time; never rejects. */
export async function gatherWorkspaceFacts(workspaceDir: string): Promise<string[]> {
  const [git, listing] = await Promise.all([gitFacts(workspaceDir), listTopLevel(workspaceDir)]);
  return [...git, ...listing];
}

async function gitFacts(cwd: string): Promise<string[]> {
  const status = await runGit(['status', '--porcelain=v1', '--branch', '--untracked-files=normal'], cwd);
  if (status === null) return ['- Not a git repository (or git did not answer in time)'];
  const [head = '', ...changes] = status.split('\n').filter((line) => line !== '');
  const branch = head.replace(/^## /, '').slice(0, 200);
  if (changes.length === 0) return [`- Git: on ${branch}, nothing changed`];
  const shown = changes.slice(0, MAX_STATUS_LINES).map((line) => `  ${clip(line)}`);
  const rest = changes.length - shown.length;
  return [
    `- Git: on ${branch}; changed when this session was opened:`,
    ...shown,
    ...(rest > 0 ? [`  … and ${rest} more`] : []),
  ];
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
    return ['- The workspace folder could not be listed'];
  }
  if (names.length === 0) return ['- The workspace is empty'];
  names.sort();
  const shown = names.slice(0, MAX_LISTED);
  const rest = names.length - shown.length;
  const more = rest > 0 ? `, … ${cutOff ? 'over ' : ''}${rest} more` : '';
  return [`- Top level: ${shown.join(', ')}${more}`];
}

function runGit(args: string[], cwd: string): Promise<string | null> {
  // fsmonitor and hooks of a foreign repository could run programs; status needs neither.
  const safe = ['--no-optional-locks', '-c', 'core.fsmonitor=false', '-C', path.resolve(cwd), ...args];
  return new Promise((resolve) => {
    execFile(
      'git',
      safe,
      { timeout: GIT_TIMEOUT_MS, maxBuffer: 4 * 1024 * 1024, env: gitEnvironment() },
      (error, stdout) => resolve(error ? null : stdout),
    );
  });
}

/** Only what git needs: provider keys in the environment of the app stay out of child processes (quality.md C4). */
function gitEnvironment(): NodeJS.ProcessEnv {
  const { PATH, HOME, LANG } = process.env;
  return { PATH, HOME, LANG, GIT_TERMINAL_PROMPT: '0' };
}

function clip(name: string): string {
  const printable = name.replace(/[\u0000-\u001f\u007f]/g, '\uFFFD');
  return printable.length > MAX_NAME_LENGTH ? `${printable.slice(0, MAX_NAME_LENGTH)}…` : printable;
}
