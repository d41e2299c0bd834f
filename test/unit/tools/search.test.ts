import { mkdir, symlink, truncate, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { hashContent } from '../../../src/main/tools/gated-tool';
import { testFileWorkers } from '../../support/file-workers';
import { makeHost, makeSandbox, type Sandbox, type TestHost } from './support/host';

let sandbox: Sandbox;
let host: TestHost;
beforeEach(async () => {
  sandbox = await makeSandbox();
  host = await makeHost(sandbox);
});
afterEach(async () => {
  await host.host.dispose();
  sandbox.remove();
});

async function put(files: Record<string, string | Buffer>): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    const path = join(sandbox.workspaceDir, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content);
  }
}
const grep = async (args: object): Promise<string> => (await host.call('grep', args)).text;
const find = async (args: object): Promise<string> => (await host.call('find', args)).text;

const PROJECT = {
  '.gitignore': 'dist/\n*.log\n!keep.log\n/only-root.txt\n',
  'src/a.ts': 'const alpha = 1;\nconst beta = 2;\nAlpha();\n',
  'src/deep/b.ts': 'alpha(beta);\n',
  'src/deep/.gitignore': 'local.ts\n!../x\n',
  'src/deep/local.ts': 'alpha ignored\n',
  'src/only-root.txt': 'alpha here\n',
  'only-root.txt': 'alpha ignored\n',
  'dist/out.js': 'alpha ignored\n',
  'app.log': 'alpha ignored\n',
  'keep.log': 'alpha kept\n',
  '.hidden': 'alpha hidden\n',
  '.git/config': 'alpha ignored\n',
  'binary.dat': Buffer.from('alpha\0binary'),
};

test('TL16: grep gives path:line: text, honours every .gitignore, leaves out .git and binary files', async () => {
  await put(PROJECT);
  expect(await grep({ pattern: 'alpha' })).toBe(
    [
      '.hidden:1: alpha hidden',
      'keep.log:1: alpha kept',
      'src/a.ts:1: const alpha = 1;',
      'src/deep/b.ts:1: alpha(beta);',
      'src/only-root.txt:1: alpha here',
    ].join('\n'),
  );
  expect(host.asked).toHaveLength(0);
});

test('TL16: options: folder, file, glob, case, plain text, context, limit', async () => {
  await put(PROJECT);
  expect(await grep({ pattern: 'alpha', path: 'src/deep' })).toBe('src/deep/b.ts:1: alpha(beta);');
  expect(await grep({ pattern: 'beta', path: 'src/a.ts' })).toBe('src/a.ts:2: const beta = 2;');
  expect(await grep({ pattern: 'ALPHA', ignoreCase: true, glob: 'src/*.ts' })).toBe(
    'src/a.ts:1: const alpha = 1;\nsrc/a.ts:3: Alpha();',
  );
  expect(await grep({ pattern: 'alpha(', literal: true, glob: '*.ts' })).toBe('src/deep/b.ts:1: alpha(beta);');
  expect(await grep({ pattern: 'beta', path: 'src/a.ts', context: 1 })).toBe(
    'src/a.ts-1- const alpha = 1;\nsrc/a.ts:2: const beta = 2;\nsrc/a.ts-3- Alpha();',
  );
  expect(await grep({ pattern: 'alpha', limit: 2 })).toContain('\n\n[The first 2 matches. There are more');
  expect(await grep({ pattern: 'nowhere' })).toBe('No matches.');
  await expect(grep({ pattern: '(' })).rejects.toThrow('not a valid regular expression');
  await expect(grep({ pattern: '(', path: 'none' })).rejects.toThrow('not a valid regular expression');
  await expect(grep({ pattern: 'x', path: 'none' })).rejects.toThrow('none does not exist.');
});

test('TL16: context of neighbouring matches is given once, apart ones are separated', async () => {
  await put({
    'n.txt': Array.from({ length: 20 }, (_, i) => ([5, 6, 15].includes(i + 1) ? 'hit' : `l${i + 1}`)).join('\n'),
  });
  expect(await grep({ pattern: 'hit', context: 1 })).toBe(
    [
      'n.txt-4- l4',
      'n.txt:5: hit',
      'n.txt:6: hit',
      'n.txt-7- l7',
      '--',
      'n.txt-14- l14',
      'n.txt:15: hit',
      'n.txt-16- l16',
    ].join('\n'),
  );
});

