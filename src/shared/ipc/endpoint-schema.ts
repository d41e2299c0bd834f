import { z } from 'zod';

/** An endpoint as a form gives it and as it is stored. */
export const ENDPOINT = z.strictObject({
  id: z.string().regex(/^[a-z0-9-]{1,40}$/),
  name: z.string().min(1).max(80),
  api: z.enum(['openai-completions', 'openai-responses', 'anthropic-messages']),
  baseUrl: z.string().min(1).max(2000),
  headers: z.record(z.string().min(1).max(200), z.string().max(8000)),
  models: z
    .array(
      z.strictObject({
        id: z.string().min(1).max(200),
        name: z.string().max(200).optional(),
        contextWindow: z.int().min(0).max(100_000_000),
        maxTokens: z.int().min(1).max(10_000_000),
        images: z.boolean(),
        reasoning: z.boolean(),
      }),
    )
    .max(200),
});
