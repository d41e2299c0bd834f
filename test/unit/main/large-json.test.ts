import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { EventBatch } from '@shared/ipc/contract';
import type { BatchPart } from '@shared/ipc/names';
import type { SessionEntry } from '@shared/session/records/entry';
import { serializeEntry } from '@shared/session/records/serialize-entry';
import { batchSender } from '../../../src/main/ipc/batch-sender';
import { crc32 } from '../../../src/main/journal/file/crc32';
import {
  concatInPieces,
  crc32InPieces,
  decodeInPieces,
  isLarge,
  writeLarge,
} from '../../../src/main/journal/file/large-entry';
import { createSessionStore } from '../../../src/main/journal/session-store';
import { seededHex } from '../shared/session/support';
import { turnsUntil } from '../../support/turns';

/** What is large is written as `JSON.stringify` writes it, and the thread answers meanwhile. */

const MB = 1024 * 1024;
const fail = (error: unknown): never => {
  throw error;
};
const user = (content: unknown): SessionEntry =>
  ({
    ...{ type: 'message', id: '00000001', parentId: null, timestamp: '2026-01-01T00:00:00.000Z' },
    message: { role: 'user', content, timestamp: 1 },
  }) as SessionEntry;
const picture = (n: number): unknown => ({ type: 'image', mimeType: 'image/png', data: `${n}`.repeat(5 * MB) });
const eight = [{ type: 'text', text: 'Look “at” these' }, ...Array.from({ length: 8 }, (_, n) => picture(n))];

describe('an entry with long strings', () => {
  it('is the line that it was, and reads back as it was', async () => {
    const piece = fc.constantFrom('a', '"', '\\', '\n', 'ü', '😀', '\ud83d', '\ude00', '\u2028', '\0', '"\ue000');
    const long = fc
      .array(piece, { minLength: 1, maxLength: 9 })
      .map((pieces) => pieces.join('').repeat(Math.ceil((700 * 1024) / pieces.join('').length)));
    await fc.assert(
      fc.asyncProperty(long, long, fc.jsonValue(), async (one, two, other) => {
        const entry = user([
          { type: 'text', text: one, other },
          { type: 'image', mimeType: 'image/png', data: two },
          { type: 'text', text: 'short' },
        ]);
        expect(isLarge(entry)).toBe(true);
        const { line, bytes, skeleton, restore } = await writeLarge(entry);
        expect(line === serializeEntry(entry)).toBe(true);
        expect(bytes.equals(Buffer.from(`${line}\n`))).toBe(true);
        expect(skeleton.length).toBeLessThan(100_000);
        const back = restore(JSON.parse(skeleton) as SessionEntry);
        expect(JSON.stringify(back) === JSON.stringify(JSON.parse(line))).toBe(true);
      }),
      { numRuns: 10 },
    );
  });

  it('is weighed and copied as in one go', async () => {
    const parts = [Buffer.alloc(9 * MB, 'ab'), Buffer.from('x'), Buffer.alloc(5 * MB, 'c')];
    const whole = await concatInPieces(parts);
    expect(whole.equals(Buffer.concat(parts))).toBe(true);
    expect(await crc32InPieces(whole, 7)).toBe(crc32(whole, 7));
  });

  it('is decoded as in one go, wherever it is cut and whatever is in it', async () => {
    for (const text of ['\ufeffé😀', '\u2028ab', '数'])
      for (const broken of [[], [0xff], [0xe6, 0x95]]) {
        const bytes = Buffer.concat([Buffer.from(text.repeat(400_000)), Buffer.from(broken)]);
        const pieces = await decodeInPieces(bytes);
        expect(pieces.length).toBeGreaterThan(2);
        expect(pieces.join('') === bytes.toString('utf8')).toBe(true);
      }
  });
});

