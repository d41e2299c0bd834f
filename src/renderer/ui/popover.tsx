import { useState, type ReactNode } from 'react';
import { Popover as RadixPopover } from 'radix-ui';
import { cx } from './cx';
import { isUsedUp } from './tooltip';
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
  const [isOwnOpen, setOwnOpen] = useState(false);
  const change = (next: boolean): void => {
    setOwnOpen(next);
    onOpenChange?.(next);
  };
  return (
    <RadixPopover.Root open={open ?? isOwnOpen} onOpenChange={change}>
      <RadixPopover.Trigger asChild>{trigger}</RadixPopover.Trigger>
      <RadixPopover.Portal>
        <RadixPopover.Content
          className={cx(styles.popover, className)}
          aria-label={label}
          side={side}
          align={align}
          sideOffset={6}
          collisionPadding={8}
          onKeyDown={(event) => {
            // One that closed a tooltip in here meant the panel (WN9).
            if (event.key !== 'Escape' || isUsedUp(event.nativeEvent)) return;
            if (!event.currentTarget.contains(event.target as Node)) return;
            event.preventDefault();
            event.stopPropagation();
            change(false);
          }}
        >
          {children}
        </RadixPopover.Content>
      </RadixPopover.Portal>
    </RadixPopover.Root>
  );
}
