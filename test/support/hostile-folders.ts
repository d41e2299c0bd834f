import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'; // prettier-ignore
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { delimiter, join } from 'node:path';
import { SessionHost } from '../../src/main/session/host/session-host';
import { Approvals } from '../../src/main/approvals/approvals';
import { createToolHost } from '../../src/main/approvals/tool-host';
import { identify } from '../../src/main/places/folder';
import { Project } from '../../src/main/trust/project-door';
import { TrustBook } from '../../src/main/trust/trust-book';
import { promptOf, startHarness } from './agent-harness';
import { testFileWorkers } from './file-workers';
import { openStoreBench } from './journal';
import type { CapturedRequest } from './model-server';

/** What a folder's maker hides where the app must not read. */
const SECRET = 'KEEP-THIS-PRIVATE';
const GUIDANCE = 'GUIDANCE-OF-THE-PROJECT';

interface Place {
  folder: string;
  /** A command that leaves a file: run by nobody. */
  touch: string;
  /** Outside the folder. */
  secret: string;
  url: string;
}

export interface HostileFolder {
  name: string;
  make(place: Place): void;
  /** Git processes that the app itself starts where the folder is trusted. */
  git: 0 | 1;
}

const config =
  (text: (place: Place) => string, file = 'config') =>
  (place: Place): void =>
    appendFileSync(join(place.folder, '.git', file), `${text(place)}\n`);
const put = ({ folder }: Place, name: string, text: string): void => writeFileSync(join(folder, name), text);
const fifo = (path: string): void => {
  rmSync(path, { recursive: true, force: true });
  execFileSync('mkfifo', [path]);
};

