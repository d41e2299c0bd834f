/** Finding in the session that is shown: what is asked, which hits its path has, at which one the person is. */
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { Asked, SessionAnswer } from '@shared/search/types';
import { toAppError, type Client } from '../bridge';

/** After the last key, or the last thing that was said. */
const PAUSE_MS = 120;
/** While the session is still being read the same is asked again. */
const AGAIN_MS = 500;

interface FindState {
  /** The session in which it is open; null: nowhere. */
  sessionId: string | null;
  /** The end of the path that is read, which is walked then (GR12); null: HEAD's path is. */
  leafId: string | null;
  asked: Asked;
  answer: SessionAnswer | null;
  problem: string | null;
  /** Place in `answer.path`; -1: at none. */
  at: number;
  /** The place within that entry, from 0; `Infinity`: its last one. */
  spot: number;
  /** Counts up with each step, also with one to where it is. */
  steps: number;
  /** The person took the last step: they go from place to place. */
  isWalk: boolean;
}

export interface FindStore {
  readonly state: StoreApi<FindState>;
  open(sessionId: string): void;
  close(): void;
  /** Another question. */
  ask(asked: Asked): void;
  /** The same once more: the session has changed, or another of its paths is shown. Leads nowhere. */
  again(leafId: string | null): void;
  /**
   * To the next place that was found, or the one before: of the entry at which it is, `spots` of which are drawn, then of the next hit; from
   * the last to the first.
   */
  step(by: 1 | -1, spots: number): void;
  /** To a hit of the path by its place in `answer.path`: the first place in it. */
  go(at: number): void;
  stop(): void;
}

const NOTHING: Asked = { query: '', exact: false, matchCase: false };

export function createFindStore(client: Client): FindStore {
  const state = createStore<FindState>(() => ({
    ...{ sessionId: null, leafId: null, asked: NOTHING, answer: null, problem: null, at: -1, spot: Infinity },
    ...{ steps: 0, isWalk: false },
  }));
  let timer: ReturnType<typeof setTimeout> | undefined;
  let asks = 0;

  /** Whoever asked has not been led to a hit yet. */
  let isNew = false;

  function later(ms: number): void {
    clearTimeout(timer);
    timer = setTimeout(() => {
      timer = undefined;
      void run();
    }, ms);
  }

  /** What is still on its way answers another question: it leads nowhere, and uses up no lead. */
  function anew(): void {
    isNew = true;
    asks += 1;
    state.setState({ isWalk: false });
    later(PAUSE_MS);
  }

  async function run(): Promise<void> {
    const mine = ++asks;
    const { sessionId, leafId, asked } = state.getState();
    if (sessionId === null) return;
    if (asked.query.trim() === '') return state.setState({ answer: null, problem: null, at: -1 });
    try {
      const answer = await client.request('search.session', {
        sessionId,
        ...asked,
        ...(leafId === null ? {} : { leafId }),
      });
      if (mine !== asks) return;
      state.setState((before) => {
        const here = before.answer?.path[before.at]?.entryId;
        const same = here === undefined ? -1 : answer.path.findIndex(({ entryId }) => entryId === here);
        // People read at the end: what was said last is found first.
        const at = same >= 0 ? same : answer.path.length - 1;
        const isStep = isNew && at >= 0;
        if (isStep) isNew = false;
        const spot = same >= 0 && !isStep ? before.spot : Infinity;
        const step = isStep ? { steps: before.steps + 1, isWalk: false } : {};
        return { answer, problem: null, at, spot, ...step };
      });
      // What is to be asked sooner is not put off.
      if (answer.isUnread && timer === undefined) later(AGAIN_MS);
    } catch (cause) {
      if (mine === asks) state.setState({ answer: null, at: -1, problem: toAppError(cause).message });
    }
  }

  return {
    state,
    open(sessionId) {
      const { sessionId: before } = state.getState();
      if (before !== sessionId) state.setState({ sessionId, leafId: null, answer: null, at: -1, problem: null });
      anew();
    },
    close() {
      clearTimeout(timer);
      asks += 1;
      state.setState({ sessionId: null, answer: null, at: -1 });
    },
    ask(asked) {
      state.setState({ asked });
      anew();
    },
    again(leafId) {
      // What the other path had is not to be walked in this one.
      if (state.getState().leafId !== leafId) {
        state.setState({ leafId, answer: null, at: -1, problem: null });
        asks += 1;
      }
      later(PAUSE_MS);
    },
    step: (by, spots) =>
      state.setState(({ answer, at, spot, steps }) => {
        const count = answer?.path.length ?? 0;
        if (count === 0) return {};
        const step = { steps: steps + 1, isWalk: true };
        const next = Math.min(spot, spots - 1) + by;
        if (next >= 0 && next < spots) return { spot: next, ...step };
        return { at: (at + by + count) % count, spot: by > 0 ? 0 : Infinity, ...step };
      }),
    go: (at) =>
      state.setState(({ answer, steps }) => (answer?.path[at] ? { at, spot: 0, steps: steps + 1, isWalk: true } : {})),
    stop: () => clearTimeout(timer),
  };
}
