import { chmod, link, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { applyPatch } from 'diff';
import fc from 'fast-check';
import { parseDiff } from '../../../src/shared/policy/diff-lines';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { applyEdits } from '../../../src/main/tools/edit';
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

describe('write', () => {
  test('TL15: creates a file with its folders, and says so with a diff', async () => {
    const result = await host.call('write', { path: 'a/b/c.txt', content: 'one\ntwo\n' });
    expect(await readFile(file('a/b/c.txt'), 'utf8')).toBe('one\ntwo\n');
    expect(result.text).toBe('Created a/b/c.txt (+2 −0 lines).');
    expect(result.details).toMatchObject({ path: 'a/b/c.txt', added: 2, removed: 0, created: true });
    expect(result.details['diff']).toContain('+one\n+two\n');
    expect(await readdir(file('a/b'))).toEqual(['c.txt']);
  });

  test('TL15: replaces in one step, keeps the mode, leaves a second name of the file alone', async () => {
    await writeFile(file('run.sh'), 'old\n');
    await chmod(file('run.sh'), 0o755);
    await link(file('run.sh'), join(sandbox.base, 'other-name'));
    const result = await host.call('write', { path: 'run.sh', content: 'new\n' });
    expect(result.details).toMatchObject({ added: 1, removed: 1, created: false });
    expect((await stat(file('run.sh'))).mode & 0o777).toBe(0o755);
    expect(await readFile(join(sandbox.base, 'other-name'), 'utf8')).toBe('old\n');
  });

  test('TL15: a read-only file, a folder and an oversized content are refused and nothing is left behind', async () => {
    await writeFile(file('ro.txt'), 'x');
    await chmod(file('ro.txt'), 0o444);
    await mkdir(file('dir'));
    await expect(host.call('write', { path: 'ro.txt', content: 'y' })).rejects.toThrow('ro.txt is read-only.');
    await expect(host.call('write', { path: 'dir', content: 'y' })).rejects.toThrow('is a folder');
    await expect(host.call('write', { path: 'big', content: 'y'.repeat(6_000_000) })).rejects.toThrow(
      'at most 5242880 can be written',
    );
    await expect(host.call('write', { path: 'ro.txt/below', content: 'y' })).rejects.toThrow(
      'treats a file as a folder',
    );
    expect((await readdir(sandbox.workspaceDir)).sort()).toEqual(['dir', 'ro.txt']);
    expect(host.asked).toHaveLength(0);
  });

  test('TL15: writes through a link inside the workspace to the real file', async () => {
    await mkdir(file('real'));
    await writeFile(file('real/x.txt'), 'old');
    await symlink('real/x.txt', file('link.txt'));
    const result = await host.call('write', { path: 'link.txt', content: 'new' });
    expect(await readFile(file('real/x.txt'), 'utf8')).toBe('new');
    expect(result.details['path']).toBe('real/x.txt');
  });

  test('TL5: the diff that is shown turns the old file into the new one (also when a minimal diff is too costly)', async () => {
    const old = Array.from({ length: 6_000 }, (_, i) => `old ${i}`).join('\n');
    const next = Array.from({ length: 6_000 }, (_, i) => `new ${i}`).join('\n');
    await writeFile(file('big.txt'), `${old}\n`);
    const result = await host.call('write', { path: 'big.txt', content: `${next}\n` });
    expect(result.details).toMatchObject({ added: 6_000, removed: 6_000 });
    const exact = host.asked[0]?.exact;
    expect(exact?.kind === 'diff' && applyPatch(`${old}\n`, exact.diff)).toBe(`${next}\n`);
  });
});

test('TL5: a write of what the file already has shows that, and no header of a diff', async () => {
  await writeFile(file('same.txt'), 'a\n');
  const result = await host.call('write', { path: 'same.txt', content: 'a\n' });
  expect(result.details).toMatchObject({ added: 0, removed: 0 });
  expect(parseDiff(String(result.details['diff']))).toEqual([
    { kind: 'note', text: 'The file already has this content.' },
  ]);
});

test('TL5: a diff shows everything: NUL as a sign, a replaced binary file as a note, names on one line', async () => {
  await writeFile(file('b.bin'), Buffer.from([1, 0, 2]));
  const result = await host.call('write', { path: 'b.bin', content: 'plain\u0000text' });
  expect(result.details['diff']).toContain('Binary content of 3 bytes is replaced.\n');
  expect(result.details['diff']).toContain('+plain\0text\n\\ No newline at end of file');
  const named = await host.call('write', { path: 'x\n--- evil\n', content: 'a\n' });
  expect(String(named.details['diff']).split('\n')).toHaveLength(5);
  const old = Array.from({ length: 3_000 }, (_, i) => `o${i}`).join('\n');
  const next = old.replaceAll('o', 'n').replace('n7\n', 'o7\n');
  await writeFile(file('no-end.txt'), old);
  await host.call('write', { path: 'no-end.txt', content: next });
  const exact = host.asked.at(-1)?.exact;
  expect(exact?.kind === 'diff' && applyPatch(old, exact.diff)).toBe(next);
});

describe('edit', () => {
  test('TL15: several edits in one call, all against the file as it was', async () => {
    await writeFile(file('a.ts'), 'const a = 1;\nconst b = 2;\nconst c = 3;\n');
    const result = await host.call('edit', {
      path: 'a.ts',
      edits: [
        { oldText: 'c = 3', newText: 'c = 30' },
        { oldText: 'a = 1', newText: 'a = 10' },
      ],
    });
    expect(await readFile(file('a.ts'), 'utf8')).toBe('const a = 10;\nconst b = 2;\nconst c = 30;\n');
    expect(result.details).toMatchObject({ added: 2, removed: 2, created: false });
  });

  test('TL15: one edit that does not match means that none is made, and the message says which and why', async () => {
    await writeFile(file('a.ts'), 'if (x) {\n    go();\n}\nstop();\nstop();\n');
    const attempt = (oldText: string, more: object = {}): Promise<unknown> =>
      host.call('edit', {
        path: 'a.ts',
        edits: [
          { oldText: 'if (x)', newText: 'if (y)' },
          { oldText, newText: 'z', ...more },
        ],
      });
    await expect(attempt('if (x) {\n  go();')).rejects.toThrow(/overlap|white space only/u);
    await expect(attempt('  go();\n}\nstop();\n\n')).rejects.toThrow('Lines 2-4 differ from it in white space only');
    await expect(attempt('missing')).rejects.toThrow('Edit 2 of 2: this text does not occur in a.ts: "missing"');
    await expect(attempt('stop();')).rejects.toThrow('occurs 2 times in a.ts (lines 4, 5)');
    await expect(attempt('')).rejects.toThrow('oldText is empty');
    await expect(attempt('z')).rejects.toThrow('nothing would change');
    await expect(attempt('(x) {')).rejects.toThrow('Edits 1 and 2 overlap in a.ts');
    expect(await readFile(file('a.ts'), 'utf8')).toBe('if (x) {\n    go();\n}\nstop();\nstop();\n');
    expect(host.asked).toHaveLength(0);
    await attempt('stop();', { replaceAll: true });
    expect(await readFile(file('a.ts'), 'utf8')).toBe('if (y) {\n    go();\n}\nz\nz\n');
  });

  test('TL15: an overlapping repetition is not "once"', () => {
    expect(() => applyEdits('aaa', [{ oldText: 'aa', newText: 'b' }], 'f')).toThrow('occurs 2 times');
    expect(applyEdits('aaa', [{ oldText: 'aa', newText: 'b', replaceAll: true }], 'f')).toBe('ba');
  });

  test('TL15: BOM and CRLF stay; new lines end as the file does; untouched mixed line ends keep their bytes', async () => {
    await writeFile(file('w.txt'), '\ufeffone\r\ntwo\r\nthree\r\n');
    await host.call('edit', { path: 'w.txt', edits: [{ oldText: 'one\ntwo\n', newText: 'eins\nzwei\nplus\n' }] });
    expect(await readFile(file('w.txt'), 'utf8')).toBe('\ufeffeins\r\nzwei\r\nplus\r\nthree\r\n');
    expect(applyEdits('a\r\nb\nc\r\nd\n', [{ oldText: 'b', newText: 'B' }], 'f')).toBe('a\r\nB\nc\r\nd\n');
    expect(applyEdits('a\r\nb\r\n', [{ oldText: 'a', newText: 'A' }], 'f')).toBe('A\r\nb\r\n');
    expect(applyEdits('a\r\nb\r\n', [{ oldText: '\n', newText: ' ', replaceAll: true }], 'f')).toBe('a b ');
  });

  test('TL15: replaced text is taken literally, and every other byte stays (property)', () => {
    const eol = fc.constantFrom('\n', '\r\n');
    const line = fc.constantFrom('a', 'b', '$&', '\\n', 'é', '');
    fc.assert(
      fc.property(
        fc.array(fc.tuple(line, eol)),
        fc.array(fc.tuple(line, eol)),
        fc.string(),
        (before, after, newText) => {
          const head = before.map((part) => part.join('')).join('');
          const tail = after.map((part) => part.join('')).join('');
          fc.pre(newText !== 'NEEDLE' && !/[\r\n]/u.test(newText));
          expect(applyEdits(`${head}NEEDLE${tail}`, [{ oldText: 'NEEDLE', newText }], 'f')).toBe(
            `${head}${newText}${tail}`,
          );
        },
      ),
      { numRuns: 500 },
    );
  });

  test('TL15: what is not UTF-8 is refused', async () => {
    await writeFile(file('latin.txt'), Buffer.from([0x61, 0xe9, 0x62]));
    await writeFile(file('b.bin'), Buffer.from([0x61, 0, 0x62]));
    const edits = [{ oldText: 'a', newText: 'b' }];
    await expect(host.call('edit', { path: 'latin.txt', edits })).rejects.toThrow('latin.txt is not UTF-8 text');
    const content = await readFile(file('latin.txt'), 'utf8');
    await expect(host.call('write', { path: 'latin.txt', content })).rejects.toThrow('latin.txt is not UTF-8 text');
    await expect(host.call('edit', { path: 'b.bin', edits })).rejects.toThrow('binary file');
    await expect(host.call('edit', { path: 'none.txt', edits })).rejects.toThrow('To create it use write');
  });
});
