/** The search of all sessions: what is asked, what was answered, which hit the keyboard is on. Knows nothing of the page. */
import { createStore, type StoreApi } from 'zustand/vanilla';
import {
  type Asked,
  type Place,
  type SearchAnswer,
  type SearchHit,
  type SessionHits,
  sumOf,
  type Writer,
} from '@shared/search/types';
import { toAppError, type Client } from '../bridge';

/** After the last key. */
const TYPING_MS = 120;
/** While sessions are still being read the answer is asked for again. */
const AGAIN_MS = 1_000;

export interface HitRef {
  sessionId: string;
  entryId: string;
}

/** How far back hits may be, in days. */
export const DAYS = [1, 7, 30, 365] as const;
const DAY_MS = 86_400_000;

/** What hits must have besides words and place; null: anything. */
export interface SearchFilters {
  /** That of this session: the page names no paths. */
  folder: string | null;
  writer: Writer | null;
  days: (typeof DAYS)[number] | null;
}

export const NO_FILTERS: SearchFilters = { folder: null, writer: null, days: null };

export interface SearchState {
  isOpen: boolean;
  asked: Asked;
  /** Hits of this place alone are listed. */
  place: Place | null;
  /** Of this session alone. */
  sessionId: string | null;
  filters: SearchFilters;
  answer: SearchAnswer | null;
  isBusy: boolean;
  problem: string | null;
  /** Sessions whose hits are put away. */
  folded: ReadonlySet<string>;
  /** The hit that Enter acts on; never one that is put away. */
  at: HitRef | null;
  /** The hit that the transcript shows, the place within it, how often one was shown; `isWalk`: the person goes on within it. */
  shown: (HitRef & { spot: number; steps: number; isWalk: boolean }) | null;
}

const NOTHING: Asked = { query: '', exact: false, matchCase: false };

const CLOSED: SearchState = {
  ...{ isOpen: false, asked: NOTHING, place: null, sessionId: null, filters: NO_FILTERS, answer: null },
  ...{ isBusy: false, problem: null, folded: new Set<string>(), at: null, shown: null },
};

export type Question = Partial<Pick<SearchState, 'asked' | 'place' | 'sessionId' | 'filters'>>;

export interface SearchStore {
  readonly state: StoreApi<SearchState>;
  /** Shows the panel, with what was asked last, or with this. */
  open(question?: Question): void;
  close(): void;
  /** Another question; its answer comes once nobody types. */
  ask(question: Question): void;
  /** Lists more hits of a session. */
  more(sessionId: string): Promise<void>;
  /** Puts the hits of a session away, or shows them again. */
  fold(sessionId: string): void;
  /** The keyboard goes some hits on; behind the last one that is listed of a session more of them come. */
  step(by: number): void;
  /** The transcript shows a hit; the same again: the next place in it, of `spots` that are drawn. */
  show(hit: HitRef, spots: number): void;
  stop(): void;
}

