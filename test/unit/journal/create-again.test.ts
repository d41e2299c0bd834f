import { afterEach, beforeEach, expect, it } from 'vitest';
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
  await expect(again()).resolves.toBeDefined();
});
