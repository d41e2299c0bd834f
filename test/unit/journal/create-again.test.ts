import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { nodeFs } from '../../../src/main/journal/file/fs';
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

it('CM1: of sessions in which nothing was said the newest fifty are noted', async () => {
  const ids: string[] = [];
  for (let at = 0; at < 52; at += 1) ids.push((await bench.store.create({ workspace: `/${at}` })).sessionId);
  await bench.restart();
  for (const at of [0, 1]) await bench.store.create({ workspace: '/scratch', id: ids[at]! });
  expect([0, 1].map((at) => bench.store.meta(ids[at]!)?.workspace)).toEqual(['/scratch', '/scratch']);
  await bench.store.create({ workspace: '/scratch', id: ids[51]! });
  expect(bench.store.meta(ids[51]!)?.workspace).toBe('/51');
});

it('JN49: what was named or pinned is not given up for sessions that nobody used, nor for others that are named', async () => {
  const ids: string[] = [];
  for (let at = 0; at < 51; at += 1) {
    const { sessionId } = await bench.store.create({ workspace: '/w' });
    ids.push(sessionId);
    await bench.store.setMeta(sessionId, at % 2 ? { pinned: true } : { title: `${at}`, titleSource: 'person' });
  }
  for (let at = 0; at < 52; at += 1) await bench.store.create({ workspace: '/w' });
  await bench.restart();
  expect(new Set(bench.store.named())).toEqual(new Set(ids));
});

it('JN49: of a thousand one more is refused in words, and is as it was; none of the others is lost', async () => {
  const { sessionId: id } = await bench.store.create({ workspace: '/w' });
  const path = join(bench.home, 'unsaid.json');
  const [[, meta]] = JSON.parse(await readFile(path, 'utf8')) as [[string, object]];
  const others = Array.from({ length: 1_000 }, (_, at) => `0f8fad5b-d9cb-469f-a165-${String(at).padStart(12, '0')}`);
  await writeFile(path, JSON.stringify([...others.map((other) => [other, { ...meta, pinned: true }]), [id, meta]]));
  await bench.restart();
  const log = await bench.store.create({ workspace: '/w', id });
  await expect(bench.store.setMeta(id, { pinned: true })).rejects.toThrow('1,000 sessions without messages are named');
  expect(bench.store.meta(id)?.pinned).toBe(false);
  await bench.restart();
  expect(bench.store.named()).toEqual(others);
  expect(log.sessionId).toBe(id);
});

it('JN49: a name that can’t be noted fails in words; a session is made all the same', async () => {
  let isFull = true;
  const full = {
    ...nodeFs,
    writeText: (path: string, text: string) =>
      isFull && path.endsWith('unsaid.json')
        ? Promise.reject(Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' }))
        : nodeFs.writeText(path, text),
  };
  await bench.restart(full);
  const { sessionId: id } = await bench.store.create({ workspace: '/w' });
  const name = (): Promise<void> => bench.store.setMeta(id, { title: 'Garden', titleSource: 'person' });
  await expect(name()).rejects.toThrow('Could not save: the disk is full.');
  isFull = false;
  await name();
  await bench.restart();
  expect(bench.store.named()).toEqual([id]);
});

it.each(['{"__proto__": 1', '{}', '"x"', '[5]', '[["a", {}]]', '[["../a", null]]'])(
  'A5: a note like %s is set aside, and told',
  async (text) => {
    const { sessionId: id } = await bench.store.create({ workspace: '/project' });
    const path = join(bench.home, 'unsaid.json');
    const [whole] = JSON.parse(await readFile(path, 'utf8')) as unknown[];
    const isList = text.startsWith('[');
    const found = isList ? text.replace('[', `[${JSON.stringify(whole)},`) : text;
    await writeFile(path, found);
    await bench.restart();
    expect(bench.store.problems.join()).toMatch(
      /sessions without messages could not be read in full\. The old file is kept as .*unsaid\.json\.bad-\d+\./,
    );
    const [aside] = (await readdir(bench.home)).filter((name) => name.startsWith('unsaid.json.bad-'));
    expect(await readFile(join(bench.home, aside!), 'utf8')).toBe(found);
    // What of it can be used is used.
    await bench.store.create({ workspace: '/scratch', id });
    expect(bench.store.meta(id)?.workspace).toBe(isList ? '/project' : '/scratch');
    await bench.restart();
    expect(bench.store.problems).toEqual([]);
  },
);

it('A5: a folder in its place is moved away; as long as it can’t be, it stays, and sessions are made all the same', async () => {
  const path = join(bench.home, 'unsaid.json');
  await mkdir(path);
  let isStuck = true;
  const stuck = {
    ...nodeFs,
    rename: (from: string, to: string) =>
      isStuck && from === path ? Promise.reject(new Error('EACCES')) : nodeFs.rename(from, to),
  };
  await bench.restart(stuck);
  expect(bench.store.problems.join()).toContain('was left as it is and is tried again');
  const { sessionId: first } = await bench.store.create({ workspace: '/project' });
  expect((await stat(path)).isDirectory()).toBe(true);
  isStuck = false;
  const { sessionId: second } = await bench.store.create({ workspace: '/project' });
  const noted = await readFile(path, 'utf8');
  expect([first, second].map((id) => noted.includes(id))).toEqual([true, true]);
});

it('A5: a note that can’t be read for now is read when it is needed, and nothing takes its place before', async () => {
  const { sessionId: id } = await bench.store.create({ workspace: '/project' });
  let isFailing = true;
  const failing = {
    ...nodeFs,
    readText: (path: string) =>
      isFailing && path.endsWith('unsaid.json') ? Promise.reject(new Error('EIO')) : nodeFs.readText(path),
  };
  await bench.restart(failing);
  expect(bench.store.problems.join()).toContain('is tried again');
  isFailing = false;
  await bench.store.create({ workspace: '/other' });
  await bench.restart();
  await bench.store.create({ workspace: '/scratch', id });
  expect(bench.store.meta(id)?.workspace).toBe('/project');
});

it('CM1: a draft whose id could not be looked for asks again', async () => {
  const { sessionId: id } = await bench.store.create({ workspace: '/project' });
  let isFailing = true;
  const failing = {
    ...nodeFs,
    list: (path: string) =>
      isFailing && path.endsWith('trash') ? Promise.reject(new Error('EIO')) : nodeFs.list(path),
  };
  await bench.restart(failing);
  const make = (): Promise<SessionLog> => bench.store.create({ workspace: '/scratch', id });
  await expect(make()).rejects.toThrow('EIO');
  isFailing = false;
  expect((await make()).sessionId).toBe(id);
});
