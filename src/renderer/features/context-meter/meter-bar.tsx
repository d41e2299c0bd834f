import type { ContextUsage } from '@shared/types';
import { cx } from '../../ui';
import { reserveWidth, segmentsOf, thresholdPercent } from './meter-parts';
import styles from './meter.module.css';

/**
 * The bar: what fills the window in segments, the reserve hatched at the right, the line at which it compacts. Where the window is unknown
 * nothing is filled, and the track fades out to the right (MT3). Decoration beside its figures.
 */
export function MeterBar({ usage }: { usage: ContextUsage }) {
  const reserve = reserveWidth(usage);
  const threshold = thresholdPercent(usage);
  if (usage.window === 0) return <span className={cx(styles.track, styles.endless)} aria-hidden />;
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
      {threshold !== null && <span className={styles.line} style={{ left: `${threshold}%` }} />}
    </span>
  );
}
