import { Info, TriangleAlert } from 'lucide-react';
import { diffArrays } from 'diff';
import { useMemo } from 'react';
import type { Mark } from '@shared/policy/shell-words';
import type { Stakes } from '@shared/policy/stakes';
import { cx, Visible } from '../../ui';
import styles from './approvals.module.css';
import { PacedText } from './paced-text';
import { rowsOf } from './source';

/** What speaks against an answer, or for a second look. */
export function StakesList({ stakes }: { stakes: Stakes }) {
  if (stakes.risks.length + stakes.warnings.length === 0) return null;
  return (
    <ul className={styles.stakes} aria-label="What stands out">
      {stakes.risks.map(({ title, words }) => (
        <li key={title} className={styles.risk}>
          <TriangleAlert size={14} aria-hidden />
          <span>
            <b>{title}</b>
            <span className={styles.words}>
              <Words words={words} />
            </span>
          </span>
        </li>
      ))}
      {stakes.warnings.map((warning) => (
        <li key={warning}>
          <TriangleAlert size={14} aria-hidden />
          <span>
            <Visible text={warning} place="content" />
          </span>
        </li>
      ))}
    </ul>
  );
}

/** What is told and changes no answer. */
export function NotesList({ notes }: Pick<Stakes, 'notes'>) {
  if (notes.length === 0) return null;
  return (
    <ul className={cx(styles.stakes, styles.notes)} aria-label="Good to know">
      {notes.map(({ title, words }) => (
        <li key={title}>
          <Info size={14} aria-hidden />
          <span>
            {title}
            <Words words={words} />
          </span>
        </li>
      ))}
    </ul>
  );
}

function Words({ words }: { words: readonly string[] }) {
  return words.map((word, index) => (
    <span key={index}>
      {index === 0 ? ': ' : ', '}
      <Visible text={word} place="command" />
    </span>
  ));
}

/** Of longer texts, and of those that share too little, nothing is told apart: that could hold up the window. */
const MOST_CHARS = 20_000;
const MOST_EDITS = 300;
/** Characters of what was put in that are shown: all of it stands in the command itself. */
const MOST_ADDED = 200;

interface EditChanges {
  /** Places in what the agent asked for, in order, without overlaps. */
  dropped: Mark[];
  /** What is new, piece by piece, and whether more was put in than these. */
  added: string[];
  isCut: boolean;
}

/** The words that came and went between two commands; null where nothing is told apart. */
export function editChanges(asked: string, ran: string): EditChanges | null {
  if (asked.length + ran.length > MOST_CHARS) return null;
  const parts = diffArrays(wordsOf(asked), wordsOf(ran), { maxEditLength: MOST_EDITS });
  if (!parts) return null;
  const changes: EditChanges = { dropped: [], added: [], isCut: false };
  let at = 0;
  let shown = 0;
  for (const { value, added, removed } of parts) {
    const text = value.join('');
    if (added) {
      const isBlank = text.trim() === '';
      if (!isBlank && shown + text.length > MOST_ADDED) changes.isCut = true;
      else if (!isBlank) changes.added.push(text.trim());
      shown += text.length;
      continue;
    }
    if (removed) changes.dropped.push({ from: at, to: at + text.length });
    at += text.length;
  }
  return changes;
}

/** Words and what stands between them. */
function wordsOf(text: string): string[] {
  return text.match(/\s+|\S+/g) ?? [];
}

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
