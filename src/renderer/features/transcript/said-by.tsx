import { fullMoment } from '../../state/format';
import type { Memory } from './group-rows';
import { useMoment } from './use-moment';
import styles from './prompt.module.css';

const WHAT_IS_SENT: Record<Memory, string> = { summarised: 'summarised, not sent', repeated: 'kept word for word' };

interface SaidByProps {
  /** Unix milliseconds. */
  time: number;
  memory?: Memory | null;
}

/** Who wrote a prompt, and when (TS12). */
export function SaidBy({ time, memory = null }: SaidByProps) {
  const moment = useMoment(time);
  return (
    <div className={styles.saidBy}>
      <span>You</span>
      {moment !== '' && <time title={fullMoment(time)}>{moment}</time>}
      {memory !== null && <span>{WHAT_IS_SENT[memory]}</span>}
    </div>
  );
}
