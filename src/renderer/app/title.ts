import type { App } from '../state/app-type';
import { sessionShown } from '../state/sessions-store';
import { windowTitle } from '../state/window-title';

/** Keeps the title of the page, which the system's window takes over, as the shown session is. Returns the function that ends it. */
export function followTitle(app: App): () => void {
  function apply(): void {
    const title = windowTitle(sessionShown(app.sessions.getState()));
    if (document.title !== title) document.title = title;
  }
  apply();
  return app.sessions.subscribe(apply);
}
