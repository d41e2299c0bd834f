import { useMemo, useState } from 'react';
import { Button, VisuallyHidden, cx } from '../../ui';
import { plural } from '../../state/format';
import { readDiff, type DiffLine } from './diff-lines';
import styles from './approvals.module.css';

/** Lines drawn before the person asks for all of them: more would make the first paint of a card slow. */
const FIRST_LINES = 400;
const SPOKEN: Record<DiffLine['kind'], string> = { added: 'added: ', removed: 'removed: ', context: '', hunk: '' };

/** The exact change that is asked for. Long ones scroll; the rest is drawn when asked for, before any answer. */
export function DiffView({ diff }: { diff: string }) {
  const lines = useMemo(() => readDiff(diff), [diff]);
  const [all, setAll] = useState(false);
  const shown = all ? lines : lines.slice(0, FIRST_LINES);
  return (
    <div className={styles.diff} role="region" aria-label="The change" tabIndex={0}>
      {shown.map((line, index) => (
        <div key={index} className={cx(styles.line, styles[line.kind])}>
          <VisuallyHidden>{SPOKEN[line.kind]}</VisuallyHidden>
          {line.text || ' '}
        </div>
      ))}
      {shown.length < lines.length && (
        <Button size="small" tone="link" onClick={() => setAll(true)}>
          Show {plural(lines.length - shown.length, 'more line')}
        </Button>
      )}
    </div>
  );
}
