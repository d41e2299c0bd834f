import { mkdir, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { MAX_TOOL_OUTPUT_BYTES } from '../../../src/shared/limits';
import { makeHost, makeSandbox, type Sandbox, type TestHost } from './support/host';

let sandbox: Sandbox;
let host: TestHost;
const file = (name: string): string => join(sandbox.workspaceDir, name);
beforeEach(async () => {
  sandbox = await makeSandbox();
  host = await makeHost(sandbox);
});
afterEach(async () => {
  await host.host.dispose();
  sandbox.remove();
});

test('TL14: a small file is given whole, without a note and without a question', async () => {
  await writeFile(file('a.txt'), 'one\ntwo\n');
  const result = await host.call('read', { path: 'a.txt' });
  expect(result.text).toBe('one\ntwo');
  expect(result.details).toEqual({ path: 'a.txt', startLine: 1, endLine: 2, totalLines: 2, truncated: false });
  expect(host.asked).toHaveLength(0);
});

test('TL14: a range is given with how to read on', async () => {
  await writeFile(file('a.txt'), Array.from({ length: 50 }, (_, i) => `line ${i + 1}`).join('\n'));
  const result = await host.call('read', { path: 'a.txt', offset: 10, limit: 3 });
  expect(result.text).toBe('line 10\nline 11\nline 12\n\n[Lines 10-12 of 50. Read on with offset=13.]');
  const rest = await host.call('read', { path: 'a.txt', offset: 49 });
  expect(rest.text).toBe('line 49\nline 50');
  await expect(host.call('read', { path: 'a.txt', offset: 51 })).rejects.toThrow(
    'a.txt has 50 lines; there is no line 51.',
  );
});

test('TL14: reading on from each note gives every line once', async () => {
  const lines = Array.from({ length: 5_003 }, (_, i) => `${i} ${'x'.repeat(i % 90)}`);
  await writeFile(file('long.txt'), `${lines.join('\n')}\n`);
  const got: string[] = [];
  let offset: number | undefined = 1;
  while (offset !== undefined) {
    const { text } = await host.call('read', { path: 'long.txt', offset });
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(MAX_TOOL_OUTPUT_BYTES + 200);
    const note: RegExpExecArray | null = /\n\n\[Lines \d+-\d+ of 5003\. Read on with offset=(\d+)\.\]$/u.exec(text);
    got.push(...(note ? text.slice(0, note.index) : text).split('\n'));
    offset = note ? Number(note[1]) : undefined;
  }
  expect(got).toEqual(lines);
});

test('TL14: one line longer than the cap is cut, and said so', async () => {
  await writeFile(file('min.js'), `${'é'.repeat(100_000)}\nend\n`);
  const { text } = await host.call('read', { path: 'min.js' });
  expect(text).toContain('[Line 1 is too long: 148800 more bytes of it are not shown.');
  expect(text).toContain('[Lines 1-1 of 2. Read on with offset=2.]');
  expect(text.startsWith('é'.repeat(25_600))).toBe(true);
  expect(text).not.toContain('\ufffd');
});

test('TL14: CRLF, BOM, UTF-16 and the empty file', async () => {
  await writeFile(file('crlf.txt'), '\ufeffa\r\nb\r\n');
  expect((await host.call('read', { path: 'crlf.txt' })).text).toBe('a\nb');
  await writeFile(file('wide.txt'), Buffer.from('\ufeffh\u00e9llo\nyou', 'utf16le'));
  expect((await host.call('read', { path: 'wide.txt' })).text).toBe('h\u00e9llo\nyou');
  await writeFile(file('empty'), '');
  expect((await host.call('read', { path: 'empty' })).text).toBe('(empty file)');
});

test('TL14: images come as image blocks by their bytes, with a size cap; other binary files are refused', async () => {
  const png = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.alloc(64)]);
  await writeFile(file('picture.txt'), png);
  const result = await host.call('read', { path: 'picture.txt' });
  expect(result.content[1]).toEqual({ type: 'image', data: png.toString('base64'), mimeType: 'image/png' });
  await truncate(file('picture.txt'), 4_000_000);
  await expect(host.call('read', { path: 'picture.txt' })).rejects.toThrow(
    'image of 4000000 bytes; the largest that can be read',
  );
  await writeFile(file('a.bin'), Buffer.from([1, 2, 0, 3]));
  await expect(host.call('read', { path: 'a.bin' })).rejects.toThrow('a.bin is a binary file (4 bytes)');
});

test('TL14: a missing file, a folder and a dangling link are said in words', async () => {
  await mkdir(file('dir'));
  await symlink('nowhere', file('dangling'));
  await expect(host.call('read', { path: 'no.txt' })).rejects.toThrow('no.txt does not exist.');
  await expect(host.call('read', { path: 'dir' })).rejects.toThrow('is a folder. Use ls');
  await expect(host.call('read', { path: 'dangling' })).rejects.toThrow(
    'symbolic link to nowhere, which does not exist',
  );
});

test('TL14: a sparse file of 3 GB is read at its start without reading it all', async () => {
  await writeFile(file('huge.log'), `${'first line\n'.repeat(3_000)}${'x'.repeat(9_000)}`);
  await truncate(file('huge.log'), 3 * 1024 ** 3);
  const result = await host.call('read', { path: 'huge.log' });
  expect(result.text).toContain('[Lines 1-2000. Read on with offset=2001.]');
});
