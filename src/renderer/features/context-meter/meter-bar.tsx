import type { ContextUsage } from '@shared/ipc/types';
import { reserveWidth, segmentsOf } from './meter-parts';
import styles from './meter.module.css';

/** The bar: what fills the window in segments, the reserve hatched at the right. Decoration beside its figures. */
export function MeterBar({ usage }: { usage: ContextUsage }) {
  const reserve = reserveWidth(usage);
  return (
    <span className={styles.track} aria-hidden>
      {segmentsOf(usage).map((segment) => (
        <span
          key={segment.part}
          className={styles.segment}
          style={{ width: `${segment.width}%`, background: segment.colour }}
        />
      ))}
      {reserve > 0 && <span className={styles.reserve} style={{ width: `${reserve}%` }} />}
    </span>
  );
}
