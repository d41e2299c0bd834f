import { appendFile, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FailingFs, type Fault } from '../../support/failing-fs';
import { openStoreBench, textsOf, user, type StoreBench } from '../../support/journal';

let bench: StoreBench;
let fault: Fault;
let fs: FailingFs;

beforeEach(async () => {
  fault = { at: 0, kind: 'EIO' };
  fs = new FailingFs(fault);
  bench = await openStoreBench({ fs });
});
afterEach(() => bench.dispose());

/** A chain of messages that another program wrote. */
function foreign(parentId: string, count: number, chars: number): string {
  const lines = Array.from({ length: count }, (_, at) => ({
    ...user('x'.repeat(chars)),
    id: `f${String(at).padStart(7, '0')}`,
    parentId: at === 0 ? parentId : `f${String(at - 1).padStart(7, '0')}`,
    timestamp: new Date(0).toISOString(),
  }));
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}

describe('what another program added to an open session', () => {
  const calls = Array.from({ length: 24 }, (_, at) => at + 1);
  it.each(calls)(
    'JN11: call %s to the disk fails: nothing is taken, and the next append reads it once',
    async (call) => {
      const log = await bench.store.create({ workspace: '/w' });
      const [first] = await log.append([user('a')]);
      const heard: string[] = [];
      log.onAppended((records) => heard.push(...records.map(({ entry }) => entry.id)));
      await appendFile(bench.journal(log.sessionId), foreign(first!.entry.id, 300, 10_000));
      fault.at = fs.calls + call;
      const [early] = await log.append([user('b')]).catch(() => []);
      expect(log.tree.leafId).toBe(early?.entry.id ?? first!.entry.id);
      fault.at = 0;
      const [mine] = await log.append([user('c')]);
      const isEarly = early !== undefined;
      expect(mine!.entry.parentId).toBe(early?.entry.id ?? first!.entry.id);
      expect(mine!.line.seq).toBe(isEarly ? 303 : 302);
      expect(heard).toHaveLength(isEarly ? 302 : 301);
      const mark = log.mark();
      const again = await (await bench.restart()).open(log.sessionId);
      expect(again.damage).toEqual([]);
      expect(again.mark()).toEqual(mark);
    },
  );

  it('JN11: nobody sees another leaf while it is taken', async () => {
    const log = await bench.store.create({ workspace: '/w' });
    const [first] = await log.append([user('a')]);
    await appendFile(bench.journal(log.sessionId), foreign(first!.entry.id, 3_000, 1_500));
    const seen = new Set<string | null>();
    let done = false;
    const look = (): void => {
      seen.add(log.tree.leafId);
      if (!done) setImmediate(look);
    };
    look();
    const [mine] = await log.append([user('b')]);
    done = true;
    expect([...seen].filter((id) => id !== first!.entry.id && id !== mine!.entry.id)).toEqual([]);
    expect(await textsOf(log)).toEqual(['a', 'b']);
  });

  it('JN11: nobody is told of it before our next entry is written', async () => {
    const log = await bench.store.create({ workspace: '/w' });
    const [first] = await log.append([user('a')]);
    const heard: string[] = [];
    log.onAppended((records) => heard.push(...records.map(({ entry }) => entry.id)));
    await appendFile(bench.journal(log.sessionId), foreign(first!.entry.id, 1, 1));
    await expect(log.append([user('b')], { parentId: 'nobody' })).rejects.toThrow();
    expect(heard).toEqual([]);
    expect(bench.strayed).toEqual([]);
    const [mine] = await log.append([user('c')]);
    expect(heard).toEqual(['f0000000', mine!.entry.id]);
    expect(bench.strayed).toEqual([[log.sessionId, 1]]);
  });

  it('JN11: of more lines than are worth their memory none is taken, and the append says what to do', async () => {
    const log = await bench.store.create({ workspace: '/w' });
    await log.append([user('a')]);
    const whole = await readFile(bench.journal(log.sessionId));
    await appendFile(bench.journal(log.sessionId), 'x\n'.repeat(150_000));
    await expect(log.append([user('b')])).rejects.toThrow('another program is writing to the same session');
    expect(log.mark().seq).toBe(1);
    await writeFile(bench.journal(log.sessionId), whole);
    await log.append([user('c')]);
    expect(await textsOf(log)).toEqual(['a', 'c']);
  });

  it('JN32: with a line that does not end the file is none of a session: the log goes on beside it', async () => {
    const log = await bench.store.create({ workspace: '/w' });
    await log.append([user('a')]);
    const { size } = await stat(bench.journal(log.sessionId));
    await truncate(bench.journal(log.sessionId), size + 140 * 1024 * 1024);
    await log.append([user('b')]);
    expect(await textsOf(log)).toEqual(['a', 'b']);
    expect((await stat(bench.journal(log.sessionId))).size).toBe(size + 140 * 1024 * 1024);
  });
});