export function createSearchStore(client: Client): SearchStore {
  const state = createStore<SearchState>(() => CLOSED);
  let timer: ReturnType<typeof setTimeout> | undefined;
  let asks = 0;

  function later(ms: number, isRepeat = false): void {
    clearTimeout(timer);
    timer = setTimeout(() => void run(isRepeat), ms);
  }

  /** Another question: what is still on its way answers none that anybody has. */
  function anew(ms: number): void {
    asks += 1;
    later(ms);
  }

  /** @param isRepeat the same question, because sessions were still being read */
  async function run(isRepeat = false): Promise<void> {
    const { asked, place, sessionId, filters, isOpen } = state.getState();
    if (!isOpen) return;
    // More of it is on its way: that goes first.
    if (isRepeat && fetching.size > 0) return later(AGAIN_MS, true);
    const mine = ++asks;
    if (asked.query.trim() === '') return state.setState({ answer: null, isBusy: false, problem: null, at: null });
    state.setState({ isBusy: true });
    try {
      const answer = await client.request('search.all', {
        ...asked,
        ...(place === null ? {} : { place }),
        ...(sessionId === null ? {} : { sessionId }),
        ...askedOf(filters),
      });
      if (mine !== asks) return;
      const { at, answer: before } = state.getState();
      if (isRepeat && before) return await goOn(mine, before, answer);
      state.setState({ answer, isBusy: false, problem: null, at: atIn(answer, at) });
      if (answer.unread > 0) later(AGAIN_MS, true);
    } catch (cause) {
      if (mine !== asks) return;
      // What is listed is still so: nobody asked.
      if (isRepeat && state.getState().answer) {
        state.setState({ isBusy: false });
        return later(AGAIN_MS, true);
      }
      state.setState({ answer: null, isBusy: false, problem: toAppError(cause).message, at: null });
    }
  }

  /** Hits that are listed, and not put away. */
  function listedIn(answer: SearchAnswer): HitRef[] {
    const { folded } = state.getState();
    return hitsIn(answer).filter(({ sessionId }) => !folded.has(sessionId));
  }

  /** The hit that the keyboard is on where there is another answer: the same, or the first. */
  function atIn(answer: SearchAnswer, at: HitRef | null): HitRef | null {
    const hits = listedIn(answer);
    return at !== null && hits.some((hit) => isSame(hit, at)) ? at : (hits[0] ?? null);
  }

  /** Takes the newer answer to a question, with as many hits of each session as were listed and the keyboard where it is. */
  async function goOn(mine: number, before: SearchAnswer, answer: SearchAnswer): Promise<void> {
    const { asked, place, filters } = state.getState();
    const wanted = (sessionId: string): number =>
      before.sessions.find((one) => one.sessionId === sessionId)?.hits.length ?? 0;
    const sessions = await Promise.all(
      answer.sessions.map(async (group) => {
        const { sessionId } = group;
        const hits = [...group.hits];
        while (hits.length < wanted(sessionId) && hits.length < countOf(group, place)) {
          const { sessions: more } = await client.request('search.all', {
            ...{ ...asked, sessionId, skip: hits.length },
            ...(place === null ? {} : { place }),
            ...askedOf(filters),
          });
          const added = more[0]?.hits ?? [];
          if (added.length === 0) break;
          hits.push(...added);
        }
        return { ...group, hits: unlike(hits) };
      }),
    );
    if (mine !== asks) return;
    const { at, answer: now } = state.getState();
    // More was listed meanwhile.
    if (now !== before) return later(0, true);
    const next = { ...answer, sessions };
    state.setState({ answer: next, isBusy: false, problem: null, at: atIn(next, at) });
    if (answer.unread > 0) later(AGAIN_MS, true);
  }

  /** Sessions of which more is being fetched. */
  const fetching = new Set<string>();

  async function more(sessionId: string): Promise<void> {
    if (fetching.has(sessionId)) return;
    fetching.add(sessionId);
    await addMore(sessionId);
    fetching.delete(sessionId);
  }

  async function addMore(sessionId: string): Promise<void> {
    const mine = asks;
    const { asked, place, filters, answer } = state.getState();
    const skip = answer?.sessions.find((group) => group.sessionId === sessionId)?.hits.length ?? 0;
    try {
      const { sessions } = await client.request('search.all', {
        ...{ ...asked, sessionId, skip },
        ...(place === null ? {} : { place }),
        ...askedOf(filters),
      });
      const { answer: now } = state.getState();
      if (mine !== asks || !now) return;
      const added = sessions[0]?.hits ?? [];
      const grown = now.sessions.map((group) =>
        group.sessionId === sessionId ? { ...group, hits: unlike([...group.hits, ...added]) } : group,
      );
      const { folded, at } = state.getState();
      const next = added[0] && !folded.has(sessionId) ? refOf(sessionId, added[0]) : at;
      state.setState({ answer: { ...now, sessions: grown }, at: next });
    } catch (cause) {
      if (mine === asks) state.setState({ problem: toAppError(cause).message });
    }
  }

  function show(hit: HitRef, spots: number): void {
    const { shown } = state.getState();
    const isWalk = shown !== null && isSame(shown, hit);
    const spot = isWalk && shown.spot + 1 < spots ? shown.spot + 1 : 0;
    state.setState({ shown: { ...hit, spot, steps: (shown?.steps ?? 0) + 1, isWalk } });
  }

  return {
    state,
    more,
    show,
    open(question) {
      // Opened anew it looks everywhere: what an earlier question left out is in nobody's mind.
      const everywhere = state.getState().isOpen
        ? {}
        : { place: null, sessionId: null, filters: NO_FILTERS, folded: new Set<string>() };
      state.setState({ isOpen: true, ...everywhere, ...question });
      anew(0);
    },
    close() {
      clearTimeout(timer);
      asks += 1;
      state.setState({ isOpen: false, isBusy: false, shown: null });
    },
    ask(question) {
      state.setState({ ...question, shown: null });
      anew(TYPING_MS);
    },
    fold(sessionId) {
      const { folded, answer, at } = state.getState();
      const next = new Set(folded);
      if (!next.delete(sessionId)) next.add(sessionId);
      state.setState({ folded: next });
      if (answer) state.setState({ at: atIn(answer, at) });
    },
    step(by) {
      const { answer, at, place } = state.getState();
      const hits = answer ? listedIn(answer) : [];
      const from = at ? hits.findIndex((hit) => isSame(hit, at)) : -1;
      const group = answer?.sessions.find(({ sessionId }) => sessionId === at?.sessionId);
      const last = hits.findLastIndex(({ sessionId }) => sessionId === at?.sessionId);
      if (group && restOf(group, place) > 0 && from + by > last) {
        if (from === last) void more(group.sessionId);
        else state.setState({ at: hits[last] ?? at });
        return;
      }
      const next = hits[Math.min(hits.length - 1, Math.max(0, from + by))];
      if (next) state.setState({ at: next });
    },
    stop: () => clearTimeout(timer),
  };
}

