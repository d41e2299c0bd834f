/** Reading without moving (GR11, GR12): what leads to a message shows its path, and HEAD stays until somebody goes. */
import { own } from '@shared/checks';
import { excerptOf } from '@shared/excerpt';
import type { TurnNode } from '@shared/graph/turns';
import { toComposer } from '@shared/session/records/message-text';
import type { App } from '../state/app-type';
import type { Arrival } from '../state/branch-state';
import { hidesTranscript, isGraphShown } from '../state/ui-store';
import type { OpenSession } from '../state/open-session';
import type { ReadingPath } from '../state/reading-path';
import { shownTitle } from '../state/sessions-store';
import { type EntryTarget, type NodeTarget, type SessionTarget, takes, type Verdict } from './action';
import { moveLeaf, navigate } from './moves';
import { openGraph } from './sessions';

type How = Pick<Arrival, 'focusVersions' | 'isTold'>;

/** The transcript of a session brings an entry of HEAD's path into view as soon as it has it. */
export function arrive(app: App, sessionId: string, entryId: string, how: How = {}): void {
  app.ui.setState({ arrival: { sessionId, entryId, ...how } });
}

/**
 * Shows a message where it stands: on HEAD's path there, on another branch by reading that one, the one through `endId` if it is given. Nothing moves, whatever the session is
 * doing. What fails becomes a toast. Resolves whether it is shown: not if that failed, or something else was wanted meanwhile.
 */
export async function readEntry(
  app: App,
  sessionId: string,
  entryId: string,
  { endId, ...how }: How & { endId?: string | undefined } = {},
): Promise<boolean> {
  const { reading, view } = app.openSession(sessionId);
  if (hidesTranscript(app.ui.getState().layout)) app.setLayout({ graphFull: false });
  if (view.getState().rows.some(({ id }) => id === entryId)) {
    // What is on HEAD's path is there, not in the branch that is read.
    reading.leave();
    arrive(app, sessionId, entryId, how);
    return true;
  }
  const before = reading.state.getState().path?.nth;
  const answer = await app.attempt(() => reading.read(entryId, endId));
  if (answer === 'head') arrive(app, sessionId, entryId, how);
  if (answer !== 'read') return answer === 'head';
  app.ui.setState({ arrival: { sessionId, entryId, isRead: true, isTold: true, ...how } });
  const isOther = reading.state.getState().path?.nth !== before;
  if (!how.focusVersions)
    app.announce(isOther ? 'Reading another branch. HEAD stays where it is.' : 'The message is in view.');
  return true;
}

/**
 * Shows the version before or after an entry, as that branch was left (GR5): it is read. Only of the last turn, while nothing else has the
 * session, HEAD goes there, unasked: the way back is one key away.
 */
export async function goToVersion(app: App, { sessionId, id, isRead }: EntryTarget, by: 1 | -1): Promise<void> {
  await app.attempt(async () => {
    const { versions } = await app.client.request('session.versions', { sessionId, entryId: id });
    const at = versions.findIndex((version) => version.entryId === id);
    const next = versions[at + by];
    if (!next) return;
    if (!isRead && isInLastTurn(app, sessionId, id) && takes(app, sessionId, 'navigate') === true) {
      const result = await moveLeaf(app, { sessionId, targetId: next.leafId, exact: true });
      if (result.cancelled) return;
      arrive(app, sessionId, next.entryId, { focusVersions: true });
    } else if (!(await readEntry(app, sessionId, next.entryId, { focusVersions: true }))) return;
    app.announce(`Way ${at + by + 1} of ${versions.length} from here.`);
  });
}

/** The variant that stands before or after the one that a node shows (GR5); null: there is none. */
export function variantBeside({ node, view }: Pick<NodeTarget, 'node' | 'view'>, by: 1 | -1): TurnNode | null {
  const stack = view.store.graph.stackOf(node);
  return stack?.members[stack.members.indexOf(stack.shown) + by] ?? null;
}

/**
 * Shows the variant before or after the one that a node shows. As in the transcript it is read, and only of the last turn, while nothing else
 * has the session, HEAD goes there (GR5).
 */
