import { fullMoment } from '../../state/format';
import type { Memory } from '../../state/group-rows';
import { useIsPinned } from './pin-mark';
import { useMoment } from './use-moment';
import styles from './prompt.module.css';
import type { Row } from '@shared/session-state/state';

const WHAT_IS_SENT: Record<Memory, string> = { summarised: 'summarised, not sent', repeated: 'kept word for word' };

interface SaidByProps {
  /** Unix milliseconds. */
  time: number;
  memory?: Memory | null;
  /** Its row, once there is one. */
  row?: Row | null;
}

/** Who wrote a prompt, and when (TS12). */
export function SaidBy({ time, memory = null, row = null }: SaidByProps) {
  const moment = useMoment(time);
  // It is why the model gets it.
  const isPinned = useIsPinned(row);
  return (
    <div className={styles.saidBy} data-chrome>
      <span>You</span>
      {moment !== '' && <time title={fullMoment(time)}>{moment}</time>}
      {isPinned && <span>pinned</span>}
      {memory !== null && !(isPinned && memory === 'repeated') && <span>{WHAT_IS_SENT[memory]}</span>}
    </div>
  );
}
