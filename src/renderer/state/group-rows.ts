import { own } from '@shared/checks';
import { isSilence } from '@shared/silence';
import { coveredRows, type Row } from '@shared/session-state/state';
import type { PendingPrompt } from './session-view';

/** In the summary alone, or also word for word after it (PN4). */
export type Memory = 'summarised' | 'repeated';

/** What the list shows: one item is one measured element. */
export type TranscriptItem =
  | {
      kind: 'row';
      key: string;
      row: Row;
      /** What the model has of it where a compaction on the path covers it; null: it sees it in its place. */
      memory: Memory | null;
      /** It stands above the cut, whether it ever was for the model or not. */
      covered: boolean;
      /** HEAD's path does not have it: the model has nothing of it. */
      isElsewhere: boolean;
      /** Shows who speaks: the first of a run of replies. */
      head: boolean;
      /** Of a reply: its results by call id. */
      results: ReadonlyMap<string, Row>;
      /** Of a reply: what it was tried before, oldest first (TS6). */
      attempts: readonly Attempt[];
      /** Of a prompt: the one before it has no answer (TS6). */
      isAfterSilence?: boolean;
    }
  | RunItem
  /** Between the last message that was summarised and the first that was kept: the compaction in force, and those before it (TS7). */
  | { kind: 'cut'; key: string; row: Row; earlier: readonly Row[] }
  /** On a path that is read: what stands above is HEAD's as well. */
  | { kind: 'shared'; key: string; covered: boolean; promptId: string | null }
  | { kind: 'pending'; key: string; pending: PendingPrompt }
  | { kind: 'live'; key: string; head: boolean; attempts: readonly Attempt[] }
  | { kind: 'tail'; key: string };

/** A reply that failed or was stopped, and was asked for again. */
export interface Attempt {
  row: Row;
  results: ReadonlyMap<string, Row>;
}

type Reply = Extract<TranscriptItem, { kind: 'row' }>;

/** Neighbouring choices of model or level, or rows of which nothing is drawn but their tops. */
interface RunItem {
  kind: 'changes' | 'silent';
  key: string;
  covered: boolean;
  isElsewhere: boolean;
  rows: readonly Row[];
  /** The first row, if it has a top. No other of them has one: however many there are, an item draws one. */
  top: Row | null;
}

/** What HEAD's path has of one that is read beside it (GR12): of the rows, the first `shared`; a summary stands for the first `covered`. */
export interface Beside {
  shared: number;
  covered: number;
  /** The last prompt that both have. */
  promptId: string | null;
}

/** Labels by entry. */
type Labels = Readonly<Record<string, string>>;

/** Whether something stands above a row: its label, or the arrows between its versions. */
export function hasTop({ id, siblingCount = 1 }: Row, labels: Labels): boolean {
  return siblingCount > 1 || own(labels, id) !== undefined;
}

const NO_ATTEMPTS: readonly Attempt[] = [];
const NO_RESULTS: ReadonlyMap<string, Row> = new Map();
/** What is done about a request that was refused, before it is sent again. */
const MAKES_ROOM = new Set<Row['kind']>(['compaction', 'prune']);
/** Rows after which a reply goes on without saying again who speaks. */
const CONTINUES = new Set<Row['kind']>(['reference', 'unknown', 'prune']);

/** Whether a prompt comes some time after another that nothing answered: a crash in the middle of a reply leaves no more than that. */
function isAfterSilence({ kind, time }: Row, items: readonly TranscriptItem[]): boolean {
  const last = kind === 'user' ? items.findLast((item) => !('rows' in item)) : undefined;
  return last?.kind === 'row' && last.row.kind === 'user' && isSilence(last.row.time, time);
}

function runKindOf({ kind, silent }: Row): RunItem['kind'] | null {
  if (kind === 'silent' || silent) return 'silent';
  return kind === 'modelChange' || kind === 'thinkingChange' ? 'changes' : null;
}

/**
 * Rows as items: results go to the reply that asked (the nearest earlier one, since call ids can repeat), neighbouring
 * model and thinking changes become one line, and neighbouring rows of which nothing is drawn one item: a list of items without a
 * height would draw all of them. A row with a top begins another. Where the model's memory begins stands the cut. O(rows).
 * @param beside of a path that is read: what the model has of it is what HEAD's has
 */
