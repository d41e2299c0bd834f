import { MAX_FIELD_CHARS } from '../../state/draft-store';
import { fieldCost } from '../markdown';

/** Nanoseconds that the field of a command may take for a key (docs/specs/safety.md A2): letters that no font has together take it seconds. */
const MAX_KEY_NS = 40_000_000;

/** Whether a command can stand in the field in which it is edited, which Chromium lays out as a whole for each key. */
export function canEdit(command: string): boolean {
  return command.length <= MAX_FIELD_CHARS && fieldCost(command, MAX_KEY_NS) <= MAX_KEY_NS;
}
