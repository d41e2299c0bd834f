import { z } from 'zod';
import type { SlashCommand } from '../slash';
import { asked, id, request, session } from './request-spec';

/** What a person says in a session, and what they can say there: part of the contract (`contract.ts`). */

const attachment = z.strictObject({
  kind: z.enum(['image', 'text']),
  name: z.string().max(300),
  mimeType: z.string().max(100),
  data: z.string().max(30_000_000),
});

export const PROMPT_REQUESTS = {
  /** `isDone`: it was a command that needs no message (`command`); there will be none of this id. */
  prompt: request<{ queued: boolean; itemId: string; isDone?: true }>()(
    z.strictObject({
      ...session,
      itemId: id,
      text: z.string().max(5_000_000),
      attachments: z.array(attachment).max(20),
      mode: z.enum(['steer', 'followUp']),
      /** The text is one of `session.commands`: what that makes of it is sent. */
      command: z.literal(true).optional(),
      /** The message begins a branch behind this entry, null: anew; absent: it is for HEAD (BR4, GR13). */
      parentId: id.nullable().optional(),
      /** With `parentId`: a summary of what stays behind is taken along. */
      summary: z.strictObject({ instructions: asked.instructions }).optional(),
      /** With `parentId`: the message that it is another version of; absent: the branch is one of its own (GR5). */
      versionOf: id.optional(),
    }),
  ),
  /** What can be typed behind a slash besides the app's own commands (CM3). */
  commands: request<{ commands: SlashCommand[] }>()(z.strictObject(session)),
};
