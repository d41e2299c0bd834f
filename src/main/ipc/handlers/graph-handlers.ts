import type { RequestHandlers } from '@shared/ipc/contract';
import type { AppParts } from './types';

/** What graph and outline ask for beside the stream of the graph itself. */
export function graphHandlers({ host }: AppParts): Pick<RequestHandlers, 'session.search'> {
  return {
    'session.search': ({ sessionId, query }) => host.search(sessionId, query),
  };
}
