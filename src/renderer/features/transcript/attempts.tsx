import { memo, type ReactNode, useEffect, useId, useRef, useState, useSyncExternalStore } from 'react';
import { ChevronDown } from 'lucide-react';
import type { SessionEntry } from '@shared/session/records/entry';
import { stayInPlace } from '../../parts/hold-end';
import { plural } from '../../state/format';
import { type Attempt, hasTop } from '../../state/group-rows';
import { useView } from '../../state/hooks';
import { Button, cx } from '../../ui';
import { usePaid } from '../markdown/frame-room';
import styles from './attempts.module.css';
import { useEntry, useTranscript } from './context';
import { useKeptPlace } from './reading-place';
import { RowTop } from './row-top';
import { estimateHeight } from './use-items';

/** Replies whose earlier attempts are open, while the app runs. */
const MAX_KEPT = 1_000;
/** Attempts that are drawn when a fold opens, and that one press shows more. */
export const PAGE_ATTEMPTS = 20;
/** Of one reply so many are drawn at most: each press lays all of them out. */
export const MOST_ATTEMPTS = 200;

/** Which reply: its session, and the entry of the first of its attempts, whose id other sessions may have too. */
interface AttemptsKey {
  sessionId: string;
  firstId: string;
}

/** The attempts that are drawn of an open fold, by their places among all: `to` is the first behind them. */
interface ShownAttempts {
  from: number;
  to: number;
}

const opened = new Map<string, ShownAttempts>();
const listeners = new Set<() => void>();

const keyOf = ({ sessionId, firstId }: AttemptsKey): string => `${sessionId}\n${firstId}`;

/** Opens the earlier attempts of a reply so that the one at `at` (from 0) is drawn; of more than a page the others are not. */
export function openAttempts(key: AttemptsKey, at = 0): void {
  const shown = shownAttempts(key);
  if (shown && at >= shown.from && at < shown.to) return;
  const from = at - (at % PAGE_ATTEMPTS);
  keep(key, { from, to: from + PAGE_ATTEMPTS });
}

/** Draws a page more of an open fold: those before what is drawn, or those behind it. Beyond `MOST_ATTEMPTS` those at the other end go. */
export function showMoreAttempts(key: AttemptsKey, where: 'before' | 'behind'): void {
  const shown = shownAttempts(key);
  if (!shown) return;
  const from = where === 'before' ? Math.max(0, shown.from - PAGE_ATTEMPTS) : shown.from;
  const to = where === 'behind' ? shown.to + PAGE_ATTEMPTS : shown.to;
  if (where === 'before') keep(key, { from, to: Math.min(to, from + MOST_ATTEMPTS) });
  else keep(key, { from: Math.max(from, to - MOST_ATTEMPTS), to });
}

export function closeAttempts(key: AttemptsKey): void {
  keep(key, null);
}

function keep(key: AttemptsKey, shown: ShownAttempts | null): void {
  const name = keyOf(key);
  opened.delete(name);
  if (shown) opened.set(name, shown);
  const oldest = opened.size > MAX_KEPT ? opened.keys().next().value : undefined;
  if (oldest !== undefined) opened.delete(oldest);
  for (const listener of listeners) listener();
}

/** Which of them are drawn; null: they are folded. The same object until that changes. */
export function shownAttempts(key: AttemptsKey): ShownAttempts | null {
  return opened.get(keyOf(key)) ?? null;
}

