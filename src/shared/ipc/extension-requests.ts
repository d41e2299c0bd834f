import { z } from 'zod';
import { type ExtensionAnswer, type ExtensionCompletion, MAX_ANSWER_CHARS, MAX_COMPOSER_CHARS } from '../extensions/ui';
import { TERMINAL, type TerminalFrame } from '../extensions/terminal';
import type { ExtensionList, ExtensionMode } from '../extensions/view';
import { id, request, session } from './request-spec';

/** Of all extensions, and of what they ask in sessions (EX16, EX17). */
export const EXTENSION_REQUESTS = {
  list: request<ExtensionList>()(z.strictObject({})),
  /** On: main asks the person in its own window. */
  setEnabled: request<void>()(z.strictObject({ extensionId: id, enabled: z.boolean() })),
  setMode: request<void>()(
    z.strictObject({ extensionId: id, mode: z.enum(['tui', 'rpc']) satisfies z.ZodType<ExtensionMode> }),
  ),
  /** Of one, or of all. */
  reload: request<void>()(z.strictObject({ extensionId: id.optional() })),
  /** Opens the system's file manager: where one lies, or the person's own folder for them. */
  openFolder: request<void>()(z.strictObject({ extensionId: id.optional() })),
  /** The answer to an open question; one that is over is refused. */
  answer: request<void>()(
    z.strictObject({
      ...session,
      questionId: id,
      answer: z
        .union([z.string().max(MAX_ANSWER_CHARS), z.boolean(), z.int().min(0).max(100_000)])
        .nullable() satisfies z.ZodType<ExtensionAnswer>,
    }),
  ),
  /** What the person types in a terminal view: as a terminal sends it. */
  type: request<void>()(z.strictObject({ ...session, viewId: id, input: z.string().max(TERMINAL.maxInput) })),
  /** What an extension draws of an entry, or of one side of a call; null: nothing. `name`: the tool's, or the entry's type. */
  drawn: request<TerminalFrame | null>()(
    z.strictObject({
      ...session,
      name: z.string().max(200),
      of: z.enum(['call', 'result', 'entry']),
      drawnId: z.string().max(200),
      columns: z.int().min(1).max(TERMINAL.maxColumns),
      isExpanded: z.boolean(),
    }),
  ),
  /** What extensions would write at the cursor of the composer. */
  complete: request<ExtensionCompletion[]>()(
    z.strictObject({
      ...session,
      text: z.string().max(MAX_COMPOSER_CHARS),
      caret: z.int().min(0).max(MAX_COMPOSER_CHARS),
    }),
  ),
  /** How large a terminal view is, or, without one, whatever else extensions draw in the session. */
  resize: request<void>()(
    z.strictObject({
      ...session,
      viewId: id.optional(),
      columns: z.int().min(1).max(TERMINAL.maxColumns),
      rows: z.int().min(1).max(TERMINAL.maxRows),
    }),
  ),
  /** What the composer of a session in which extensions run holds now. */
  composer: request<void>()(z.strictObject({ ...session, text: z.string().max(MAX_COMPOSER_CHARS) })),
};
