import { EventEmitter } from 'node:events';
import { expect, it, vi } from 'vitest';
import { createFileWorkers, type FileHand, type FileWorkers } from '../../../src/main/files/file-workers';
import { WorkerLooks } from '../../../src/main/files/looks';

/** docs/specs/safety.md A12. Processes that hang where they are told to: those of a real mount are in `test/e2e/hung-folders.spec.ts`. */
interface Bench {
  files: FileWorkers;
  looks: WorkerLooks;
  hung: Set<string>;
  hands: (EventEmitter & { isEnded: boolean })[];
  changes: () => number;
  late: (() => void)[];
}

/**
 * @param dies whether a process that hangs can be ended
 * @param isStarting whether processes take up their jobs only when `late` is called
 */
function bench(dies: boolean, isStarting = false): Bench {
  const late: (() => void)[] = [];
  const hung = new Set<string>();
  const hands: Bench['hands'] = [];
  const create = (): FileHand => {
    const hand = Object.assign(new EventEmitter(), { isEnded: false });
    let at = '';
    hands.push(hand);
    return Object.assign(hand, {
      unref: () => undefined,
      postMessage: (job: { folder: string }) => {
        at = job.folder;
        if (isStarting) late.push(() => hand.emit('message', { type: 'begun' }));
        else queueMicrotask(() => hand.emit('message', { type: 'begun' }));
        const answer = { path: at, ino: '1' };
        if (isStarting) late.push(() => hand.emit('message', { type: 'done', answer }));
        else if (!hung.has(at)) queueMicrotask(() => hand.emit('message', { type: 'done', answer }));
      },
      terminate: () => {
        hand.isEnded = true;
        if (dies || !hung.has(at)) queueMicrotask(() => hand.emit('exit'));
      },
    }) as FileHand;
  };
  const files = createFileWorkers(create);
  let changes = 0;
  return { files, hung, hands, changes: () => changes, late, looks: new WorkerLooks(files, () => changes++, 20, 50) };
}

it.each([true, false])(
  'a silent folder is told at once, holds up no other, and is found when it answers (ended: %s)',
  async (dies) => {
    const { looks, hung, hands, changes } = bench(dies);
    for (const name of ['/a', '/b', '/c']) hung.add(name);
    const slow = ['/a', '/b', '/c'].map((name) => looks.identify(name));
    expect(await looks.identify('/well')).toEqual({ path: '/well', ino: '1' });
    expect(await Promise.all(slow)).toEqual([null, null, null]);
    expect(['/a', '/a/below', '/b', '/well', '/ab'].map((name) => looks.isSilent(name))).toEqual([true, true, true, false, false]); // prettier-ignore
    const before = hands.length;
    await expect(looks.git('/a')).rejects.toThrow(/^\/a is not responding\./);
    expect(hands).toHaveLength(before);
    expect(await looks.identify('/well')).toEqual({ path: '/well', ino: '1' });
    expect(changes()).toBe(3);
    // They answer again: what hung there ends, and each is asked once more.
    hung.clear();
    for (const hand of hands) if (hand.isEnded) hand.emit('exit');
    await vi.waitFor(() => expect(['/a', '/b', '/c'].some((name) => looks.isSilent(name))).toBe(false), 10_000);
    expect(changes()).toBe(6);
  },
);

it('where a process hangs that can’t be ended no other is sent, however often it is asked', async () => {
  const { files, looks, hung, hands } = bench(false);
  hung.add('/a');
  expect(await looks.identify('/a')).toBeNull();
  await vi.waitFor(() => expect(files.isStuck('/a/b')).toBe(true), 10_000);
  for (let asked = 0; asked < 50; asked += 1)
    await expect(files.run('complete', { folder: '/a', query: '' })).rejects.toThrow('This folder is not responding');
  expect(hands).toHaveLength(1);
});

it('a process that is slow to start tells nothing of the folder, nor of one that waits for it', async () => {
  const { looks, late, changes } = bench(true, true);
  const asked = [looks.identify('/a'), looks.git('/a')];
  // Several times as long as a folder has.
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(changes()).toBe(0);
  for (const tell of late.splice(0)) tell();
  expect(await asked[0]).toEqual({ path: '/a', ino: '1' });
  await vi.waitFor(() => expect(late).not.toEqual([]));
  for (const tell of late.splice(0)) tell();
  expect(await asked[1]).toEqual({ path: '/a', ino: '1' });
  expect(looks.isSilent('/a')).toBe(false);
});

it('who waits for a folder is let go of when the app quits', async () => {
  const { looks, files, hung } = bench(false);
  hung.add('/a');
  const waiting = looks.identify('/a');
  looks.close();
  expect(await waiting).toBeNull();
  await files.close();
});

it('looks that come together wait for one process; where its first takes long each has its own', async () => {
  const { looks, hung, hands } = bench(true);
  const names = Array.from({ length: 12 }, (_, at) => `/${at}`);
  const warned: Error[] = [];
  const note = (warning: Error): void => void warned.push(warning);
  process.on('warning', note);
  expect(await Promise.all(names.map((name) => looks.identify(name)))).toEqual(
    names.map((path) => ({ path, ino: '1' })),
  );
  expect(hands).toHaveLength(1);
  // Node tells what it has to say later.
  await new Promise((resolve) => setImmediate(resolve));
  process.off('warning', note);
  expect(warned).toEqual([]);

  hung.add('/hung');
  const slow = looks.identify('/hung');
  expect(await Promise.all(names.slice(0, 3).map((name) => looks.identify(name)))).not.toContain(null);
  expect(hands.length).toBeGreaterThan(1);
  expect(await slow).toBeNull();
});

it('a process that does not start holds up no other look', async () => {
  const { looks, late, hands } = bench(true, true);
  const first = looks.identify('/a');
  const second = looks.identify('/b');
  expect(hands).toHaveLength(1);
  // The first is left alone: the second gets a process of its own.
  await vi.waitFor(() => expect(hands).toHaveLength(2), 10_000);
  for (const go of late.splice(2)) go();
  expect(await second).toEqual({ path: '/b', ino: '1' });
  for (const go of late) go();
  expect(await first).toEqual({ path: '/a', ino: '1' });
});
