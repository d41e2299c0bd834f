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
    const counts = { kept: COUNT, summarized: 0, branch: 0 };
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
        const counts = { kept: 1, summarized: 0, branch: 0 };
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
