import type { InGroup, RequestHandlers, RequestParams, RequestResult } from '@shared/ipc/contract';
import type { AgentSession } from '../session/agent-session';
import type { SessionHost } from '../session/session-host';

type SessionGroup = 'session' | 'queue';

/** What each request of a group does with its live session. */
export type SessionHandlers<G extends SessionGroup> = {
  [K in InGroup<G>]: (
    session: AgentSession,
    params: Omit<RequestParams<`${G}.${K}` & keyof RequestHandlers>, 'sessionId'>,
  ) => Promise<RequestResult<`${G}.${K}` & keyof RequestHandlers>> | RequestResult<`${G}.${K}` & keyof RequestHandlers>;
};

type Bound<G extends SessionGroup> = Pick<RequestHandlers, `${G}.${InGroup<G>}` & keyof RequestHandlers>;

/** Binds the requests of a group to the session that each names, which is loaded if need be: the one place where that is done. */
export function boundSession<G extends SessionGroup>(
  host: Pick<SessionHost, 'session'>,
  group: G,
  handlers: SessionHandlers<G>,
): Bound<G> {
  const bound = Object.entries(handlers).map(([name, handle]) => [
    `${group}.${name}`,
    async ({ sessionId, ...params }: { sessionId: string }) =>
      // The compiler can't follow that the name picks both.
      (handle as (session: AgentSession, params: object) => unknown)(await host.session(sessionId), params),
  ]);
  return Object.fromEntries(bound) as Bound<G>;
}
