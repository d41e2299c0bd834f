import { memo, useState } from 'react';
import { Button } from '../../ui';
import type { DiffLine } from './diff-lines';
import styles from './transcript.module.css';

/** Lines drawn before "Show all": a page of a diff. */
const SHOWN_LINES = 24;
const MAX_LINES = 3_000;

const signs = { added: '+', removed: '−', context: ' ', gap: ' ' } as const;
const names = { added: 'added: ', removed: 'removed: ', context: '', gap: '' } as const;

/** A diff as lines with signs: the colour never stands alone. */
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
  const shown = lines.slice(0, all ? most : first);
  const hidden = lines.length - shown.length;
  return (
    <>
      <div className={styles.diff} role="group" aria-label={`Changes in ${path}`} tabIndex={0}>
        {shown.map((line, index) => (
          <div key={index} className={styles[line.kind]}>
            {line.kind === 'gap' ? (
              '⋯'
            ) : (
              <>
                <span className={styles.sign} aria-label={names[line.kind] || undefined}>
                  {signs[line.kind]}
                </span>
                {line.text}
              </>
            )}
          </div>
        ))}
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
