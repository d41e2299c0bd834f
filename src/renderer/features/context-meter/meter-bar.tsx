import type { ContextUsage, MeterPart } from '@shared/types';
import { cx } from '../../ui';
import styles from './meter.module.css';

interface Segment {
  part: MeterPart;
  label: string;
  colour: string;
  tokens: number;
  /** Share of the window, 0 to 100; 0 where the window is unknown. */
  width: number;
  /** Share of what is used, 0 to 100. */
  percent: number;
}

/** Stacking order from the left (design tokens). */
const ORDER: readonly [MeterPart, string, string][] = [
  ['system', 'System prompt', 'var(--seg-system)'],
  ['skills', 'Skills', 'var(--seg-skills)'],
  ['tools', 'Tool definitions', 'var(--seg-tools)'],
  ['summary', 'Summary', 'var(--seg-summary)'],
  ['pins', 'Kept word for word', 'var(--seg-pins)'],
  ['messages', 'Messages', 'var(--seg-messages)'],
  ['toolOutputs', 'Tool outputs', 'var(--seg-output)'],
  ['images', 'Images', 'var(--seg-images)'],
  ['thinking', 'Thinking', 'var(--seg-thinking)'],
];

/** The parts that hold anything, in stacking order. They add up to `usage.tokens`; the window may be unknown (0). */
export function segmentsOf({ breakdown, tokens, window }: ContextUsage): Segment[] {
  // Over a full window the bar is never longer than its track.
  const whole = window > 0 ? Math.max(window, tokens) : Infinity;
  return ORDER.flatMap(([part, label, colour]) => {
    const held = breakdown[part] ?? 0;
    if (held <= 0) return [];
    return [
      { part, label, colour, tokens: held, width: (held / whole) * 100, percent: (held / Math.max(tokens, 1)) * 100 },
    ];
  });
}

/** Where the window compacts by itself, 0 to 100; null if it does not. */
export function thresholdPercent({ threshold, window, autoCompaction }: ContextUsage): number | null {
  return autoCompaction && threshold !== null && window > 0 ? Math.min(100, (threshold / window) * 100) : null;
}

/** Share of the window that is held back for the answer, 0 to 100. */
function reserveWidth({ reserve, window }: ContextUsage): number {
  return window > 0 ? Math.min(100, (reserve / window) * 100) : 0;
}

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
