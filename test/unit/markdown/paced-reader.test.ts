import { expect, test } from 'vitest';
import { chargeFrame, hasRoom, inNextFrame } from '../../../src/renderer/features/markdown/frame-room';
import { PacedReader } from '../../../src/renderer/features/markdown/markdown';

const ALL = Infinity;
const REPLY = 'Words.\n\n```mermaid\ngraph LR\n  A --> B\n```\n\n- the last item';

const nextFrame = (): Promise<void> => new Promise((resolve) => void inNextFrame(resolve));
const unfrozen = (reader: PacedReader, done: boolean): number =>
  reader.update(REPLY, done, ALL).filter(({ frozen }) => !frozen).length;

/** What other messages of the window do in the same frame. */
const takeTheRoom = (): void => chargeFrame(1e9);

test('RD4: a reply that ends in a frame without room is whole only when its last blocks are frozen', async () => {
  await nextFrame();
  const reader = new PacedReader();
  expect(unfrozen(reader, false)).toBe(3);
  expect(reader.isWhole).toBe(true);

  takeTheRoom();
  expect(unfrozen(reader, true)).toBe(3);
  // Whole, nobody would ask again, and the diagram in it would never be drawn.
  expect(reader.isWhole).toBe(false);

  await nextFrame();
  expect(unfrozen(reader, true)).toBe(0);
  expect(reader.isWhole).toBe(true);
});

test('a reply that is whole costs no room when it is asked for again', async () => {
  await nextFrame();
  const reader = new PacedReader();
  const blocks = reader.update(REPLY, true, ALL);
  takeTheRoom();
  expect(hasRoom()).toBe(false);
  expect(reader.update(REPLY, true, ALL)).toBe(blocks);
  expect(reader.isWhole).toBe(true);
});

test('an empty reply is whole once it has ended', async () => {
  await nextFrame();
  const reader = new PacedReader();
  takeTheRoom();
  reader.update('', true, ALL);
  expect(reader.isWhole).toBe(false);
  await nextFrame();
  expect(reader.update('', true, ALL)).toEqual([]);
  expect(reader.isWhole).toBe(true);
});

test('a text that is another one than before ends anew', async () => {
  await nextFrame();
  const reader = new PacedReader();
  reader.update('One.', true, ALL);
  takeTheRoom();
  reader.update('Two.', true, ALL);
  expect(reader.isWhole).toBe(false);
  await nextFrame();
  expect(reader.update('Two.', true, ALL).map(({ token, frozen }) => [token.raw, frozen])).toEqual([['Two.', true]]);
  expect(reader.isWhole).toBe(true);
});

test('A2: a long fence is paid for as it is read: no frame reads all of it', async () => {
  const fence = `\`\`\`\n${'a\n'.repeat(100_000)}\`\`\``;
  const reader = new PacedReader();
  let frames = 0;
  do {
    await nextFrame();
    reader.update(fence, true, ALL);
    frames += 1;
  } while (!reader.isWhole);
  expect(frames).toBeGreaterThan(1);
  expect(reader.update(fence, true, ALL).map(({ token }) => token.type)).toEqual(['code']);
});
