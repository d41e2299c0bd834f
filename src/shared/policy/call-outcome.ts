import type { SessionEntry } from '../session/records/entry';
import { CALL_OUTCOMES, type EntryFacts, factsOf } from '../session/records/facts';
import { blocksOf, isText } from '../session/records/message-text';
import { escapeBreaks } from '../session/records/own-marks';
import { isRecord } from '../checks';
import { beginningOf } from '../cut-text';
import { firstLineOf } from '../excerpt';
import { declinedWords, isDeclined, whyDeclined } from './approval';
import { describeToolCall } from './describe';
import { commandInShort, ranInstead, tellsEdited, tellsPerhapsEdited } from '../edited-command';
import { visibleString } from './visible-text';

/**
 * What became of a call (docs/specs/summaries.md SU23). `stopped`: it had begun; `notRun`: nothing was done; `interrupted`: nobody knows
 * whether it had begun.
 */
export type CallOutcome = (typeof CALL_OUTCOMES)[number];

const OUTCOMES: ReadonlySet<unknown> = new Set(CALL_OUTCOMES);

/** What is said besides of an outcome that was recorded, where nothing else tells more. */
const PLAIN_NOTES: Partial<Record<CallOutcome, string>> = { ran: 'failed', failed: 'failed', stopped: 'stopped' };

/** Why a call has no result of its own: the words for the model, and what became of it. Thrown, or told by who keeps it from running. */
export class EndedCall extends Error {
  override readonly name = 'EndedCall';
  constructor(
    message: string,
    readonly outcome: CallOutcome,
  ) {
    super(message);
  }
}

/** What keeps a call from being run: the words for the model, and what became of it. */
export interface BlockedCall {
  block: true;
  reason: string;
  outcome: CallOutcome;
}

/** Why a run is stopped where the person did not end its turn: the app closes, the file is let go of, a compaction comes first (AG8). */
export const LET_GO = new DOMException('The session is let go of.', 'AbortError');

/** Whether it was the person who ended the turn of a run, not whatever ended the app then or later (AG8). */
export function isStoppedByPerson(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true && signal.reason !== LET_GO;
}

/** Results of calls that a stop kept from being made; what a model reads of them. */
export const STOPPED_BEFORE_CALL = 'The person stopped the run before this call was made. Nothing was done.';
export const STOPPED_BEFORE_ALLOWED = 'The run was stopped before this was allowed. Nothing was done.';
/** Results of calls that a crash or a quit left without one (AG11). */
export const NEVER_BEGAN = 'The run broke off before this call was made. Nothing was done.';
export const MAYBE_BEGAN =
  'No result: the run broke off before this call had ended. If it had begun, it may have had effects.';
export const STOPPED_BEFORE_START = 'The command was not started: the run was stopped.';
export const STOPPED_BEFORE_CHANGE = 'This was stopped. Nothing was changed.';
/** The result of a change that had begun and did not end. */
export const CHANGE_UNSURE = 'Writing took too long and was given up. Read the file to see whether it was changed.';
/** The result of a call that was not proven complete. */
export const UNSEALED_REASON = 'Arguments were incomplete, nothing was run. Issue the call again.';
/** Results of calls that were whole and yet can't be run (WG3). */
export const SAME_ID_REASON =
  'Several calls of this reply had the same id, nothing was run. Issue them again, each with an id of its own.';
export const TOO_LARGE_REASON =
  'The arguments were larger than 1 MiB, nothing was run. Issue the call in smaller parts.';
export const NO_OBJECT_REASON = 'The arguments were no JSON object, nothing was run. Issue the call again.';

const NO_TOOL_START = 'There is no tool named ';

/** The result of a call of a tool that there is not. The name is in the form that the reply's door gave it. */
export function noSuchTool(name: string, tools: readonly string[]): string {
  const what = tools.length > 0 ? ` The tools are: ${tools.join(', ')}.` : '';
  return `${NO_TOOL_START}“${visibleString(name.slice(0, 100))}”, nothing was run.${what}`;
}

/** What `ls` answers of a folder with nothing in it. */
export const EMPTY_FOLDER = '(empty folder)';

/** What is said of a call that was not made: of a turn that broke off, of a reply that did. */
export const BROKEN_OFF = 'interrupted';
export const REPLY_CUT_OFF = 'reply cut off';

const NOT_RUN = new Map([
  [STOPPED_BEFORE_CALL, 'stopped'],
  [STOPPED_BEFORE_ALLOWED, 'stopped'],
  [NEVER_BEGAN, BROKEN_OFF],
  [STOPPED_BEFORE_START, 'stopped'],
  [STOPPED_BEFORE_CHANGE, 'stopped'],
  [UNSEALED_REASON, REPLY_CUT_OFF],
  [SAME_ID_REASON, 'the same id twice'],
  [TOO_LARGE_REASON, 'too large'],
  [NO_OBJECT_REASON, 'no arguments'],
]);

