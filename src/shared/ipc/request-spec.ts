import { z } from 'zod';
import { MAX_ID_LENGTH } from '../record-limits';

/** A request: schema of its parameters, and (type only) its result. */
export interface RequestSpec<P extends z.ZodType, R> {
  params: P;
  result?: R;
}
export function request<R>() {
  return <P extends z.ZodType>(params: P): RequestSpec<P, R> => ({ params });
}

export const id = z.string().min(1).max(MAX_ID_LENGTH);
/** Who writes a summary, chosen for this one job. */
export const summaryModel = z.strictObject({ provider: id, modelId: id });
export const session = { sessionId: id };
