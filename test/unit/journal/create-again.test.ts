import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { SessionLog } from '../../../src/main/ports';
import { openStoreBench, textsOf, user } from '../../support/journal';
import type { StoreBench } from '../../support/journal';

let bench: StoreBench;
beforeEach(async () => {
  bench = await openStoreBench({});
});
afterEach(() => bench.dispose());

const ID = '0f8fad5b-d9cb-469f-a165-70867728950e';

it('CM1: a session is made under the id of its draft, unless there is or was one of that id', async () => {
  const again = (): Promise<unknown> => bench.store.create({ workspace: '/w', id: ID });
  const log = await bench.store.create({ workspace: '/w', id: ID });
  expect(log.sessionId).toBe(ID);
  await expect(again()).rejects.toThrow('there already');
  await log.append([user('said')]);
  await bench.restart();
  await expect(again()).rejects.toThrow('there already');
  expect(await textsOf(await bench.store.open(ID))).toEqual(['said']);
  await bench.store.trash(ID);
  await expect(again()).rejects.toThrow('there already');
  await bench.restart();
  await expect(again()).rejects.toThrow('there already');
  await bench.store.deleteForGood(ID);
  await expect(again()).rejects.toThrow('there already');
});

it('CM1: it has the folder, the title and the pin that were chosen; of two that ask at once one gets it', async () => {
  const { sessionId: id } = await bench.store.create({ workspace: '/project' });
  await bench.store.setMeta(id, { title: 'Garden', titleSource: 'person', pinned: true });
  await bench.restart();
  const make = (): Promise<SessionLog> => bench.store.create({ workspace: '/scratch', id });
  const made = await Promise.allSettled([make(), make()]);
  expect(made.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
  expect(bench.store.meta(id)).toMatchObject({ workspace: '/project', title: 'Garden', pinned: true });
  const log = await bench.store.open(id);
  expect(log.tree.header.cwd).toBe('/project');
  await log.append([user('said')]);
  await bench.restart();
  expect(bench.store.meta(id)).toMatchObject({ workspace: '/project', title: 'Garden', pinned: true });
});

it('CM1: of sessions in which nothing was said the newest fifty are noted; a note that can’t be read is left alone', async () => {
  const ids: string[] = [];
  for (let at = 0; at < 52; at += 1) ids.push((await bench.store.create({ workspace: `/${at}` })).sessionId);
  await bench.restart();
  for (const at of [0, 1]) await bench.store.create({ workspace: '/scratch', id: ids[at]! });
  expect([0, 1].map((at) => bench.store.meta(ids[at]!)?.workspace)).toEqual(['/scratch', '/scratch']);
  await bench.store.create({ workspace: '/scratch', id: ids[51]! });
  expect(bench.store.meta(ids[51]!)?.workspace).toBe('/51');
  await writeFile(join(bench.home, 'unsaid.json'), '{"__proto__": 1');
  await bench.restart();
  expect((await bench.store.create({ workspace: '/w', id: ids[3]! })).sessionId).toBe(ids[3]);
});
