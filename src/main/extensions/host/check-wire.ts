import { z } from 'zod';
import type { WireRegistrations, WireReply } from '../process/wire';

/** What a process says is checked before it is used: code of extensions runs in it. */

const name = z.string().min(1).max(200);
const text = z.string().max(100_000);

const tool = z.object({
  name: z.string().regex(/^[\w-]{1,128}$/),
  label: z.string().max(200),
  description: text,
  parameters: z.record(z.string(), z.unknown()),
  promptSnippet: text.optional(),
  promptGuidelines: z.array(text).max(100).optional(),
  isSequential: z.boolean(),
  isPrepared: z.boolean(),
  isOff: z.boolean(),
  readOnlyHint: z.boolean(),
});

const registrations = z.object({
  handlers: z.array(z.object({ id: z.int(), event: name })).max(500),
  tools: z.array(tool).max(500),
  commands: z.array(z.object({ name, description: z.string().max(2_000) })).max(500),
  providers: z.array(z.object({ id: name, config: z.record(z.string(), z.unknown()) })).max(500),
  draws: z.object({ tools: z.array(name).max(500), types: z.array(name).max(500) }),
});

const reply = z.object({ result: z.unknown(), changed: z.record(z.string(), z.unknown()).optional() });

/** Throws in words where it is something else. */
export function checkRegistrations(value: unknown): WireRegistrations {
  const checked = registrations.safeParse(value);
  if (checked.success) return checked.data as WireRegistrations;
  const [issue] = checked.error.issues;
  throw new Error(`What it registers can’t be used: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`.trim());
}

export function checkReply(value: unknown): WireReply {
  return reply.parse(value) as WireReply;
}

const asked = z.object({
  sessionId: name,
  extensionId: name,
  method: name,
  args: z.array(z.unknown()).max(20),
});

/** A call or message of one extension. Null: it is none. */
export function checkAsked(value: unknown): z.infer<typeof asked> | null {
  const checked = asked.safeParse(value);
  return checked.success ? checked.data : null;
}
