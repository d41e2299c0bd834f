import { copyMessage, copyTranscript } from '../../actions/texts';
import type { App } from '../../state/app-type';
import { isMac } from '../../state/keys';
import { sessionShown } from '../../state/sessions-store';

const FIELDS = 'input, textarea, select, [contenteditable]';

/** Whether the system's own menu and keys are right there. */
export function isInField(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest(FIELDS) !== null;
}

const TRANSCRIPT = '[data-transcript], [data-safe]';

/** All of the transcript is selected, also what is not drawn. */
let isAll = false;

/** Whether what is selected is the whole transcript, of which only a part is drawn. */
export const isAllSelected = (): boolean => isAll;

/** Serves Ctrl/Cmd+A outside of fields, and the copying of what it selected (WN23). Returns the function that ends it. */
export function followSelectAll(app: App): () => void {
  const onKeyDown = (event: KeyboardEvent): void => {
    const mod = isMac(app.settings.getState().platform) ? event.metaKey : event.ctrlKey;
    if (!mod || event.shiftKey || event.altKey || event.key.toLowerCase() !== 'a') return;
    if (event.defaultPrevented || isInField(event.target)) return;
    event.preventDefault();
    selectAll();
  };
  const onCopy = (event: ClipboardEvent): void => {
    const shown = sessionShown(app.sessions.getState());
    if (!shown || isInField(event.target)) return;
    const id = isAll ? null : cutMessage();
    if (!isAll && id === null) return;
    event.preventDefault();
    void (id === null ? copyTranscript(app, shown.id) : copyMessage(app, { sessionId: shown.id, id }));
  };
  const onChange = (): void => {
    isAll = isAll && isWhole(document.querySelector(TRANSCRIPT));
  };
  document.addEventListener('keydown', onKeyDown);
  document.addEventListener('copy', onCopy);
  document.addEventListener('selectionchange', onChange);
  return () => {
    document.removeEventListener('keydown', onKeyDown);
    document.removeEventListener('copy', onCopy);
    document.removeEventListener('selectionchange', onChange);
  };
}

/** The message that is selected as a whole, if not all of its words are drawn; null: none is. */
function cutMessage(): string | null {
  const element = document.getSelection()?.anchorNode;
  if (!(element instanceof HTMLElement) || !element.matches('[data-transcript] [data-entry]')) return null;
  if (!isWhole(element) || !element.querySelector('[data-rest]')) return null;
  return element.dataset.entry ?? null;
}

/** The text of a dialog; else the message that was pressed or has the keyboard; else, and when asked again, the transcript. */
function selectAll(): void {
  const dialogs = document.querySelectorAll('[role="dialog"][data-state="open"]');
  const dialog = dialogs[dialogs.length - 1];
  if (dialog) {
    const text = document.activeElement?.closest('pre');
    return select(text && dialog.contains(text) ? text : dialog);
  }
  const transcript = document.querySelector(TRANSCRIPT);
  if (!transcript) return;
  const message = messageIn(transcript);
  if (message && !isWhole(message) && !isWhole(transcript)) return select(message);
  select(transcript);
  isAll = transcript.matches('[data-transcript]');
}

function messageIn(transcript: Element): Element | null {
  const { anchorNode } = document.getSelection() ?? {};
  const pressed = anchorNode instanceof Element ? anchorNode : anchorNode?.parentElement;
  for (const place of [document.activeElement, pressed]) {
    const message = place?.closest('[data-entry]');
    if (message && transcript.contains(message)) return message;
  }
  return null;
}

export function select(element: Element): void {
  const range = document.createRange();
  range.selectNodeContents(element);
  const selection = document.getSelection();
  selection?.removeAllRanges();
  selection?.addRange(range);
}

/** Whether what is selected reaches from the beginning to the end of an element. */
function isWhole(element: Element | null): boolean {
  const selection = document.getSelection();
  if (!element || !selection || selection.rangeCount === 0 || selection.isCollapsed) return false;
  const range = selection.getRangeAt(0);
  return range.startContainer === element && range.endContainer === element && range.startOffset === 0;
}