export function groupRows(
  rows: readonly Row[],
  seenFrom: string | null = null,
  labels: Labels = {},
  repeated: readonly string[] = [],
  beside: Beside | null = null,
): TranscriptItem[] {
  const inFull = new Set(repeated);
  const cutAt = coveredRows(rows, seenFrom);
  const inForce = cutAt > 0 ? rows.findLast(({ kind }) => kind === 'compaction') : undefined;
  const coveredTo = beside ? beside.covered : inForce ? cutAt : 0;
  const sharedTo = beside ? beside.shared : Infinity;
  const items: TranscriptItem[] = [];
  let reply: Reply | null = null;
  let run: { kind: RunItem['kind']; rows: Row[]; top: Row | null } = { kind: 'silent', rows: [], top: null };
  let tried: Attempt[] = [];
  let speaking = false;
  let covered = coveredTo > 0;
  let isElsewhere = sharedTo <= 0;
  let isCut = false;
  const flush = (): void => {
    const last = run.rows.at(-1);
    if (last) items.push({ ...run, key: last.id, covered, isElsewhere });
    run = { kind: 'silent', rows: [], top: null };
  };
  for (const [at, row] of rows.entries()) {
    if (row.kind === 'toolResult' && row.callId !== undefined && reply && !reply.results.has(row.callId)) {
      // Most replies have none: a map for each would be most of what is made here.
      if (reply.results === NO_RESULTS) reply.results = new Map();
      (reply.results as Map<string, Row>).set(row.callId, row);
      continue;
    }
    if (!isElsewhere && at >= sharedTo) {
      flush();
      items.push({ kind: 'shared', key: 'shared', covered, promptId: beside?.promptId ?? null });
      isElsewhere = true;
      speaking = false;
    }
    if (covered && at >= coveredTo) {
      flush();
      covered = false;
    }
    if (inForce && !isCut && at >= cutAt) {
      flush();
      isCut = true;
      speaking = false;
      const earlier = rows.filter((other) => other.kind === 'compaction' && other !== inForce);
      items.push({ kind: 'cut', key: `cut:${inForce.id}`, row: inForce, earlier });
    }
    const inRun = runKindOf(row);
    const isTopped = inRun !== null && hasTop(row, labels);
    if (inRun !== run.kind || isTopped) flush();
    if (inRun) {
      run.kind = inRun;
      if (isTopped) run.top = row;
      run.rows.push(row);
      if (inRun === 'changes') speaking = false;
      continue;
    }
    flush();
    const memory = !covered || row.tokens === 0 ? null : inFull.has(row.id) ? 'repeated' : 'summarised';
    if (row.kind === 'assistant') {
      const last = takeUnfinished(items);
      // One list goes from attempt to attempt: thousands of them are not copied at each.
      if (last) tried.push({ row: last.row, results: last.results });
      else tried = [];
      const head = !speaking || (last?.head ?? false);
      const attempts = last ? tried : NO_ATTEMPTS;
      const results = NO_RESULTS;
      reply = { kind: 'row', key: row.id, row, memory, covered, isElsewhere, head, results, attempts };
      items.push(reply);
      speaking = true;
    } else {
      const silence = isAfterSilence(row, items) ? { isAfterSilence: true } : {};
      const none = { results: NO_RESULTS, attempts: NO_ATTEMPTS, ...silence };
      items.push({ kind: 'row', key: row.id, row, memory, covered, isElsewhere, head: false, ...none });
      if (!CONTINUES.has(row.kind)) speaking = false;
    }
  }
  flush();
  return items;
}

/**
 * Takes what a reply that begins now was tried before from the end of the items: a reply that failed or was stopped, with nothing said
 * since (TS6). Choices of model or level in between stay, so that it says again who speaks.
 * @param head whether the reply would say so without them
 */
export function takeAttempts(items: TranscriptItem[], head: boolean): { attempts: readonly Attempt[]; head: boolean } {
  const last = takeUnfinished(items);
  if (!last) return { attempts: NO_ATTEMPTS, head };
  return { attempts: [...last.attempts, { row: last.row, results: last.results }], head: head || last.head };
}

function takeUnfinished(items: TranscriptItem[]): Extract<TranscriptItem, { kind: 'row' }> | null {
  let madeRoom = false;
  const at = items.findLastIndex((item) => {
    const isRoom = item.kind === 'row' && MAKES_ROOM.has(item.row.kind);
    madeRoom ||= isRoom;
    return !isRoom && !('rows' in item);
  });
  const last = items[at];
  if (last?.kind !== 'row' || last.row.kind !== 'assistant') return null;
  // What a reply that was stopped says may be in the summary: it stays where it was said.
  if (!last.row.failed && (madeRoom || !last.row.stopped)) return null;
  items.splice(at, 1);
  return last;
}

/** Of neighbouring changes those that hold after them: all that is read of the others is that they were there. */
export function lastChanges(rows: readonly Row[]): Row[] {
  return (['modelChange', 'thinkingChange'] as const).flatMap(
    (last) => rows.findLast(({ kind }) => kind === last) ?? [],
  );
}

/** Whether a reply that is appended now continues one that already says who speaks. */
export function endsInReply(items: readonly TranscriptItem[]): boolean {
  const last = items.at(-1);
  return last?.kind === 'row' && last.row.kind === 'assistant';
}
