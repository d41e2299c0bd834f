import { announceMove } from '../parts/hold-end';
import { select } from '../features/texts/select-all';
import type { Page, Place } from '../state/page';

const PLACES: Record<Place, string> = {
  composer: '[data-composer]',
  search: '[data-search-field]',
  find: '[data-find-field]',
  tree: '[data-pane="graph"] :is([data-graph], [data-outline], [data-branch-list])',
  outline: '[data-pane="graph"] [data-outline]',
  mark: '[data-coach]',
  transcript: '[data-transcript]',
};
/** Frames in which what was asked for is drawn: a graph may have to be loaded first. */
const MOST_FRAMES = 120;

/** How often the keyboard was sent somewhere: the last wish counts. */
let wishes = 0;

/** The document, as the state asks for it. */
export const page: Page = {
  focus: (place) => find(PLACES[place])?.focus(),
  focusOnceDrawn(place) {
    const from = document.activeElement;
    const mine = ++wishes;
    const focus = (element: HTMLElement): void => {
      if (wishes !== mine) return;
      // The second press of a double click opened a field of its own meanwhile.
      const active = document.activeElement;
      if (active instanceof HTMLInputElement && active !== from) return;
      element.focus();
      // What was looked for last is there to be typed over.
      if ((place === 'search' || place === 'find') && element instanceof HTMLInputElement) element.select();
    };
    // React draws what another session needs before this: no key is lost between the old composer and the new one.
    queueMicrotask(() => {
      const element = find(PLACES[place]);
      if (element && isStill(from)) focus(element);
    });
    onceDrawn(PLACES[place], focus, () => isStill(from));
  },
  hasFocus: (pane) => (document.activeElement?.closest(`[data-pane="${pane}"]`) ?? null) !== null,
  composerCaret() {
    const field = find(PLACES.composer);
    return field instanceof HTMLTextAreaElement ? field.selectionEnd : null;
  },
  showQuestion(approvalId) {
    // What a graph in the whole window lies over takes no focus.
    const selector = `[data-approval="${CSS.escape(approvalId)}"]:not([inert] *)`;
    wishes++;
    const show = (card: HTMLElement): void => {
      announceMove(card);
      card.scrollIntoView({ block: 'start' });
      // The card itself, none of its answers.
      card.focus({ preventScroll: true });
    };
    const card = find(selector);
    if (card) show(card);
    else onceDrawn(selector, show);
    return card !== null;
  },
  async copy(text) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      return false;
    }
  },
  // No other call leaves out what can't be selected, and has `copy` heard by what follows Select all.
  copySelected: () => document.execCommand('copy'),
  selectMessage(entryId) {
    const message = find(`[data-entry="${CSS.escape(entryId)}"]`);
    if (message) select(message);
  },
  spots: () => CSS.highlights.get('found-now')?.size ?? 0,
  width: () => window.innerWidth,
};

const find = (selector: string): HTMLElement | null => document.querySelector<HTMLElement>(selector);

/** The person has not gone on to something else. */
function isStill(from: Element | null): boolean {
  return document.activeElement === from || document.activeElement === document.body;
}

function onceDrawn(selector: string, then: (element: HTMLElement) => void, isWanted = () => true): void {
  const look = (framesLeft: number): void => {
    requestAnimationFrame(() => {
      const element = find(selector);
      if (element && (framesLeft === MOST_FRAMES || isWanted())) then(element);
      else if (!element && framesLeft > 0 && isWanted()) look(framesLeft - 1);
    });
  };
  look(MOST_FRAMES);
}
