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
