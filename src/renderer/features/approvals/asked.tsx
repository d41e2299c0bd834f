import { useMemo } from 'react';
import { cx, Visible } from '../../ui';
import { editChanges } from './edit-changes';
import { rowsOf } from './measure';
import { PacedText } from './paced-text';
import styles from './approvals.module.css';

/** What the style sheet shows of a replaced command at once. */
const ASKED_ROWS = 3;

/**
 * What the agent asked for, where another command would run: a few rows of it, the others by scrolling, so that the answers stay near.
 * What the person left out of it is struck through, what they put in is named (docs/specs/safety.md C2).
 */
export function Asked({ asked, ran }: { asked: string; ran: string }) {
  const changes = useMemo(() => editChanges(asked, ran), [asked, ran]);
  const isLong = rowsOf(asked.length) + asked.split('\n', ASKED_ROWS + 1).length - 1 > ASKED_ROWS;
  return (
    <div
      className={cx(styles.hint, styles.asked)}
      {...(isLong && { role: 'region', 'aria-label': 'What the agent asked for', tabIndex: 0 })}
    >
      You changed it. The agent asked for:{' '}
      <code className={styles.askedLines}>
        <PacedText text={asked} marks={changes?.dropped} />
      </code>
      {changes && (changes.added.length > 0 || changes.isCut) && (
        <div data-added>
          You added:{' '}
          {changes.added.map((text, index) => (
            <span key={index}>
              {index > 0 && ', '}
              <code>
                <Visible text={text} place="command" />
              </code>
            </span>
          ))}
          {changes.isCut && (changes.added.length > 0 ? ' and more' : 'more than fits here')}
        </div>
      )}
    </div>
  );
}
