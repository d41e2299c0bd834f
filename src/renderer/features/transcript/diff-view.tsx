import { memo, useMemo, useState } from 'react';
import { visibleString } from '@shared/policy/visible-text';
import { Button } from '../../ui';
import type { DiffLine } from './diff-lines';
import { DiffRows } from './diff-rows';
import styles from './transcript.module.css';

/** Lines drawn before "Show more": a page of a diff. */
const SHOWN_LINES = 24;
const MAX_LINES = 3_000;
/** Lines that one press adds: more at once would stop the window. */
const PAGE_LINES = 300;
/** A longer line is cut for the eye. Approvals cut none: they draw the rows themselves. */
const MAX_LINE = 1_000;

/** A diff, its first lines at once. */
export const DiffView = memo(function DiffView({
  lines,
  path,
  first = SHOWN_LINES,
  most = MAX_LINES,
}: {
  lines: readonly DiffLine[];
  path: string;
  /** Lines drawn before "Show more". */
  first?: number;
  /** Lines drawn at most. */
  most?: number;
}) {
  const [count, setCount] = useState(first);
  const shown = useMemo(() => lines.slice(0, count).map(clipLine), [lines, count]);
  const hidden = lines.length - shown.length;
  const next = Math.min(hidden, PAGE_LINES);
  return (
    <>
      <div className={styles.diff} role="group" aria-label={`Changes in ${visibleString(path)}`} tabIndex={0}>
        <DiffRows lines={shown} />
      </div>
      {hidden > 0 && (
        <div className={styles.more}>
          {count >= most ? (
            `${hidden.toLocaleString('en')} more lines are not drawn.`
          ) : (
            <Button tone="link" onClick={() => setCount(Math.min(most, count + PAGE_LINES))}>
              Show {next.toLocaleString('en')} more {next === 1 ? 'line' : 'lines'}
            </Button>
          )}
        </div>
      )}
    </>
  );
});

function clipLine(line: DiffLine): DiffLine {
  if (line.text.length <= MAX_LINE) return line;
  const left = (line.text.length - MAX_LINE).toLocaleString('en');
  return { ...line, text: `${line.text.slice(0, MAX_LINE)} … ${left} more characters` };
}
