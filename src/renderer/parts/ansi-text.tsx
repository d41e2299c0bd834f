import { memo, useMemo } from 'react';
import { VisibleBlock } from '../ui';
import { type AnsiSpan, parseAnsi } from './ansi';
import styles from './ansi.module.css';

const colours = {
  red: styles.ansiRed,
  green: styles.ansiGreen,
  yellow: styles.ansiYellow,
  blue: styles.ansiBlue,
  magenta: styles.ansiMagenta,
  cyan: styles.ansiCyan,
  grey: styles.ansiGrey,
} as const;

/** The classes of a run of terminal text. */
export function ansiClass({ colour, bold }: AnsiSpan): string {
  return [colour && colours[colour], bold && styles.bold].filter(Boolean).join(' ');
}

/** Blanks of a run between two colours are none that end a line: nothing hides behind them. */
const PARTS = /^( *)(.*?)( *)$/s;

/** A short terminal text with its colours, in visible form. */
export const AnsiText = memo(function AnsiText({ text }: { text: string }) {
  const spans = useMemo(() => parseAnsi(text), [text]);
  return spans.map((span, index) => {
    const [, before = '', shown = '', after = ''] = PARTS.exec(span.text) ?? [];
    return (
      <span key={index} className={ansiClass(span)}>
        {before}
        <VisibleBlock text={shown} />
        {after}
      </span>
    );
  });
});
