import type { Row } from '@shared/session-state/state';
import type { EntryTarget, TextTarget } from '../../actions/action';
import type { App } from '../../state/app-type';
import { sessionShown } from '../../state/sessions-store';
import { isAllSelected, isInField } from './select-all';
import { type ElementPiece, MAX_DEPTH, type Piece, toMarkdown } from './to-markdown';

/** Elements whose form a selection inside them has as well. */
const FORMS = new Set(['strong', 'em', 'del', 'code', 'pre', 'a']);

/**
 * What a range holds of the page, as pieces: what can be selected, and no more. A selection within code, a link or emphasis is that.
 */
function readRange(range: Range): Piece[] {
  const root = range.commonAncestorContainer;
  let pieces = read(root, range, 0);
  for (let above = root.parentElement; above && !above.matches('[data-entry]'); above = above.parentElement) {
    const tag = above.localName;
    if (FORMS.has(tag) && pieces.length > 0 && !isPreCode(tag, above)) pieces = [pieceOf(above, pieces)];
  }
  return pieces;
}

/** The `code` of a `pre` is its words. */
const isPreCode = (tag: string, element: Element): boolean =>
  tag === 'code' && element.parentElement?.localName === 'pre';

function read(node: Node, range: Range, depth: number): Piece[] {
  if (!range.intersectsNode(node)) return [];
  if (node.nodeType === Node.TEXT_NODE) {
    const text = node.nodeValue ?? '';
    const from = node === range.startContainer ? range.startOffset : 0;
    const to = node === range.endContainer ? range.endOffset : text.length;
    return to > from ? [text.slice(from, to)] : [];
  }
  if (!(node instanceof Element)) return readChildren(node, range, depth);
  if (getComputedStyle(node).userSelect === 'none') return [];
  const source = node.getAttribute('data-markdown');
  if (source !== null) return [{ tag: 'raw', source, is: node.hasAttribute('data-block'), children: [] }];
  if (node instanceof HTMLInputElement)
    return node.type === 'checkbox' ? [{ tag: 'input', is: node.checked, children: [] }] : [];
  const children = depth < MAX_DEPTH ? readChildren(node, range, depth) : [];
  if (isPreCode(node.localName, node)) return children;
  if (children.length === 0 && !/^(br|hr|td|th)$/.test(node.localName)) return [];
  return [pieceOf(node, children)];
}

function readChildren(node: Node, range: Range, depth: number): Piece[] {
  const pieces: Piece[] = [];
  for (let child = node.firstChild; child; child = child.nextSibling)
    for (const piece of read(child, range, depth + 1)) pieces.push(piece);
  return pieces;
}

function pieceOf(element: Element, children: Piece[]): ElementPiece {
  const piece: ElementPiece = { tag: element.localName, children };
  const link = element.getAttribute('data-link');
  if (link !== null) piece.link = link;
  const level = Number(element.getAttribute('data-depth') ?? element.getAttribute('start'));
  if (level > 0) piece.number = level;
  const language = element.closest('[data-language]')?.getAttribute('data-language');
  if (piece.tag === 'pre' && language) piece.source = language;
  return piece;
}

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
