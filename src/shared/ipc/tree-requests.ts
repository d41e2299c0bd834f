import { z } from 'zod';
import type { PinList } from '../compaction/pin-list';
import {
  MOST_EXCERPTS,
  PLACES,
  type SearchAnswer,
  type SessionAnswer,
  type TreeAnswer,
  type TreeExcerpt,
} from '../search/types';
import type { BranchVersion } from '../session/tree/destination';
import { asked, id, request, session } from './request-spec';
import type { BranchPreview, BringOverPreview, GoAnswer, MadeSession, NavigateResult } from './tree-types';

/** The requests of a session about its branches, and those of the search: parts of the contract (`contract.ts`). */

/** null: before the first entry. */
const target = id.nullable();

export const BRANCH_REQUESTS = {
  /** Goes to another point of the tree (BR1): resolves when the leaf has moved, was left where it was, or with a question. */
  go: request<GoAnswer>()(
    z.strictObject({
      ...session,
      targetId: target,
      /** The target itself becomes the leaf, a user message too, and nothing returns to the composer. */
      exact: z.boolean().optional(),
      /** What becomes of the work that is left; absent: it is asked about if there is any (BR3). */
      choice: z
        .strictObject({
          summarize: z.boolean(),
          instructions: asked.instructions,
          replaceInstructions: asked.replaceInstructions,
          model: asked.model,
        })
        .optional(),
      /** It is asked about even where `branchSummary.skipPrompt` says not to. */
      asks: z.boolean().optional(),
      label: z.string().max(200).optional(),
    }),
  ),
  /** Where a branch from a target would begin, and what would stay behind (BR4). `versionOf`: of a message it is another version. */
  branchPreview: request<BranchPreview>()(
    z.strictObject({ ...session, targetId: target, exact: z.boolean().optional(), versionOf: id.optional() }),
  ),
  bringOverPreview: request<BringOverPreview>()(z.strictObject({ ...session, sourceId: id, targetId: id })),
  /** Resolves when the summary stands at the target, or nothing has changed. It waits for `session.answerReview`. */
  bringOver: request<NavigateResult>()(
    z.strictObject({
      ...session,
      sourceId: id,
      targetId: id,
      instructions: asked.instructions,
      model: asked.model,
    }),
  ),
  /** Empty clears (TR8). */
  label: request<void>()(z.strictObject({ ...session, entryId: id, label: z.string().max(200) })),
  /** Pins messages or lets go of them: all or none (PN1, PN3). */
  pin: request<void>()(z.strictObject({ ...session, entryIds: z.array(id).min(1).max(200), pinned: z.boolean() })),
  /** What is pinned on the path, and what it takes. */
  pins: request<PinList>()(z.strictObject(session)),
  /** Hides the branch below an entry from graph and outline, or shows it again; never from the model. */
  setBranchArchived: request<void>()(z.strictObject({ ...session, entryId: id, archived: z.boolean() })),
  /** `/clear`: the leaf goes before the first entry, the tree stays. */
  clear: request<void>()(z.strictObject(session)),
  /** A new session of the path to an entry; without one, of the whole active path (HF3). */
  fork: request<MadeSession>()(z.strictObject({ ...session, entryId: id.optional() })),
  /** Drafts the first message of a new session from this one, which stays as it is (HF1). */
  handoff: request<MadeSession | null>()(
    z.strictObject({ ...session, goal: z.string().max(50_000), model: asked.model }),
  ),
  /** The versions beside an entry, in order, hidden branches left out. */
  versions: request<{ versions: BranchVersion[] }>()(z.strictObject({ ...session, entryId: id })),
  /** Entries of any branch whose text holds the words, newest first. */
  search: request<{ entryIds: string[]; isPartial: boolean }>()(
    z.strictObject({ ...session, query: z.string().max(500) }),
  ),
} as const;

const query = { query: z.string().max(500), exact: z.boolean(), matchCase: z.boolean() };

export const SEARCH_REQUESTS = {
  /**
   * Hits in all sessions, or in one; `place`: those of that place alone are listed. Of each session some hits, behind the first `skip`.
   * Neither counted nor listed: sessions of other folders than that of the session `beside`, what others than `writer` wrote, what is older than `since` (Unix
   * milliseconds).
   */
  all: request<SearchAnswer>()(
    z.strictObject({
      ...query,
      place: z.enum(PLACES).optional(),
      sessionId: id.optional(),
      beside: id.optional(),
      writer: z.enum(['you', 'agent', 'tool']).optional(),
      since: z.number().min(0).optional(),
      skip: z.int().min(0).max(20_000).optional(),
    }),
  ),
  /** Hits on the path of a session, to be walked: HEAD's, or the one to `leafId`, which is read. */
  session: request<SessionAnswer>()(z.strictObject({ ...session, ...query, leafId: id.optional() })),
  /** Entries of all branches of a session with the words, phrases first (GR19). */
  tree: request<TreeAnswer>()(z.strictObject({ ...session, query: query.query })),
  /** Excerpts of some of them; what can't be read is left out. */
  excerpts: request<{ excerpts: TreeExcerpt[] }>()(
    z.strictObject({
      ...session,
      query: query.query,
      hits: z.array(z.strictObject({ entryId: id, seq: z.int().min(0), exact: z.boolean() })).max(MOST_EXCERPTS),
    }),
  ),
} as const;
