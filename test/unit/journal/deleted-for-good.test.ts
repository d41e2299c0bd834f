import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { StoredLine } from '../../../src/shared/types';
import type { SessionLog } from '../../../src/main/ports';
import { nodeFs } from '../../../src/main/journal/file/fs';
import { openStoreBench, user } from '../../support/journal';
import type { StoreBench } from '../../support/journal';

let bench: StoreBench;
let now = 1000;
beforeEach(async () => {
  bench = await openStoreBench({ clock: () => (now += 1) });
});
afterEach(() => bench.dispose());

const trash = (): string => join(bench.home, 'trash');
const SECRET = 'a secret that nobody keeps';

async function said(): Promise<SessionLog> {
  const log = await bench.store.create({ workspace: '/w' });
  await log.append([user(SECRET)]);
  return log;
}

async function linesOf(log: SessionLog): Promise<StoredLine[]> {
  const lines: StoredLine[] = [];
  for await (const chunk of log.lines(0)) lines.push(...chunk.lines);
  return lines;
}

/** All that stands in files of the data folder but the sessions. */
async function words(): Promise<string> {
  const names = (await readdir(bench.home, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
  const texts = await Promise.all(names.map(({ parentPath, name }) => readFile(join(parentPath, name), 'utf8')));
  return texts.join('\n');
}

it('JN52: a session that is there again under the id of a deleted one keeps its copies, and no mark says that it is gone', async () => {
  const { sessionId: id } = await said();
  const copy = join(bench.home, 'copy.jsonl');
  await bench.store.exportTo(id, copy, false);
  await bench.store.trash(id);
  expect((await bench.store.importFile(copy)).sessionId).toBe(id);
  await writeFile(join(trash(), `${id}.copy-5.jsonl`), 'what a comparison replaced in the one that is there');
  await bench.store.deleteForGood(id);
  expect(await readdir(trash())).toEqual([`${id}.copy-5.jsonl`]);
  // Its file is lost before the next start: what the database has of it counts.
  await bench.store.close();
  await rm(bench.journal(id));
  await bench.restart();
  expect(await bench.store.trashed()).toEqual([]);
});

it('JN52: copies and marks of an id that begins with digits are no deleted sessions', async () => {
  const id = '12345678-c828-4788-89e4-bcdb101e70c1';
  await said();
  await mkdir(trash(), { recursive: true });
  const names = [`${id}.copy-5.jsonl`, `${id}.damaged-5.jsonl`, `${id}.gone.crc`];
  for (const name of names) await writeFile(join(trash(), name), '');
  // Of the mark it is known what it marks, and of none of them that a session named after its end was deleted.
  expect(await bench.store.trashed()).toEqual([id]);
});

it('JN52: what the window hands in of a session that was deleted for good is not kept', async () => {
  const log = await said();
  const lines = await linesOf(log);
  await bench.store.trash(log.sessionId);
  await bench.store.deleteForGood(log.sessionId);
  const done = await bench.store.reconcile(
    log.sessionId,
    (async function* () {
      yield lines;
    })(),
  );
  expect(done.answer).toEqual({ then: 'drop' });
  expect(await words()).not.toContain(SECRET);
});

it('JN52: nor what is being handed in meanwhile, which ends well', async () => {
  const log = await said();
  const lines = await linesOf(log);
  let goOn = (): void => undefined;
  let isAsked = (): void => undefined;
  const gate = new Promise<void>((resolve) => (goOn = resolve));
  const asked = new Promise<void>((resolve) => (isAsked = resolve));
  const done = bench.store.reconcile(
    log.sessionId,
    (async function* () {
      yield lines;
      isAsked();
      await gate;
    })(),
  );
  await asked;
  await bench.store.trash(log.sessionId);
  await bench.store.deleteForGood(log.sessionId);
  goOn();
  expect((await done).answer).toEqual({ then: 'drop' });
  expect(await words()).not.toContain(SECRET);
});

it('JN52: nor what is just being put beside it', async () => {
  const log = await said();
  const { sessionId: id } = log;
  const lines = await linesOf(log);
  let deleting: Promise<void> | undefined;
  await bench.restart({
    ...nodeFs,
    rename: (from: string, to: string) => {
      if (from.includes('.copy-')) deleting ??= bench.store.deleteForGood(id);
      return nodeFs.rename(from, to);
    },
  });
  await bench.store.trash(id);
  const done = await bench.store.reconcile(
    id,
    (async function* () {
      yield lines;
    })(),
  );
  await deleting;
  expect([done.answer.then, deleting === undefined]).toEqual(['drop', false]);
  expect(await words()).not.toContain(SECRET);
});

it('JN49, JN52: what was noted of a session before its first message is no longer there once it has a file, or is deleted', async () => {
  const log = await bench.store.create({ workspace: '/w' });
  await bench.store.setMeta(log.sessionId, { title: SECRET, titleSource: 'person' });
  expect(await words()).toContain(SECRET);
  await bench.store.trash(log.sessionId);
  expect(await words()).not.toContain(SECRET);
  await bench.store.restore(log.sessionId);
  expect(await words()).toContain(SECRET);
  await log.append([user('said')]).catch(async () => (await bench.store.open(log.sessionId)).append([user('said')]));
  await bench.store.trash(log.sessionId);
  await bench.store.deleteForGood(log.sessionId);
  expect(await words()).not.toContain(SECRET);
});

it('JN52: what is brought in again under the id in the same run counts from then on, also if its file is lost', async () => {
  const log = await said();
  const lines = await linesOf(log);
  const { sessionId: id } = log;
  const copy = join(bench.home, 'copy.jsonl');
  await bench.store.exportTo(id, copy, false);
  await bench.store.trash(id);
  await bench.store.deleteForGood(id);
  await bench.store.importFile(copy);
  await log.close();
  await rm(bench.journal(id));
  const done = await bench.store.reconcile(
    id,
    (async function* () {
      yield lines;
    })(),
  );
  expect(done.answer).not.toEqual({ then: 'drop' });
  expect(await readFile(bench.journal(id), 'utf8')).toContain(SECRET);
});
