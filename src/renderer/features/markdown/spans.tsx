import type { ReactNode } from 'react';
import { HIGHLIGHT_CLASSES, type HighlightSpan } from './highlight/protocol';
import styles from './code.module.css';

/** One coloured line as spans; text without a colour is a plain string. */
export function renderSpans(spans: readonly HighlightSpan[]): ReactNode[] {
  return spans.map((span, index) =>
    typeof span === 'string' ? (
      span
    ) : (
      <span key={index} className={styles[HIGHLIGHT_CLASSES[span[1]] ?? 'plain']}>
        {span[0]}
      </span>
    ),
  );
}