/** Filters as a request has them. */
function askedOf({ folder, writer, days }: SearchFilters): { beside?: string; writer?: Writer; since?: number } {
  return {
    ...(folder === null ? {} : { beside: folder }),
    ...(writer === null ? {} : { writer }),
    ...(days === null ? {} : { since: Math.max(0, Date.now() - days * DAY_MS) }),
  };
}

export const isSame = (a: HitRef, b: HitRef): boolean => a.sessionId === b.sessionId && a.entryId === b.entryId;

const refOf = (sessionId: string, { entryId }: SearchHit): HitRef => ({ sessionId, entryId });

function hitsIn({ sessions }: SearchAnswer): HitRef[] {
  return sessions.flatMap(({ sessionId, hits }) => hits.map((hit) => refOf(sessionId, hit)));
}

/** A hit of the answer, and the session that it is of. */
export function hitAt({ answer, at }: SearchState): SearchHit | null {
  if (!answer || !at) return null;
  const group = answer.sessions.find(({ sessionId }) => sessionId === at.sessionId);
  return group?.hits.find(({ entryId }) => entryId === at.entryId) ?? null;
}

/** Each hit once: the list grew while more of it came. */
function unlike(hits: readonly SearchHit[]): SearchHit[] {
  return [...new Map(hits.map((hit) => [hit.entryId, hit])).values()];
}

function countOf({ counts }: SessionHits, place: Place | null): number {
  return place === null ? sumOf(counts) : counts[place];
}

/** How many hits of a session are not listed. */
export function restOf(group: SessionHits, place: Place | null): number {
  return Math.max(0, countOf(group, place) - group.hits.length);
}
