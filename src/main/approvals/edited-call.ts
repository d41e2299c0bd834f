import type { AgentToolResult } from '../pi/pi-types';
import { type EditedCommand, tellsEdited, withEdit } from '@shared/edited-command';
import type { ExactContent } from '@shared/policy/approval';

/** The arguments of a `bash` call with another command in them. */
export function withCommand(args: unknown, command: string): Record<string, unknown> {
  return { ...(args as Record<string, unknown>), command };
}

/** What was changed between the call and what was allowed; undefined if nothing was. */
export function editOf(asked: ExactContent, allowed: ExactContent): EditedCommand | undefined {
  if (asked.kind !== 'command' || allowed.kind !== 'command' || asked.command === allowed.command) return undefined;
  return { asked: asked.command, ran: allowed.command };
}

/**
 * The result with a first line that tells the model what ran instead of what it asked for; `details.espalier.edited` keeps both
 * for the transcript.
 */
export function tellEdited(result: AgentToolResult<unknown>, edited: EditedCommand): AgentToolResult<unknown> {
  const line = tellsEdited(edited.ran);
  const [first, ...rest] = result.content;
  const content =
    first?.type === 'text'
      ? [{ ...first, text: `${line}\n${first.text}` }, ...rest]
      : [{ type: 'text' as const, text: line }, ...result.content];
  return { ...result, content, details: { ...(result.details as object), ...withEdit(edited) } };
}
