import type { ReactNode } from 'react';
import { Check } from 'lucide-react';
import { ContextMenu as RadixContextMenu, DropdownMenu as RadixMenu } from 'radix-ui';
import { cx } from './cx';
import styles from './overlay.module.css';

/** One row of a menu. Rows are data, so that a dropdown, a context menu and the palette list the same actions. */
export type MenuItem =
  | {
      kind?: 'action';
      id: string;
      label: string;
      icon?: ReactNode;
      /** Shortcut or short remark, at the right. */
      hint?: string;
      danger?: boolean;
      disabled?: boolean;
      onSelect: () => void;
    }
  | {
      kind: 'check';
      id: string;
      label: string;
      checked: boolean;
      disabled?: boolean;
      onChange: (checked: boolean) => void;
    }
  | { kind: 'label'; id: string; label: string }
  | { kind: 'separator'; id: string };

type Parts = typeof RadixMenu | typeof RadixContextMenu;

function renderItem(parts: Parts, item: MenuItem): ReactNode {
  // The two namespaces have the same parts with the same props; only the root and the trigger differ.
  const P = parts as typeof RadixMenu;
  switch (item.kind) {
    case 'separator':
      return <P.Separator key={item.id} className={styles.separator} />;
    case 'label':
      return (
        <P.Label key={item.id} className={styles.label}>
          {item.label}
        </P.Label>
      );
    case 'check':
      return (
        <P.CheckboxItem
          key={item.id}
          className={styles.item}
          checked={item.checked}
          disabled={item.disabled}
          onCheckedChange={item.onChange}
        >
          <span className={styles.check}>{item.checked && <Check size={14} />}</span>
          <span className={styles.itemText}>{item.label}</span>
        </P.CheckboxItem>
      );
    default:
      return (
        <P.Item
          key={item.id}
          className={cx(styles.item, item.danger && styles.danger)}
          disabled={item.disabled}
          // The menu closes and gives the focus back first: what it does may move it.
          onSelect={() => setTimeout(item.onSelect)}
        >
          {item.icon}
          <span className={styles.itemText}>{item.label}</span>
          {item.hint && <span className={styles.hint}>{item.hint}</span>}
        </P.Item>
      );
  }
}

export interface DropdownMenuProps {
  trigger: ReactNode;
  items: readonly MenuItem[];
  side?: 'top' | 'right' | 'bottom' | 'left';
  align?: 'start' | 'center' | 'end';
  open?: boolean;
  onOpenChange?: (open: boolean) => void;
  /** What has the keyboard once it is closed; left out, the trigger. */
  returnTo?: (() => HTMLElement | null) | undefined;
}

/** A menu under its trigger. */
export function DropdownMenu(props: DropdownMenuProps) {
  const { trigger, items, side, align = 'start', open, onOpenChange, returnTo } = props;
  const onCloseAutoFocus = (event: Event): void => {
    if (!returnTo) return;
    event.preventDefault();
    // What was chosen may have sent the keyboard elsewhere by now.
    if (document.activeElement === document.body) returnTo()?.focus({ preventScroll: true });
  };
  return (
    <RadixMenu.Root open={open} onOpenChange={onOpenChange}>
      <RadixMenu.Trigger asChild>{trigger}</RadixMenu.Trigger>
      <RadixMenu.Portal>
        <RadixMenu.Content
          className={styles.menu}
          side={side}
          align={align}
          sideOffset={4}
          collisionPadding={8}
          onCloseAutoFocus={onCloseAutoFocus}
        >
          {items.map((item) => renderItem(RadixMenu, item))}
        </RadixMenu.Content>
      </RadixMenu.Portal>
    </RadixMenu.Root>
  );
}

interface PointMenuProps {
  /** In pixels, of what it stands in. */
  at: Point;
  items: readonly MenuItem[];
  onClose: () => void;
  /** What has the keyboard once it is closed. */
  returnTo: () => HTMLElement | null;
}

/** A menu at a point of what it stands in, open until `onClose`. */
export function PointMenu({ at, items, onClose, returnTo }: PointMenuProps) {
  return (
    <DropdownMenu
      key={`${at.x}:${at.y}`}
      open
      onOpenChange={(open) => !open && onClose()}
      returnTo={returnTo}
      items={items}
      trigger={
        <button
          type="button"
          tabIndex={-1}
          aria-label="Actions"
          className={styles.point}
          style={{ left: at.x, top: at.y }}
        />
      }
    />
  );
}

interface Point {
  x: number;
  y: number;
}

/** The right-click menu of what it wraps. */
export function ContextMenu({ items, children }: { items: readonly MenuItem[]; children: ReactNode }) {
  return (
    <RadixContextMenu.Root>
      <RadixContextMenu.Trigger asChild>{children}</RadixContextMenu.Trigger>
      <RadixContextMenu.Portal>
        <RadixContextMenu.Content className={styles.menu} collisionPadding={8}>
          {items.map((item) => renderItem(RadixContextMenu, item))}
        </RadixContextMenu.Content>
      </RadixContextMenu.Portal>
    </RadixContextMenu.Root>
  );
}
