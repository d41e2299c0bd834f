import { z } from 'zod';
import { MAX_INSTRUCTION_CHARS } from '../limits';
import type { WordsView } from '../words';
import { id, request } from './request-spec';

/** What is told to models besides what is said in a session: part of the contract (`contract.ts`). */
export const WORD_REQUESTS = {
  /** With a session: of its workspace too. */
  get: request<WordsView>()(z.strictObject({ sessionId: id.optional() })),
  /** With a session: for its workspace; without: everywhere. It counts from the next run on. */
  set: request<void>()(z.strictObject({ sessionId: id.optional(), text: z.string().max(MAX_INSTRUCTION_CHARS) })),
};
