import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, mkdir, open, readdir, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openStoreBench, textsOf, user } from '../../support/journal';
import { sampleLines } from '../../support/journal-sample';
import type { StoreBench } from '../../support/journal';

let bench: StoreBench;
beforeEach(async () => {
  bench = await openStoreBench();
});
afterEach(() => bench.dispose());

const header = (more: object = {}): string =>
  JSON.stringify({
    type: 'session',
    version: 3,
    id: 'imported',
    timestamp: '2026-01-01T00:00:00.000Z',
    cwd: '/w',
    ...more,
  });
const message = (id: string, parentId: string | null, text: string): string =>
  JSON.stringify({
    ...{ type: 'message', id, parentId, timestamp: '2026-01-01T00:00:01.000Z' },
    message: { role: 'user', content: [{ type: 'text', text }], timestamp: 1 },
  });

async function fileOf(name: string, content: string | Uint8Array): Promise<string> {
  const path = join(bench.home, name);
  await writeFile(path, content);
  return path;
}

describe('importing (JN28)', () => {
  it('JN28, SF2, SF21: version 3 becomes the journal byte for byte, whatever stands in it', async () => {
    const lines = [
      header(),
      message('a0000001', null, 'one \u2028 two'),
      'not json',
      '',
      '{"type":"later","id":"b","x":1}',
    ];
    const path = await fileOf('one.jsonl', `\uFEFF${lines.join('\r\n')}\n${message('a0000002', 'a0000001', 'last')}`);
    const bytes = await readFile(path);
    const log = await bench.store.importFile(path);
    expect((await readFile(bench.journal(log.sessionId))).equals(bytes)).toBe(true);
    expect(log.sessionId).toBe('imported');
    expect(log.damage).toEqual([
      '1 line could not be read and was left in place (line 3). The conversation before it may appear as a separate branch.',
    ]);
    expect(await textsOf(log)).toEqual(['one \u2028 two', 'last']);
    expect(bench.store.meta('imported')).toMatchObject({
      workspace: '',
      suggestion: '/w',
      title: 'one two',
      pinned: false,
    });
    expect((await readFile(path)).equals(bytes)).toBe(true);
  });

  it('JN28: lines longer than what is read at once become the journal byte for byte', async () => {
    const long = [1, 700_000, 3_000_000].map((length, n) => message(`a000000${n}`, null, 'ä'.repeat(length)));
    const path = await fileOf('long.jsonl', [header(), ...long, message('b0000001', null, 'last')].join('\n'));
    const log = await bench.store.importFile(path);
    expect((await readFile(bench.journal(log.sessionId))).equals(await readFile(path))).toBe(true);
  });

  it('JN28: an id that every object has as a name becomes a fresh one', async () => {
    for (const id of ['constructor', 'toString', 'hasOwnProperty', '__proto__']) {
      const path = await fileOf(`${id}.jsonl`, `${header({ id })}\n${message('a0000001', null, 'one')}\n`);
      const log = await bench.store.importFile(path);
      expect(log.sessionId).toMatch(/^[0-9a-f]{8}-/);
      expect(await textsOf(log)).toEqual(['one']);
    }
  });

  it('JN28: a second import of the same file is a session of its own, and both can be continued', async () => {
    const path = await fileOf('one.jsonl', `${sampleLines('imported', 4_000).join('\n')}\n`);
    const first = await bench.store.importFile(path);
    const second = await bench.store.importFile(path);
    expect(second.sessionId).not.toBe(first.sessionId);
    await first.append([user('here')]);
    await second.append([user('there')]);
    expect((await textsOf(first)).at(-1)).toBe('here');
    expect((await textsOf(second)).at(-1)).toBe('there');
  });

  it('JN28: version 1 is migrated, and its own bytes can be had back', async () => {
    const old = [
      { type: 'session', id: 'old', timestamp: '2025-01-01T00:00:00.000Z', cwd: '/w', provider: 'x', modelId: 'y' },
      {
        type: 'message',
        timestamp: '2025-01-01T00:00:01.000Z',
        message: { role: 'user', content: 'hello', timestamp: 1 },
      },
      {
        type: 'message',
        timestamp: '2025-01-01T00:00:02.000Z',
        message: { role: 'hookMessage', content: 'hook', timestamp: 2 },
      },
    ];
    const path = await fileOf('old.jsonl', `${old.map((line) => JSON.stringify(line)).join('\n')}\n`);
    const bytes = await readFile(path);
    const log = await bench.store.importFile(path);
    expect(log.header).toMatchObject({ version: 3, provider: 'x' });
    expect(log.tree.pathTo(log.tree.leafId).map(({ facts }) => facts.role)).toEqual(['user', 'custom']);
    const target = join(bench.home, 'back.jsonl');
    await bench.store.exportTo(log.sessionId, target, true);
    expect((await readFile(target)).equals(bytes)).toBe(true);
    await bench.store.exportTo(log.sessionId, target, false);
    expect((await readFile(target)).equals(await readFile(bench.journal(log.sessionId)))).toBe(true);
  });

  it('JN28: a file of a later version is read as version 3, kept as it is, and that is told', async () => {
    const path = await fileOf('later.jsonl', `${header({ version: 7 })}\n${message('a0000001', null, 'hi')}\n`);
    const log = await bench.store.importFile(path);
    expect(await textsOf(log)).toEqual(['hi']);
    expect(log.damage.join()).toMatch(/version 7.*version 3/);
    await log.append([user('goes on')]);
    expect((await readFile(bench.journal('imported'), 'utf8')).startsWith(await readFile(path, 'utf8'))).toBe(true);
  });

  it('JN28: a header id that is no file name cannot name files', async () => {
    const path = await fileOf('evil.jsonl', `${header({ id: '../../evil' })}\n${message('a0000001', null, 'hi')}\n`);
    const log = await bench.store.importFile(path);
    expect(log.sessionId).toMatch(/^[0-9a-f-]{36}$/);
    expect(await readdir(bench.home)).not.toContain('evil.jsonl.index');
  });
});

