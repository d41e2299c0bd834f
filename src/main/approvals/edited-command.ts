import type { ExactContent } from '@shared/policy/approval';
import type { AgentToolResult } from '../pi/pi-types';

/** A command that the person changed before allowing it. */
export interface EditedCommand {
  /** What the model wanted to run. */
  asked: string;
  ran: string;
}

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
  const line = `[The person changed the command before it ran. This ran instead: ${onOneLine(edited.ran)}]`;
  const [first, ...rest] = result.content;
  const content =
    first?.type === 'text'
      ? [{ ...first, text: `${line}\n${first.text}` }, ...rest]
      : [{ type: 'text' as const, text: line }, ...result.content];
  return { ...result, content, details: { ...(result.details as object), ...withEdit(edited) } };
}

/** How the details of a result keep both for the transcript. */
export function withEdit({ asked, ran }: EditedCommand): { espalier: { edited: EditedCommand } } {
  return { espalier: { edited: { asked, ran } } };
}

/** As it is, or as a JSON string where it has line breaks or control characters. */
export function onOneLine(command: string): string {
  return /[\p{C}\u2028\u2029]/u.test(command) ? JSON.stringify(command) : command;
}
