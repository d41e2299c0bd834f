import { own } from '@shared/checks';
import {
  type CallEnd,
  type CallOutcome,
  endOfCall,
  isDone,
  isFailure,
  statusOf,
  statusOfResult,
  textsForPerson,
  wordsOfCall,
} from '@shared/policy/call-outcome';
import { wholeCall } from '@shared/policy/describe';
import { type DiffLine, parseDiff } from '@shared/policy/diff-lines';
import { isOrdinary } from '@shared/policy/visible-text';
import type { ToolCallBlock, ToolResultMessage } from '@shared/session/records/entry';
import { fieldOf, type MessageParts, numberField, partsOf, textField } from './message-text';

/** What a call asked to change, from its arguments alone: for results that carry no diff. Null if they say nothing. */
export function diffOfArguments(name: string, args: Readonly<Record<string, unknown>>): DiffLine[] | null {
  if (name === 'write' && typeof args.content === 'string') return linesOf(args.content, 'added');
  const edits = Array.isArray(args.edits) ? (args.edits as unknown[]) : [args];
  const lines: DiffLine[] = [];
  for (const edit of edits) {
    if (edit === null || typeof edit !== 'object') continue;
    const { oldText, newText } = edit as Record<string, unknown>;
    if (typeof oldText !== 'string' || typeof newText !== 'string') continue;
    if (lines.length > 0) lines.push({ kind: 'gap', text: '' });
    for (const line of linesOf(oldText, 'removed')) lines.push(line);
    for (const line of linesOf(newText, 'added')) lines.push(line);
    if (lines.length >= MAX_LINES) break;
  }
  return lines.length > 0 ? lines : null;
}

/** A text may be a file of megabytes; a card reads its beginning: each line becomes an object, the shortest as well. */
const MAX_CHARS = 200_000;
const MAX_LINES = 10_000;

/** As much of a diff as a card reads, in whole lines where it has any; the whole of it is in the file. */
export function headOf(text: string): string {
  let end = 0;
  for (let line = 0; line < MAX_LINES; line++) {
    const next = text.indexOf('\n', end) + 1;
    if (next > MAX_CHARS || (next === 0 && text.length > MAX_CHARS)) return text.slice(0, end || MAX_CHARS);
    if (next === 0) return text;
    end = next;
  }
  return text.slice(0, end);
}

function linesOf(text: string, kind: DiffLine['kind']): DiffLine[] {
  if (text === '') return [];
  return headOf(text)
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => ({ kind, text: line }));
}

/** How many lines came and went. */
export function countChanges(lines: readonly DiffLine[]): { added: number; removed: number } {
  let added = 0;
  let removed = 0;
  for (const { kind } of lines) {
    if (kind === 'added') added++;
    if (kind === 'removed') removed++;
  }
  return { added, removed };
}

/**
 * What a call without its result is at: `waiting` for the person, `queued` for others that go first, `loading` where the result is
 * not in memory yet.
 */
export type OpenStatus = 'writing' | 'waiting' | 'queued' | 'running' | 'loading' | 'interrupted' | 'notRun';
export type ToolStatus = OpenStatus | CallOutcome;

/** A call and what became of it, as its card shows it. */
export interface ToolView {
  verb: string;
  target: string;
  /** What ran, may have run or would have, every character of it (docs/specs/safety.md C1). `target` is a line of it. */
  whole: string;
  status: ToolStatus;
  durationMs: number | null;
  diff: readonly DiffLine[] | null;
  /** Lines that came and went, for calls that change a file. */
  changes: { added: number; removed: number } | null;
  /** Its status, where it is not just done (TS4): `exit 1`, `declined by you`, `failed: why`, `stopped`. */
  note: string | null;
  /** What its status tells is a failure, and red wherever it is told (GR20). */
  isFailure: boolean;
  output: MessageParts | null;
  fullOutputPath: string | null;
  /** The result is shorter than what the tool gave. */
  truncated: boolean;
  /** What the model asked for, where the person changed the command. `target` is what ran. */
  edited: string | null;
  /** The earlier answer that let it run without a question. */
  allowed: string | null;
}

