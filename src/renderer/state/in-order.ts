import type { RequestName, RequestParams, RequestResult } from '@shared/ipc/contract';
import type { Client } from '../bridge';

/** Requests that leave in the order in which the person made them. */
export interface Order {
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