/** Folders made to run a program or to give something away as soon as they are opened. */
export const HOSTILE_FOLDERS: HostileFolder[] = [
  { name: 'a clean filter', git: 0, make: (at) => { put(at, '.gitattributes', '* filter=x\n'); config(({ touch }) => `[filter "x"]\n\tclean = ${touch}`)(at); } }, // prettier-ignore
  { name: 'a filter process', git: 0, make: (at) => { put(at, '.gitattributes', '* filter=x\n'); config(({ touch }) => `[filter "x"]\n\tprocess = ${touch}\n\trequired = true`)(at); } }, // prettier-ignore
  { name: 'the person’s own filter, chosen by .gitattributes alone', git: 1, make: (at) => put(at, '.gitattributes', '* filter=mine\n') }, // prettier-ignore
  { name: 'core.fsmonitor', git: 0, make: config(({ touch }) => `[core]\n\tfsmonitor = ${touch}`) },
  { name: 'core.hooksPath', git: 0, make: config(({ folder }) => `[core]\n\thooksPath = ${folder}/hooks`) },
  { name: 'a hook that git status may run', git: 1, make: ({ folder, touch }) => writeFileSync(join(folder, '.git/hooks/post-index-change'), `#!/bin/sh\n${touch}\n`, { mode: 0o755 }) }, // prettier-ignore
  { name: 'a text conversion', git: 0, make: (at) => { put(at, '.gitattributes', '* diff=x\n'); config(({ touch }) => `[diff "x"]\n\ttextconv = ${touch}`)(at); } }, // prettier-ignore
  { name: 'diff.external', git: 0, make: config(({ touch }) => `[diff]\n\texternal = ${touch}`) },
  { name: 'a submodule that updates by a command', git: 0, make: config(({ touch }) => `[submodule "x"]\n\turl = x\n\tupdate = !${touch}`) }, // prettier-ignore
  { name: 'an include', git: 0, make: (at) => { put(at, 'evil', `[core]\n\tfsmonitor = ${at.touch}\n`); config(() => '[include]\n\tpath = ../evil')(at); } }, // prettier-ignore
  { name: 'a conditional include', git: 0, make: (at) => { put(at, 'evil', `[core]\n\tfsmonitor = ${at.touch}\n`); config(() => '[includeIf "gitdir:**"]\n\tpath = ../evil')(at); } }, // prettier-ignore
  { name: 'config.worktree', git: 0, make: (at) => { config(() => '[extensions]\n\tworktreeConfig = true')(at); config(({ touch }) => `[core]\n\tfsmonitor = ${touch}`, 'config.worktree')(at); } }, // prettier-ignore
  { name: 'a .git file that leads elsewhere', git: 0, make: (at) => moveGit(at, (gone) => put(at, '.git', `gitdir: ${gone}\n`)) }, // prettier-ignore
  { name: 'a .git link that leads elsewhere', git: 0, make: (at) => moveGit(at, (gone) => symlinkSync(gone, join(at.folder, '.git'))) }, // prettier-ignore
  { name: 'a common folder elsewhere', git: 0, make: (at) => { mkdirSync(`${at.folder}-common`); writeFileSync(join(`${at.folder}-common`, 'config'), `[core]\n\tfsmonitor = ${at.touch}\n`); put(at, '.git/commondir', `${at.folder}-common\n`); } }, // prettier-ignore
  { name: 'objects elsewhere', git: 0, make: (at) => put(at, '.git/objects/info/alternates', '/tmp\n') },
  { name: 'core.sshCommand and a remote that fills in objects', git: 0, make: config(({ touch, url }) => `[core]\n\tsshCommand = ${touch}\n[remote "o"]\n\turl = ${url}\n\tpromisor = true`) }, // prettier-ignore
  { name: 'core.pager', git: 0, make: config(({ touch }) => `[core]\n\tpager = ${touch}`) },
  { name: 'an alias', git: 0, make: config(({ touch }) => `[alias]\n\tstatus = !${touch}`) },
  { name: 'a credential helper', git: 0, make: config(({ touch }) => `[credential]\n\thelper = !${touch}`) },
  { name: 'gpg.program', git: 0, make: config(({ touch }) => `[gpg]\n\tprogram = ${touch}`) },
  { name: 'a bare repository in place of a folder', git: 0, make: (at) => { moveGit(at, (gone) => { execFileSync('cp', ['-r', `${gone}/.`, at.folder]); }); appendFileSync(join(at.folder, 'config'), `[core]\n\tfsmonitor = ${at.touch}\n\tworktree = ${at.folder}\n`); } }, // prettier-ignore
  { name: 'a HEAD that is a pipe', git: 0, make: ({ folder }) => fifo(join(folder, '.git/HEAD')) },
  { name: 'an index that is a pipe', git: 0, make: ({ folder }) => fifo(join(folder, '.git/index')) },
  { name: 'a configuration that is a pipe', git: 0, make: ({ folder }) => fifo(join(folder, '.git/config')) },
  { name: 'a configuration that is a folder', git: 0, make: ({ folder }) => { rmSync(join(folder, '.git/config')); mkdirSync(join(folder, '.git/config')); } }, // prettier-ignore
  { name: 'a configuration of 10 MB', git: 0, make: config(() => `# ${'x'.repeat(10_000_000)}`) },
  { name: 'AGENTS.md, a link to a private file', git: 1, make: ({ folder, secret }) => { rmSync(join(folder, 'AGENTS.md')); symlinkSync(secret, join(folder, 'AGENTS.md')); } }, // prettier-ignore
  { name: 'AGENTS.md in a folder of the folder', git: 1, make: (at) => { mkdirSync(join(at.folder, 'sub')); put(at, 'sub/AGENTS.md', SECRET); } }, // prettier-ignore
  { name: 'AGENTS.md, a pipe, and CLAUDE.md, a device', git: 1, make: ({ folder }) => { fifo(join(folder, 'AGENTS.md')); symlinkSync('/dev/zero', join(folder, 'CLAUDE.md')); } }, // prettier-ignore
];

function moveGit({ folder }: Place, then: (gone: string) => void): void {
  renameSync(join(folder, '.git'), `${folder}-git`);
  then(`${folder}-git`);
}

/** What became of one folder. */
export interface FolderOutcome {
  folder: string;
  mode: 'restricted' | 'trusted';
  /** What happened beyond what the person allowed, each in words; empty: nothing. */
  wrong: string[];
}

