import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { StorageLook } from '../../../src/main/own-files/storage-sizes';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'espalier-sizes-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const places = () => ({ sessions: join(dir, 'sessions'), outputs: join(dir, 'outputs'), trash: join(dir, 'trash') });
async function put(path: string, bytes: number): Promise<void> {
  await mkdir(join(dir, path, '..'), { recursive: true });
  await writeFile(join(dir, path), Buffer.alloc(bytes));
}

it('WN15: a session takes what its journal, what lies beside it and its outputs take; the trash is one figure', async () => {
  await put('sessions/small.jsonl', 10);
  await put('sessions/large.jsonl', 1000);
  await put('sessions/large.index', 200);
  await put('sessions/large.meta.json', 30);
  await put('outputs/large/one.txt', 4);
  await put('outputs/large/deep/two.txt', 5);
  await put('outputs/gone/three.txt', 999);
  await put('trash/1-old/old.jsonl', 70);
  await put('trash/1-old/outputs/a.txt', 7);
  const look = new StorageLook(places());
  expect(await look.sizes()).toEqual({
    sessions: [
      { id: 'large', bytes: 1239 },
      { id: 'small', bytes: 10 },
    ],
    trash: 77,
    isWhole: true,
  });
});

it('WN15: what is not there is nothing, and no link is followed', async () => {
  expect(await new StorageLook(places()).sizes()).toEqual({ sessions: [], trash: 0, isWhole: true });
  await put('elsewhere/huge.bin', 5000);
  await put('sessions/one.jsonl', 1);
  await put('outputs/one/a.txt', 2);
  await symlink(join(dir, 'elsewhere'), join(dir, 'outputs/one/link'));
  await symlink(join(dir, 'elsewhere/huge.bin'), join(dir, 'sessions/one.index'));
  expect((await new StorageLook(places()).sizes()).sessions).toEqual([{ id: 'one', bytes: 3 }]);
});

it('WN15: asked for again meanwhile it is one look', async () => {
  await put('sessions/one.jsonl', 1);
  const look = new StorageLook(places());
  const first = look.sizes();
  expect(look.sizes()).toBe(first);
  await first;
  await put('sessions/one.jsonl', 2);
  expect((await look.sizes()).sessions).toEqual([{ id: 'one', bytes: 2 }]);
});
