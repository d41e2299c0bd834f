import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmdirSync } from 'node:fs';
import { link, mkdir, mkdtemp, readFile, realpath, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { newFileWorkers, testFileWorkers } from '../../support/file-workers';
import { hashContent } from '../../../src/main/tools/gated-tool';
import { listOwnFiles, listOwnFilesSync } from '../../../src/main/places/own-files';
import { makeHost, makeSandbox, type Sandbox, type TestHost } from './support/host';

let sandbox: Sandbox;
let host: TestHost;
const file = (name: string): string => join(sandbox.workspaceDir, name);
const put = async (name: string, text: string): Promise<void> => {
  await mkdir(dirname(file(name)), { recursive: true });
  await writeFile(file(name), text);
};
const fifo = (name: string): void => void execFileSync('mkfifo', [file(name)]);
const grep = async (args: object): Promise<string> => (await host.call('grep', args)).text;

beforeEach(async () => {
  sandbox = await makeSandbox();
  host = await makeHost(sandbox);
});
afterEach(async () => {
  await host.host.dispose();
  sandbox.remove();
});

test('A6: a .gitignore that is a pipe, a link to an endless device, a folder or too large does not count', async () => {
  for (const name of ['pipe', 'device', 'folder', 'large', 'plain']) await put(`${name}/a.log`, 'needle\n');
  fifo('pipe/.gitignore');
  await symlink('/dev/zero', file('device/.gitignore'));
  await mkdir(file('folder/.gitignore'));
  await put('large/.gitignore', '*.log\n');
  await truncate(file('large/.gitignore'), 2 * 1024 * 1024);
  await put('plain/.gitignore', '*.log\n');
  expect(await grep({ pattern: 'needle', glob: '*.log' })).toBe(
    ['device', 'folder', 'large', 'pipe'].map((name) => `${name}/a.log:1: needle`).join('\n'),
  );
  expect((await host.call('find', { pattern: '*.log', path: 'plain' })).text).toBe('Nothing found.');
  fifo('.gitignore');
  expect(await grep({ pattern: 'needle', path: 'pipe' })).toBe('pipe/a.log:1: needle');
});

test('A6, TL10: the composer completes paths past pipes, devices and links', async () => {
  await put('src/app.ts', '');
  await put('node_modules/x/app.js', '');
  await put('build', 'a file, not a folder of a tool');
  fifo('pipe');
  await symlink('/', file('everything'));
  const files = await testFileWorkers();
  const complete = (query: string, folder = sandbox.workspaceDir) => files.run('complete', { folder, query });
  expect(await complete('app')).toEqual(['src/app.ts']);
  expect(await complete('build')).toEqual(['build']);
  expect(await complete('', join(sandbox.base, 'none'))).toEqual([]);
});

test('A6: millions of empty lines are searched, edited and replaced within the memory of the worker', async () => {
  await put('empty.txt', `${'\n'.repeat(5_000_000)}end`);
  expect(await grep({ pattern: 'end', context: 1 })).toBe('empty.txt-5000000- \nempty.txt:5000001: end');
  const edited = await host.call('edit', { path: 'empty.txt', edits: [{ oldText: 'end', newText: 'END\n' }] });
  expect(edited.details).toMatchObject({ added: 1, removed: 1 });
  expect(String(edited.details['diff'])).toBe(
    '--- empty.txt\n+++ empty.txt\n@@ -4999998,4 +4999998,4 @@\n \n \n \n-end\n\\ No newline at end of file\n+END\n',
  );
  const replaced = await host.call('write', { path: 'empty.txt', content: 'x\n'.repeat(2_000_000) });
  expect(replaced.details).toMatchObject({ added: 2_000_000, removed: 5_000_001, diffCut: true });
});

test('A6, TL11: a job that does not end is ended at its limit, one that waits can be stopped, later ones work', async () => {
  await put('evil.txt', `${'a'.repeat(5_000)}!\n`);
  const files = await newFileWorkers();
  const place = { workspaceDir: sandbox.workspaceDir, dataDir: sandbox.dataDir, deniedPaths: [] };
  const evil = { place, tool: 'grep', args: { pattern: '^(a+)+$' }, toolCallId: 'x' };
  const { exact } = await files.run('inspect', evil);
  const stuck = () =>
    files.run('perform', { ...evil, pass: hashContent('grep', exact) }, { timeoutMs: 400 }).then(
      () => 'done',
      (error: Error) => error.message,
    );
  const running = [stuck(), stuck()];
  const stop = new AbortController();
  const queued = files.run('root', { place }, { signal: stop.signal });
  const forWindow = files.run('complete', { folder: sandbox.workspaceDir, query: 'evil' }, { lane: 'window' });
  stop.abort();
  await expect(queued).rejects.toThrow('This was stopped.');
  expect(await forWindow).toEqual(['evil.txt']);
  for (const job of running) expect(await job).toContain('This took too long and was ended.');
  expect(await files.run('root', { place })).toBe(sandbox.workspaceDir);
  const last = stuck();
  await files.close();
  expect(await last).toContain('This was stopped.');
  await expect(files.run('root', { place })).rejects.toThrow('This was stopped.');
});

test('B5: own files are refused under another name too, wherever they lie in the own folders', async () => {
  const profileDir = join(sandbox.base, 'profile');
  const own = {
    'data/outputs/other/nested/x.txt': 'outputs',
    'data/trash/1-a/a.jsonl': 'trash',
    'data/trust.json': 'trust',
    'profile/Default/Local Storage/leveldb/000003.log': 'profile',
    'data/profile/IndexedDB/x/1.log': 'inner-profile',
    // Where the data folder was before it was moved (SY13).
    'former/credentials.json': 'former',
  };
  for (const [name, linked] of Object.entries(own)) {
    await mkdir(dirname(join(sandbox.base, name)), { recursive: true });
    await writeFile(join(sandbox.base, name), 'canary\n');
    await link(join(sandbox.base, name), file(linked));
  }
  await put('mine.txt', 'canary of mine\n');
  await link(file('mine.txt'), file('mine-too.txt'));
  await host.host.dispose();
  host = await makeHost(sandbox, { profileDir, formerDirs: [join(sandbox.base, 'former')] });
  for (const name of Object.values(own)) {
    await expect(host.call('read', { path: name }), name).rejects.toThrow("Espalier's own");
    await expect(host.call('write', { path: name, content: 'x' }), name).rejects.toThrow("Espalier's own");
    await expect(host.call('grep', { path: name, pattern: '.' }), name).rejects.toThrow("Espalier's own");
    const edits = [{ oldText: 'canary', newText: 'x' }];
    await expect(host.call('edit', { path: name, edits }), name).rejects.toThrow("Espalier's own");
  }
  expect(await grep({ pattern: 'canary' })).toBe('mine-too.txt:1: canary of mine\nmine.txt:1: canary of mine');
  expect(await host.call('read', { path: 'mine.txt' })).toMatchObject({ text: 'canary of mine' });
  await expect(host.call('ls', { path: profileDir })).rejects.toThrow("Espalier's own");
  await expect(host.call('find', { path: join(profileDir, 'Default'), pattern: '*' })).rejects.toThrow(
    "Espalier's own",
  );
});

/** What of the app lies where; the last is a file. */
const MOUNTED = {
  'data/sessions': 'sessions',
  'profile/Default/IndexedDB/app.leveldb': 'deep/er',
  'data/trash/1-a/outputs': 'trashed',
  'data/credentials.json': 'key.txt',
};

/** Only who may mount can be attacked so, or test it. */
const mayMount = ((): boolean => {
  const [from, to] = [mkdtempSync(join(tmpdir(), 'espalier-m-')), mkdtempSync(join(tmpdir(), 'espalier-m-'))];
  try {
    execFileSync('mount', ['--bind', from, to], { stdio: 'ignore' });
    execFileSync('umount', [to]);
    return true;
  } catch {
    return false;
  } finally {
    rmdirSync(from);
    rmdirSync(to);
  }
})();

test.skipIf(!mayMount)(
  'B5: own files are refused where they are mounted a second time (needs the right to mount)',
  async () => {
    const profileDir = join(sandbox.base, 'profile');
    const mounts: string[] = [];
    const bind = (from: string, to: string): void => {
      execFileSync('mount', ['--bind', from, to]);
      mounts.unshift(to);
    };
    try {
      for (const [name, place] of Object.entries(MOUNTED)) {
        const [from, to] = [join(sandbox.base, name), file(place)];
        const isFile = name.endsWith('.json');
        await mkdir(isFile ? dirname(from) : from, { recursive: true });
        await writeFile(isFile ? from : join(from, 'secret.txt'), 'canary\n');
        await mkdir(isFile ? dirname(to) : to, { recursive: true });
        if (isFile) await writeFile(to, '');
        bind(from, to);
      }
      const outside = join(sandbox.base, 'mine');
      await mkdir(join(outside, 'of'), { recursive: true });
      await writeFile(join(outside, 'of/mine.txt'), 'canary of mine\n');
      await put('also/mine/.keep', '');
      bind(outside, file('also/mine'));
      await host.host.dispose();
      host = await makeHost(sandbox, { profileDir });
      const names = Object.values(MOUNTED).map((place) => (place.endsWith('.txt') ? place : `${place}/secret.txt`));
      for (const path of names) {
        await expect(host.call('read', { path }), path).rejects.toThrow("Espalier's own");
        await expect(host.call('write', { path, content: 'x' }), path).rejects.toThrow("Espalier's own");
        await expect(host.call('grep', { path, pattern: '.' }), path).rejects.toThrow("Espalier's own");
        const edits = [{ oldText: 'canary', newText: 'x' }];
        await expect(host.call('edit', { path, edits }), path).rejects.toThrow("Espalier's own");
      }
      for (const path of ['sessions', 'deep/er', 'trashed']) {
        await expect(host.call('ls', { path }), path).rejects.toThrow("Espalier's own");
        await expect(host.call('find', { path, pattern: '*' }), path).rejects.toThrow("Espalier's own");
        await expect(host.call('write', { path: `${path}/new.txt`, content: 'x' }), path).rejects.toThrow(
          "Espalier's own",
        );
      }
      expect(await grep({ pattern: 'canary' })).toBe('also/mine/of/mine.txt:1: canary of mine');
      expect((await host.call('find', { pattern: '**/secret.txt' })).text).not.toContain('secret');
      expect(await host.call('read', { path: 'also/mine/of/mine.txt' })).toMatchObject({ text: 'canary of mine' });
      await host.host.dispose();

      // A workspace that is itself a second mount: of the data folder, of a folder in the profile.
      for (const [from, inner] of [
        [sandbox.dataDir, 'sessions/secret.txt'],
        [join(profileDir, 'Default'), 'IndexedDB/app.leveldb/secret.txt'],
      ] as const) {
        const workspaceDir = await realpath(await mkdtemp(join(sandbox.base, 'mounted-')));
        bind(from, workspaceDir);
        host = await makeHost(sandbox, { profileDir, workspaceDir });
        await expect(host.call('read', { path: inner })).rejects.toThrow("Espalier's own");
        await expect(host.call('write', { path: 'new.txt', content: 'x' })).rejects.toThrow("Espalier's own");
        await expect(host.call('ls', {})).rejects.toThrow("Espalier's own");
        await expect(host.call('grep', { pattern: 'canary' })).rejects.toThrow("Espalier's own");
        await expect(host.call('find', { pattern: '**' })).rejects.toThrow("Espalier's own");
        await host.host.dispose();
      }
      host = await makeHost(sandbox, { profileDir });
    } finally {
      for (const mount of mounts) execFileSync('umount', [mount]);
    }
  },
);

test.skipIf(!mayMount)(
  'B5: own folders mounted inside a scratch workspace are no part of it (needs the right to mount)',
  async () => {
    const workspaceDir = join(sandbox.dataDir, 'workspaces', 'scratch');
    const outputs = join(sandbox.outputsDir, 's1');
    const mounts: string[] = [];
    const bind = async (from: string, to: string): Promise<void> => {
      await mkdir(to, { recursive: true });
      execFileSync('mount', ['--bind', from, to]);
      mounts.unshift(to);
    };
    await host.host.dispose();
    try {
      await mkdir(outputs, { recursive: true });
      await writeFile(join(outputs, 'full.txt'), 'output\n');
      await writeFile(join(sandbox.dataDir, 'trust.json'), 'canary\n');
      await writeFile(join(sandbox.dataDir, 'sessions', 'a.jsonl'), 'canary\n');
      await bind(sandbox.dataDir, join(workspaceDir, 'all'));
      await bind(join(sandbox.dataDir, 'sessions'), join(workspaceDir, 'deep', 'er'));
      await bind(sandbox.dataDir, join(outputs, 'all'));
      await writeFile(join(workspaceDir, 'mine.txt'), 'canary of mine\n');
      host = await makeHost(sandbox, { workspaceDir });
      const refused = (tool: string, args: object) =>
        expect(host.call(tool, args), JSON.stringify(args)).rejects.toThrow("Espalier's own");
      for (const path of ['all/approvals.json', 'all/trust.json', 'all/sessions/a.jsonl', 'deep/er/a.jsonl']) {
        await refused('write', { path, content: '{}' });
        if (!path.includes('approvals')) await refused('read', { path });
      }
      for (const path of ['all/sessions/evil.jsonl', 'all/trash/e/e.txt', 'all/profile/new/e', 'deep/er/x/y/z.jsonl'])
        await refused('write', { path, content: 'x' });
      for (const path of ['all', 'all/sessions', 'deep/er', join(outputs, 'all')]) {
        await refused('ls', { path });
        await refused('find', { path, pattern: '**' });
      }
      await refused('read', { path: join(outputs, 'all', 'trust.json') });
      expect(host.asked).toEqual([]);
      expect(await grep({ pattern: 'canary' })).toBe('mine.txt:1: canary of mine');
      expect(await host.call('read', { path: join(outputs, 'full.txt') })).toMatchObject({ text: 'output' });
      expect(await host.call('write', { path: 'deep/mine.txt', content: 'x' })).toMatchObject({ isError: false });
    } finally {
      for (const mount of mounts) execFileSync('umount', [mount]);
    }
  },
);

test('B5: listing the own files lets other work go on', async () => {
  const folder = join(sandbox.dataDir, 'many');
  await mkdir(folder, { recursive: true });
  await Promise.all(Array.from({ length: 3_000 }, (_, n) => writeFile(join(folder, String(n)), '')));
  let turns = 0;
  let isDone = false;
  const count = (): void => void (isDone || (setImmediate(count), turns++));
  count();
  const listed = await listOwnFiles([sandbox.dataDir], []);
  isDone = true;
  expect(listed.ids.size).toBeGreaterThan(3_000);
  expect([...listOwnFilesSync([sandbox.dataDir], []).ids].sort()).toEqual([...listed.ids].sort());
  // Once for each file at least.
  expect(turns).toBeGreaterThan(3_000);
});

test('B5: scratch workspaces and, to read, the own outputs are no own files; a name for another file put among them is', async () => {
  const scratch = join(sandbox.dataDir, 'workspaces/scratch');
  const outputs = join(sandbox.dataDir, 'outputs/s1');
  await mkdir(scratch, { recursive: true });
  await mkdir(outputs, { recursive: true });
  await writeFile(join(scratch, 'a.txt'), 'scratch\n');
  await link(join(scratch, 'a.txt'), join(scratch, 'b.txt'));
  await writeFile(join(outputs, 'out.txt'), 'output\n');
  await writeFile(join(sandbox.dataDir, 'credentials.json'), 'canary\n');
  await link(join(sandbox.dataDir, 'credentials.json'), join(outputs, 'key.txt'));
  const inScratch = await makeHost(sandbox, { workspaceDir: scratch });
  expect((await inScratch.call('read', { path: 'b.txt' })).text).toBe('scratch');
  expect((await inScratch.call('read', { path: join(outputs, 'out.txt') })).text).toBe('output');
  await expect(inScratch.call('read', { path: join(outputs, 'key.txt') })).rejects.toThrow("Espalier's own");
  await expect(inScratch.call('grep', { path: outputs, pattern: 'canary' })).resolves.toMatchObject({
    text: 'No matches.',
  });
  await inScratch.host.dispose();
  await rm(scratch, { recursive: true });
  expect(await readFile(join(sandbox.dataDir, 'credentials.json'), 'utf8')).toBe('canary\n');
});
