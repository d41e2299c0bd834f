/** Pinning messages for the model (PN1): from rows, nodes and the list of pins. A failure becomes a toast. */
import { toAppError } from '../bridge';
import type { App } from '../state/app-type';
import { plural } from '../state/format';
import { deedOf, isSameDeed } from '../state/failures';
import type { EntryTarget, NodeTarget } from './action';

/** Most ids of one request. */
const MOST_IDS = 200;

/** What is pinned of a target: the message itself, or those of a turn. */
export function pinnedOf(app: App, { sessionId, id, pinned }: EntryTarget): readonly string[] {
  if (pinned) return pinned;
  return app.openSession(sessionId).live.getState().pins.includes(id) ? [id] : [];
}

/** What pinning a target would do now, in a word or two. */
export function pinWords(app: App, target: EntryTarget): string {
  const { length } = pinnedOf(app, target);
  return length === 0 ? 'Pin' : length === 1 ? 'Unpin' : `Unpin ${plural(length, 'message')}`;
}

/** Pins a message, or lets go of what is pinned of its target. */
export async function togglePin(app: App, target: EntryTarget | NodeTarget): Promise<void> {
  const { sessionId, id } = target;
  const pinned = pinnedOf(app, target);
  // The same key or entry of the menu pins it again; of several nobody could tell which they were.
  if (pinned.length > 1) await unpin(app, sessionId, pinned);
  else if (pinned.length > 0) {
    if (await letGo(app, sessionId, pinned)) app.announce('Unpinned.');
  } else if (await pin(app, sessionId, [id])) {
    if (isElsewhere(target))
      app.toast({ level: 'info', text: 'Pinned. It counts on its own branch, not on this one.' });
    else app.announce('Pinned. The model gets this message word for word.');
  }
}

/** Its list and its gutter are those of another branch: nothing here would tell that it is done. */
function isElsewhere(target: EntryTarget | NodeTarget): boolean {
  return 'node' in target && !target.view.store.graph.isActive(target.node);
}

/** Lets go of pins, with a way back. */
export async function unpin(app: App, sessionId: string, entryIds: readonly string[]): Promise<void> {
  if (!(await letGo(app, sessionId, entryIds))) return;
  app.toast({
    level: 'info',
    text: entryIds.length === 1 ? 'The message is unpinned.' : `${plural(entryIds.length, 'message')} are unpinned.`,
    action: { label: 'Undo', onSelect: () => void pin(app, sessionId, entryIds) },
  });
}

async function letGo(app: App, sessionId: string, ids: readonly string[]): Promise<boolean> {
  for (let at = 0; at < ids.length; at += MOST_IDS) {
    const entryIds = ids.slice(at, at + MOST_IDS);
    if (!(await app.did('session.pin', { sessionId, entryIds, pinned: false }))) return false;
  }
  return true;
}

/** Where it is refused, the list shows what takes the room. */
async function pin(app: App, sessionId: string, ids: readonly string[]): Promise<boolean> {
  for (let at = 0; at < ids.length; at += MOST_IDS) {
    const params = { sessionId, entryIds: ids.slice(at, at + MOST_IDS), pinned: true };
    try {
      await app.client.request('session.pin', params);
    } catch (cause) {
      const { code, message } = toAppError(cause);
      const hasOthers = code === 'refused' && app.openSession(sessionId).live.getState().pins.length > 0;
      const showPins = (): void => {
        app.activate(sessionId);
        app.ui.setState({ meter: true });
      };
      const of = deedOf('session.pin', params);
      // Tried again it is told once: offers with the same words are not put together by themselves.
      for (const { id, of: told } of app.ui.getState().toasts) if (told && isSameDeed(told, of)) app.dismissToast(id);
      app.toast({
        level: 'error',
        text: message,
        of,
        ...(hasOthers ? { action: { label: 'Show pins', onSelect: showPins } } : {}),
      });
      return false;
    }
  }
  return true;
}
