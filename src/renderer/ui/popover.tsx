import type { ReactNode } from 'react';
import { Popover as RadixPopover } from 'radix-ui';
import { cx } from './cx';
import styles from './overlay.module.css';

export interface PopoverProps {
  /** One element that takes a ref: the button that opens it. */
  trigger: ReactNode;
  /** Accessible name of the popover. */
  label: string;
  open?: boolean;
  onOpenChange?: (open: boolean) => void;
  side?: 'top' | 'right' | 'bottom' | 'left';
  align?: 'start' | 'center' | 'end';
  className?: string;
  children: ReactNode;
}

/** A small panel beside its trigger; Escape and a click outside close it, focus returns. */
export function Popover({
  trigger,
  label,
  open,
  onOpenChange,
  side,
  align = 'start',
  className,
  children,
}: PopoverProps) {
  return (
    <RadixPopover.Root open={open} onOpenChange={onOpenChange}>
      <RadixPopover.Trigger asChild>{trigger}</RadixPopover.Trigger>
      <RadixPopover.Portal>
        <RadixPopover.Content
          className={cx(styles.popover, className)}
          aria-label={label}
          side={side}
          align={align}
          sideOffset={6}
          collisionPadding={8}
        >
          {children}
        </RadixPopover.Content>
      </RadixPopover.Portal>
    </RadixPopover.Root>
  );
}
