import type { HighlightAnswer, HighlightRequest } from './protocol';
import { tokenize } from './tokenize';

/** Colours code off the page's thread: a grammar's first use alone takes longer than a frame. */
self.addEventListener('message', (event: MessageEvent<HighlightRequest>) => {
  const { id, code, language } = event.data;
  const answer = (lines: HighlightAnswer['lines']): void => self.postMessage({ id, lines } satisfies HighlightAnswer);
  tokenize(code, language).then(answer, () => answer(null));
});
