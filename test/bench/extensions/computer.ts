import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Programs that examples call and that a machine may not have: as much of them as is asked for. */
const PROGRAMS = {
  gh: `echo '[{"number":7,"title":"Parser fails","state":"OPEN"}]'`,
  rg: `echo 'notes.md:1:A note.'`,
};

/** A folder for the PATH. */
export function putPrograms(folder: string): string {
  mkdirSync(folder, { recursive: true });
  for (const [name, body] of Object.entries(PROGRAMS)) {
    writeFileSync(join(folder, name), `#!/bin/sh\n${body}\n`);
    chmodSync(join(folder, name), 0o755);
  }
  return folder;
}

const PRESETS = { careful: { thinkingLevel: 'high', tools: ['read'], instructions: 'Be careful.' } };

/** A person's project: a git repository with a file that is not committed, a rule, a preset. */
export function putWorkspace(folder: string): void {
  for (const path of ['.claude/rules', '.pi']) mkdirSync(join(folder, path), { recursive: true });
  writeFileSync(join(folder, 'notes.md'), 'A note.\n');
  writeFileSync(join(folder, '.claude/rules/words.md'), 'Short words.\n');
  writeFileSync(join(folder, '.pi/presets.json'), JSON.stringify(PRESETS));
  git(folder, 'init', '--quiet', '--initial-branch=main');
  git(folder, 'config', 'user.name', 'Ada');
  git(folder, 'config', 'user.email', 'ada@example.org');
  commitAll(folder, 'Begin');
  git(folder, 'remote', 'add', 'hub', 'https://github.com/someone/something.git');
  writeFileSync(join(folder, 'notes.md'), 'A note, changed.\n');
}

/** Its upstream has changed the same line. */
export function putConflict(folder: string): void {
  const upstream = `${folder}-upstream`;
  git(folder, 'clone', '--quiet', folder, upstream);
  writeFileSync(join(upstream, 'notes.md'), 'Theirs.\n');
  commitAll(upstream, 'Theirs');
  writeFileSync(join(folder, 'notes.md'), 'Ours.\n');
  git(folder, 'remote', 'add', 'origin', upstream);
  git(folder, 'fetch', '--quiet', 'origin');
  git(folder, 'branch', '--quiet', '--set-upstream-to=origin/main');
  commitAll(folder, 'Ours');
}

function commitAll(folder: string, message: string): void {
  git(folder, 'add', '-A');
  git(folder, 'commit', '--quiet', '-m', message);
}

export function git(cwd: string, ...args: string[]): string {
  const person = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org'];
  return execFileSync('git', [...person, ...args], { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
}
