import type { Row } from '@shared/session-state/state';
import type { EntryTarget, TextTarget } from '../../actions/action';
import type { App } from '../../state/app-type';
import { sessionShown } from '../../state/sessions-store';
import { isInField } from './in-field';
import { readRange } from './read-range';
import { isAllSelected } from './select-all';
import { toMarkdown } from './to-markdown';

/** Rows that are somebody's words. */
const MESSAGES = new Set<Row['kind']>(['user', 'assistant', 'branchSummary', 'custom']);

/** What stands at a place of the page that a person presses with the other button; null: nothing of it is text. */
export function textUnder(app: App, target: EventTarget | null): TextTarget | null {
  if (!(target instanceof Element) || isInField(target)) return null;
  const shown = sessionShown(app.sessions.getState());
  const found: TextTarget = { sessionId: shown?.id ?? null };
  const link = target.closest<HTMLElement>('[data-link]')?.dataset.link;
  if (link !== undefined) found.link = link;
  const range = selectedAt(target);
  if (range) found.selected = { isAll: isAllSelected(), markdown: () => toMarkdown(readRange(range)) };
  const id = target.closest<HTMLElement>('[data-entry]')?.dataset.entry;
  const entry = id !== undefined && shown ? entryOf(app, shown.id, id) : null;
  if (entry) found.entry = entry;
  return (found.selected ?? found.entry ?? found.link) ? found : null;
}

/** What is selected, if the place is in it. */
function selectedAt(target: Element): Range | null {
  const selection = document.getSelection();
  if (!selection || selection.isCollapsed || selection.rangeCount === 0) return null;
  const range = selection.getRangeAt(0);
  return range.intersectsNode(target) && String(selection).trim() !== '' ? range : null;
}

function entryOf(app: App, sessionId: string, id: string): EntryTarget | null {
  const { rows } = app.openSession(sessionId).view.getState();
  const at = rows.findIndex((row) => row.id === id);
  const row = rows[at];
  if (!row || !MESSAGES.has(row.kind)) return null;
  return { sessionId, id, endId: endOf(rows, at), isOwn: row.kind === 'user', isUnsent: row.tokens === 0 };
}

/** The last of a reply and the results of its calls. */
function endOf(rows: readonly Row[], at: number): string {
  let end = at;
  while (rows[end + 1]?.kind === 'toolResult') end++;
  return rows[end]?.id ?? '';
}