export async function goToVariant(app: App, target: NodeTarget, by: 1 | -1): Promise<void> {
  const { sessionId, node, view } = target;
  const { store } = view;
  const next = variantBeside(target, by);
  const stack = store.graph.stackOf(node);
  if (!next || !stack) return;
  const { head } = store.graph;
  const isAtHead = stack.shown === head && head.children.length === 0;
  await app.attempt(async () => {
    if (isAtHead && takes(app, sessionId, 'navigate') === true) {
      const entryId = store.graph.readAt(next);
      const result = await moveLeaf(app, { sessionId, targetId: next.tailId, exact: true });
      if (result.cancelled) return;
      arrive(app, sessionId, entryId);
    } else {
      // Where no transcript is to be seen its words on the node are all there is of it.
      store.bringToFront(next);
      if (!hidesTranscript(app.ui.getState().layout)) await readEntry(app, sessionId, store.graph.readAt(next));
    }
    app.announce(`Version ${stack.members.indexOf(next) + 1} of ${stack.members.length}.`);
  });
}

/** Nothing was asked after it on HEAD's path. */
function isInLastTurn(app: App, sessionId: string, entryId: string): boolean {
  const { rows } = app.openSession(sessionId).view.getState();
  const at = rows.findLastIndex(({ id }) => id === entryId);
  return at >= 0 && !rows.slice(at + 1).some(({ kind }) => kind === 'user');
}

const pathOf = (app: App, sessionId: string): ReadingPath | null =>
  app.openSession(sessionId).reading.state.getState().path;

export const isReading = (app: App, { id }: SessionTarget): boolean => pathOf(app, id) !== null;

/** HEAD can go to what is read; not while something else has the session, and where nothing is read it makes no sense. */
export function canGoToRead(app: App, { id }: SessionTarget): Verdict {
  return pathOf(app, id) !== null && takes(app, id, 'navigate');
}

/** HEAD goes to the end of the branch that is read, with the questions of every move. */
export async function goToRead(app: App, { id: sessionId }: SessionTarget): Promise<void> {
  const path = pathOf(app, sessionId);
  if (path) await navigate(app, { sessionId, targetId: path.leafId, exact: true });
}

/** HEAD's path again, where the person was in it. */
export function leaveReading(app: App, { id }: SessionTarget): void {
  app.openSession(id).reading.leave();
  app.page.focusOnceDrawn('transcript');
  app.announce('Back on the path of HEAD.');
}

/** HEAD's path again, at its end: what the agent is doing. */
export function showHead(app: App, { id }: SessionTarget): void {
  app.openSession(id).reading.leave();
  app.ui.setState({ arrival: { sessionId: id, entryId: null } });
}

/** The node of a message comes into view in the graph, which opens where it is not shown. */
export async function showInGraph(app: App, { sessionId, id }: EntryTarget): Promise<void> {
  const { graph } = app.openSession(sessionId);
  if (!isGraphShown(app.ui.getState(), app.page.width())) openGraph(app, {});
  else app.page.focus('tree');
  const isThere = await graph.want(id);
  if (!isThere) app.toast({ level: 'info', text: 'The graph does not show this message.' });
  // The list of branches may stand in its place.
  else if (graph.state.getState().showsList) graph.showList(false);
}

/** Characters of a name that are shown. */
const NAME_CHARS = 40;

/** The first words of a message; empty while it is not in memory. */
export function wordsOf(session: OpenSession, entryId: string | null): string {
  const entry = entryId === null ? undefined : session.entry(entryId);
  const words = excerptOf(toComposer(entry).text.slice(0, 8 * NAME_CHARS));
  return words.length > NAME_CHARS ? `${words.slice(0, NAME_CHARS).trimEnd()}…` : words;
}

/** The session's title: it stands for the name of HEAD's branch (GR16) as long as that is not known. */
export function sessionTitle(app: App, sessionId: string): string {
  return shownTitle({ title: own(app.sessions.getState().byId, sessionId)?.title ?? '' });
}
