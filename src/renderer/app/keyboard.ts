import type { App } from '../state/app';
import { stopOrCancel } from '../state/compaction-actions';
import { COMMANDS, PALETTE_KEYS, activeSession, isRunning, runCommand } from '../state/commands';
import { isMac, matchesKeys } from '../state/keys';
import { isUsedUp } from '../ui';

/** The panes that F6 walks, in the order of the window; each focuses its most useful place. */
const PANES: readonly { pane: string; target: string }[] = [
  { pane: 'sessions', target: '[data-session][tabindex="0"], [data-session-filter]' },
  { pane: 'bar', target: 'button' },
  { pane: 'transcript', target: '[tabindex="0"]' },
  { pane: 'composer', target: '[data-composer]' },
  { pane: 'graph', target: '[data-graph], [data-outline]' },
];

/** Serves the global shortcuts. Returns the function that ends it. */
export function handleKeys(app: App): () => void {
  const onKeyDown = (event: KeyboardEvent): void => {
    if (isUsedUp(event) || event.isComposing) return;
    if (serve(app, event)) event.preventDefault();
  };
  window.addEventListener('keydown', onKeyDown);
  return () => window.removeEventListener('keydown', onKeyDown);
}

function serve(app: App, event: KeyboardEvent): boolean {
  const mac = isMac(app.settings.getState().platform);
  if (matchesKeys(event, PALETTE_KEYS, mac)) {
    app.ui.setState((ui) => ({ palette: !ui.palette }));
    return true;
  }
  if (isModalOpen()) return false;
  if (event.key === 'F6') return cyclePanes(event.shiftKey ? -1 : 1);
  if (event.key === 'Escape') return stopRun(app);
  if (event.key === 'F2' && !isTyping(event)) return rename(app);
  // There it moves by a word.
  if (mac && event.altKey && event.key.startsWith('Arrow') && isInText(event)) return false;
  const command = COMMANDS.find((item) => item.keys && !item.localKeys && matchesKeys(event, item.keys, mac));
  if (command) runCommand(app, command, '');
  return command !== undefined;
}

/** A dialog has the keyboard to itself. */
function isModalOpen(): boolean {
  return document.querySelector('[role="dialog"][data-state="open"], [role="menu"]') !== null;
}

function isInText(event: KeyboardEvent): boolean {
  return event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement;
}

function isTyping(event: KeyboardEvent): boolean {
  const target = event.target as HTMLElement | null;
  return (
    target !== null &&
    (target.tagName === 'INPUT' || target.tagName === 'TEXTAREA') &&
    !target.matches('[data-composer]')
  );
}

function stopRun(app: App): boolean {
  const session = activeSession(app);
  if (!session || !isRunning(session)) return false;
  stopOrCancel(app, session.id);
  return true;
}

function rename(app: App): boolean {
  const session = activeSession(app);
  if (session) app.ui.setState({ renaming: { sessionId: session.id, place: 'bar' } });
  return session !== undefined;
}

/** Moves the focus to the next pane that is on screen. */
function cyclePanes(by: 1 | -1): boolean {
  const here = document.activeElement?.closest<HTMLElement>('[data-pane]')?.dataset.pane;
  const from = PANES.findIndex((item) => item.pane === here);
  for (let tried = 1; tried <= PANES.length; tried++) {
    const at = (from + by * tried + PANES.length * 2) % PANES.length;
    const item = PANES[at];
    const pane = item && document.querySelector<HTMLElement>(`[data-pane="${item.pane}"]`);
    if (!item || !pane || pane.offsetParent === null) continue;
    const target = pane.querySelector<HTMLElement>(item.target);
    if (!target) continue;
    target.focus();
    return true;
  }
  return false;
}
