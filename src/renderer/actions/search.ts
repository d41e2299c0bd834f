/** What is done with what was found. Showing a message moves nothing; going to it is an act of its own (WN11). */
import type { SearchHit } from '@shared/search/types';
import type { App } from '../state/app-type';
import type { Question } from '../state/search-store';
import { arrive, goToFound } from './branches';

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

/** Shows a hit of the path in its transcript; one of another branch is read in the list, where HEAD stays. */
export function showHit(app: App, sessionId: string, { entryId, place }: SearchHit): void {
  if (place === 'branch') return void app.search.read({ sessionId, entryId });
  if (app.sessions.getState().activeId !== sessionId) app.activate(sessionId);
  app.search.show({ sessionId, entryId }, app.page.spots());
  arrive(app, sessionId, entryId);
}

/** HEAD goes to a hit on another branch, with the questions of every move; what is on the path is shown. */
export async function goToHit(app: App, sessionId: string, hit: SearchHit): Promise<void> {
  if (hit.place !== 'branch') return showHit(app, sessionId, hit);
  if (app.sessions.getState().activeId !== sessionId) app.activate(sessionId);
  await goToFound(app, { sessionId, entryId: hit.entryId });
}
