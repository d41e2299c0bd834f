import { useId, useState } from 'react';
import type { ReactNode } from 'react';
import { ChevronRight } from 'lucide-react';
import { cx } from '../../ui';
import styles from './transcript.module.css';

export interface FoldProps {
  /** What the button says. */
  label: ReactNode;
  /** At the right of the head; not part of the button's name. */
  aside?: ReactNode;
  startsOpen?: boolean;
  /** Where whoever draws it keeps whether it is open. */
  kept?: { isOpen: boolean; setOpen: (isOpen: boolean) => void };
  /** Between the head and what is folded. */
  below?: ReactNode;
  className?: string;
  /** The entry whose text is folded, where that is not the one of the row. */
  of?: string | undefined;
  /** Built only while open. */
  children: () => ReactNode;
}

/** A head that opens and closes what is below it. */
export function Fold({ label, aside, startsOpen = false, kept, below, className, of, children }: FoldProps) {
  const [isOpen, setIsOpen] = useState(startsOpen);
  const { isOpen: open, setOpen } = kept ?? { isOpen, setOpen: setIsOpen };
  const id = useId();
  return (
    <div className={className}>
      <div className={styles.foldHead}>
        <button
          type="button"
          className={styles.foldButton}
          aria-expanded={open}
          aria-controls={open ? id : undefined}
          data-opens={of}
          onClick={() => setOpen(!open)}
        >
          <ChevronRight size={13} className={cx(styles.chevron, open && styles.turned)} aria-hidden />
          {label}
        </button>
        {aside && <span className={styles.aside}>{aside}</span>}
      </div>
      {below}
      {open && (
        <div id={id} data-output={of}>
          {children()}
        </div>
      )}
    </div>
  );
}
