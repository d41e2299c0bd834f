import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Client } from '../../../src/renderer/bridge';
import { createFindStore } from '../../../src/renderer/state/find-store';
import type { SessionAnswer } from '../../../src/shared/search/types';

const NONE: SessionAnswer = { path: [], branch: 0, isPartial: false, isUnread: true };
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
  store.again();
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
