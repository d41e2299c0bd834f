import type { App } from '../state/app-type';
import { waitingCount } from '../state/inbox';
import { sessionShown } from '../state/sessions-store';
import { windowTitle } from '../state/window-title';

/** Keeps the title of the page, which the system's window takes over, as the shown session is. Returns the function that ends it. */
export function followTitle(app: App): () => void {
  function apply(): void {
    try {
      const state = app.sessions.getState();
      const title = windowTitle(sessionShown(state), waitingCount(state));
      if (document.title !== title) document.title = title;
    } catch {
      // What can't be read fails where it is drawn as well, and is told there: thrown here, it would keep that from being drawn.
    }
  }
  apply();
  return app.sessions.subscribe(apply);
}
