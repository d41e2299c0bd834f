import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Client } from '../../../src/renderer/bridge';
import { createFindStore } from '../../../src/renderer/state/find-store';
import type { SessionAnswer } from '../../../src/shared/search/types';

const NONE: SessionAnswer = { path: [], branch: 0, forks: [], isPartial: false, isUnread: true };
const ONE: SessionAnswer = { ...NONE, path: [{ entryId: 'e1', place: 'kept' }], isUnread: false };

function bench(...answers: SessionAnswer[]) {
  const request = vi.fn(() => Promise.resolve(answers.length > 1 ? answers.shift() : answers[0]));
  const store = createFindStore({ request } as unknown as Client);
  store.open('s');
  store.ask({ query: 'puffin', exact: false, matchCase: false });
  return { store, request };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('SE1: while the session is not read yet the same is asked again, and its first hit is shown', async () => {
  const { store, request } = bench(NONE, NONE, ONE);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(store.state.getState()).toMatchObject({ answer: ONE, at: 0, steps: 1 });
  expect(request).toHaveBeenCalledTimes(3);
  // Read to its end: nothing is asked again by itself, and what is said later leads nobody away.
  store.again(null);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(store.state.getState().steps).toBe(1);
  expect(request).toHaveBeenCalledTimes(4);
});

it('SE1: once it is closed nothing is asked', async () => {
  const { store, request } = bench(NONE);
  await vi.advanceTimersByTimeAsync(1_000);
  store.close();
  const before = request.mock.calls.length;
  await vi.advanceTimersByTimeAsync(5_000);
  expect(request).toHaveBeenCalledTimes(before);
});

/** A store whose questions are answered when the test says so. */
function openQuestions() {
  const questions: { query: string; answer: (answer: SessionAnswer) => Promise<void> }[] = [];
  const request = (_name: string, { query }: { query: string }) =>
    new Promise((resolve) => {
      const answer = async (given: SessionAnswer): Promise<void> => {
        resolve(given);
        await vi.advanceTimersByTimeAsync(0);
      };
      questions.push({ query, answer });
    });
  const store = createFindStore({ request } as unknown as Client);
  store.open('s');
  return { store, questions };
}

const asked = (query: string) => ({ query, exact: false, matchCase: false });
const hit = (entryId: string): SessionAnswer => ({ ...ONE, path: [{ entryId, place: 'kept' }] });

it('SE1: an answer that comes once somebody types on leads nowhere; the one to what was typed leads to its hit', async () => {
  const { store, questions } = openQuestions();
  store.ask(asked('a'));
  await vi.advanceTimersByTimeAsync(120);
  store.ask(asked('ab'));
  await questions[0]!.answer({ ...hit('old'), isUnread: true });
  expect(store.state.getState()).toMatchObject({ answer: null, steps: 0 });
  // The question that was to come next is not put off by it.
  await vi.advanceTimersByTimeAsync(120);
  expect(questions.map(({ query }) => query)).toEqual(['a', 'ab']);
  await questions[1]!.answer(hit('new'));
  expect(store.state.getState()).toMatchObject({ answer: hit('new'), at: 0, steps: 1 });
});

it('SE1: while the session is read, what was said meanwhile is asked about as soon as ever', async () => {
  const { store, questions } = openQuestions();
  store.ask(asked('a'));
  await vi.advanceTimersByTimeAsync(120);
  store.again(null);
  await questions[0]!.answer({ ...hit('e1'), isUnread: true });
  expect(store.state.getState().steps).toBe(1);
  await vi.advanceTimersByTimeAsync(120);
  expect(questions).toHaveLength(2);
});

it('SE1: only who steps walks: typing leads to hits without opening what texts leave out', async () => {
  const { store } = bench(ONE);
  for (const query of ['pu', 'puf', 'puff']) {
    store.ask(asked(query));
    await vi.advanceTimersByTimeAsync(1_000);
    expect(store.state.getState().isWalk).toBe(false);
  }
  expect(store.state.getState().steps).toBe(3);
  store.step(1, 1);
  expect(store.state.getState()).toMatchObject({ steps: 4, isWalk: true });
  store.again(null);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(store.state.getState()).toMatchObject({ steps: 4, isWalk: true });
  store.ask(asked('puffi'));
  await vi.advanceTimersByTimeAsync(1_000);
  expect(store.state.getState()).toMatchObject({ steps: 5, isWalk: false });
});

it('SE1: a mark leads to its hit, to the first place in it; one that is gone leads nowhere', async () => {
  const path = ['e1', 'e2', 'e3'].map((entryId) => ({ entryId, place: 'kept' as const }));
  const { store } = bench({ ...ONE, path });
  await vi.advanceTimersByTimeAsync(1_000);
  expect(store.state.getState()).toMatchObject({ at: 2, steps: 1 });
  store.go(1);
  expect(store.state.getState()).toMatchObject({ at: 1, spot: 0, steps: 2, isWalk: true });
  store.go(3);
  expect(store.state.getState()).toMatchObject({ at: 1, steps: 2 });
});

it('GR12: where another path is shown that one is asked about, and nobody is led away; what was asked of the other says nothing', async () => {
  const requests: Record<string, unknown>[] = [];
  const request = (_name: string, params: Record<string, unknown>) => {
    requests.push(params);
    return Promise.resolve(params.leafId === 'leaf' ? hit('read') : hit('heads'));
  };
  const store = createFindStore({ request } as unknown as Client);
  store.open('s');
  store.ask(asked('puffin'));
  await vi.advanceTimersByTimeAsync(1_000);
  expect(requests.at(-1)).not.toHaveProperty('leafId');
  store.again('leaf');
  expect(store.state.getState()).toMatchObject({ answer: null, at: -1, steps: 1 });
  await vi.advanceTimersByTimeAsync(1_000);
  expect(requests.at(-1)).toMatchObject({ leafId: 'leaf', query: 'puffin' });
  expect(store.state.getState()).toMatchObject({ answer: hit('read'), at: 0, steps: 1 });
  store.again(null);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(requests.at(-1)).not.toHaveProperty('leafId');
  expect(store.state.getState()).toMatchObject({ answer: hit('heads'), steps: 1 });
});
