import type { HTMLAttributes, ReactNode } from 'react';
import { cx } from './cx';
import styles from './small.module.css';

/** The five marks of the product, the same everywhere (design README): turn, compaction, branch summary, label, HEAD. */
type GlyphName = 'turn' | 'compaction' | 'branchSummary' | 'label' | 'head';

const colours: Record<Exclude<GlyphName, 'head'>, string> = {
  turn: 'var(--leaf)',
  compaction: 'var(--amber)',
  branchSummary: 'var(--violet)',
  label: 'var(--blue)',
};

interface GlyphProps {
  name: GlyphName;
  /** Edge length in pixels. */
  size?: number;
  /** Accessible name; without it the glyph is decoration beside its words. */
  label?: string;
  /** Takes the colour of the text around it: on a ground of its own colour it could not be seen. */
  plain?: boolean;
  className?: string;
}

/** Draws one of the product's glyphs in its own colour; drawn, not typed, so that it looks the same in every font. */
export function Glyph({ name, size = 12, label, plain, className }: GlyphProps) {
  const naming = label ? ({ role: 'img', 'aria-label': label } as const) : ({ 'aria-hidden': true } as const);
  if (name === 'head') {
    return (
      <span className={cx(styles.head, className)} {...naming}>
        HEAD
      </span>
    );
  }
  return (
    <span className={cx(styles.glyph, className)} {...naming}>
      <svg
        width={size}
        height={size}
        viewBox="0 0 12 12"
        fill="none"
        style={plain ? undefined : { color: colours[name] }}
      >
        {shapes[name]}
      </svg>
    </span>
  );
}

const shapes: Record<Exclude<GlyphName, 'head'>, React.ReactNode> = {
  turn: <circle cx="6" cy="6" r="3.6" fill="currentColor" />,
  compaction: <path d="M6 .8 11.2 6 6 11.2.8 6Z" fill="currentColor" />,
  branchSummary: <path d="M6 1.3 10.7 6 6 10.7 1.3 6Z" stroke="currentColor" strokeWidth="1.3" />,
  label: <path d="M3 11.3V1h6.6L7.8 3.6l1.8 2.6H3" stroke="currentColor" strokeWidth="1.3" strokeLinejoin="round" />,
};

interface BrandMarkProps {
  /** Edge length in pixels. */
  size?: number;
  /** Accessible name; without it the mark is decoration beside the product's name. */
  label?: string;
}

/** The product's mark: a small tree trained on three wires. */
export function BrandMark({ size = 20, label }: BrandMarkProps) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      strokeLinecap="round"
      strokeLinejoin="round"
      {...(label ? { role: 'img', 'aria-label': label } : { 'aria-hidden': true })}
    >
      <path d="M1.5 6h21M1.5 12h21M1.5 18h21" stroke="var(--ink-3)" strokeWidth="0.9" opacity="0.55" />
      <g stroke="var(--leaf)" strokeWidth="1.8">
        <path d="M12 23V2.2" />
        <path d="M12 21.6C8.4 21.6 4.6 20.9 2.6 17.6M12 21.6c3.6 0 7.4-.7 9.4-4" />
        <path d="M12 15.4c-3 0-5.9-.7-7.6-3.6M12 15.4c3 0 5.9-.7 7.6-3.6" />
        <path d="M12 9.2c-2.3 0-4.4-.6-5.7-3.2M12 9.2c2.3 0 4.4-.6 5.7-3.2" />
      </g>
    </svg>
  );
}

/** A key or key combination. */
export function Kbd({ children }: { children: ReactNode }) {
  return <kbd className={styles.kbd}>{children}</kbd>;
}

export type ChipTone = 'neutral' | 'leaf' | 'amber' | 'violet' | 'red' | 'blue' | 'outline';

interface ChipProps extends HTMLAttributes<HTMLSpanElement> {
  tone?: ChipTone;
}

/** A small fact in a rounded ground: folder, branch, count. */
export function Chip({ tone = 'neutral', className, ...rest }: ChipProps) {
  return <span className={cx(styles.chip, tone !== 'neutral' && styles[tone], className)} {...rest} />;
}
