import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Client } from '../../../src/renderer/bridge';
import { createSearchStore } from '../../../src/renderer/state/search-store';
import { whyNone } from '../../../src/renderer/features/search/query-field';
import type { SearchHit } from '../../../src/shared/search/types';

const COUNT = 12;
const hit = (at: number): SearchHit => ({
  ...{ entryId: `e${at}`, place: 'kept', author: { kind: 'person', name: '' }, time: 0, text: '', marks: [] },
});
const ASKED = { query: 'kudu', exact: false, matchCase: false };

/** Two sessions with twelve hits each, of which main gives four, and then the rest. */
function bench() {
  const request = vi.fn((_name: string, { sessionId, skip = 0 }: { sessionId?: string; skip?: number }) => {
    const hits = Array.from({ length: COUNT }, (_, at) => hit(at)).slice(skip, skip === 0 ? 4 : COUNT);
    const counts = { kept: COUNT, summarized: 0, branch: 0, reduced: 0 };
    const sessions = (sessionId ? [sessionId] : ['a', 'b']).map((id) => ({ sessionId: id, counts, hits }));
    return Promise.resolve({ sessions, counts, sessionCount: 2, isPartial: false, unread: 0 });
  });
  const store = createSearchStore({ request } as unknown as Client);
  return { store, request, at: () => Object.values(store.state.getState().at ?? {}).join(' ') };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());
const settle = (): Promise<unknown> => vi.advanceTimersByTimeAsync(1_000);

it('SE5: the arrow goes on behind what is listed of a session, through all of its hits', async () => {
  const { store, request, at } = bench();
  store.open({ asked: ASKED });
  await settle();
  const seen: string[] = [];
  for (let step = 0; step < 2 * COUNT; step++) {
    seen.push(at());
    store.step(1);
    // Pressed twice while more is on its way, that comes once.
    if (step === 3) store.step(1);
    await settle();
  }
  expect(new Set(seen).size).toBe(2 * COUNT);
  expect(seen.slice(-1)).toEqual(['b e11']);
  expect(request).toHaveBeenCalledTimes(3);
  store.step(-100);
  expect(at()).toBe('a e0');
});

it('SE5: a page stops at the last hit that is listed before more come', async () => {
  const { store, at } = bench();
  store.open({ asked: ASKED });
  await settle();
  store.step(8);
  expect(at()).toBe('a e3');
  store.step(8);
  await settle();
  expect(at()).toBe('a e4');
});

it('SE5: hits that are put away are passed over, also by what is on its way', async () => {
  const { store, at } = bench();
  store.open({ asked: ASKED });
  await settle();
  store.step(3);
  store.step(1);
  store.fold('a');
  expect(at()).toBe('b e0');
  await settle();
  expect(at()).toBe('b e0');
  store.step(-1);
  expect(at()).toBe('b e0');
  store.fold('a');
  store.step(-1);
  expect(at()).toBe('a e11');
});

it('SE5: opened anew it looks everywhere, in all places', () => {
  const { store } = bench();
  store.open({ asked: ASKED, place: 'branch', sessionId: 'a' });
  expect(store.state.getState()).toMatchObject({ place: 'branch', sessionId: 'a' });
  store.close();
  store.open();
  expect(store.state.getState()).toMatchObject({ asked: ASKED, place: null, sessionId: null });
});

it('SE2: what cannot be found is said why', () => {
  const why = (query: string): string | null => whyNone({ ...ASKED, query });
  expect(why('???')).toContain('letters and digits');
  expect(why('😀')).toContain('letters and digits');
  expect(why(' e ')).toContain('two letters');
  expect(['', 'ab', '馬', 'kudu'].map(why)).toEqual([null, null, null, null]);
});

