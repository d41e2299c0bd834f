import { beginningOf, MAX_NAME_CHARS } from '../cut-text';
import { isOpenTurn } from '../session/tree/turn-end';
import type { SessionSummary, Waiting } from '../types';
import type { LiveSession } from './state';

/**
 * What a session's run comes to, in four words (NT1): list, inbox, titles, count and notifications all ask here. When the person is told
 * outside the window, and when that is taken back (NT2). Plain data; time comes in.
 */

type RunState = 'working' | 'needsYou' | 'stoppedEarly' | 'done';

/** `stoppedEarly`: the newest turn failed, was stopped, or was cut off by a crash or a quit. `done`: nothing is left of it to do. */
export function runStateOf({ state, turn }: Pick<SessionSummary, 'state' | 'turn'>): RunState {
  switch (state) {
    case 'waiting':
      return 'needsYou';
    case 'streaming':
    case 'retrying':
    case 'compacting':
    case 'summarising':
      return 'working';
    case 'error':
      return 'stoppedEarly';
    case 'idle':
      return isOpenTurn(turn) ? 'stoppedEarly' : 'done';
  }
}

/** How many of the sessions wait for the person: what titles and badges count. */
export function countWaiting(sessions: Iterable<Pick<SessionSummary, 'state' | 'turn'>>): number {
  let count = 0;
  for (const session of sessions) if (runStateOf(session) === 'needsYou') count += 1;
  return count;
}

/** A question, and since when it is open if that was noted (Unix milliseconds). */
export type OpenQuestion = Omit<Waiting, 'since'> & { since: number | null };

/** What a live session asks the person; null: nothing. */
export function questionOf(live: Pick<LiveSession, 'approvals' | 'job' | 'extensionQuestions'>): OpenQuestion | null {
  const { approvals, job, extensionQuestions } = live;
  const asked = [
    ...approvals.map(({ title, createdAt }) => ({ title, createdAt })),
    ...extensionQuestions.map(({ extension, title, createdAt }) => ({
      title: `${extension.name}: ${title}`,
      createdAt,
    })),
  ];
  const [first] = asked;
  if (first) return { what: beginningOf(first.title, MAX_NAME_CHARS), more: asked.length - 1, since: first.createdAt };
  return job?.phase === 'review' ? { what: 'Review a summary', more: 0, since: null } : null;
}

export type NoticeKind = 'needsYou' | 'failed' | 'done';

/** What is done outside the window. `tell` is the only one that a setting can keep from happening. */
export type Deed = { do: 'tell'; kind: NoticeKind; session: SessionSummary } | { do: 'withdraw'; sessionId: string };

/** How what a session worked at ended. */
type Outcome = 'done' | 'failed' | 'stopped';

/** What is known of a session. */
interface Known {
  run: RunState;
  /** When it began to work, or went on after an answer. Unix milliseconds. */
  since: number;
  /** Of what it worked at last; null: that has not ended, or was let go of. */
  outcome: Outcome | null;
  /** It was told of, and that still stands. */
  told: NoticeKind | null;
}

/** A person who waited for less is still there. */
const LONG_MS = 30_000;

/**
 * All sessions and what was told of them: at most one notice for each change of a session's run state, none while the person is at
 * the window.
 */
export class Attention {
  private readonly known = new Map<string, Known>();
  private waiting = 0;

  /** How many sessions wait for the person. */
  get count(): number {
    return this.waiting;
  }

  /** A session as it is now. `isHere`: the person is at the window. O(1). */
  heard(session: SessionSummary, now: number, isHere: boolean): Deed[] {
    const before = this.known.get(session.id);
    const run = runStateOf(session);
    // A job within a run has ended, and the run goes on.
    if (before && (session.state === 'streaming' || session.state === 'retrying')) before.outcome = null;
    if (before?.run === run) return [];
    this.waiting += Number(run === 'needsYou') - Number(before?.run === 'needsYou');
    const kind = isHere ? null : noticeOf(session, run, before, now);
    const works = run === 'working';
    const since = works ? now : (before?.since ?? now);
    const outcome = works && !isUnderWay(before?.run) ? null : (before?.outcome ?? null);
    this.known.set(session.id, { run, since, outcome, told: kind });
    const deeds: Deed[] = before?.told ? [{ do: 'withdraw', sessionId: session.id }] : [];
    return kind ? [...deeds, { do: 'tell', kind, session }] : deeds;
  }

  /** A run or a job of the session ended so; the state that it comes to is heard of next. */
  ended(sessionId: string, outcome: Outcome): void {
    const known = this.known.get(sessionId);
    if (known) known.outcome = outcome;
  }

  /** It was deleted. */
  gone(sessionId: string): Deed[] {
    const before = this.known.get(sessionId);
    if (!before) return [];
    this.known.delete(sessionId);
    this.waiting -= Number(before.run === 'needsYou');
    return before.told ? [{ do: 'withdraw', sessionId }] : [];
  }

  /** The person came to the window: what ended is seen there. A question stays told until it is answered. O(sessions). */
  cameHere(): Deed[] {
    return this.takeBack((told) => told !== 'needsYou');
  }

  /** The app ends. */
  close(): Deed[] {
    return this.takeBack(() => true);
  }

  private takeBack(which: (told: NoticeKind) => boolean): Deed[] {
    const deeds: Deed[] = [];
    for (const [sessionId, known] of this.known) {
      if (!known.told || !which(known.told)) continue;
      known.told = null;
      deeds.push({ do: 'withdraw', sessionId });
    }
    return deeds;
  }
}

function isUnderWay(run: RunState | undefined): boolean {
  return run === 'working' || run === 'needsYou';
}

/** What a change to `run` is told as; null: not at all. What a person stopped they know of. */
function noticeOf(session: SessionSummary, run: RunState, before: Known | undefined, now: number): NoticeKind | null {
  if (run === 'needsYou') return 'needsYou';
  // A session that is only opened, or gone elsewhere in, ended nothing.
  if (run === 'working' || !before || !isUnderWay(before.run)) return null;
  if (before.outcome === 'stopped') return null;
  if (session.state === 'error' || before.outcome === 'failed') return 'failed';
  const isLong = before.run === 'working' && now - before.since > LONG_MS;
  return run === 'done' && before.outcome === 'done' && isLong ? 'done' : null;
}
