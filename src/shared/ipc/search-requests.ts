/** The requests of the search: part of the contract (`contract.ts`). */
import { z } from 'zod';
import type { FoundText, SearchAnswer, SessionAnswer } from '../search/types';
import { id, request, session } from './request-spec';

const asked = { query: z.string().max(500), exact: z.boolean(), matchCase: z.boolean() };

export const SEARCH_REQUESTS = {
  /** Hits in all sessions, or in one; `place`: those of that place alone are listed. Of each session some hits, behind the first `skip`. */
  all: request<SearchAnswer>()(
    z.strictObject({
      ...asked,
      place: z.enum(['kept', 'summarized', 'branch']).optional(),
      sessionId: id.optional(),
      skip: z.int().min(0).max(20_000).optional(),
    }),
  ),
  /** Hits on the path of a session, to be walked. */
  session: request<SessionAnswer>()(z.strictObject({ ...session, ...asked })),
  /** The text of a message that was found; null if it is gone. */
  text: request<{ found: FoundText | null }>()(z.strictObject({ ...session, entryId: id })),
} as const;