it('SE5: an answer that comes once somebody types on is none to what they typed', async () => {
  const answers: (() => void)[] = [];
  const request = vi.fn(
    (_name: string, { query }: { query: string }) =>
      new Promise((resolve) => {
        const hits = [{ ...hit(0), entryId: query }];
        const counts = { kept: 1, summarized: 0, branch: 0, reduced: 0 };
        const sessions = [{ sessionId: 'a', counts, hits }];
        answers.push(() => resolve({ sessions, counts, sessionCount: 1, isPartial: false, unread: 1 }));
      }),
  );
  const store = createSearchStore({ request } as unknown as Client);
  store.open({ asked: { ...ASKED, query: 'ku' } });
  await vi.advanceTimersByTimeAsync(0);
  store.ask({ asked: ASKED });
  answers[0]!();
  await vi.advanceTimersByTimeAsync(0);
  expect(store.state.getState()).toMatchObject({ answer: null, at: null, isBusy: true });
  await vi.advanceTimersByTimeAsync(120);
  answers[1]!();
  await vi.advanceTimersByTimeAsync(0);
  expect(store.state.getState()).toMatchObject({ at: { sessionId: 'a', entryId: 'kudu' }, isBusy: false });
});

it('SE1: a hit that is shown again is walked through, another one is not', () => {
  const { store } = bench();
  store.show({ sessionId: 'a', entryId: 'e0' }, 3);
  expect(store.state.getState().shown).toMatchObject({ spot: 0, isWalk: false });
  store.show({ sessionId: 'a', entryId: 'e0' }, 3);
  expect(store.state.getState().shown).toMatchObject({ spot: 1, isWalk: true });
  store.show({ sessionId: 'a', entryId: 'e1' }, 3);
  expect(store.state.getState().shown).toMatchObject({ spot: 0, isWalk: false });
});

it('SE5: while sessions are still read the list stays as long as it was, each hit once, and the keyboard where it is', async () => {
  let added = 0;
  const request = vi.fn((_name: string, { skip = 0 }: { skip?: number }) => {
    const all = Array.from({ length: COUNT + added }, (_, at) => hit(at - added));
    const counts = { kept: all.length, summarized: 0, branch: 0, reduced: 0 };
    const sessions = [{ sessionId: 'a', counts, hits: all.slice(skip, skip + (skip === 0 ? 4 : 5)) }];
    return Promise.resolve({ sessions, counts, sessionCount: 1, isPartial: false, unread: 3 });
  });
  const store = createSearchStore({ request } as unknown as Client);
  const listed = (): string[] => store.state.getState().answer!.sessions[0]!.hits.map(({ entryId }) => entryId);
  store.open({ asked: ASKED });
  await vi.advanceTimersByTimeAsync(200);
  await store.more('a');
  store.step(3);
  expect(store.state.getState().at!.entryId).toBe('e7');
  expect(listed()).toHaveLength(9);
  // One was said meanwhile: what comes next begins with a hit that is listed.
  added = 1;
  await store.more('a');
  expect(listed()).toEqual([...new Set(listed())]);
  await vi.advanceTimersByTimeAsync(1_100);
  expect(listed().slice(0, 2)).toEqual(['e-1', 'e0']);
  expect(listed().length).toBeGreaterThanOrEqual(12);
  store.step(-4);
  const { entryId } = store.state.getState().at!;
  await vi.advanceTimersByTimeAsync(3_000);
  expect(store.state.getState().at!.entryId).toBe(entryId);
});

it('SE5: what is listed stays where asking again by itself fails, and is asked again', async () => {
  let asks = 0;
  const request = vi.fn(() => {
    asks += 1;
    if (asks === 2) return Promise.reject(new Error('The search was cut off. Try again.'));
    const counts = { kept: 1, summarized: 0, branch: 0, reduced: 0 };
    const sessions = [{ sessionId: 'a', counts, hits: [hit(0)] }];
    return Promise.resolve({ sessions, counts, sessionCount: 1, isPartial: false, unread: 3 });
  });
  const store = createSearchStore({ request } as unknown as Client);
  store.open({ asked: ASKED });
  await vi.advanceTimersByTimeAsync(200);
  while (asks < 2) await vi.advanceTimersByTimeAsync(100);
  expect(store.state.getState()).toMatchObject({ answer: { sessions: [{ sessionId: 'a' }] }, problem: null });
  await vi.advanceTimersByTimeAsync(3_000);
  expect(asks).toBeGreaterThan(2);
});
