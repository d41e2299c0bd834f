import { memo, useState } from 'react';
import { Button, VisibleBlock } from '../../ui';
import { parseAnsi } from './ansi';
import styles from './transcript.module.css';

/** Lines drawn before "Show all". */
const SHOWN_LINES = 40;
/** More characters than this are not drawn even then: the file has them. */
const MAX_CHARS = 200_000;
/** A longer line is cut for the eye. */
const MAX_LINE = 4_000;

const ansiClass = {
  red: styles.ansiRed,
  green: styles.ansiGreen,
  yellow: styles.ansiYellow,
  blue: styles.ansiBlue,
  magenta: styles.ansiMagenta,
  cyan: styles.ansiCyan,
  grey: styles.ansiGrey,
} as const;

/** Terminal text with its colours, in visible form: what a program prints must not pretend to be something else. */
export const TerminalText = memo(function TerminalText({ text }: { text: string }) {
  return (
    <>
      {parseAnsi(text).map((span, index) =>
        span.colour || span.bold ? (
          <span
            key={index}
            className={[span.colour && ansiClass[span.colour], span.bold && styles.bold].filter(Boolean).join(' ')}
          >
            <VisibleBlock text={span.text} />
          </span>
        ) : (
          <VisibleBlock key={index} text={span.text} />
        ),
      )}
    </>
  );
});

/** What a tool gave, the last lines first in view; the rest one press away. */
export function OutputText({ text, label }: { text: string; label: string }) {
  const [all, setAll] = useState(false);
  const source = text.length > MAX_CHARS ? text.slice(-MAX_CHARS) : text;
  const lines = source.replace(/\n$/, '').split('\n');
  const hidden = all ? 0 : Math.max(0, lines.length - SHOWN_LINES);
  return (
    <>
      {hidden > 0 && (
        <div className={styles.more}>
          <Button tone="link" onClick={() => setAll(true)}>
            Show {hidden.toLocaleString('en')} earlier {hidden === 1 ? 'line' : 'lines'}
          </Button>
        </div>
      )}
      <pre className={styles.output} tabIndex={0} aria-label={label}>
        <TerminalText text={lines.slice(hidden).map(clipLine).join('\n')} />
      </pre>
    </>
  );
}

function clipLine(line: string): string {
  if (line.length <= MAX_LINE) return line;
  return `${line.slice(0, MAX_LINE)} … ${(line.length - MAX_LINE).toLocaleString('en')} more characters`;
}
