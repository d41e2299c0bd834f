import type { ButtonHTMLAttributes, ReactNode, Ref } from 'react';
import { useComposedRefs } from 'radix-ui/internal';
import { cx } from './cx';
import { leaveFocus } from './leave-focus';
import { Tooltip } from './tooltip';
import styles from './button.module.css';

type ButtonTone = 'default' | 'primary' | 'danger' | 'amber' | 'outlineAmber' | 'quiet' | 'link';

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  tone?: ButtonTone;
  size?: 'normal' | 'small';
  ref?: Ref<HTMLButtonElement>;
}

/** A push button. `tone` carries meaning: one primary action a view, `danger` only for what cannot be taken back. */
export function Button({ tone = 'default', size = 'normal', className, type = 'button', ref, ...rest }: ButtonProps) {
  return (
    <button
      ref={useComposedRefs(ref, leaveFocus)}
      type={type}
      className={cx(styles.button, tone !== 'default' && styles[tone], size === 'small' && styles.small, className)}
      {...rest}
    />
  );
}

export interface IconButtonProps extends Omit<ButtonProps, 'aria-label' | 'children' | 'title'> {
  /** The accessible name, shown as the tooltip too. */
  label: string;
  /** Shown behind the label in the tooltip, such as `⌘K`. */
  shortcut?: string;
  children: ReactNode;
}

/** A button with an icon alone: always named, always with a tooltip. */
export function IconButton({ label, shortcut, tone = 'quiet', className, children, ...rest }: IconButtonProps) {
  return (
    <Tooltip text={label} shortcut={shortcut}>
      <Button aria-label={label} tone={tone} className={cx(styles.icon, className)} {...rest}>
        {children}
      </Button>
    </Tooltip>
  );
}
