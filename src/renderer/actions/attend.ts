/** The way to what a session asks (NT1, NT2): from the inbox, by key, and from outside the window. */
import type { App } from '../state/app-type';
import { needsYou, nextWaiting } from '../state/inbox';
import type { OpenSession } from '../state/open-session';
import { setReview } from '../state/review-state';
import type { Refusal, Verdict } from './action';
import { openDialog } from './moves';
import { questionOf, showQuestion, summaryOf, write } from './sessions';

const NONE: Refusal = { text: 'No session is waiting for you.' };

/** Shows a session at the card of what it asks; one that asks nothing, at its end. */
export async function attend(app: App, sessionId: string): Promise<void> {
  const summary = summaryOf(app, { id: sessionId });
  if (!summary || summary.foreign !== undefined) return;
  if (!needsYou(summary)) write(app, sessionId);
  else app.activate(sessionId);
  const session = app.openSession(sessionId);
  await read(session);
  // The person went on meanwhile.
  if (app.sessions.getState().activeId !== sessionId) return;
  if (questionOf(app, session) !== undefined) return showQuestion(app, session);
  // What failed, and what ended, stands at the end.
  if (!openReview(app, session)) app.ui.setState({ arrival: { sessionId, entryId: null } });
}

/** Opens the summary of a session that waits for the person to accept it. False: none does. */
export function openReview(app: App, { id: sessionId, live }: OpenSession): boolean {
  const { job } = live.getState();
  if (!job?.review) return false;
  if (job.kind === 'compaction') {
    setReview(app, sessionId, job, { isOpen: true });
    return true;
  }
  const { targetId, fromId } = job;
  if (!targetId || !fromId) return false;
  openDialog(app, { kind: 'bringOver', sessionId, sourceId: fromId, targetId });
  return true;
}

export function attendNext(app: App): Promise<void> | undefined {
  const next = nextWaiting(app.sessions.getState());
  return next ? attend(app, next.id) : undefined;
}

export function canAttendNext(app: App): Verdict {
  return nextWaiting(app.sessions.getState()) !== null || NONE;
}

/** Resolves when the session was read, or can't be. */
function read({ view }: OpenSession): Promise<void> {
  return new Promise((resolve) => {
    const isRead = (): boolean => view.getState().status !== 'loading';
    if (isRead()) return resolve();
    const end = view.subscribe(() => {
      if (!isRead()) return;
      end();
      resolve();
    });
  });
}
