import type { FocusEvent, ReactNode } from 'react';
import { Tooltip as RadixTooltip } from 'radix-ui';
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

export interface TooltipProps {
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
