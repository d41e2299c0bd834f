import { useEffect, useId, type ReactNode } from 'react';
import { ChevronDown } from 'lucide-react';
import type { SessionEntry } from '@shared/session/entry';
import { cx } from '../../ui';
import { plural } from '../../state/format';
import { useEntry, useTranscript } from './context';
import type { Attempt } from '../../state/group-rows';
import { keepAttemptsOpen, useAttemptsOpen } from './open-attempts';
import styles from './attempts.module.css';

/** Draws an earlier attempt as the reply that it was. */
type DrawAttempt = (attempt: Attempt, entry: SessionEntry) => ReactNode;

const idOf = (attempts: readonly Attempt[]): string => attempts[0]?.row.id ?? '';

/** "3 attempts ▾": opens what a reply was tried before (TS6). The count has the one that is shown. */
export function AttemptsButton({ attempts, controls }: { attempts: readonly Attempt[]; controls: string }) {
  const isOpen = useAttemptsOpen(idOf(attempts));
  return (
    <button
      type="button"
      className={styles.button}
      aria-expanded={isOpen}
      aria-controls={isOpen ? controls : undefined}
      onClick={() => keepAttemptsOpen(idOf(attempts), !isOpen)}
    >
      {plural(attempts.length + 1, 'attempt')}
      <ChevronDown size={12} className={cx(styles.chevron, isOpen && styles.turned)} aria-hidden />
    </button>
  );
}

/** The earlier attempts of a reply, oldest first, while they are open. */
export function EarlierAttempts({
  attempts,
  draw,
  id,
}: {
  attempts: readonly Attempt[];
  draw: DrawAttempt;
  id: string;
}) {
  if (!useAttemptsOpen(idOf(attempts))) return null;
  return (
    <div id={id} className={styles.attempts}>
      {attempts.map((attempt, index) => (
        <Earlier key={attempt.row.id} attempt={attempt} at={index + 1} draw={draw} />
      ))}
    </div>
  );
}

function Earlier({ attempt, at, draw }: { attempt: Attempt; at: number; draw: DrawAttempt }) {
  const { session } = useTranscript();
  const { row } = attempt;
  const headId = useId();
  const entry = useEntry(row.id);
  useEffect(() => {
    if (!entry) void session.loadEntries([row.id]);
  }, [session, row, entry]);
  return (
    <section className={styles.attempt} data-entry={row.id} aria-labelledby={headId}>
      <h3 id={headId} className={styles.head} data-chrome>
        Attempt {at} <span>{row.stopped ? 'stopped' : 'failed'}</span>
      </h3>
      {entry && draw(attempt, entry)}
    </section>
  );
}