describe('eight pictures in a message', () => {
  let home: string;
  beforeEach(() => (home = mkdtempSync(join(tmpdir(), 'espalier-large-'))));
  afterEach(() => rmSync(home, { recursive: true, force: true }));
  const open = () =>
    createSessionStore({
      ...{ dir: join(home, 'sessions'), trashDir: join(home, 'trash'), clock: Date.now, randomHex: seededHex(1) },
      log: { warn: () => undefined },
    });

  it('are stored piece by piece, the first message and a later one, and are there again after a restart', async () => {
    const store = await open();
    const log = await store.create({ workspace: '/w' });
    const draft = { type: 'message', message: { role: 'user', content: eight, timestamp: 1 } } as never;
    for (let n = 0; n < 2; n += 1) expect(await turnsUntil(log.append([draft]))).toBeGreaterThan(80);
    const ids = log.tree.entriesInOrder().map(({ id }) => id);
    const mark = log.mark();
    await log.close();
    await store.close();
    const again = await open();
    const opened = await again.open(log.sessionId);
    expect(opened.damage).toEqual([]);
    expect(opened.mark()).toEqual(mark);
    for (const entry of await opened.loadBodies(ids))
      expect(
        JSON.stringify((entry as { message: { content: unknown } }).message.content) === JSON.stringify(eight),
      ).toBe(true);
    await again.close();
  });

  it('go to the window in parts, and no batch overtakes another', async () => {
    const sent: (string | BatchPart)[] = [];
    const send = batchSender((message) => sent.push(message), fail);
    const line = { seq: 1, id: '00000001', line: JSON.stringify(user(eight)) };
    const batches = [
      { seq: 0, events: [] },
      { seq: 1, events: [{ type: 'entry_appended', sessionId: 's', line, crc: 1, crcBefore: 0, row: null }] },
      { seq: 2, events: [{ type: 'closing' }] },
    ] as EventBatch[];
    const turns = turnsUntil(
      new Promise<void>((resolve) => {
        const look = (): void => (sent.at(-1) === JSON.stringify(batches[2]) ? resolve() : void setImmediate(look));
        look();
      }),
    );
    batches.forEach(send);
    expect(await turns).toBeGreaterThan(80);
    const parts = sent.slice(1, -1) as BatchPart[];
    expect(sent[0]).toBe(JSON.stringify(batches[0]));
    expect(parts.map(({ at }) => at)).toEqual(parts.map((_, at) => at));
    expect(parts.map(({ isLast }) => isLast).indexOf(true)).toBe(parts.length - 1);
    expect(Math.max(...parts.map(({ text }) => text.length))).toBeLessThan(2 * MB);
    expect(parts.map(({ text }) => text).join('') === JSON.stringify(batches[1])).toBe(true);
  });

  it.each([
    ['short', 'x'],
    ['of many megabytes', JSON.stringify(user(eight))],
  ])('EV7: an event that is no JSON fails alone beside one whose line is %s', async (_name, text) => {
    let deep: unknown = 1;
    for (let level = 0; level < 100_000; level += 1) deep = [deep];
    const line = { seq: 1, id: '00000001', line: text };
    const good = { type: 'entry_appended', sessionId: 's', line, crc: 1, crcBefore: 0, row: null };
    const bad = { type: 'stream_delta', sessionId: 's', delta: deep };
    const batch = { seq: 4, events: [{ type: 'closing' }, bad, { ...good, row: deep }, good] } as unknown as EventBatch;
    let told = '';
    const failed: string[] = [];
    const whole = new Promise<void>((resolve) => {
      const send = batchSender(
        (message) => {
          told += typeof message === 'string' ? message : message.text;
          if (typeof message === 'string' || message.isLast) resolve();
        },
        (_error, { type }) => failed.push(type),
      );
      send(batch);
    });
    await whole;
    expect(told === JSON.stringify({ seq: 4, events: [{ type: 'closing' }, good] })).toBe(true);
    expect(failed).toEqual(['stream_delta', 'entry_appended']);
  });
});
