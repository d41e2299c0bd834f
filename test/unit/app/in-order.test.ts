import { describe, expect, it } from 'vitest';
import type { Client } from '../../../src/renderer/bridge';
import { inOrder, inPieces } from '../../../src/renderer/state/order';
import { createOpenSession } from '../../../src/renderer/state/open-session';
import { createDraftStore } from '../../../src/renderer/state/draft-store';
import { createMemoryStore } from '../../support/memory-store';

/** A client that notes what leaves, in order. */
function noting(): { client: Client; left: string[] } {
  const left: string[] = [];
  const request = (name: string): Promise<unknown> => {
    left.push(name);
    return name === 'session.open' ? new Promise(() => undefined) : Promise.resolve({ lines: [] });
  };
  return { client: { request, bulk: () => ({ cancel: () => undefined }) } as unknown as Client, left };
}

describe('CM6: what is asked after a message does not overtake it', () => {
  it('while the message is still being stored', async () => {
    const { client: direct, left } = noting();
    const { client, hold } = inOrder(direct);
    let stored = (): void => undefined;
    const memory = createMemoryStore();
    const local = {
      ...memory,
      getDraft: () => Promise.resolve(null),
      putDraft: () => new Promise<void>((done) => (stored = done)),
    };
    const draft = createDraftStore('s', local);
    draft.open();
    const session = createOpenSession('s', {
      ...{ client: direct, local, draft, newId: () => '1234567812345678' },
      hold: (until) => hold('s', until),
    });
    draft.set({ text: 'Delete all of it' });
    const sent = session.submit('steer');
    const stopped = client.request('session.stop', { sessionId: 's' });
    await client.request('session.stop', { sessionId: 'other' });
    await client.request('app.drawing', { sessionId: 's', state: 'begins' });
    expect(left).toEqual(['session.stop', 'app.drawing']);
    stored();
    await Promise.all([sent, stopped]);
    expect(left.slice(2)).toEqual(['session.prompt', 'session.stop']);
    await client.request('session.retry', { sessionId: 's' });
    expect(left.at(-1)).toBe('session.retry');
  });

  it('a second message goes behind the first one, and a failed wait holds nothing back', async () => {
    const { client: direct, left } = noting();
    const { client, hold } = inOrder(direct);
    const told: string[] = [];
    let first = (): void => undefined;
    const one = hold('s', new Promise<void>((done) => (first = done))).then(() => told.push('one'));
    const two = hold('s', Promise.reject(new Error('The disk is full.'))).then(() => told.push('two'));
    const stop = client.request('session.stop', { sessionId: 's' }).then(() => told.push('stop'));
    await Promise.resolve();
    expect([told, left]).toEqual([[], []]);
    first();
    await Promise.all([one, two, stop]);
    expect(told).toEqual(['one', 'two', 'stop']);
  });
});

describe('GR30: long work in pieces', () => {
  /** Work that takes as long as the clock says. */
  function* busy(pieces: number, done: number[]): Generator<void, void> {
    for (let piece = 0; piece < pieces; piece++) {
      const start = performance.now();
      while (performance.now() - start < 10);
      done.push(piece);
      yield;
    }
  }

  it('lets others in between, and is done whole', async () => {
    const done: number[] = [];
    const seen: number[] = [];
    const ticks = setInterval(() => seen.push(done.length));
    expect(await inPieces(busy(6, done), () => false)).toBe(true);
    clearInterval(ticks);
    expect(done).toHaveLength(6);
    expect(new Set(seen).size).toBeGreaterThan(1);
  });

  it('ends where it is over', async () => {
    const done: number[] = [];
    expect(await inPieces(busy(6, done), () => done.length >= 2)).toBe(false);
    expect(done).toEqual([0, 1]);
  });
});