/**
 * The first message, a read, a search and a write in each folder, restricted and trusted, through the real session host, its
 * tools and a loopback model. `base`: a real folder of its own.
 */
export async function visitHostileFolders(base: string): Promise<FolderOutcome[]> {
  const reached: string[] = [];
  const outside = createServer((request, response) => {
    reached.push(request.url ?? '');
    response.end();
  });
  await new Promise<void>((resolve) => outside.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(outside.address() as AddressInfo).port}/`;
  const shim = countGit(base);
  const outcomes: FolderOutcome[] = [];
  try {
    for (const mode of ['restricted', 'trusted'] as const) {
      for (const [index, hostile] of HOSTILE_FOLDERS.entries()) {
        const at = makeFolder(join(base, mode), index, url);
        hostile.make(at);
        rmSync(`${at.folder}.canary`, { force: true });
        const wrong = await visit(hostile, at, mode, shim);
        if (reached.length > 0) wrong.push(`asked ${reached.splice(0).join(', ')} of a server`);
        outcomes.push({ folder: hostile.name, mode, wrong });
      }
    }
    return outcomes;
  } finally {
    shim.restore();
    outside.close();
  }
}

/** What git as it was called before would do in the first folder: the canary of these tests is one. */
export function canaryWorks(base: string): boolean {
  const at = makeFolder(join(base, 'control'), 0, '');
  HOSTILE_FOLDERS[0]?.make(at);
  execFileSync('git', ['--no-optional-locks', '-c', 'core.fsmonitor=false', '-C', at.folder, 'status'], {
    stdio: 'ignore',
  });
  return existsSync(`${at.folder}.canary`);
}

function makeFolder(parent: string, index: number, url: string): Place {
  const folder = join(parent, `folder-${index}`);
  mkdirSync(folder, { recursive: true });
  const secret = `${folder}.secret`;
  writeFileSync(secret, SECRET);
  writeFileSync(join(folder, 'AGENTS.md'), GUIDANCE);
  writeFileSync(join(folder, 'a.txt'), 'one\n');
  const git = (...args: string[]): void => void execFileSync('git', ['-C', folder, ...args], { stdio: 'ignore' });
  git('init', '-q', '-b', 'main');
  git('add', '.');
  git('-c', 'user.name=a', '-c', 'user.email=a@b.c', 'commit', '-q', '-m', 'one');
  // As long as before, so that git must read it again to know.
  writeFileSync(join(folder, 'a.txt'), 'two\n');
  return { folder, secret, url, touch: `touch ${folder}.canary` };
}

interface GitCount {
  calls(): number;
  restore(): void;
}

/** Puts a git first in the PATH that notes each call, and a configuration of the person’s own behind it. */
function countGit(base: string): GitCount {
  const bin = join(base, 'bin');
  mkdirSync(base, { recursive: true });
  const log = join(base, 'git.log');
  const { PATH, HOME } = process.env;
  const real = execFileSync('which', ['git'], { encoding: 'utf8' }).trim();
  mkdirSync(bin);
  writeFileSync(join(bin, 'git'), `#!/bin/sh\necho "$*" >> '${log}'\nexec '${real}' "$@"\n`, { mode: 0o755 });
  mkdirSync(join(base, 'home'));
  writeFileSync(join(base, 'home', '.gitconfig'), `[filter "mine"]\n\tclean = touch ${base}/person.canary\n`);
  process.env.PATH = `${bin}${delimiter}${PATH}`;
  process.env.HOME = join(base, 'home');
  return {
    calls() {
      const count = existsSync(log) ? readFileSync(log, 'utf8').split('\n').length - 1 : 0;
      rmSync(log, { force: true });
      return count;
    },
    restore() {
      process.env.PATH = PATH;
      process.env.HOME = HOME;
    },
  };
}

