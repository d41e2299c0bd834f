import { endsOf } from './cut-text';
import { isRecord } from './checks';

/** A command that the person changed before allowing it. */
export interface EditedCommand {
  /** What the model wanted to run. */
  asked: string;
  ran: string;
}

/** How the details of a result keep both for the transcript. */
export function withEdit({ asked, ran }: EditedCommand): { espalier: { edited: EditedCommand } } {
  return { espalier: { edited: { asked, ran } } };
}

/** The command that ran, or may have run, in place of a call's, as the details of its result keep it; null: its own. */
export function ranInstead(details: unknown): string | null {
  const { edited } = ownOf(details);
  return isRecord(edited) && typeof edited.ran === 'string' ? edited.ran : null;
}

/** Whether nobody knows what became of the call of a result, as it was recorded and `endOfCall` reads it (SU23): words decide nothing. */
export function isUnended({ details, isError }: { details?: unknown; isError?: unknown }): boolean {
  return isError === true && ownOf(details).outcome === 'interrupted';
}

/** What we keep in the details of a result. */
function ownOf(details: unknown): Record<string, unknown> {
  const espalier = isRecord(details) ? details.espalier : undefined;
  return isRecord(espalier) ? espalier : {};
}

/** What the model is told of a command that ran in place of the one that it asked for. */
export function tellsEdited(ran: string): string {
  return `[The person changed the command before it ran. This ran instead: ${onOneLine(ran)}]`;
}

/** The same where nobody knows whether it ran. */
export function tellsPerhapsEdited(ran: string): string {
  return `[The person changed the command. If it ran, it was this: ${onOneLine(ran)}]`;
}

/** Characters of a command above which only its ends are told again, and what stays of it. */
const AGAIN = { most: 1000, head: 600, tail: 300 };

/** A command where it is told again, with its middle left out if it is long. */
export function commandInShort(command: string): string {
  if (command.length <= AGAIN.most) return command;
  const { head, missing, tail } = endsOf(command, AGAIN.head, AGAIN.tail);
  return `${head}[... ${missing} characters ...]${tail}`;
}

/** As it is, or as a JSON string where it has line breaks or control characters; JSON leaves some breaks as they are. */
function onOneLine(command: string): string {
  if (!/[\p{C}\u2028\u2029]/u.test(command)) return command;
  const escaped = (each: string): string => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(command).replace(/[\u0085\u2028\u2029]/g, escaped);
}
