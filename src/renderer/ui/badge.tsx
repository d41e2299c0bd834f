import type { HTMLAttributes, ReactNode } from 'react';
import { cx } from './cx';
import styles from './small.module.css';

/** A key or key combination. */
export function Kbd({ children }: { children: ReactNode }) {
  return <kbd className={styles.kbd}>{children}</kbd>;
}

export type ChipTone = 'neutral' | 'leaf' | 'amber' | 'violet' | 'red' | 'blue' | 'outline';

export interface ChipProps extends HTMLAttributes<HTMLSpanElement> {
  tone?: ChipTone;
}

/** A small fact in a rounded ground: folder, branch, count. */
export function Chip({ tone = 'neutral', className, ...rest }: ChipProps) {
  return <span className={cx(styles.chip, tone !== 'neutral' && styles[tone], className)} {...rest} />;
}