/** The same, drawn anew when it changes. */
function useShownAttempts(key: AttemptsKey): ShownAttempts | null {
  return useSyncExternalStore(subscribe, () => shownAttempts(key));
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Draws an earlier attempt as the reply that it was. The same function each time. */
type DrawAttempt = (attempt: Attempt, entry: SessionEntry) => ReactNode;

/** Tops of attempts that stand in the head of the reply; those of the ones before them stand at the attempt. */
const MOST_TOPS = 10;
/** An attempt apart from its text, roughly, as that of a row. */
const NS_ATTEMPT = 1_200_000;

function useKey(attempts: readonly Attempt[]): AttemptsKey {
  const { session } = useTranscript();
  return { sessionId: session.id, firstId: attempts[0]?.row.id ?? '' };
}

/** "3 attempts ▾": opens what a reply was tried before (TS6). The count has the one that is shown. */
export function AttemptsButton({ attempts, controls }: { attempts: readonly Attempt[]; controls: string }) {
  const key = useKey(attempts);
  const isOpen = useShownAttempts(key) !== null;
  return (
    <button
      type="button"
      className={styles.button}
      aria-expanded={isOpen}
      aria-controls={isOpen ? controls : undefined}
      onClick={() => (isOpen ? closeAttempts(key) : openAttempts(key))}
    >
      {plural(attempts.length + 1, 'attempt')}
      <ChevronDown size={12} className={cx(styles.chevron, isOpen && styles.turned)} aria-hidden />
    </button>
  );
}

/** What stands above earlier attempts, the last of them: where the path forks may be at one. */
export function AttemptTops({ attempts }: { attempts: readonly Attempt[] }) {
  const { labels } = useTranscript();
  const topped = attempts.filter(({ row }) => hasTop(row, labels)).slice(-MOST_TOPS);
  return topped.map(({ row }) => <RowTop key={row.id} row={row} />);
}

/** The earlier attempts of a reply, oldest first, while they are open: a page of them, and more when they are asked for. */
export function EarlierAttempts({
  attempts,
  draw,
  id,
}: {
  attempts: readonly Attempt[];
  draw: DrawAttempt;
  id: string;
}) {
  const key = useKey(attempts);
  const shown = useShownAttempts(key);
  const { labels } = useTranscript();
  const keepPlace = useKeptPlace({});
  const from = shown?.from ?? 0;
  const drawn = shown ? attempts.slice(from, shown.to) : NONE;
  useBodies(drawn);
  if (!shown) return null;
  const behind = attempts.length - from - drawn.length;
  const topped = new Set(attempts.filter(({ row }) => hasTop(row, labels)).slice(0, -MOST_TOPS));
  return (
    <div id={id} className={styles.attempts}>
      <More count={from} word="earlier" onPress={() => showMoreAttempts(key, 'before')} />
      {drawn.map((attempt, index) => (
        <Earlier
          key={attempt.row.id}
          attempt={attempt}
          at={from + index + 1}
          hasTop={topped.has(attempt)}
          draw={draw}
        />
      ))}
      <More
        count={behind}
        word="more"
        onPress={(more) => {
          // The first of them may go: the last one stays where it is read.
          if (more.previousElementSibling) keepPlace(more.previousElementSibling);
          showMoreAttempts(key, 'behind');
        }}
      />
    </div>
  );
}

const NONE: readonly Attempt[] = [];

/** Asks for the bodies of what is drawn, all at once; again where all was read anew. */
function useBodies(drawn: readonly Attempt[]): void {
  const { session } = useTranscript();
  const readings = useView(session, (view) => view.readings);
  const wanted = JSON.stringify(drawn.map(({ row }) => row.id));
  useEffect(() => {
    const missing = (JSON.parse(wanted) as string[]).filter((entryId) => !session.entry(entryId));
    if (missing.length > 0) void session.loadEntries(missing);
  }, [session, readings, wanted]);
}

interface MoreProps {
  /** Attempts that are not drawn. */
  count: number;
  word: 'earlier' | 'more';
  /** Gets the element that stands beside those that are. */
  onPress: (more: Element) => void;
}

function More({ count, word, onPress }: MoreProps) {
  const element = useRef<HTMLDivElement>(null);
  if (count <= 0) return null;
  const press = (): void => {
    if (!element.current) return;
    // Who reads on from here is not taken along by the end.
    stayInPlace(element.current);
    onPress(element.current);
  };
  return (
    <div ref={element} className={styles.more} data-chrome>
      <Button tone="link" onClick={press}>
        Show {Math.min(PAGE_ATTEMPTS, count)} {word} of {count.toLocaleString('en')}
      </Button>
    </div>
  );
}

interface EarlierProps {
  attempt: Attempt;
  /** From 1. */
  at: number;
  /** Its top stands here, not in the head of the reply. */
  hasTop: boolean;
  draw: DrawAttempt;
}

const Earlier = memo(function Earlier({ attempt, at, hasTop: isTopped, draw }: EarlierProps) {
  const { row } = attempt;
  const headId = useId();
  const entry = useKept(useEntry(row.id));
  // A page of them is drawn by several frames.
  const isPaid = usePaid(entry !== undefined, entry ? NS_ATTEMPT : 0);
  return (
    <section className={styles.attempt} data-entry={row.id} aria-labelledby={headId}>
      <h3 id={headId} className={styles.head} data-chrome>
        Attempt {at} <span>{row.stopped ? 'stopped' : 'failed'}</span>
        {isTopped && <RowTop row={row} />}
      </h3>
      {entry && isPaid ? draw(attempt, entry) : <div style={{ height: heightOf(attempt) }} aria-label="Loading" />}
    </section>
  );
});

/** The last body that there was: of many large ones, those that come push each other out of memory. */
function useKept(entry: SessionEntry | undefined): SessionEntry | undefined {
  const [kept, setKept] = useState(entry);
  if (entry && entry !== kept) setKept(entry);
  return entry ?? kept;
}

function heightOf({ row, results }: Attempt): number {
  const outer = { memory: null, covered: false, isElsewhere: false, head: false, attempts: NONE };
  return estimateHeight({ kind: 'row', key: row.id, row, results, ...outer });
}
