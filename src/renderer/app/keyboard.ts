import { act, actHere, actionOfKeys } from '../actions/menus';
import { noteClosed, serveEscape } from '../actions/escape';
import type { App } from '../state/app-type';
import { isMac } from '../state/keys';
import { sessionShown } from '../state/sessions-store';
import { isUsedUp } from '../ui';

/** The panes that F6 walks, in the order of the window; each focuses its most useful place. */
const PANES: readonly { pane: string; target: string }[] = [
  { pane: 'sessions', target: '[data-session][tabindex="0"], [data-session-filter], [data-search-field]' },
  { pane: 'bar', target: 'button' },
  { pane: 'transcript', target: '[tabindex="0"]' },
  { pane: 'composer', target: '[data-composer]' },
  { pane: 'terminal', target: '[data-terminal]' },
  { pane: 'graph', target: '[data-graph], [data-outline], [data-branch-list]' },
];

/** Serves the global shortcuts. Returns the function that ends it. */
export function handleKeys(app: App): () => void {
  const onKeyDown = (event: KeyboardEvent): void => {
    if (isUsedUp(event) || event.isComposing) return;
    if (serve(app, event)) event.preventDefault();
  };
  window.addEventListener('keydown', onKeyDown);
  window.addEventListener('keydown', watchEscape, { capture: true });
  return () => {
    window.removeEventListener('keydown', onKeyDown);
    window.removeEventListener('keydown', watchEscape, { capture: true });
  };
}

/** Whoever closes something by Escape where the keyboard is uses the press up: it is noted, so that the next one stops nothing (GR24). */
function watchEscape(event: KeyboardEvent): void {
  if (event.key !== 'Escape') return;
  const at = performance.now();
  setTimeout(() => isUsedUp(event) && noteClosed(at));
}

function serve(app: App, event: KeyboardEvent): boolean {
  const mac = isMac(app.settings.getState().platform);
  const id = actionOfKeys(app, event);
  // A dialog has the keyboard to itself; the palette alone closes by its own keys.
  if (id !== 'view.palette' && isModalOpen()) return false;
  const session = sessionShown(app.sessions.getState());
  if (event.key === 'F6') return cyclePanes(event.shiftKey ? -1 : 1);
  // Held down it was pressed for something else (docs/specs/safety.md C2).
  if (event.key === 'Escape') return !event.repeat && session !== undefined && serveEscape(app, session);
  if (event.key === 'F2' && session && !isTyping(event)) {
    act(app, 'session.rename', session);
    return true;
  }
  // There it moves by a word.
  if (mac && event.altKey && event.key.startsWith('Arrow') && isInText(event)) return false;
  if (id) actHere(app, id);
  return id !== undefined;
}

function isModalOpen(): boolean {
  return document.querySelector('[role="dialog"][data-state="open"], [role="menu"]') !== null;
}

function isInText(event: KeyboardEvent): boolean {
  return event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement;
}

function isTyping(event: KeyboardEvent): boolean {
  return isInText(event) && !(event.target as HTMLElement).matches('[data-composer]');
}

/** Moves the focus to the next pane that is on screen. */
function cyclePanes(by: 1 | -1): boolean {
  const here = document.activeElement?.closest<HTMLElement>('[data-pane]')?.dataset.pane;
  const from = PANES.findIndex((item) => item.pane === here);
  for (let tried = 1; tried <= PANES.length; tried++) {
    const item = PANES[(from + by * tried + PANES.length * 2) % PANES.length];
    const pane = item && document.querySelector<HTMLElement>(`[data-pane="${item.pane}"]`);
    const target = pane && pane.offsetParent !== null && pane.querySelector<HTMLElement>(item.target);
    if (!target) continue;
    target.focus();
    return true;
  }
  return false;
}