/** How pi ends the output of a command that did run. */
const PI_ENDINGS = /Command (?:(aborted)|timed out after .+ seconds|exited with code (\d+))$/;

/** What the result of a command says last, to the model, of how it ended; null: it exited with 0. The card says it in its own words. */
export function endNote(end: {
  ending?: unknown;
  exitCode?: unknown;
  signal?: unknown;
  timeoutMs?: number;
}): string | null {
  if (end.ending === 'timed_out') return `[Ended after its time limit of ${(end.timeoutMs ?? 0) / 1000} s.]`;
  if (end.ending === 'stopped') return '[Stopped by the person.]';
  if (end.ending === 'broken_off') return '[Ended before it was done: the run broke off.]';
  if (isSignal(end.signal)) return `[Ended by ${end.signal}.]`;
  return typeof end.exitCode === 'number' && end.exitCode !== 0 ? `[Exit code ${end.exitCode}.]` : null;
}

/** A text of a result without the `endNote` it ends with. Its figure is the model's to know: of a limit only the beginning is compared. */
function withoutNote(text: string, note: string): string {
  const at = text.lastIndexOf('\n[');
  const last = text.slice(at + 1);
  const isNote =
    last === note || (note.includes('time limit') && /^\[Ended after its time limit of [\d.]+ s\.\]$/.test(last));
  return at >= 0 && isNote ? text.slice(0, at).replace(/\n$/, '') : text;
}

/**
 * The text of a result as a summary request tells it: how the command ended stands in the mark, not in a line that any output can have
 * (SU21).
 */
export function withoutEndNote(text: string, { details }: Result): string {
  const note = isRecord(details) ? endNote(details) : null;
  if (note === null) return text;
  return text === note ? NO_OUTPUT : withoutNote(text, note) || NO_OUTPUT;
}

const NO_OUTPUT = '(no output)';

const isSignal = (value: unknown): value is string => typeof value === 'string' && /^SIG[A-Z\d+]{1,12}$/.test(value);

/** The outcome of a call and what is said besides: `exit 1`, `timed out`, `stopped`, `reply cut off`, `failed`. */
export interface CallEnd {
  outcome: CallOutcome;
  note: string | null;
}

/**
 * Whether a call ran and did not fail, which alone counts where files are counted (FA1, TS5): a result that is no error says so. Null:
 * no result is known.
 */
export function isDone(end: CallEnd | null | undefined): boolean {
  return end?.outcome === 'ran' && end.note === null;
}

/**
 * The status of a call, the same wherever it is told (TS4): `exit 1`, `declined by you`, `failed`, `stopped`, `not run: reply cut off`;
 * empty where it is done.
 * @param person how whoever declined is called
 */
export function statusOf({ outcome, note }: CallEnd, person: 'you' | 'the person'): string {
  switch (outcome) {
    case 'ran':
      return note ?? '';
    case 'declined':
      return `declined by ${person}`;
    case 'failed':
      return 'failed';
    case 'stopped':
    case 'notRun': {
      const status = outcome === 'notRun' ? 'not run' : 'stopped';
      return note === null || note === status ? status : `${status}: ${note}`;
    }
    case 'interrupted':
      return 'interrupted, may have run';
  }
}

/** Characters of the reason that a status names. */
const MAX_WHY = 80;

/** What a sentence about a file goes on with: `does not exist`, `is a folder`. */
const ABOUT_FILE = /^(?:does|treats|is|was|has|had|would|cannot|can|could|changed|grew)\b/;

