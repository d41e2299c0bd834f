import { type FocusEvent, type ReactNode, useState } from 'react';
import { Popover as RadixPopover, Tooltip as RadixTooltip } from 'radix-ui';
import { cx } from './cx';
import styles from './overlay.module.css';

/** Wrap the app once: all tooltips share one delay. */
export function TooltipProvider({ children }: { children: ReactNode }) {
  return (
    <RadixTooltip.Provider delayDuration={500} skipDelayDuration={200}>
      {children}
    </RadixTooltip.Provider>
  );
}

/** Escapes that closed a tooltip. */
const spent = new WeakSet<Event>();

/** A key press that somebody has used up. Escape that only closed a tooltip is not: nobody meant that alone by it. */
export function isUsedUp(event: KeyboardEvent): boolean {
  return event.defaultPrevented && !spent.has(event);
}

interface TooltipProps {
  text: string;
  shortcut?: string;
  side?: 'top' | 'right' | 'bottom' | 'left';
  /** One element that takes a ref. */
  children: ReactNode;
}

/** A closed dialog gives the focus back to what opened it: pressed by mouse, nobody asked what that is, and it may cover what comes next. */
function onlyByKeys(event: FocusEvent): void {
  if (!event.currentTarget.matches(':focus-visible')) event.preventDefault();
}

/** Names what an element does on hover and on keyboard focus. It never holds what is not said elsewhere. */
export function Tooltip({ text, shortcut, side = 'bottom', children }: TooltipProps) {
  return (
    <RadixTooltip.Root>
      <RadixTooltip.Trigger asChild onFocus={onlyByKeys}>
        {children}
      </RadixTooltip.Trigger>
      <RadixTooltip.Portal>
        <RadixTooltip.Content
          className={styles.tooltip}
          side={side}
          sideOffset={6}
          collisionPadding={8}
          onEscapeKeyDown={(event) => spent.add(event)}
        >
          {text}
          {shortcut && <kbd>{shortcut}</kbd>}
        </RadixTooltip.Content>
      </RadixTooltip.Portal>
    </RadixTooltip.Root>
  );
}

interface PopoverProps {
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
