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

export interface GlyphProps {
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
