import type { ButtonHTMLAttributes, ReactNode, Ref } from 'react';
import { useComposedRefs } from 'radix-ui/internal';
import styles from './button.module.css';
import { cx } from './cx';
import { Tooltip } from './popover';

/**
 * A ref for what may go with the focus in it, such as the button that dismisses its own row: unless somebody else takes the focus then,
 * the composer has it, so that the keyboard is never nowhere (WN9).
 */
export function leaveFocus(element: HTMLElement | null): (() => void) | undefined {
  if (!element) return undefined;
  return () => {
    if (element.contains(document.activeElement)) focusComposerLater();
  };
}

/** The composer has the keyboard a moment later, unless somebody else does by then. */
export function focusComposerLater(): void {
  setTimeout(() => {
    if (document.activeElement === document.body) document.querySelector<HTMLElement>('[data-composer]')?.focus();
  });
}

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

interface IconButtonProps extends Omit<ButtonProps, 'aria-label' | 'children' | 'title'> {
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
