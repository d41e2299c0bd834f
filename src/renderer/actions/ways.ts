import type { App } from '../state/app-type';
import type { OpenSession } from '../state/open-session';
import type { Question } from '../state/search-store';
import { needsYou, nextWaiting } from '../state/sessions-store';
import { setReview } from '../state/summary-jobs';
import type { Refusal, Verdict } from './action';
import { goToFound } from './branches';
import { openDialog } from './moves';
import { arrive, readEntry } from './reading';
import { questionOf, showQuestion, summaryOf, write } from './sessions';
import type { SearchHit } from '@shared/search/types';

/** The way to what a session asks (NT1, NT2): from the inbox, by key, and from outside the window. */

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

/** What is done with what was found. Showing a message moves nothing; going to it is an act of its own (WN11). */

/** Search everything, in the place of the list of sessions. */
export function openSearch(app: App, question?: Question): void {
  app.ui.setState({ searchOpen: true });
  app.search.open(question);
  app.page.focusOnceDrawn('search');
}

/** Find in the session that is shown. */
export function openFind(app: App, sessionId: string): void {
  app.find.open(sessionId);
  app.page.focusOnceDrawn('find');
}

export const isFinding = (app: App, sessionId: string): boolean => app.find.state.getState().sessionId === sessionId;

export function closeSearch(app: App): void {
  app.ui.setState({ searchOpen: false });
  app.search.close();
}

/** Shows a hit where it stands: on HEAD's path, or on another branch, which is read; HEAD stays where it is (GR12). */
export function showHit(app: App, sessionId: string, { entryId, place }: SearchHit): void {
  if (app.sessions.getState().activeId !== sessionId) app.activate(sessionId);
  app.search.show({ sessionId, entryId }, app.page.spots());
  if (place === 'branch') void readEntry(app, sessionId, entryId);
  else arrive(app, sessionId, entryId);
}

/** The same for a message that was found elsewhere than in the panel. */
export function showFound(app: App, sessionId: string, hit: SearchHit): void {
  if (app.sessions.getState().activeId !== sessionId) app.activate(sessionId);
  if (hit.place === 'branch') void readEntry(app, sessionId, hit.entryId);
  else arrive(app, sessionId, hit.entryId);
}

/** HEAD goes to a hit on another branch, with the questions of every move; what is on the path is shown. */
export async function goToHit(app: App, sessionId: string, hit: SearchHit): Promise<void> {
  if (hit.place !== 'branch') return showHit(app, sessionId, hit);
  if (app.sessions.getState().activeId !== sessionId) app.activate(sessionId);
  await goToFound(app, { sessionId, entryId: hit.entryId });
}
