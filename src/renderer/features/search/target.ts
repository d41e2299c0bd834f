/** Where in the transcript an entry is drawn: that of a result stands in the row of its reply, below the call. */
export interface Target {
  entryId: string;
  row: Element;
}

/** Null: it is not drawn now. The card of a summary in force comes before the line that says when it was made. */
export function targetOf(transcript: Element, entryId: string): Target | null {
  const id = CSS.escape(entryId);
  const row =
    transcript.querySelector(`[data-holds="${id}"]`) ??
    transcript.querySelector(`[data-entry="${id}"]`) ??
    transcript.querySelector(`[data-result="${id}"]`);
  return row && { entryId, row };
}

/** Whether a text of its row is of the entry: outputs in a reply's row are of their results, all else is of the reply. */
export function isOf({ entryId, row }: Target, node: Node): boolean {
  const output = node.parentElement?.closest<HTMLElement>('[data-output]');
  if (output && row.contains(output)) return output.dataset.output === entryId;
  return !row.matches('[data-result]');
}

const FOLDS = 'button[aria-expanded="false"]:not([aria-haspopup])';
const REST = '[data-unfold]';

/** Opens what of the entry is folded (`isAll`), or only what is left out of a text that is drawn. Returns whether there was something. */
export function unfold({ entryId, row }: Target, isAll: boolean): boolean {
  const isResult = row.matches('[data-result]');
  let isOpened = false;
  for (const button of row.querySelectorAll<HTMLElement>(isAll ? `${FOLDS}, ${REST}` : REST)) {
    const owner = button.dataset.opens ?? button.closest<HTMLElement>('[data-output]')?.dataset.output;
    if (owner === undefined ? isResult : owner !== entryId) continue;
    button.click();
    isOpened = true;
  }
  return isOpened;
}
