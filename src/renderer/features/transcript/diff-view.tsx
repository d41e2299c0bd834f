import { memo, useMemo, useState } from 'react';
import { Button } from '../../ui';
import type { DiffLine } from './diff-lines';
import { DiffRows } from './diff-rows';
import styles from './transcript.module.css';

/** Lines drawn before "Show all": a page of a diff. */
const SHOWN_LINES = 24;
const MAX_LINES = 3_000;

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
  const [all, setAll] = useState(false);
  const shown = useMemo(() => lines.slice(0, all ? most : first), [lines, all, most, first]);
  const hidden = lines.length - shown.length;
  return (
    <>
      <div className={styles.diff} role="group" aria-label={`Changes in ${path}`} tabIndex={0}>
        <DiffRows lines={shown} />
      </div>
      {hidden > 0 && (
        <div className={styles.more}>
          {all ? (
            `${hidden.toLocaleString('en')} more lines are not drawn.`
          ) : (
            <Button tone="link" onClick={() => setAll(true)}>
              Show {hidden.toLocaleString('en')} more {hidden === 1 ? 'line' : 'lines'}
            </Button>
          )}
        </div>
      )}
    </>
  );
});