describe('what cannot be imported (JN29)', () => {
  const NOT_A_SESSION =
    /^Not a session file: (.+)\. Nothing was imported and the file was left as it is\. Choose a session file/;

  it.each<[string, () => string | Uint8Array]>([
    ['empty.jsonl', () => ''],
    ['notes.txt', () => 'Dear diary,\ntoday I wrote no JSON.\n'],
    ['photo.png', () => Uint8Array.from({ length: 200_000 }, (_, n) => (n * 7919) % 256)],
    ['rows.jsonl', () => '{"id":1,"name":"a"}\n{"id":2,"name":"b"}\n'],
    ['entries.jsonl', () => `${message('a0000001', null, 'no header')}\n`],
    ['late.jsonl', () => `${' '.repeat(1024 * 1024)}\n${header()}\n`],
    ['package.json', () => '{\n  "name": "x"\n}\n'],
  ])('JN29: %s is refused in plain words; file and store stay as they are', async (name, content) => {
    const path = await fileOf(name, content());
    const before = await readFile(path);
    await expect(bench.store.importFile(path)).rejects.toMatchObject({
      name: 'ImportError',
      message: expect.stringMatching(NOT_A_SESSION) as string,
    });
    expect((await readFile(path)).equals(before)).toBe(true);
    expect(await readdir(bench.dir)).toEqual([]);
  });

  it('JN29: a missing file, a folder and a file without rights each say so', async () => {
    await expect(bench.store.importFile(join(bench.home, 'gone.jsonl'))).rejects.toThrow(
      'gone.jsonl was not imported: it no longer exists.',
    );
    await mkdir(join(bench.home, 'folder'));
    await expect(bench.store.importFile(join(bench.home, 'folder'))).rejects.toThrow('it is a folder');
    const path = await fileOf('secret.jsonl', `${header()}\n`);
    await chmod(path, 0);
    if (process.getuid?.() !== 0) await expect(bench.store.importFile(path)).rejects.toThrow('may not read it');
  });

  it.skipIf(process.platform === 'win32')('JN29: a named pipe is refused instead of waited for', async () => {
    const path = join(bench.home, 'pipe.jsonl');
    execFileSync('mkfifo', [path]);
    await expect(bench.store.importFile(path)).rejects.toThrow('pipe.jsonl');
  });

  it('JN29: a session with a line that does not end is refused, and nothing of it stays', async () => {
    const path = await fileOf('hole.jsonl', `${header()}\n`);
    await truncate(path, 200 * 1024 ** 2);
    await expect(bench.store.importFile(path)).rejects.toThrow('it is a file with a line that does not end');
    expect(await readdir(bench.dir)).toEqual([]);
  });

  it('JN29: a huge file that is no session is refused after its first MiB', async () => {
    const path = join(bench.home, 'huge.bin');
    const file = await open(path, 'w');
    await file.truncate(4 * 1024 ** 3);
    await file.close();
    await expect(bench.store.importFile(path)).rejects.toThrow(NOT_A_SESSION);
    expect((await stat(path)).size).toBe(4 * 1024 ** 3);
  });
});

describe('exporting (JN30)', () => {
  it('JN30, SF21: gives the bytes of the journal; of an import also the bytes it came from', async () => {
    const path = await fileOf('one.jsonl', `${sampleLines('imported', 4_000).join('\n')}\n`);
    const log = await bench.store.importFile(path);
    await log.append([user('continued')]);
    const hash = async (of: string): Promise<string> =>
      createHash('sha256')
        .update(await readFile(of))
        .digest('hex');
    const target = join(bench.home, 'out.jsonl');
    await bench.store.exportTo('imported', target, false);
    expect(await hash(target)).toBe(await hash(bench.journal('imported')));
    await bench.store.exportTo('imported', target, true);
    expect(await hash(target)).toBe(await hash(path));
  });

  it('JN30: what cannot be exported says why and leaves no half file', async () => {
    const log = await bench.store.create({ workspace: '/w' });
    const target = join(bench.home, 'out.jsonl');
    await expect(bench.store.exportTo(log.sessionId, target, false)).rejects.toThrow(/nothing to export yet/);
    await expect(bench.store.exportTo('unknown', target, false)).rejects.toThrow(/is gone/);
    await log.append([user('a')]);
    await expect(bench.store.exportTo(log.sessionId, join(bench.home, 'no/where.jsonl'), false)).rejects.toThrow(
      /^Could not save: /,
    );
    // What was chosen for a session without messages is being taken off its note meanwhile.
    const left = (await readdir(bench.home)).filter((name) => !name.startsWith('unsaid.json'));
    expect(left).toEqual(['sessions']);
  });
});
