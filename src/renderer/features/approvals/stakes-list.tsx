import { Info, TriangleAlert } from 'lucide-react';
import type { Stakes } from '@shared/policy/stakes';
import { cx, Visible } from '../../ui';
import styles from './approvals.module.css';

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
