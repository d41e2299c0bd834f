import type { ToolCallBlock, ToolResultMessage } from '@shared/session/entry';
import { isDeclined } from '@shared/policy/approval';
import { describeToolCall } from '@shared/policy/describe';
import { countChanges, diffOfArguments, parseDiff, type DiffLine } from './diff-lines';
import { fieldOf, numberField, partsOf, textField, type MessageParts } from './message-text';

export type ToolStatus = 'writing' | 'waiting' | 'running' | 'done' | 'failed' | 'interrupted';

/** A call and what became of it, as its card shows it. */
export interface ToolView {
  verb: string;
  target: string;
  status: ToolStatus;
  durationMs: number | null;
  diff: readonly DiffLine[] | null;
  /** Lines that came and went, for calls that change a file. */
  changes: { added: number; removed: number } | null;
  /** What went wrong in two words: `exit 1`, `timed out`, `failed`. */
  failure: string | null;
  output: MessageParts | null;
  fullOutputPath: string | null;
  /** The result is shorter than what the tool gave. */
  truncated: boolean;
  /** What the model asked for, where the person changed the command. `target` is what ran. */
  edited: string | null;
}

/** Characters of a diff that are read for a card. */
const MAX_DIFF = 200_000;

const NO_TIME: ToolStatus[] = ['writing', 'waiting', 'running', 'interrupted'];

/** Puts a call and its result (null: none yet) into words and figures. */
export function viewTool(
  call: Pick<ToolCallBlock, 'name' | 'arguments'>,
  result: ToolResultMessage | null,
  open: ToolStatus,
): ToolView {
  const edited = fieldOf(fieldOf(result?.details, 'espalier'), 'edited');
  const ran = textField(edited, 'ran');
  const words = describeToolCall(call.name, ran === null ? call.arguments : { ...call.arguments, command: ran });
  const status: ToolStatus = result ? (result.isError ? 'failed' : 'done') : open;
  const diff = diffOf(call, result, status);
  const inProgress = NO_TIME.includes(status);
  return {
    verb: inProgress ? words.ask.charAt(0).toLowerCase() + words.ask.slice(1) : words.verb,
    target: words.target,
    status,
    durationMs: numberField(result?.details, 'durationMs'),
    diff,
    changes: diff && status !== 'failed' ? changesOf(result, diff) : null,
    failure: status === 'failed' ? failureOf(result) : null,
    output: result ? partsOf(result.content) : null,
    fullOutputPath: textField(result?.details, 'fullOutputPath'),
    truncated: fieldOf(result?.details, 'truncated') === true,
    edited: ran === null ? null : textField(edited, 'asked'),
  };
}

function diffOf(
  call: Pick<ToolCallBlock, 'name' | 'arguments'>,
  result: ToolResultMessage | null,
  status: ToolStatus,
): DiffLine[] | null {
  if (call.name !== 'edit' && call.name !== 'write') return null;
  if (status === 'failed' || status === 'writing') return null;
  const stored = textField(result?.details, 'diff');
  return stored ? parseDiff(headOf(stored)) : diffOfArguments(call.name, call.arguments);
}

/** As much of a diff as a card shows at most; the whole of it is in the file. */
function headOf(diff: string): string {
  return diff.length > MAX_DIFF ? diff.slice(0, diff.lastIndexOf('\n', MAX_DIFF) + 1 || MAX_DIFF) : diff;
}

function changesOf(result: ToolResultMessage | null, diff: readonly DiffLine[]): { added: number; removed: number } {
  const added = numberField(result?.details, 'added');
  const removed = numberField(result?.details, 'removed');
  return added !== null && removed !== null ? { added, removed } : countChanges(diff);
}

function failureOf(result: ToolResultMessage | null): string {
  if (isDeclined(partsOf(result?.content ?? []).texts[0])) return 'declined by you';
  if (fieldOf(result?.details, 'ending') === 'timed_out') return 'timed out';
  const exitCode = numberField(result?.details, 'exitCode');
  return exitCode !== null && exitCode !== 0 ? `exit ${exitCode}` : 'failed';
}