const turns = [
  { content: [{ type: 'toolCall' as const, name: 'read', arguments: { path: 'a.txt' } }] },
  { content: [{ type: 'toolCall' as const, name: 'grep', arguments: { pattern: 'two' } }] },
  { content: [{ type: 'toolCall' as const, name: 'write', arguments: { path: 'note.txt', content: 'x' } }] },
  'Done.',
];

async function visit(
  hostile: HostileFolder,
  at: Place,
  mode: FolderOutcome['mode'],
  shim: GitCount,
): Promise<string[]> {
  const harness = await startHarness();
  const bench = await openStoreBench();
  const asked: string[] = [];
  const files = await testFileWorkers();
  const dataDir = bench.home;
  const book = await TrustBook.open({ file: join(dataDir, 'trust.json'), scratchRoot: join(dataDir, 'workspaces') });
  const identity = await identify(at.folder);
  if (mode === 'trusted' && identity) await book.trust([identity]);
  const approvals: Approvals = await Approvals.open({
    file: join(dataDir, 'approvals.json'),
    onChange(event) {
      if (event.type !== 'requested') return;
      const { id, tool, contentHash, scopes } = event.request;
      asked.push(tool);
      void approvals.answer(id, contentHash, scopes.session?.kind === 'reading' ? 'session' : 'once');
    },
  });
  const isTrusted = (folder: string): Promise<boolean> => book.isTrusted(folder);
  const host = new SessionHost({
    ...harness.ports,
    store: bench.store,
    sessionsDir: bench.dir,
    scratchDir: bench.dir,
    project: new Project({ isTrusted, isScratch: () => Promise.resolve(false), dataDir, deniedPaths: () => [] }),
    createTools: ({ sessionId, workspaceDir, onOutput }) =>
      createToolHost({
        ...{ sessionId, workspaceDir, onOutput, dataDir, approvals },
        outputsDir: join(dataDir, 'outputs'),
        files,
        isTrusted: () => isTrusted(workspaceDir),
        settings: () => ({ policy: { write: 'ask' }, deniedPaths: [] }),
      }),
  });
  try {
    shim.calls();
    harness.server.script([...turns]);
    const { id } = await host.create({ workspace: at.folder });
    await host.rename(id, 'A visit');
    await (await host.session(id)).prompt(promptOf('Hello'));
    await harness.settled();
    return judge({ hostile, at, mode, asked, gitCalls: shim.calls(), requests: harness.server.requests });
  } finally {
    await host.dispose();
    await bench.dispose();
    await harness.close();
  }
}

function judge(found: {
  hostile: HostileFolder;
  at: Place;
  mode: FolderOutcome['mode'];
  asked: string[];
  gitCalls: number;
  requests: readonly CapturedRequest[];
}): string[] {
  const { hostile, at, mode, asked, gitCalls, requests } = found;
  const isRestricted = mode === 'restricted';
  const wrong: string[] = [];
  const sent = JSON.stringify(requests.map(({ body }) => body));
  const expect = (isRight: boolean, words: string): void => {
    if (!isRight) wrong.push(words);
  };
  expect(!existsSync(`${at.folder}.canary`), 'a program of the folder ran');
  expect(!existsSync(join(at.folder, '..', '..', 'person.canary')), 'a filter of the person ran');
  const mostGit = isRestricted ? 0 : hostile.git;
  // On a machine that is busy enough, the look at a repository ends before git does: then the prompt says so.
  const isLate = /Git: .*in time/.test(sent);
  expect(gitCalls === mostGit || (isLate && gitCalls < mostGit), `git ran ${gitCalls} times, not ${mostGit}`);
  expect(requests.length === turns.length, `${requests.length} requests, not ${turns.length}`);
  expect(!sent.includes(SECRET), 'what it must not read was sent');
  if (isRestricted) expect(!sent.includes(GUIDANCE), 'guidance of a restricted folder was sent');
  const questions = isRestricted ? 'read, write' : 'write';
  expect(asked.join(', ') === questions, `asked for ${asked.join(', ')}, not ${questions}`);
  expect(existsSync(join(at.folder, 'note.txt')), 'what was allowed was not done');
  return wrong;
}
