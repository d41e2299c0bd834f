import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createSessionStore, type JournalStore } from '../../../src/main/journal/session-store';
import { randomHex } from '../../support/journal';

const DAY = 24 * 60 * 60 * 1000;
let home: string;
let now = Date.now();
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'espalier-trash-'));
});
afterEach(() => rm(home, { recursive: true, force: true }));

const openStore = (): Promise<JournalStore> =>
  createSessionStore({
    dir: join(home, 'sessions'),
    trashDir: join(home, 'trash'),
    outputsDir: join(home, 'outputs'),
    clock: () => now,
    randomHex,
    log: { warn: () => undefined },
  });

async function sessionWithOutput(store: JournalStore): Promise<string> {
  const log = await store.create({ workspace: home });
  await log.append([{ type: 'message', message: { role: 'user', content: 'hello', timestamp: 1 } }]);
  await mkdir(join(home, 'outputs', log.sessionId), { recursive: true });
  await writeFile(join(home, 'outputs', log.sessionId, 'x.txt'), 'the whole output');
  await log.close();
  return log.sessionId;
}

test('D4: outputs go to the trash with their session, come back with it, and go for good with it', async () => {
  const store = await openStore();
  const id = await sessionWithOutput(store);
  const other = await sessionWithOutput(store);
  await store.trash(id);
  expect(await readdir(join(home, 'outputs'))).toEqual([other]);
  await (await store.restore(id)).close();
  expect(await readFile(join(home, 'outputs', id, 'x.txt'), 'utf8')).toBe('the whole output');
  await store.trash(id);
  // A crash in the middle of deleting leaves outputs where they were.
  await mkdir(join(home, 'outputs', id), { recursive: true });
  await writeFile(join(home, 'outputs', id, 'y.txt'), 'left behind');
  await store.close();
  for (const days of [0, 31, 7]) {
    now += days * DAY;
    await (await openStore()).close();
  }
  expect(await readdir(join(home, 'outputs'))).toEqual([other]);
  expect(await readdir(join(home, 'trash'))).toEqual(['kept.json']);
});

test('A5: what was set aside of a session goes with it, comes back with it, and is removed with it', async () => {
  const store = await openStore();
  const id = await sessionWithOutput(store);
  const other = await sessionWithOutput(store);
  await store.close();
  const dir = join(home, 'sessions');
  const names = ['meta.json', 'queue.json', 'jsonl'].map((end) => `${id}.${end}.bad-20260101000000000`);
  for (const name of [...names, `${other}.meta.json.bad-1`]) await writeFile(join(dir, name), 'what was said');
  const again = await openStore();
  const theirs = async (): Promise<string[]> => (await readdir(dir)).filter((name) => name.startsWith(id));
  await again.trash(id);
  expect(await theirs()).toEqual([]);
  await (await again.restore(id)).close();
  expect(await theirs()).toEqual(expect.arrayContaining(names));
  await again.trash(id);
  // As an earlier Espalier left it.
  await writeFile(join(dir, names[0] ?? ''), 'what was said');
  await again.close();
  for (const days of [0, 31, 7]) {
    now += days * DAY;
    await (await openStore()).close();
  }
  expect(await theirs()).toEqual([]);
  expect(await readdir(join(home, 'trash'))).toEqual(['kept.json']);
  expect(await readdir(dir)).toContain(`${other}.meta.json.bad-1`);
});

test('JN26: what could not go to the trash with a session is removed with it', async () => {
  const store = await openStore();
  const id = await sessionWithOutput(store);
  await store.trash(id);
  await store.close();
  const [folder = ''] = await readdir(join(home, 'trash'));
  await rename(join(home, 'trash', folder, `${id}.meta.json`), join(home, 'sessions', `${id}.meta.json`));
  // Of no session that was deleted.
  await writeFile(join(home, 'sessions', `${id}.queue.json`), 'waits');
  for (const days of [0, 31, 7]) {
    now += days * DAY;
    await (await openStore()).close();
  }
  expect(await readdir(join(home, 'sessions'))).toEqual([`${id}.queue.json`]);
});

test('D4: a session comes back though its outputs can not, and they are not deleted with that', async () => {
  const store = await openStore();
  const id = await sessionWithOutput(store);
  await store.trash(id);
  await mkdir(join(home, 'outputs', id), { recursive: true });
  await writeFile(join(home, 'outputs', id, 'new.txt'), 'written meanwhile');
  await (await store.restore(id)).close();
  const [folder = ''] = await readdir(join(home, 'trash'));
  expect(await readFile(join(home, 'trash', folder, 'outputs', 'x.txt'), 'utf8')).toBe('the whole output');
  expect(await readdir(join(home, 'outputs', id))).toEqual(['new.txt']);
  await store.close();
});

test('JN26: outputs stay in the trash with a session that finds another one in its place', async () => {
  const store = await openStore();
  const id = await sessionWithOutput(store);
  await store.trash(id);
  await writeFile(join(home, 'sessions', `${id}.jsonl`), 'theirs');
  await expect(store.restore(id)).rejects.toThrow('another session’s files are in its place');
  await rm(join(home, 'sessions', `${id}.jsonl`));
  expect(await readdir(join(home, 'outputs'))).toEqual([]);
  await (await store.restore(id)).close();
  expect(await readFile(join(home, 'outputs', id, 'x.txt'), 'utf8')).toBe('the whole output');
});
