import { afterEach, beforeEach, expect, test } from 'vitest';
import { buildWorld, escapeCases, findEscapes, raceFolders, type EscapeWorld } from './support/escape-corpus';
import { makeSandbox, type Sandbox } from './support/host';

let sandbox: Sandbox;
let world: EscapeWorld | undefined;
beforeEach(async () => {
  sandbox = await makeSandbox();
});
afterEach(() => {
  world?.server.close();
  world = undefined;
  sandbox.remove();
});

test('TL3, QC4: no path of the corpus escapes (QS4)', async () => {
  world = buildWorld(sandbox);
  const cases = escapeCases(world);
  expect(cases.length).toBeGreaterThanOrEqual(150);
  expect(await findEscapes(sandbox, cases)).toEqual([]);
});

test('TL3: a folder swapped for a link while tools work in it leads nowhere (QS4, the race)', async () => {
  expect((await raceFolders(sandbox, 150)).escapes).toBe(0);
});
