import {
  createContext,
  type ReactNode,
  startTransition,
  useContext,
  useEffect,
  useMemo,
  useState,
  useSyncExternalStore,
} from 'react';
import type { ApprovalView } from '@shared/policy/approval';
import type { Row } from '@shared/session-state/state';
import type { SessionEntry } from '@shared/session/records/entry';
import { isSecondKey } from '@shared/session/records/records';
import type { TranscriptItem } from '../../state/group-rows';
import { useBusy, useLive, useReading, useSession, useView } from '../../state/hooks';
import type { OpenSession } from '../../state/open-session';
import type { Press } from './cut-drag';

/** Where a question stands: whether it can be answered now, and its call among those of its reply, from 1. */
export interface QuestionPlace {
  isActive: boolean;
  at: number;
  count: number;
}

/** What a text is: in a call, risk words are told. */
export interface WholeKind {
  label: string;
  isCall: boolean;
}

export interface TranscriptProps {
  /** The card that asks, in the place of its call's. */
  renderApproval(request: ApprovalView, place: QuestionPlace): ReactNode;
  /** Every character of a text of any length, in visible form and a scroll of its own. */
  renderWhole(text: string, kind: WholeKind): ReactNode;
  /** What stands below the newest row: a failure, a wait, an interrupted turn. Null when there is nothing to say. */
  tail: ReactNode;
}

/** What rows need of the transcript. It changes when approvals or state change, never with a token or a body. */
interface TranscriptContextValue {
  session: OpenSession;
  /** A path is read that is not HEAD's: nothing in it acts on HEAD (GR12). */
  isRead: boolean;
  /** The session is at work, on this path: nothing offers Retry, an open call counts as running. */
  busy: boolean;
  approvals: readonly ApprovalView[];
  renderApproval: TranscriptProps['renderApproval'];
  renderWhole: TranscriptProps['renderWhole'];
  /** The tail explains why the newest reply failed, so its row only says that it did. */
  explainsFailure: boolean;
  /** Labels by entry. */
  labels: Readonly<Record<string, string>>;
  /** So many branches are hidden. */
  hiddenBranches: number;
  /** Pinned entries, of all branches. */
  pinnedIds: ReadonlySet<string>;
  motion: Motion;
  /** Pixels that hold the place of a row that is not drawn: as tall as it was, or is thought to be. The same function each time. */
  heightOf: (item: TranscriptItem) => number;
  /** Takes the cut line along with the pointer. The same function each time. */
  dragCut: (press: Press) => void;
  /** Tool results in whose place the model sees a note. */
  prunedIds: ReadonlySet<string>;
  /** The latest compaction of the path: only its text is what the model sees. */
  latestCompactionId: string | null;
  /** The newest reply, if nobody said anything since: its calls run or wait. */
  newestReplyId: string | null;
  /** The newest row: what only makes sense there (Retry) is offered there. */
  lastRowId: string | null;
}

const Context = createContext<TranscriptContextValue | null>(null);

export const TranscriptProvider = Context.Provider;

export function useTranscript(): TranscriptContextValue {
  const value = useContext(Context);
  if (!value) throw new Error('A transcript row stands outside its transcript.');
  return value;
}

/** The body of an entry; drawn anew when that one body comes or changes, not with every other. */
export function useEntry(id: string | undefined): SessionEntry | undefined {
  const { session } = useTranscript();
  return useSyncExternalStore(session.view.subscribe, () => (id === undefined ? undefined : session.entry(id)));
}

type Given = Pick<TranscriptContextValue, 'renderApproval' | 'renderWhole' | 'motion' | 'heightOf' | 'dragCut'>;

/** What a path has none of that is read. */
const NOTHING_ASKED: readonly ApprovalView[] = [];