const ALLOWED: Record<string, string> = { session: 'allowed this session', always: 'allowed always here' };

/**
 * Puts a call and its result (null: none yet) into words and figures. Where there is no result: `why` it was not run, and the command that
 * the person put in its place (`ran`).
 */
export function viewTool(
  call: Pick<ToolCallBlock, 'name' | 'arguments'>,
  result: ToolResultMessage | null,
  open: OpenStatus,
  { why = null, ran: instead = null }: { why?: string | null; ran?: string | null } = {},
): ToolView {
  const stored = fieldOf(fieldOf(result?.details, 'espalier'), 'edited');
  const ran = result ? textField(stored, 'ran') : instead;
  const asked = result ? textField(stored, 'asked') : textField(call.arguments, 'command');
  const unmade: CallEnd | null = open === 'notRun' ? { outcome: open, note: why } : null;
  const end = result ? endOfCall(result) : unmade;
  const args = ran === null ? call.arguments : { ...call.arguments, command: ran };
  const status = end?.outcome ?? open;
  const diff = diffOf(call, result, end && end.outcome === 'ran' && !isDone(end) ? 'failed' : status);
  const words = wordsOfCall(call.name, args, end);
  return {
    ...words,
    whole: wholeCall(call.name, args, words.whole),
    status,
    durationMs: numberField(result?.details, 'durationMs'),
    diff,
    changes: diff && isDone(end) ? changesOf(result, diff) : null,
    note: noteOf(call, end, result),
    isFailure: end !== null && isFailure(end),
    output: result ? outputOf(result) : null,
    fullOutputPath: textField(result?.details, 'fullOutputPath'),
    truncated: fieldOf(result?.details, 'truncated') === true,
    edited: ran === null ? null : asked,
    allowed: own(ALLOWED, textField(fieldOf(result?.details, 'espalier'), 'standing') ?? '') ?? null,
  };
}

/** The status beside the call; null where there is none, or the card draws it itself. */
function noteOf(
  { name, arguments: args }: Pick<ToolCallBlock, 'name' | 'arguments'>,
  end: CallEnd | null,
  result: ToolResultMessage | null,
): string | null {
  if (!end || end.outcome === 'interrupted') return null;
  return (result ? statusOfResult(name, result, args) : statusOf(end, 'you')) || null;
}

function outputOf(result: ToolResultMessage): MessageParts {
  const parts = partsOf(result.content);
  return { ...parts, texts: textsForPerson(parts.texts, result) };
}

/** Columns that the head of a card has room for in a narrow window. */
const HEAD_COLUMNS = 40;

/**
 * Whether the line in a card's head is the whole call wherever it stands: it is short, and each of its characters is drawn as itself
 * and one column wide.
 */
export function isWholeInHead({ whole, target }: Pick<ToolView, 'whole' | 'target'>): boolean {
  return whole === target && whole.length <= HEAD_COLUMNS && isOrdinary(whole);
}

function diffOf(
  call: Pick<ToolCallBlock, 'name' | 'arguments'>,
  result: ToolResultMessage | null,
  status: ToolStatus,
): DiffLine[] | null {
  if (call.name !== 'edit' && call.name !== 'write') return null;
  // What did not happen is not shown as if it had; a crash may have come after it.
  if (status !== 'ran' && status !== 'loading' && status !== 'interrupted') return null;
  const stored = textField(result?.details, 'diff');
  return stored ? parseDiff(headOf(stored)) : diffOfArguments(call.name, call.arguments);
}

function changesOf(result: ToolResultMessage | null, diff: readonly DiffLine[]): { added: number; removed: number } {
  const added = numberField(result?.details, 'added');
  const removed = numberField(result?.details, 'removed');
  return added !== null && removed !== null ? { added, removed } : countChanges(diff);
}
