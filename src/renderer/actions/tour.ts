/** The tour: the session that the app first opens on (WN18). Nothing here throws. */
import { skipped, TOUR_MARKS, type TourMark } from '@shared/tour';
import type { App } from '../state/app-type';
import { addSession, write } from './sessions';

/** Shows the tour; it is made anew where it was deleted. */
export async function openTour(app: App): Promise<void> {
  const summary = await app.ask('tour.open', {});
  if (!summary) return;
  addSession(app, summary);
  app.activate(summary.id);
}

/** These marks are over. Where that can't be kept they come again at the next start, which is no reason to bother anybody now. */
export function seeMarks(app: App, marks: readonly TourMark[]): void {
  app.ui.setState(({ tourSeen }) => ({ tourSeen: [...new Set([...tourSeen, ...marks])] }));
  app.client
    .request('tour.seen', { marks: [...marks] })
    .catch((cause: unknown) => app.reportFault('The marks of the tour', cause));
}

/** Whoever skips goes on at the next mark. */
export function skipMark(app: App, mark: TourMark): void {
  seeMarks(app, skipped(mark));
  app.page.focusOnceDrawn('mark');
}

/** No mark is left. Whoever skipped goes on in the composer. */
export function skipTour(app: App): void {
  seeMarks(app, TOUR_MARKS);
  app.page.focus('composer');
}

/** To the field for a key, whosever it is. */
export const pasteKey = (app: App): void => app.ui.setState({ settings: 'providers', keyToPaste: true });

/** A session of one's own with a model of a server on this computer. */
export async function startWith(app: App, ref: { provider: string; modelId: string }): Promise<void> {
  const summary = await app.ask('sessions.create', {});
  if (!summary) return;
  addSession(app, summary);
  write(app, summary.id);
  await app.ask('session.setModel', { sessionId: summary.id, ...ref });
}
