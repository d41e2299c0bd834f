import { expect, it } from 'vitest';
import { ChosenFiles, serveDroppedFiles } from '../../../src/main/ipc/chosen-files';
import { AppError } from '../../../src/main/ipc/failure';
import type { Sender } from '../../../src/main/ipc/request-gate';

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
const ownPage: Sender = { senderFrame: { url: 'app://app/index.html', parent: null }, sender: { id: 7 } };

it('a handle tells the name, never the path, and works once', () => {
  const chosen = new ChosenFiles();
  const [file] = chosen.offer(['/home/someone/talk.jsonl']);
  expect(file?.name).toBe('talk.jsonl');
  expect(JSON.stringify(file)).not.toContain('someone');
  expect(chosen.take(file?.handle ?? '')).toBe('/home/someone/talk.jsonl');
  expect(() => chosen.take(file?.handle ?? '')).toThrow(AppError);
});

it('what the page makes up is no handle: a path, a name of every object, nothing', () => {
  const chosen = new ChosenFiles();
  chosen.offer(['/home/someone/talk.jsonl']);
  for (const made of ['/home/someone/talk.jsonl', 'talk.jsonl', '__proto__', 'constructor', ''])
    expect(() => chosen.take(made)).toThrow(AppError);
});

it('a handle is good for an hour', () => {
  let now = 0;
  const chosen = new ChosenFiles(() => now);
  const [early, late] = chosen.offer(['/a.jsonl', '/b.jsonl']);
  now = 60 * 60_000;
  expect(chosen.take(early?.handle ?? '')).toBe('/a.jsonl');
  now += 1;
  expect(() => chosen.take(late?.handle ?? '')).toThrow(AppError);
});

it('of very many the newest are kept', () => {
  const chosen = new ChosenFiles();
  const [first] = chosen.offer(['/first.jsonl']);
  const others = chosen.offer(Array.from({ length: 1000 }, (_, index) => `/${index}.jsonl`));
  expect(() => chosen.take(first?.handle ?? '')).toThrow(AppError);
  expect(chosen.take(others[0]?.handle ?? '')).toBe('/0.jsonl');
});

it('PG2: dropped files are taken from the own page’s preload alone, and only as whole paths', async () => {
  let listener: ((event: Sender, input: unknown) => unknown) | undefined;
  const handle = (_channel: string, served: typeof listener): void => void (listener = served);
  serveDroppedFiles(new ChosenFiles(), { windowId: () => 7, log: silent, handle: handle as never });
  expect(await listener?.(ownPage, ['/a.jsonl'])).toMatchObject({ ok: true, value: [{ name: 'a.jsonl' }] });
  for (const input of [['a.jsonl'], ['../a'], [''], [5], '/a.jsonl', null, { 0: '/a' }, new Array(1001).fill('/a')])
    expect(await listener?.(ownPage, input)).toMatchObject({ ok: false, error: { code: 'refused' } });
  const other: Sender = { ...ownPage, sender: { id: 8 } };
  expect(await listener?.(other, ['/a.jsonl'])).toMatchObject({ ok: false, error: { code: 'refused' } });
});
