import { cp, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openStoreBench, textsOf, user } from '../../support/journal';
import type { StoreBench } from '../../support/journal';

let bench: StoreBench;
let now = 1000;
beforeEach(async () => {
  now = 1000;
  bench = await openStoreBench({ clock: () => now });
});
afterEach(() => bench.dispose());

async function deleted(title: string, words = title): Promise<string> {
  const log = await bench.store.create({ workspace: '/w' });
  await log.append([user(words)]);
  await bench.store.setMeta(log.sessionId, { title, titleSource: 'person', preview: words });
  now += 1000;
  await bench.store.trash(log.sessionId);
  return log.sessionId;
}
const trash = (): string => join(bench.home, 'trash');
const listed = async (): Promise<string[]> => (await bench.store.deletedSessions()).map(({ title }) => title);

describe('WN13: recently deleted sessions', () => {
  it('are listed, deleted last first, with title, words, time and size, also after a restart', async () => {
    const first = await deleted('First');
    await deleted('Second', 'second words');
    const list = await bench.store.deletedSessions();
    expect(list.map(({ title, preview, deletedAt }) => [title, preview, deletedAt])).toEqual([
      ['Second', 'second words', 3000],
      ['First', 'First', 2000],
    ]);
    expect(list.every(({ bytes }) => bytes > 100)).toBe(true);
    await bench.restart();
    expect(await listed()).toEqual(['Second', 'First']);
    expect(await textsOf(await bench.store.restore(first))).toEqual(['First']);
    expect(await listed()).toEqual(['Second']);
  });

  it('what was deleted for good is gone with all that belongs to it; the others stay', async () => {
    const first = await deleted('First');
    await deleted('Second');
    await bench.store.deleteForGood(first);
    expect(await listed()).toEqual(['Second']);
    expect((await readdir(trash())).filter((name) => name.includes(first))).toEqual([`${first}.gone.crc`]);
    // Of each of its two lines a figure of four bytes: no word.
    expect((await readFile(join(trash(), `${first}.gone.crc`))).length).toBe(8);
    expect((await readdir(bench.dir)).filter((name) => name.includes(first))).toEqual([]);
    await expect(bench.store.restore(first)).rejects.toThrow('no longer in the trash');
    // Once more does nothing.
    await bench.store.deleteForGood(first);
  });

  it('of two that were deleted under one id the later one is listed and goes first', async () => {
    const id = await deleted('Mine');
    const restored = await bench.store.restore(id);
    await restored.append([user('more')]);
    await bench.store.setMeta(id, { title: 'Mine again' });
    now += 1000;
    await bench.store.trash(id);
    expect(await listed()).toEqual(['Mine again']);
    await bench.store.deleteForGood(id);
    expect(await listed()).toEqual([]);
  });

  it('all that was deleted under its id goes: no older copy takes its place in the list', async () => {
    const id = await deleted('Mine');
    const folder = (await readdir(trash()))[0]!;
    await cp(join(trash(), folder), join(trash(), `${Number(folder.split('-')[0]) - 500}-${id}`), { recursive: true });
    await bench.store.deleteForGood(id);
    expect(await listed()).toEqual([]);
    expect(await readdir(trash())).toEqual([`${id}.gone.crc`]);
  });

  it('JN52: imported again it has no mark any more', async () => {
    const log = await bench.store.create({ workspace: '/w' });
    await log.append([user('said')]);
    const copy = join(bench.home, 'copy.jsonl');
    await bench.store.exportTo(log.sessionId, copy, false);
    await bench.store.trash(log.sessionId);
    await bench.store.deleteForGood(log.sessionId);
    expect((await bench.store.importFile(copy)).sessionId).toBe(log.sessionId);
    expect(await readdir(trash())).toEqual([]);
  });

  it('JN52: what marks it goes after 30 days, too', async () => {
    const id = await deleted('First');
    await bench.store.deleteForGood(id);
    const mark = `${id}.gone.crc`;
    for (const days of [1, 30]) {
      now += days * 86_400_000;
      await bench.restart();
      expect(await readdir(trash())).toContain(mark);
    }
    now += 8 * 86_400_000;
    await bench.restart();
    expect(await readdir(trash())).not.toContain(mark);
  });

  it('restoring and deleting for good at once: one of them, and all of it', async () => {
    const done = { restored: 0, gone: 0 };
    for (let round = 0; round < 40; round += 1) {
      const id = await deleted(`Round ${round}`);
      const isFirst = round % 2 === 0;
      const remove = (): Promise<unknown> => bench.store.deleteForGood(id);
      const restore = (): Promise<unknown> => bench.store.restore(id).catch((error: Error) => error.message);
      const answers = await Promise.all(isFirst ? [restore(), remove()] : [remove(), restore()]);
      const answer = answers[isFirst ? 0 : 1];
      const left = (await readdir(bench.dir)).filter((name) => name.includes(id));
      if (typeof answer === 'string') {
        expect([answer, left]).toEqual([expect.stringContaining('no longer in the trash'), []]);
        done.gone += 1;
      } else {
        expect(await textsOf(await bench.store.open(id))).toEqual([`Round ${round}`]);
        expect(bench.store.meta(id)).toMatchObject({ title: `Round ${round}` });
        done.restored += 1;
      }
      expect(await listed()).toEqual([]);
    }
    expect(done).toEqual({ restored: 20, gone: 20 });
  });

  it('one that is in use is not touched; copies of journals and folders of others are not listed', async () => {
    const id = await deleted('Mine');
    await bench.store.restore(id);
    await bench.store.deleteForGood(id);
    expect(await textsOf(await bench.store.open(id))).toEqual(['Mine']);
    await writeFile(join(trash(), 'notes.txt'), 'x').catch(() => undefined);
    expect(await listed()).toEqual([]);
    await expect(bench.store.deleteForGood('../sessions')).rejects.toThrow('There is no such session.');
  });
});