/** Why a tool failed, without the file that it names first: the call beside it names that, and the reason would be out of sight behind it. */
function withoutFile(why: string, args: unknown): string {
  const path = isRecord(args) && typeof args.path === 'string' ? visibleString(args.path) : '';
  const name = path.split(/[\\/]/).findLast((part) => part !== '' && part !== '.') ?? '';
  const at = name === '' ? -1 : why.indexOf(name);
  if (at < 0 || (at > 0 && !/[\\/]$/.test(why.slice(0, at)))) return why;
  const rest = why.slice(at + name.length).replace(/^[\s:"'”]+/u, '');
  return ABOUT_FILE.test(rest) || why.charAt(at + name.length) === ':' ? rest : why;
}

/** The status as the person reads it, with why a tool failed; of a command its output says that. @param args the call's */
export function statusOfResult(name: string, result: Result, args?: unknown): string {
  const end = endOfCall(result);
  const status = statusOf(end, 'you');
  const text = end.outcome === 'failed' && name !== 'bash' ? textOfResult(result).slice(0, 4_000) : '';
  const why = withoutFile(firstLineOf(text), args);
  if (why === '') return status;
  return `${status}: ${visibleString(beginningOf(why, MAX_WHY))}${why.length > MAX_WHY ? '…' : ''}`;
}

/** The texts of a result as the person reads them: without what is written for the model, which the status says (TS4). */
export function textsForPerson(texts: readonly string[], result: Result): string[] {
  const { outcome } = endOfCall(result);
  if (outcome === 'declined') return texts.slice(0, 1).map(declinedWords);
  const note = isRecord(result.details) ? endNote(result.details) : null;
  const ran = ranInstead(result.details);
  const told = ran === null ? texts : withoutStart(texts, tellsEdited(ran));
  const shown = result.isError === true ? told.filter((text) => !isForModel(text, result)) : told;
  return note === null ? [...shown] : shown.map((text) => withoutNote(text, note));
}

/** Texts without a line of ours that the first of them begins with: it is told in another way. */
function withoutStart(texts: readonly string[], line: string): readonly string[] {
  const [first, ...rest] = texts;
  if (first === line) return rest;
  return first?.startsWith(`${line}\n`) ? [first.slice(line.length + 1), ...rest] : texts;
}

function isForModel(text: string, { details }: Result): boolean {
  if (NOT_RUN.has(text) || text.startsWith(NO_TOOL_START) || text === MAYBE_BEGAN || text === CHANGE_UNSURE)
    return true;
  const ran = ranInstead(details);
  return ran !== null && text === `${MAYBE_BEGAN}\n${tellsPerhapsEdited(ran)}`;
}

/** What a summary request says of an outcome in the mark of the result; empty where the call is done (SU21). What stopped it is no news. */
export function toldToModels(end: CallEnd): string {
  return end.outcome === 'stopped' ? 'stopped' : statusOf(end, 'the person');
}

/** What is known of a call: how it ended, and the command that ran or may have run in place of its own. */
export interface KnownEnd {
  /** Null: no result is known. */
  end: CallEnd | null;
  ran: string | null;
}

/** Ends of calls that have no result, where that is known (AG11, SU19). */
export const NEVER_MADE: CallEnd = { outcome: 'notRun', note: BROKEN_OFF };
export const CUT_OFF: CallEnd = { outcome: 'notRun', note: REPLY_CUT_OFF };

/** What a summary request says of a call at the call itself; empty where it ran as it was asked for. */
export function toldAtCall({ end, ran }: KnownEnd): string {
  const command = ran === null ? '' : escapeBreaks(JSON.stringify(commandInShort(ran)));
  if (!end) return ran === null ? 'result unknown' : `result unknown, may have run as ${command}`;
  const told = statusOf(end, 'the person');
  if (ran === null || !MAY_HAVE_RUN.has(end.outcome)) return told;
  if (end.outcome === 'interrupted') return `${told} as ${command}`;
  return `${told === '' ? '' : `${told}, `}ran as ${command}`;
}

const MAY_HAVE_RUN: ReadonlySet<CallOutcome> = new Set<CallOutcome>(['ran', 'stopped', 'interrupted']);

type Result = { isError?: unknown; content?: unknown; details?: unknown };

/**
 * What became of a call (SU23): as it was recorded; of an older result by its details, then by the texts that we and pi write, each of
 * them whole, then by `isError`.
 */
export function endOfCall(result: Result): CallEnd {
  if (result.isError !== true) return { outcome: 'ran', note: null };
  const read = endInWords(result);
  const recorded = recordedOutcome(result.details);
  if (recorded === null) return read;
  // The words are known ones where they fit; they decide nothing.
  return { outcome: recorded, note: read.outcome === recorded ? read.note : (PLAIN_NOTES[recorded] ?? null) };
}

function textOfResult(result: Result): string {
  return blocksOf(result.content).find(isText)?.text ?? '';
}

function recordedOutcome(details: unknown): CallOutcome | null {
  const espalier = isRecord(details) ? details.espalier : undefined;
  const outcome = isRecord(espalier) ? espalier.outcome : undefined;
  return OUTCOMES.has(outcome) ? (outcome as CallOutcome) : null;
}

/** The details of a result with what became of its call (SU23). */
export function withOutcome(details: unknown, outcome: CallOutcome): Record<string, unknown> {
  const known = isRecord(details) ? details : {};
  return { ...known, espalier: { ...(isRecord(known.espalier) ? known.espalier : {}), outcome } };
}

function endInWords(result: Result): CallEnd {
  const told = endByDetails(result.details);
  if (told) return told;
  const text = textOfResult(result);
  if (isDeclined(text)) return { outcome: 'declined', note: null };
  if (text === MAYBE_BEGAN) return { outcome: 'interrupted', note: null };
  if (text === CHANGE_UNSURE) return { outcome: 'stopped', note: 'given up, perhaps written' };
  const why = text.startsWith(NO_TOOL_START) ? 'no such tool' : NOT_RUN.get(text);
  if (why !== undefined) return { outcome: 'notRun', note: why };
  const [found, aborted, code] = PI_ENDINGS.exec(text.slice(-200)) ?? [];
  if (found === undefined) return { outcome: 'failed', note: 'failed' };
  if (aborted !== undefined) return { outcome: 'stopped', note: 'stopped' };
  return { outcome: 'ran', note: code === undefined ? 'timed out' : `exit ${code}` };
}

/**
 * The person's own words in the result of a call: why they declined it (PN4, SU15), and what else the result says. Null for any other,
 * and where the outcome is not recorded: a text that only reads so may be a tool's.
 */
export function wordsInResult(result: Result): { why: string; rest: string } | null {
  if (result.isError !== true || recordedOutcome(result.details) !== 'declined') return null;
  const text = textOfResult(result);
  const said = isDeclined(text) ? whyDeclined(text) : null;
  return said && said.why.trim() !== '' ? said : null;
}

/** How the call that a message answers ended, or the command of the person that it is; undefined: it is done, or there is none. */
function endOfMessage(message: unknown): CallEnd | undefined {
  if (!isRecord(message)) return undefined;
  if (message.role === 'toolResult') return message.isError === true ? endOfCall(message) : undefined;
  return message.role === 'bashExecution' ? (endOfCommand(message) ?? undefined) : undefined;
}

/** The facts of an entry with how its call ended: what the tree keeps. Never throws. O(size of the entry). */
export function factsInFull(entry: SessionEntry): EntryFacts {
  const facts = factsOf(entry);
  const { message } = entry as { message?: unknown };
  facts.ended = endOfMessage(message);
  facts.said = facts.ended?.outcome === 'declined' && wordsInResult(message as Result) !== null;
  return facts;
}

/** How the call ended that a result of the tree answers. */
export function endOfFacts({ ended }: EntryFacts): CallEnd {
  return ended ?? { outcome: 'ran', note: null };
}

function endOfCommand({ exitCode, cancelled }: { exitCode?: unknown; cancelled?: unknown }): CallEnd | null {
  if (cancelled === true) return { outcome: 'stopped', note: 'stopped' };
  return typeof exitCode === 'number' && exitCode !== 0 ? { outcome: 'ran', note: `exit ${exitCode}` } : null;
}

/** A call that is not done, in a few words for a narrow place (TS4): `run · exit 1`, `edit · failed`. */
export function callInShort(name: string, end: CallEnd): string {
  const { verb, target } = wordsOfCall(name, {}, end);
  return `${verb === 'use' ? target : verb} · ${statusOf(end, 'you')}`;
}

/** What of a call that is not done is a failure (GR20): what the person declined or stopped is none, nor what a stop kept from being made. */
export function isFailure({ outcome, note }: CallEnd): boolean {
  if (outcome === 'notRun') return note !== null && note !== 'stopped' && note !== BROKEN_OFF;
  return outcome === 'failed' || (outcome === 'ran' && note !== null);
}

/** How a command ended, as its result says; null: it says nothing of it. */
function endByDetails(details: unknown): CallEnd | null {
  const { ending, exitCode, signal } = isRecord(details) ? details : {};
  if (ending === 'stopped') return { outcome: 'stopped', note: 'stopped' };
  if (ending === 'broken_off') return { outcome: 'stopped', note: 'ended with the run' };
  if (ending === 'timed_out') return { outcome: 'ran', note: 'timed out' };
  if (typeof exitCode === 'number') return { outcome: 'ran', note: exitCode === 0 ? 'failed' : `exit ${exitCode}` };
  if (ending === 'exited') return { outcome: 'ran', note: isSignal(signal) ? `ended by ${signal}` : 'failed' };
  return null;
}

/** The outcome of a failed result that its details tell of, or null. */
export function outcomeByDetails(details: unknown): CallOutcome | null {
  return endByDetails(details)?.outcome ?? null;
}

/** A call in words, its status aside (TS4): the past tense is for what is done, so that nothing else reads so. */
export function wordsOfCall(
  name: string,
  args: unknown,
  end: CallEnd | null,
): { verb: string; target: string; whole: string } {
  const { verb, ask, ...what } = describeToolCall(name, args);
  return { verb: isDone(end) ? verb : ask.charAt(0).toLowerCase() + ask.slice(1), ...what };
}

/** How the system prompt says that a folder is restricted; the demo model reads it. */
export const UNTRUSTED_FOLDER = 'The person has not trusted this folder.';
