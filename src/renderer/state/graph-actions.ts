/** The pane of the branch graph: opening, closing, going to it. */
import type { App } from './app';
import { focusComposer } from './session-actions';
import { isGraphOpen } from './ui-store';

export function isGraphShown(app: App): boolean {
  return isGraphOpen(app.ui.getState().layout, window.innerWidth);
}

/** Opens the graph with the keyboard in it, or closes it. */
export function toggleGraph(app: App): void {
  if (isGraphShown(app)) closeGraph(app);
  else openGraph(app, {});
}

export function closeGraph(app: App): void {
  const hadFocus = document.activeElement?.closest('[data-pane="graph"]') !== null;
  app.setLayout({ graphOpen: false, graphFull: false });
  if (hadFocus) focusComposer();
}

/** Shows the graph, or the outline, and gives it the keyboard as soon as it is there. */
export function openGraph(app: App, { outline }: { outline?: boolean }): void {
  app.setLayout({ graphOpen: true, ...(outline === undefined ? {} : { graphOutline: outline }) });
  const target = outline ? '[data-outline]' : '[data-graph], [data-outline]';
  focusWhenThere(`[data-pane="graph"] :is(${target})`);
}

/** Frames that the pane may take to load the branches. */
const MOST_FRAMES = 120;

function focusWhenThere(selector: string, frames = MOST_FRAMES): void {
  const from = document.activeElement;
  requestAnimationFrame(() => {
    // The person has gone on to something else meanwhile.
    if (document.activeElement !== from && document.activeElement !== document.body) return;
    const element = document.querySelector<HTMLElement>(selector);
    if (element) element.focus();
    else if (frames > 0) focusWhenThere(selector, frames - 1);
  });
}
