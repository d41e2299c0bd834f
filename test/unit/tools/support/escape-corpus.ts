import { execFileSync } from 'node:child_process';
import {
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import * as fileTools from '../../../../src/main/tools/file-tools';
import { makeHost, type Sandbox, type TestHost } from './host';

/** Stands in every file that a tool must not reveal. */
const CANARY = 'canary-7f3a';
const NAMES = Object.values(fileTools).map(({ name }) => name);
const ALLOW_ALL = Object.fromEntries([...NAMES, 'bash'].map((tool) => [tool, 'allow' as const]));

/** `outside`: only after a question. `forbidden`: not even after a yes. */
type EscapeKind = 'outside' | 'forbidden';
export interface EscapeCase {
  kind: EscapeKind;
  tool: string;
  path: string;
}
export interface Escape extends EscapeCase {
  what: string;
}

export interface EscapeWorld {
  server: Server;
  paths: Record<EscapeKind, string[]>;
}

/** Builds the places that are to be reached and the ways to them. */
export function buildWorld(sandbox: Sandbox): EscapeWorld {
  const { base, workspaceDir: work, dataDir: data } = sandbox;
  const put = (path: string, text: string): void => {
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(path, text);
  };
  const link = (target: string, name: string): void => symlinkSync(target, join(work, name));
  for (const folder of ['outside', 'outside/deep', 'work-evil', 'workx', 'WORK-other']) {
    put(join(base, folder, 'secret.txt'), `${CANARY}\n`);
    put(join(base, folder, `${CANARY}.txt`), '');
  }
  put(join(data, 'settings.json'), CANARY);
  put(join(data, 'credentials.json'), CANARY);
  put(join(data, 'sessions/a.jsonl'), CANARY);
  put(join(data, 'outputs/other-session/x.txt'), CANARY);
  put(join(data, 'workspaces/other/x.txt'), CANARY);
  put(join(work, 'src/app.ts'), 'export const a = 1;\n');
  for (const repository of ['', 'sub/']) {
    put(join(work, `${repository}.git/hooks/pre-commit`), CANARY);
    put(join(work, `${repository}.git/config`), '[core]\n');
  }
  put(join(work, '.git/modules/m/hooks/post-checkout'), CANARY);
  put(join(work, 'denied/key.pem'), CANARY);
  link('../outside/secret.txt', 'rel-file');
  link(join(base, 'outside/secret.txt'), 'abs-file');
  link('../outside', 'rel-dir');
  link(join(base, 'outside'), 'abs-dir');
  link('rel-dir', 'chain');
  link('chain/deep', 'chain2');
  link('..', 'up');
  link('/', 'slash');
  link('../outside/not-there.txt', 'dangling');
  link('loop-b', 'loop-a');
  link('loop-a', 'loop-b');
  link('../data', 'to-data');
  link('../data/credentials.json', 'to-key');
  link('.git/hooks', 'to-hooks');
  link('.git', 'to-git');
  link('/dev/zero', 'to-zero');
  link('/proc/self/environ', 'to-environ');
  link('/proc/self/root', 'to-root');
  link('/proc/self/cwd', 'to-cwd');
  link('/proc/self/fd', 'to-fd');
  link('denied', 'to-denied');
  linkSync(join(data, 'credentials.json'), join(work, 'hard-key'));
  linkSync(join(data, 'sessions/a.jsonl'), join(work, 'hard-session'));
  execFileSync('mkfifo', [join(work, 'fifo'), join(work, 'src/fifo')]);
  const server = createServer().listen(join(work, 'socket'));
  return { server, paths: { outside: outsidePaths(base), forbidden: forbiddenPaths(base) } };
}

function outsidePaths(base: string): string[] {
  const ways = [
    '../outside/secret.txt', './../outside/secret.txt', 'src/../../outside/secret.txt', 'src/../../outside/deep/../secret.txt',
    'none/../../outside/secret.txt', '..//outside///secret.txt', '.././outside/./secret.txt', '../work/../outside/secret.txt',
    '../work-evil/secret.txt', '../workx/secret.txt', '../WORK-other/secret.txt', `${base}/outside/secret.txt`, `${base}/work/../outside/secret.txt`,
    `${base}//work/..//outside/secret.txt`, `${base}/work-evil/secret.txt`, `/../..${base}/outside/secret.txt`, `~/../../../../../../../..${base}/outside/secret.txt`,
    'rel-file', 'abs-file', 'rel-dir/secret.txt', 'abs-dir/secret.txt', 'chain/secret.txt', 'chain2/secret.txt', 'chain/deep/secret.txt',
    'rel-dir/deep/../secret.txt', 'src/../rel-dir/secret.txt', './rel-file', 'up/outside/secret.txt', 'up/work/up/outside/secret.txt', 'up/work/rel-file',
    `slash${base}/outside/secret.txt`, `to-root${base}/outside/secret.txt`, 'dangling', 'rel-dir/new.txt', 'rel-dir/new/dir/file.txt', '../outside/new.txt', '../new.txt',
    'up/new.txt', 'abs-dir/deep/new.txt', 'loop-a', 'loop-a/secret.txt', 'rel-file/', 'rel-dir/', '..', '../', 'up', '../outside', 'chain2',
    '..\\outside\\secret.txt', '%2e%2e/outside/secret.txt', '\uff0e\uff0e/outside/secret.txt', '\u2024\u2024/outside/secret.txt', '..\u2215outside/secret.txt',
    '.../outside/secret.txt', '..\u200b/outside/secret.txt', '../outside\u0000/../src/app.ts', '../outside/secret.txt\u0000', '..\n/outside/secret.txt',
    ' ../outside/secret.txt', '../outside/secret.txt ', '~root/../outside/secret.txt', `file://${base}/outside/secret.txt`, `${'a/'.repeat(50)}${'../'.repeat(51)}outside/secret.txt`,
    `/proc/self/cwd/../../..${base}/outside/secret.txt`, `${'../'.repeat(40)}${base.slice(1)}/outside/secret.txt`, `${'x'.repeat(5_000)}/../../outside/secret.txt`,
  ]; // prettier-ignore
  return ways;
}

function forbiddenPaths(base: string): string[] {
  const own = [
    'settings.json',
    'credentials.json',
    'approvals.json',
    'sessions/a.jsonl',
    'sessions/new.jsonl',
    'outputs/other-session/x.txt',
    'workspaces/other/x.txt',
    'sessions',
    '.',
  ];
  const hooks = [
    '.git/hooks/pre-commit', '.git/hooks/post-merge', '.git/hooks', 'sub/.git/hooks/pre-commit', '.git/modules/m/hooks/post-checkout', './.git/./hooks/pre-commit',
    '.git/../.git/hooks/pre-commit', '.GIT/hooks/pre-commit', '.git/HOOKS/pre-commit', '.Git/Hooks/Pre-Commit', '.gi\u200ct/hooks/pre-commit', '.git\ufeff/hooks/pre-commit',
    '\uff0egit/hooks/pre-commit', '.g\u0131t/../.git/hooks/pre-commit', '.git/hoo\u212as/pre-commit', '.git./hooks/pre-commit', '.git /hooks/pre-commit', 'GIT~1/hooks/pre-commit',
    '.git::$INDEX_ALLOCATION/hooks/pre-commit', '.git\\hooks\\pre-commit', 'to-hooks/pre-commit', 'to-hooks/new-hook', 'to-git/hooks/pre-commit', 'up/work/.git/hooks/pre-commit',
    '.git/hooks/../hooks/pre-commit', '.git/worktrees/w/hooks/x',
  ]; // prettier-ignore
  const kernel = [
    '/dev/zero', '/dev/null', '/dev/stdin', '/dev/fd/0', '/dev/tty', '/dev/./zero', '//dev//zero', '/dev', '/sys/kernel/notes', '/proc/self/environ', '/proc/1/environ',
    '/proc/self/mem', '/proc/self/maps', '/proc/version', '/proc', '/proc/thread-self/environ', '/PROC/self/environ', `/proc/self/root${base}/outside/secret.txt`,
    '/proc/self/fd/0', 'to-zero', 'to-environ', 'slash/dev/zero', 'slash/proc/self/environ', 'to-fd/0', 'to-root/dev/zero',
    'to-root/proc/version', 'fifo', 'src/fifo', 'socket', 'src/../fifo', 'slash/sys/kernel/notes',
  ]; // prettier-ignore
  return [
    ...own.flatMap((name) => [`../data/${name}`, `${base}/data/${name}`, `to-data/${name}`]),
    `${base}/DATA/settings.json`, '../Data/credentials.json', '../da\u00adta/credentials.json', '../data./credentials.json', '../\uff44ata/credentials.json',
    'to-key', 'hard-key', 'hard-session', 'up/data/credentials.json', `slash${base}/data/credentials.json`,
    'denied/key.pem', 'DENIED/key.pem', './denied/new.pem', 'to-denied/key.pem', 'denied', 'denied\u200b/key.pem',
    ...hooks, ...kernel,
  ]; // prettier-ignore
}

/** Every path with every tool that takes one. */
export function escapeCases(world: EscapeWorld): EscapeCase[] {
  const kinds: EscapeKind[] = ['outside', 'forbidden'];
  return kinds.flatMap((kind) => world.paths[kind].flatMap((path) => NAMES.map((tool) => ({ kind, tool, path }))));
}

function argsFor({ tool, path }: EscapeCase): unknown {
  if (tool === 'write') return { path, content: 'overwritten' };
  if (tool === 'edit') return { path, edits: [{ oldText: CANARY, newText: 'overwritten' }] };
  if (tool === 'grep') return { path, pattern: '.' };
  return tool === 'find' ? { path, pattern: '**' } : { path };
}

/**
 * Tries each case with every tool allowed in the settings. `outside` cases are answered with no, `forbidden` ones with yes.
 * An escape is a revealed or changed guarded file, a new file outside, or a call on a forbidden target that did anything.
 */
export async function findEscapes(sandbox: Sandbox, cases: readonly EscapeCase[]): Promise<Escape[]> {
  const host = await makeHost(sandbox);
  host.settings.policy = { ...ALLOW_ALL };
  host.settings.deniedPaths = ['denied'];
  const before = snapshot(sandbox);
  const escapes: Escape[] = [];
  for (const testCase of cases) {
    host.autoAnswer(testCase.kind === 'outside' ? 'deny' : 'once');
    const text = await attempt(host, testCase);
    if (text?.includes(CANARY)) escapes.push({ ...testCase, what: 'revealed' });
    if (text !== undefined && testCase.kind === 'forbidden' && isReachable(sandbox, testCase.path))
      escapes.push({ ...testCase, what: 'ran' });
    if (snapshot(sandbox) !== before) {
      escapes.push({ ...testCase, what: 'changed a guarded file' });
      break;
    }
  }
  await host.host.dispose();
  return escapes;
}

/** On a file system that keeps case and Unicode apart, some spellings are other, harmless names. */
function isReachable(sandbox: Sandbox, path: string): boolean {
  return existsSync(path.startsWith('/') ? path : join(sandbox.workspaceDir, path));
}

async function attempt(host: TestHost, testCase: EscapeCase): Promise<string | undefined> {
  try {
    return (await host.call(testCase.tool, argsFor(testCase))).text;
  } catch {
    return undefined;
  }
}

function snapshot({ base, dataDir, workspaceDir }: Sandbox): string {
  const outer = ['outside', 'work-evil', 'workx', 'WORK-other'].map((name) => join(base, name));
  const guarded = [
    ...outer,
    dataDir,
    join(workspaceDir, '.git'),
    join(workspaceDir, 'sub/.git'),
    join(workspaceDir, 'denied'),
  ];
  return JSON.stringify([readdirSync(base).sort(), ...guarded.map(contents)]);
}

function contents(path: string): unknown {
  const stats = lstatSync(path);
  if (stats.isFile()) return readFileSync(path, 'latin1');
  if (!stats.isDirectory()) return 'other';
  return readdirSync(path)
    .sort()
    .map((name) => [name, contents(join(path, name))]);
}

const SWAPPER = `
const { workerData: { folder, inside, link } } = require('node:worker_threads');
const fs = require('node:fs');
const rename = (from, to) => {
  // A tool may have made a new folder in the moment when there was none.
  for (;;) try { return fs.renameSync(from, to); } catch { try { fs.rmSync(to, { recursive: true, force: true }); } catch {} }
};
const spin = () => { for (const end = performance.now() + Math.random() * 1.5; performance.now() < end; ); };
for (;;) {
  rename(folder, inside); rename(link, folder);
  spin();
  rename(folder, link); rename(inside, folder);
  spin();
}`;

export interface RaceResult {
  escapes: number;
  succeeded: number;
  refused: number;
}

/** Reads and writes below a folder that another thread swaps for a link to the outside as fast as it can. */
export async function raceFolders(sandbox: Sandbox, rounds: number): Promise<RaceResult> {
  const { base, workspaceDir: work } = sandbox;
  const outside = join(base, 'race-outside');
  // The swapped folder is the one above the file's own: not following the last step does not help there.
  mkdirSync(join(work, 'race/sub'), { recursive: true });
  mkdirSync(join(outside, 'sub'), { recursive: true });
  writeFileSync(join(work, 'race/sub/file.txt'), 'inside');
  writeFileSync(join(outside, 'sub/file.txt'), CANARY);
  symlinkSync(outside, join(work, 'race-link'));
  const host = await makeHost(sandbox);
  host.settings.policy = { ...ALLOW_ALL };
  host.autoAnswer('deny');
  const swapper = new Worker(SWAPPER, {
    eval: true,
    workerData: { folder: join(work, 'race'), inside: join(work, 'race-inside'), link: join(work, 'race-link') },
  });
  const result: RaceResult = { escapes: 0, succeeded: 0, refused: 0 };
  try {
    for (let round = 0; round < rounds; round += 1) {
      const kinds = [
        { kind: 'outside', tool: 'read', path: 'race/sub/file.txt' },
        { kind: 'outside', tool: 'grep', path: 'race/sub' },
        { kind: 'outside', tool: 'ls', path: 'race/sub' },
      ] as const;
      const isWrite = round % 2 === 1;
      const text = isWrite
        ? await attempt(host, { kind: 'outside', tool: 'write', path: `race/sub/new-${round % 7}.txt` })
        : await attempt(host, kinds[round % 20 === 0 ? 1 : round % 6 === 0 ? 2 : 0]);
      if (text === undefined) result.refused += 1;
      else result.succeeded += 1;
      const isChanged =
        readdirSync(join(outside, 'sub')).length !== 1 ||
        readFileSync(join(outside, 'sub/file.txt'), 'utf8') !== CANARY;
      if (text?.includes(CANARY) || isChanged) result.escapes += 1;
    }
  } finally {
    await swapper.terminate();
    await host.host.dispose();
  }
  return result;
}
