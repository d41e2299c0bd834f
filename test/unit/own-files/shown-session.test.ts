import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ShownSession } from '../../../src/main/own-files/shown-session';

let folder: string;
let file: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'espalier-shown-'));
  file = join(folder, 'shown.json');
});
afterEach(() => rm(folder, { recursive: true }));

it('WN3: the session that was shown last is known to the next start, and at once to this one', async () => {
  const first = new ShownSession(file);
  expect(await first.last()).toBeNull();
  first.shows('a');
  first.shows('b');
  expect(await first.last()).toBe('b');
  await first.written();
  expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({ sessionId: 'b' });
  expect(await new ShownSession(file).last()).toBe('b');
});

it('WN3: one that is shown while the file is read is the last one', async () => {
  await writeFile(file, '{"sessionId":"old"}');
  const shown = new ShownSession(file);
  const asked = shown.last();
  shown.shows('new');
  expect(await asked).toBe('new');
});

it.each(['', '{', 'null', '7', '[]', '{"sessionId":7}', '{"sessionId":""}', `{"sessionId":"${'x'.repeat(201)}"}`])(
  'safety A5: a file that says %s names none',
  async (text) => {
    await writeFile(file, text);
    expect(await new ShownSession(file).last()).toBeNull();
  },
);

it('WN3: where it can’t be written the window goes on', async () => {
  const shown = new ShownSession(join(folder, 'none', 'shown.json'));
  shown.shows('a');
  await shown.written();
  expect(await shown.last()).toBe('a');
});
