import { formatMoment, fullMoment } from '../../state/format';
import styles from './prompt.module.css';

interface SaidByProps {
  /** Unix milliseconds. */
  time: number;
  /** The model no longer sees it. */
  summarised?: boolean;
}

/** Who wrote a prompt, and when (TS12). */
export function SaidBy({ time, summarised }: SaidByProps) {
  const moment = formatMoment(time, Date.now());
  return (
    <div className={styles.saidBy}>
      <span>You</span>
      {moment !== '' && <time title={fullMoment(time)}>{moment}</time>}
      {summarised && <span>summarised, not sent</span>}
    </div>
  );
}