test('TL16: a catastrophic expression is ended with its worker; the caller stays free', async () => {
  await put({ 'evil.txt': `ok\n${'a'.repeat(5_000)}!\n`, 'before.txt': 'aaa\n' });
  const args = { pattern: '^(a+)+$' };
  // The caller's own timer fires while the expression runs: else this would never end.
  const stop = new AbortController();
  const stopped = host.call('grep', args, { signal: stop.signal });
  setTimeout(() => stop.abort(), 50);
  await expect(stopped).rejects.toThrow('This was stopped.');
  const files = await testFileWorkers();
  const place = { workspaceDir: sandbox.workspaceDir, dataDir: sandbox.dataDir, deniedPaths: [] };
  const pass = hashContent('grep', { kind: 'path', path: sandbox.workspaceDir, outside: false });
  const call = { place, tool: 'grep', args, pass, toolCallId: 'x' };
  // A busy machine may need longer than the limit to start the worker; what was found before the end is always kept.
  let text = '';
  for (let limit = 250; text === ''; limit *= 2) {
    const result = await files.run('perform', call, { timeoutMs: limit }).catch(() => undefined);
    text = (result?.content[0] as { text: string } | undefined)?.text ?? '';
  }
  expect(text).toMatch(/^before\.txt:1: aaa\n\n\[The search took too long and was ended; these are the matches/u);
});

test('TL16: huge files, endless lines and results are capped', async () => {
  await put({
    'huge.txt': 'needle\n',
    'long.txt': `${'x'.repeat(30_000)}needle\nneedle${'y'.repeat(30_000)}\n`,
    'many.txt': 'needle '.repeat(60).concat('\n').repeat(900),
  });
  await truncate(join(sandbox.workspaceDir, 'huge.txt'), 11 * 1024 * 1024);
  const text = await grep({ pattern: 'needle', limit: 1_000 });
  expect(text).not.toContain('huge.txt');
  expect(text.split('\n')[0]).toHaveLength('long.txt:2: '.length + 501);
  expect(text).toContain('[The result is cut at 50 KB.');
  expect(Buffer.byteLength(text)).toBeLessThan(52_000);
});

test('TL16: find takes globs, gives sorted names, folders with a slash', async () => {
  await put(PROJECT);
  expect(await find({ pattern: '*.ts' })).toBe('src/a.ts\nsrc/deep/b.ts');
  expect(await find({ pattern: 'src/*' })).toBe('src/a.ts\nsrc/deep/\nsrc/only-root.txt');
  expect(await find({ pattern: '**', path: 'src/deep' })).toBe('src/deep/.gitignore\nsrc/deep/b.ts');
  expect(await find({ pattern: '*', limit: 2 })).toContain('[The first 2 of ');
  expect(await find({ pattern: '*.nothing' })).toBe('Nothing found.');
  await expect(find({ pattern: '*', path: 'src/a.ts' })).rejects.toThrow('src/a.ts is not a folder.');
});

test('TL16: links are shown but not followed; the walk never leaves the folder', async () => {
  await put({ 'a.txt': 'x' });
  await mkdir(join(sandbox.base, 'other'));
  await writeFile(join(sandbox.base, 'other', 'far.txt'), 'needle');
  await symlink('../other', join(sandbox.workspaceDir, 'out'));
  await symlink('.', join(sandbox.workspaceDir, 'self'));
  expect(await find({ pattern: '**/*.txt' })).toBe('a.txt');
  expect(await grep({ pattern: 'needle' })).toBe('No matches.');
  expect((await host.call('ls', {})).text).toBe('a.txt\nout@\nself@');
});

test('TL16: a workspace around the data folder shows none of it', async () => {
  await writeFile(join(sandbox.dataDir, 'settings.json'), 'needle');
  await writeFile(join(sandbox.base, 'note.txt'), 'needle');
  const wide = await makeHost(sandbox, { workspaceDir: sandbox.base });
  expect((await wide.call('grep', { pattern: 'needle' })).text).toBe('note.txt:1: needle');
  expect((await wide.call('find', { pattern: '**/*.json' })).text).toBe('Nothing found.');
  await wide.host.dispose();
});

test('TL16: ls lists names sorted, with caps', async () => {
  await put({ 'b.txt': '', 'A.txt': '', 'dir/x': '', '.env': '' });
  expect((await host.call('ls', {})).text).toBe('.env\nA.txt\nb.txt\ndir/');
  expect((await host.call('ls', { path: 'dir' })).text).toBe('x');
  expect((await host.call('ls', { limit: 2 })).text).toBe(
    '.env\nA.txt\n\n[The first 2 of 4 names. Raise limit to see more.]',
  );
  await mkdir(join(sandbox.workspaceDir, 'empty'));
  expect((await host.call('ls', { path: 'empty' })).text).toBe('(empty folder)');
  await expect(host.call('ls', { path: 'b.txt' })).rejects.toThrow('b.txt is not a folder. Use read');
});

test('TL16: a stopped search ends with a plain message', async () => {
  await put(PROJECT);
  const stop = new AbortController();
  await expect(
    host.call('grep', { pattern: 'alpha' }, { signal: stop.signal, between: () => stop.abort() }),
  ).rejects.toThrow();
});
