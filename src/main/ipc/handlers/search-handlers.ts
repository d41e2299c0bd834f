import type { RequestHandlers } from '@shared/ipc/contract';
import type { AppParts } from './types';

/** Hits of each session that are listed at first, and that a press on the rest brings. */
const FIRST_HITS = 4;
const MORE_HITS = 25;

/** What is looked for in all sessions, and in one. */
export function searchHandlers({
  search,
}: AppParts): Pick<RequestHandlers, Extract<keyof RequestHandlers, `search.${string}`>> {
  return {
    'search.all': ({ place = null, skip = 0, ...asked }) =>
      search.all({ ...asked, place, skip, most: skip === 0 ? FIRST_HITS : MORE_HITS }),
    'search.session': ({ sessionId, ...asked }) => search.inSession(sessionId, asked),
    'search.text': async ({ sessionId, entryId }) => ({ found: await search.text(sessionId, entryId) }),
  };
}
