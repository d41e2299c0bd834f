export interface BrandMarkProps {
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
