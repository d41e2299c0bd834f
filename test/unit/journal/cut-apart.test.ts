import { readFile, writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { nodeFs } from '../../../src/main/journal/file/fs';
import type { StoredLine } from '../../../src/shared/types';
import { openStoreBench, textsOf, user } from '../../support/journal';
import type { StoreBench } from '../../support/journal';

let bench: StoreBench;
let now = 1000;
beforeEach(async () => {
  bench = await openStoreBench({ clock: () => (now += 1) });
});
afterEach(() => bench.dispose());

/** A session whose database went another way, the session that this became, named by the person, and its file, cut since. */
async function cutApart(): Promise<{ id: string; apart: string; again: () => ReturnType<typeof compare> }> {
  const log = await bench.store.create({ workspace: '/w' });
  await log.append([user('one')]);
  await log.append([user('two')]);
  const lines: StoredLine[] = [];
  for await (const chunk of log.lines(0)) lines.push(...chunk.lines);
  const { seq, line } = lines.at(-1)!;
  const other = (id: string, parentId: string, at: number): StoredLine => ({
    ...{ seq: at, id },
    line: JSON.stringify({ ...(JSON.parse(line) as object), id, parentId, ...(user(id) as object) }),
  });
  const parentId = (JSON.parse(line) as { parentId: string }).parentId;
  const copy = [
    ...lines.slice(0, -1),
    other('a'.repeat(16), parentId, seq),
    other('b'.repeat(16), 'a'.repeat(16), seq + 1),
  ];
  const again = (): ReturnType<typeof compare> => compare(log.sessionId, copy);
  const first = await again();
  if (first.kind !== 'apart') throw new Error(`It was ${first.kind}.`);
  const apart = first.log.sessionId;
  await bench.store.setMeta(apart, { title: 'My own name', titleSource: 'person', pinned: true });
  await bench.store.close();
  const text = await readFile(bench.journal(apart), 'utf8');
  await writeFile(bench.journal(apart), `${text.split('\n').slice(0, 2).join('\n')}\n`);
  return { id: log.sessionId, apart, again };
}

function compare(id: string, lines: StoredLine[]) {
  return bench.store.reconcile(
    id,
    (async function* () {
      yield lines;
    })(),
  );
}

it('E1: a session that was set apart and cut since is whole again, under the name that the person gave it', async () => {
  const { id, apart, again } = await cutApart();
  await bench.restart();
  const done = await again();
  expect(done).toMatchObject({ kind: 'apart', from: id, log: { sessionId: apart } });
  expect(await textsOf(await bench.store.open(apart))).toEqual(['one', 'a'.repeat(16), 'b'.repeat(16)]);
  expect(bench.store.meta(apart)).toMatchObject({ title: 'My own name', pinned: true, conflict: { isRead: false } });
  expect((await bench.store.list()).map(({ sessionId }) => sessionId).sort()).toEqual([apart, id].sort());
});

it('E1: on a disk that refuses it, it stays as it is', async () => {
  const { apart, again } = await cutApart();
  const cut = await readFile(bench.journal(apart), 'utf8');
  await bench.restart({
    ...nodeFs,
    rename: (from, to) =>
      to === bench.journal(apart)
        ? Promise.reject(Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' }))
        : nodeFs.rename(from, to),
  });
  await expect(again()).rejects.toThrow('the disk is full');
  expect(await readFile(bench.journal(apart), 'utf8')).toBe(cut);
  await bench.restart();
  expect(bench.store.meta(apart)).toMatchObject({ title: 'My own name', pinned: true });
});
