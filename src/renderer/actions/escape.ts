/**
 * Escape (GR24): it closes what is topmost, one thing at a time. Dialogs, menus, a drag, a form and a focused card close by themselves, where
 * the keyboard is; what is no such place is closed here, in this order. Only where there is nothing to close does it end work.
 */
import type { App } from '../state/app-type';
import { putDownCarried } from './carried';
import { abandonBranching } from './moves';
import { leaveReading } from './reading';
import { stopOrCancel } from './sessions';
import { closeSearch } from './ways';
import type { SessionTarget } from './action';

/** For so long after an Escape that closed something none stops a run, in milliseconds: the second press of two is no wish. */
const CALM_MS = 600;

let closedAt = -Infinity;
let endedAt = -Infinity;

/** Notes that a press at that time was used up: it closed something, unless it ended work. `keyboard.ts` sees those that are served elsewhere. */
export function noteClosed(at: number): void {
  if (endedAt < at) closedAt = at;
}

/** Closes the first that there is: a turn that is carried, a prepared branch, the branch that is read, a list of hits. False: none of them is there. */
export function closeTopmost(app: App, session: SessionTarget): boolean {
  const did = closeOne(app, session);
  if (did) noteClosed(performance.now());
  return did;
}

function closeOne(app: App, session: SessionTarget): boolean {
  if (putDownCarried(app)) return true;
  if (app.draftOf(session.id).state.getState().branch) return (abandonBranching(app, session), true);
  const { reading, graph } = app.openSession(session.id);
  const { path, opening } = reading.state.getState();
  // One that is on its way would come although it is no longer wanted.
  if (path || opening !== null) return (leaveReading(app, session), true);
  if (app.find.state.getState().sessionId === session.id) return (app.find.close(), true);
  if (graph.state.getState().search.query !== '') return (void graph.search(''), true);
  if (app.ui.getState().searchOpen) return (closeSearch(app), true);
  return false;
}

/** Escape where nobody serves it by themselves. False: there was nothing to do. */
export function serveEscape(app: App, session: SessionTarget): boolean {
  if (closeTopmost(app, session)) return true;
  if (performance.now() - closedAt < CALM_MS) return true;
  if (!stopOrCancel(app, session)) return false;
  endedAt = performance.now();
  return true;
}
