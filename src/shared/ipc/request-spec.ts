import { z } from 'zod';
import { MAX_ID_LENGTH } from '../record-limits';
import type { SummaryInstructions } from '../compaction/summary-job';

/** A request: schema of its parameters, and (type only) its result. */
export interface RequestSpec<P extends z.ZodType, R> {
  params: P;
  result?: R;
}
export function request<R>() {
  return <P extends z.ZodType>(params: P): RequestSpec<P, R> => ({ params });
}

export const id = z.string().min(1).max(MAX_ID_LENGTH);
export const session = { sessionId: id };
/**
 * What is exported: the session's bytes, those that it was imported from, or a copy for reading (SF26): the path to `leafId` (absent: to
 * HEAD), or all branches.
 */
export const EXPORT = z.strictObject({
  ...session,
  as: z.enum(['session', 'original', 'markdown', 'page']),
  of: z.enum(['path', 'tree']).optional(),
  leafId: id.optional(),
});
export type ExportForm = z.infer<typeof EXPORT>['as'];
/** `SummaryInstructions` as they cross: each request takes those that make sense for it. */
export const asked = {
  instructions: z.string().max(50_000).optional(),
  replaceInstructions: z.boolean().optional(),
  model: z.strictObject({ provider: id, modelId: id }).optional(),
  /** The summary waits for `session.answerReview`; absent: `compaction.reviewBeforeCommit` decides. */
  review: z.boolean().optional(),
  /** Refused if the session can't be cut there. */
  cutAt: id.optional(),
} satisfies Record<keyof SummaryInstructions, z.ZodType>;
