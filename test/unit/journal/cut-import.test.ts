import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type JournalFs, nodeFs } from '../../../src/main/journal/file/fs';
import { openStoreBench, textsOf, user } from '../../support/journal';
import type { StoreBench } from '../../support/journal';

let bench: StoreBench;
let id: string;
/** A session file of version 3, and one of version 1, whose bytes are kept beside what is made of it. */
let files: Record<'new' | 'old', string>;
beforeEach(async () => {
  bench = await openStoreBench();
  const log = await bench.store.create({ workspace: '/w' });
  id = log.sessionId;
  await log.append([user('hello')]);
  files = { new: join(bench.home, 'new.jsonl'), old: join(bench.home, 'old.jsonl') };
  await bench.store.exportTo(id, files.new, false);
  await log.close();
  await bench.store.trash(id);
  await rm(join(bench.home, 'trash'), { recursive: true });
  const header = { type: 'session', id, timestamp: '2025-01-01T00:00:00.000Z', cwd: '/w' };
  const message = { type: 'message', timestamp: header.timestamp, message: { role: 'user', content: [{ type: 'text', text: 'hello' }], timestamp: 1 } }; // prettier-ignore
  await writeFile(files.old, `${JSON.stringify(header)}\n${JSON.stringify(message)}\n`);
});
afterEach(() => bench.dispose());

/** A file system whose process ends before its `last`-th call behind `begin`, and that counts them. */
function endsAt(last: number): { fs: JournalFs; begin: () => void; calls: () => number } {
  let calls = 0;
  let hasBegun = false;
  const fs = new Proxy(nodeFs, {
    get: (target, name: keyof JournalFs) =>
      ((...given: unknown[]) => {
        if (hasBegun && ++calls >= last) return Promise.reject(new Error('The process has ended'));
        return (target[name] as (...args: unknown[]) => unknown)(...given);
      }) as never,
  });
  return { fs, begin: () => (hasBegun = true), calls: () => calls };
}

const note = (): string => join(bench.home, 'imports.json');
const here = (): Promise<string[]> => readdir(bench.dir);

describe('an import that is cut off (JN28)', () => {
  it.each(['new', 'old'] as const)(
    'JN28: what is left of one is gone at the next start, wherever it was cut (%s)',
    async (age) => {
      const whole = endsAt(Infinity);
      await bench.restart(whole.fs);
      whole.begin();
      await (await bench.store.importFile(files[age])).close();
      expect(await here()).toContain(`${id}.jsonl`);
      expect(await readFile(note()).catch(() => null)).toBeNull();
      let left = 0;
      for (let call = 1; call <= whole.calls(); call++) {
        for (const name of await here()) await rm(join(bench.dir, name));
        const cut = endsAt(call);
        await bench.restart(cut.fs);
        cut.begin();
        const isDone = await bench.store.importFile(files[age]).then(() => true, () => false); // prettier-ignore
        if (!isDone && (await here()).length > 0) left++;
        await bench.restart(nodeFs);
        const names = await here();
        if (names.includes(`${id}.jsonl`)) {
          const log = await bench.store.open(id);
          expect(await textsOf(log), `call ${call}`).toEqual(['hello']);
          await log.close();
        } else expect(names, `call ${call}`).toEqual([]);
        expect(
          names.filter((name) => name.endsWith('.part')),
          `call ${call}`,
        ).toEqual([]);
        expect(await readFile(note()).catch(() => null), `call ${call}`).toBeNull();
      }
      expect(left).toBeGreaterThan(3);
    },
  );

  const lay = async (host: string): Promise<void> => {
    await writeFile(join(bench.dir, `${id}.import.json`), '{}');
    await writeFile(join(bench.dir, `${id}.jsonl.0123456789ab.part`), 'half');
    await writeFile(note(), JSON.stringify({ host, ids: [id] }));
  };

  it('JN28: what another computer is importing stays', async () => {
    await lay(`not-${hostname()}`);
    await bench.restart();
    expect(await here()).toHaveLength(2);
    // The same of this one.
    await lay(hostname());
    await bench.restart();
    expect(await here()).toEqual([]);
  });

  it.each([
    ['a queue beside it', 'queue.json', 'waits'],
    ['a journal', 'jsonl', 'theirs'],
  ])('JN28: nothing that may be a session goes, whatever the note says: %s', async (_what, end, text) => {
    await lay(hostname());
    await writeFile(join(bench.dir, `${id}.${end}`), text);
    await writeFile(join(bench.dir, `${id}.mine.part`), 'mine');
    await bench.restart();
    expect(await here()).toEqual(expect.arrayContaining([`${id}.import.json`, `${id}.${end}`, `${id}.mine.part`]));
    expect(await readFile(join(bench.dir, `${id}.${end}`), 'utf8')).toBe(text);
  });

  it.each(['no json', '[]', JSON.stringify({ host: hostname(), ids: ['../out', ''] })])(
    'JN28: a note that is none names nothing: %s',
    async (text) => {
      await writeFile(join(bench.home, 'out.import.json'), '{}');
      await lay(hostname());
      await writeFile(note(), text);
      await bench.restart();
      expect(await here()).toHaveLength(2);
      expect(await readdir(bench.home)).toContain('out.import.json');
    },
  );

  it('JN28: the note is no reason to refuse an import', async () => {
    const writeText: JournalFs['writeText'] = (path, text) =>
      path === note() ? Promise.reject(new Error('full')) : nodeFs.writeText(path, text);
    await bench.restart({ ...nodeFs, writeText });
    expect(await textsOf(await bench.store.importFile(files.new))).toEqual(['hello']);
    expect(bench.warnings).toContain('An import could not be noted');
  });
});

describe('what a move to another disk leaves in the trash that was cut off (JN48)', () => {
  it('JN48: goes when its time there is over, and nothing of another name does', async () => {
    let now = Date.now();
    await bench.dispose();
    bench = await openStoreBench({ clock: () => now });
    await mkdir(join(bench.home, 'trash'));
    for (const name of ['.0123456789ab.part', 'mine.part']) await writeFile(join(bench.home, 'trash', name), 'half');
    for (const days of [0, 31, 7]) {
      now += days * 24 * 3_600_000;
      await bench.restart();
    }
    expect((await readdir(join(bench.home, 'trash'))).filter((name) => name.endsWith('.part'))).toEqual(['mine.part']);
  });
});