/** The value for the rows of the path that is shown. */
export function useContextValue({ renderApproval, renderWhole, motion, heightOf, dragCut }: Given) {
  const session = useSession();
  const isRead = useReading(session, ({ path }) => path !== null);
  const isBusy = useBusy(session.id);
  const busy = isBusy && !isRead;
  const rows = useView(session, (view) => (isRead ? NO_ROWS : view.rows));
  const approvals = useLive(session, (live) => (isRead ? NOTHING_ASKED : live.approvals));
  const labels = useLive(session, (live) => live.labels);
  const hiddenBranches = useLive(session, (live) => live.archived.length);
  const explainsFailure = useLive(session, ({ retry, failure }) => !isRead && Boolean(retry ?? failure));
  const pruned = useLive(session, (live) => live.pruned);
  const prunedIds = useMemo(() => new Set(pruned), [pruned]);
  const pins = useLive(session, (live) => live.pins);
  const pinnedIds = useMemo(() => new Set(pins), [pins]);
  const ofRows = useMemo(() => factsOf(rows), [rows]);
  return useMemo(
    (): TranscriptContextValue => ({
      ...{ session, isRead, busy, approvals, labels, hiddenBranches, explainsFailure, renderApproval, renderWhole },
      ...{ motion, heightOf, dragCut, prunedIds, pinnedIds, ...ofRows },
    }),
    // prettier-ignore
    [session, isRead, busy, approvals, labels, hiddenBranches, explainsFailure, renderApproval, renderWhole, motion, heightOf, dragCut, prunedIds, pinnedIds, ofRows],
  );
}

const NO_ROWS: readonly Row[] = [];

type RowFacts = Pick<TranscriptContextValue, 'latestCompactionId' | 'newestReplyId' | 'lastRowId'>;

function factsOf(rows: readonly Row[]): RowFacts {
  // Results and what the app notes stand between a reply and the end of the rows while its calls are made.
  const said = rows.findLast(({ kind }) => kind === 'assistant' || kind === 'user');
  return {
    latestCompactionId: rows.findLast(({ kind }) => kind === 'compaction')?.id ?? null,
    newestReplyId: said?.kind === 'assistant' ? said.id : null,
    lastRowId: rows.findLast(({ id }) => !isSecondKey(id))?.id ?? null,
  };
}

/** Milliseconds between two handfuls: the frame after each is painted first. */
const PAUSE_MS = 16;
/** Rows of a handful. A whole screen of them at once took up to 60 ms of one task. */
const HANDFUL = 2;

/**
 * Whether the rows of a transcript move: while they first come, and while they are scrolled. What a row needs only where
 * it stays waits here for the rest, and then comes a few rows at a time, the lowest first: people read at the end.
 */
export class Motion {
  #isMoving = true;
  #waiting: (() => void)[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  get isMoving(): boolean {
    return this.#isMoving;
  }

  /** Who still waits goes on waiting. */
  move(): void {
    this.#isMoving = true;
    clearTimeout(this.#timer);
  }

  rest(): void {
    this.#isMoving = false;
    this.#release();
  }

  /** Calls `callback` once, soon after the rows rest. The function it returns takes it back. */
  whenResting(callback: () => void): () => void {
    this.#waiting.push(callback);
    if (!this.#isMoving && this.#waiting.length === 1) this.#releaseLater();
    return () => {
      this.#waiting = this.#waiting.filter((other) => other !== callback);
    };
  }

  #release(): void {
    for (const callback of this.#waiting.splice(-HANDFUL).reverse()) callback();
    if (this.#waiting.length > 0) this.#releaseLater();
  }

  #releaseLater(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#release(), PAUSE_MS);
  }
}

/** Milliseconds after which rows that stand still are taken to rest. */
const SETTLE_MS = 60;

/** The motion of a transcript that is there from now on; the same object for its whole life. */
export function useMotion(isScrolling: boolean): Motion {
  const [motion] = useState(() => new Motion());
  useEffect(() => {
    if (isScrolling) {
      motion.move();
      return;
    }
    const timer = setTimeout(() => motion.rest(), SETTLE_MS);
    return () => {
      clearTimeout(timer);
      motion.move();
    };
  }, [motion, isScrolling]);
  return motion;
}

/** True once the rows have rested since this one is there: what nobody can use in passing is made then, and stays. */
export function useHasRested(): boolean {
  const { motion } = useTranscript();
  const [hasRested, setHasRested] = useState(() => !motion.isMoving);
  useEffect(
    () => (hasRested ? undefined : motion.whenResting(() => startTransition(() => setHasRested(true)))),
    [motion, hasRested],
  );
  return hasRested;
}
