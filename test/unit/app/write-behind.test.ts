import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createDraftStore } from '../../../src/renderer/state/draft-store';
import type { Draft, LocalStore } from '../../../src/renderer/state/local-store';
import { createMemoryStore } from '../../support/memory-store';

const ID = 'session';
const STORED: Draft = { text: 'stored', attachments: [] };

/** A database that refuses what the test says, as one does that hangs or is being opened again. */
class Unsure {
  readonly memory = createMemoryStore();
  refuses: 'getDraft' | 'putDraft' | null = null;
  readonly asked: string[] = [];
  readonly local: LocalStore = {
    ...this.memory,
    getDraft: (id) => this.#try('getDraft') ?? this.memory.getDraft(id),
    putDraft: (id, draft) => this.#try('putDraft') ?? this.memory.putDraft(id, draft),
  };

  #try(name: 'getDraft' | 'putDraft'): Promise<never> | null {
    this.asked.push(name);
    return this.refuses === name ? Promise.reject(new Error('closed')) : null;
  }
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());
const stored = (database: Unsure): Promise<Draft | null> => database.memory.getDraft(ID);

it('CM6: a stored draft that could not be read is not written over; with the next key it is read', async () => {
  const database = new Unsure();
  await database.memory.putDraft(ID, STORED);
  database.refuses = 'getDraft';
  const draft = createDraftStore(ID, database.local);
  draft.set({ text: 't' });
  await draft.flush();
  await draft.flush();
  expect(await stored(database)).toEqual(STORED);
  database.refuses = null;
  draft.set({ text: 'typed' });
  await draft.flush();
  expect(draft.state.getState()).toMatchObject({ text: 'typed', aside: ['stored'] });
  expect(await stored(database)).toEqual({ text: 'typed', attachments: [], aside: ['stored'] });
});

it('CM6: it is read again also where nobody types, later and later', async () => {
  const database = new Unsure();
  await database.memory.putDraft(ID, STORED);
  database.refuses = 'getDraft';
  const draft = createDraftStore(ID, database.local);
  await vi.advanceTimersByTimeAsync(60_000);
  const tries = database.asked.length;
  expect(tries).toBeGreaterThan(2);
  expect(tries).toBeLessThan(10);
  database.refuses = null;
  await vi.advanceTimersByTimeAsync(5 * 60_000);
  expect(draft.state.getState().text).toBe('stored');
});

it('CM6: a deleted session keeps its stored draft for an undo while it can’t be read', async () => {
  const database = new Unsure();
  await database.memory.putDraft(ID, STORED);
  database.refuses = 'getDraft';
  const draft = createDraftStore(ID, database.local);
  draft.remove();
  await draft.flush();
  expect(await stored(database)).toEqual(STORED);
  database.refuses = null;
  await draft.flush();
  expect(await stored(database)).toBeNull();
  draft.bringBack();
  await draft.flush();
  expect(await stored(database)).toEqual(STORED);
});

it('CM1: a write that failed is made again, by itself and with the next flush', async () => {
  const database = new Unsure();
  const draft = createDraftStore(ID, database.local);
  await draft.flush();
  for (const again of [() => draft.flush(), () => vi.advanceTimersByTimeAsync(60_000)]) {
    database.refuses = 'putDraft';
    draft.set({ text: `typed ${String(again)}` });
    await draft.flush();
    database.refuses = null;
    expect((await stored(database))?.text).not.toBe(`typed ${String(again)}`);
    await again();
    expect((await stored(database))?.text).toBe(`typed ${String(again)}`);
  }
});

it('CM6: a slow read of the stored draft holds back what is written', async () => {
  const database = new Unsure();
  await database.memory.putDraft(ID, STORED);
  let answer: (draft: Draft) => void = () => undefined;
  const local = { ...database.local, getDraft: () => new Promise<Draft>((resolve) => (answer = resolve)) };
  const draft = createDraftStore(ID, local);
  draft.set({ text: 'typed' });
  await vi.advanceTimersByTimeAsync(5_000);
  expect(await stored(database)).toEqual(STORED);
  answer(STORED);
  await draft.flush();
  expect(await stored(database)).toEqual({ text: 'typed', attachments: [], aside: ['stored'] });
});

it('CM6: what is typed while a write ends is written, too', async () => {
  const database = new Unsure();
  const draft = createDraftStore(ID, database.local);
  for (const turns of [0, 1, 2, 3, 4, 5, 6]) {
    draft.set({ text: 'before' });
    const first = draft.flush();
    for (let turn = 0; turn < turns; turn++) await Promise.resolve();
    draft.set({ text: `after ${turns}` });
    await Promise.all([first, draft.flush()]);
    expect((await stored(database))?.text).toBe(`after ${turns}`);
  }
});

it('CM6: a draft that nobody shows is let go once it is stored, and is there again when it is opened', async () => {
  const database = new Unsure();
  const draft = createDraftStore(ID, database.local);
  database.refuses = 'putDraft';
  draft.set({ text: 'typed' });
  draft.close();
  await draft.flush();
  expect(draft.isLetGo()).toBe(false);
  expect(draft.state.getState().text).toBe('typed');
  database.refuses = null;
  await draft.flush();
  expect(draft.isLetGo()).toBe(true);
  expect(draft.state.getState().text).toBe('');
  // Who still holds it adds to what is stored.
  draft.keepAside('undone');
  draft.open();
  await draft.flush();
  expect(draft.state.getState()).toMatchObject({ text: 'typed', aside: ['undone'] });
  expect(await stored(database)).toEqual({ text: 'typed', attachments: [], aside: ['undone'] });
});

it('CM6: what a message on its way or an undo needs is not let go', async () => {
  const database = new Unsure();
  const sending = createDraftStore(ID, database.local);
  sending.set({ text: 'sent' });
  const message = sending.take('00000001');
  sending.close();
  await sending.flush();
  expect(sending.isLetGo()).toBe(false);
  sending.arrived(message);
  await sending.flush();
  expect(sending.isLetGo()).toBe(true);
  const removed = createDraftStore('other', database.local);
  removed.set({ text: 'typed' });
  removed.remove();
  removed.close();
  await removed.flush();
  expect(removed.isLetGo()).toBe(false);
  removed.bringBack();
  await removed.flush();
  expect(removed.isLetGo()).toBe(true);
  expect((await database.memory.getDraft('other'))?.text).toBe('typed');
});
