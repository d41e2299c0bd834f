import type { Client } from '../bridge';
import type { AppEvent, RequestName, RequestParams, RequestResult } from '@shared/ipc/contract';
import type { SessionEvent } from '@shared/session-state/events';

/** What waits for what: events for a snapshot, requests for those before them, long work for all else. */

/** Keeps snapshots and events in order: main's answers and its events take different ways and can overtake each other. */
interface EventOrder {
  /** Applies an event, unless it stands in the snapshot already. `batch` is the number of its batch. */
  accept(event: AppEvent, batch: number): void;
  /**
   * Reads a snapshot, hands it to `take`, and applies again what came meanwhile and is newer than it.
   * @returns false when a newer read has begun meanwhile: then this one, or its failure, no longer matters.
   */
  read<S extends { nextBatch: number }>(request: () => Promise<S>, take: (snapshot: S) => void): Promise<boolean>;
}

/** `apply` changes the state by one event. */
export function createEventOrder(apply: (event: AppEvent) => void): EventOrder {
  let turn = 0;
  /** Events of earlier batches stand in the snapshot. */
  let firstBatch = 0;
  /** What came while a snapshot was on its way: some of it may be newer. */
  let early: { event: AppEvent; batch: number }[] | null = null;

  function accept(event: AppEvent, batch: number): void {
    if (batch < firstBatch) return;
    early?.push({ event, batch });
    apply(event);
  }

  return {
    accept,
    async read(request, take) {
      const mine = ++turn;
      early = [];
      try {
        const snapshot = await request();
        if (mine !== turn) return false;
        take(snapshot);
        firstBatch = snapshot.nextBatch;
        const waiting = early;
        early = null;
        for (const { event, batch } of waiting) accept(event, batch);
        return true;
      } catch (cause) {
        if (mine !== turn) return false;
        early = null;
        throw cause;
      }
    },
  };
}

const APP_EVENTS: Record<Exclude<AppEvent, SessionEvent>['type'], true> = {
  sessions_changed: true,
  session_removed: true,
  session_reloaded: true,
  copies_differ: true,
  notice: true,
  notice_over: true,
  settings_changed: true,
  models_changed: true,
  command: true,
  attend: true,
  closing: true,
  trust_changed: true,
  commands_changed: true,
  extensions_changed: true,
  extension_notice: true,
  extension_text: true,
  extension_typed: true,
  extension_frame: true,
  mcp_changed: true,
  imports_changed: true,
  storage_state: true,
};

/** Whether it is one of those that a session numbers (EV5): by its type, because one that came without a number is to be noticed. */
export function isOfSession(event: AppEvent): event is SessionEvent {
  return !(event.type in APP_EVENTS);
}

/** Requests that leave in the order in which the person made them. */
interface Order {
  readonly client: Client;
  /**
   * What is asked about a session waits, behind what waits already, until that is over: a message is stored before it leaves, and Stop
   * is not to reach main before it. Resolves when it is its turn.
   */
  hold(sessionId: string, until: Promise<unknown>): Promise<void>;
}

/** Puts the requests of a client in order, session by session. A request about no session never waits. */
export function inOrder(client: Client): Order {
  const held = new Map<string, Promise<void>>();
  return {
    client: {
      ...client,
      request<N extends RequestName>(name: N, params: RequestParams<N>): Promise<RequestResult<N>> {
        const turn = held.get((params as { sessionId?: string }).sessionId ?? '');
        // What is shown is told main at once.
        return turn && !name.startsWith('app.')
          ? turn.then(() => client.request(name, params))
          : client.request(name, params);
      },
    },
    hold(sessionId, until) {
      const before = held.get(sessionId) ?? Promise.resolve();
      const turn = Promise.allSettled([before, until]).then(() => {
        if (held.get(sessionId) === turn) held.delete(sessionId);
      });
      held.set(sessionId, turn);
      return turn;
    },
  };
}

/** Lets the window do what else it has to, in the middle of long work. */
export const nextTask = (): Promise<void> =>
  new Promise((resolve) => {
    // A timer that follows timers waits for four milliseconds.
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });

/** Milliseconds at a stretch: with what one piece takes, no frame comes late. */
const STRETCH = 8;

/** Goes through long work piece by piece and lets the window do what else it has to. False if `isOver` said so on the way. */
export async function inPieces(work: Iterable<unknown>, isOver: () => boolean): Promise<boolean> {
  let since = performance.now();
  for (const _ of work) {
    if (performance.now() - since < STRETCH) continue;
    await nextTask();
    if (isOver()) return false;
    since = performance.now();
  }
  return true;
}
