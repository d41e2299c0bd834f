import { readFile } from 'node:fs/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type JournalFs, nodeFs } from '../../../src/main/journal/file/fs';
import { openStoreBench, textsOf, user, type StoreBench } from '../../support/journal';

/** JN17: a session that was opened on a read-only disk is written to once the disk takes bytes again. */

let bench: StoreBench;
let isReadOnly = false;

const refuse = (): never => {
  throw Object.assign(new Error('EROFS: read-only file system'), { code: 'EROFS' });
};
/** As the system does it: what is opened to be written is refused, a file that was opened to be read takes no bytes ever. */
const disk: JournalFs = {
  ...nodeFs,
  open: async (path, mode) => (isReadOnly && mode !== 'read' ? refuse() : nodeFs.open(path, mode)),
  writeText: async (path, text) => (isReadOnly ? refuse() : nodeFs.writeText(path, text)),
};

beforeEach(async () => {
  isReadOnly = false;
  bench = await openStoreBench({ fs: disk });
});
afterEach(() => bench.dispose());

it('JN17: the next write tries again, without a restart', async () => {
  const first = await bench.store.create({ workspace: '/w' });
  const { sessionId } = first;
  await first.append([user('one')]);
  await first.close();
  isReadOnly = true;
  await bench.restart(disk);
  const log = await bench.store.open(sessionId);
  expect(log.tree.size).toBe(1);
  await expect(log.append([user('two')])).rejects.toMatchObject({ problem: 'readOnly' });
  isReadOnly = false;
  await log.append([user('three')]);
  await log.append([user('four')]);
  await log.close();
  await bench.restart(disk);
  expect(await textsOf(await bench.store.open(sessionId))).toEqual(['one', 'three', 'four']);
});

it('JN12: another file that took its place meanwhile is left alone', async () => {
  const first = await bench.store.create({ workspace: '/w' });
  const { sessionId } = first;
  await first.append([user('one')]);
  await first.close();
  isReadOnly = true;
  await bench.restart(disk);
  const log = await bench.store.open(sessionId);
  isReadOnly = false;
  const path = bench.journal(sessionId);
  const other = (await readFile(path, 'utf8')).replace('"one"', '"eno"');
  await nodeFs.remove(path);
  await nodeFs.writeText(path, other);
  await log.append([user('two')]);
  expect(await readFile(path, 'utf8')).toBe(other);
});
