import type { CSSProperties, ReactNode } from 'react';
import { CircleCheck, Info, OctagonAlert, TriangleAlert, X } from 'lucide-react';
import { Toast as RadixToast } from 'radix-ui';
import { Button, IconButton } from './button';
import { cx } from './cx';
import styles from './small.module.css';

export type NoticeLevel = 'info' | 'success' | 'warning' | 'error';

const icons: Record<NoticeLevel, typeof Info> = {
  info: Info,
  success: CircleCheck,
  warning: TriangleAlert,
  error: OctagonAlert,
};

export interface NoticeProps {
  level?: NoticeLevel;
  title?: string;
  children?: ReactNode;
  actions?: ReactNode;
  onDismiss?: () => void;
  className?: string;
}

/** A message that stays in the page: what happened, what is safe, what to do. Errors and warnings are read at once. */
export function Notice({ level = 'info', title, children, actions, onDismiss, className }: NoticeProps) {
  const Icon = icons[level];
  const urgent = level === 'error' || level === 'warning';
  return (
    <div className={cx(styles.notice, styles[level], className)} role={urgent ? 'alert' : 'status'}>
      <Icon size={15} aria-hidden />
      <div className={styles.noticeText}>
        {title && <div className={styles.noticeTitle}>{title}</div>}
        {children}
      </div>
      {(actions || onDismiss) && (
        <div className={styles.noticeActions}>
          {actions}
          {onDismiss && (
            <IconButton label="Dismiss" size="small" onClick={onDismiss}>
              <X size={14} />
            </IconButton>
          )}
        </div>
      )}
    </div>
  );
}

export interface ToastItem {
  id: string;
  level: NoticeLevel;
  text: string;
  action?: { label: string; onSelect: () => void };
  /** Milliseconds on screen; errors stay until they are dismissed, toasts with an action get ten seconds. */
  durationMs?: number;
}

export interface ToastsProps {
  items: readonly ToastItem[];
  onDismiss: (id: string) => void;
  /** Pixels at the sides of the window that they keep clear of, where it has the room. */
  clear?: { left: number; right: number };
}

const NOTHING = { left: 0, right: 0 };

/** Short-lived messages at the upper right; F8 moves the focus there, hover holds them. */
export function Toasts({ items, onDismiss, clear = NOTHING }: ToastsProps) {
  const room = { '--left': `${clear.left}px`, '--right': `${clear.right}px` } as CSSProperties;
  return (
    <RadixToast.Provider label="Notice" swipeDirection="right">
      {items.map((item) => (
        <ToastRow key={item.id} item={item} onDismiss={onDismiss} />
      ))}
      <RadixToast.Viewport className={styles.toasts} style={room} label="Notices ({hotkey})" />
    </RadixToast.Provider>
  );
}

function ToastRow({ item, onDismiss }: { item: ToastItem; onDismiss: (id: string) => void }) {
  const Icon = icons[item.level];
  const duration = item.durationMs ?? (item.level === 'error' ? Infinity : item.action ? 10_000 : 5_000);
  return (
    <RadixToast.Root
      className={cx(styles.notice, styles[item.level], styles.toast)}
      type={item.level === 'error' ? 'foreground' : 'background'}
      duration={duration}
      onOpenChange={(open) => !open && onDismiss(item.id)}
    >
      <Icon size={15} aria-hidden />
      <RadixToast.Description className={styles.noticeText}>{item.text}</RadixToast.Description>
      <div className={styles.noticeActions}>
        {item.action && (
          <RadixToast.Action asChild altText={item.action.label}>
            <Button size="small" onClick={item.action.onSelect}>
              {item.action.label}
            </Button>
          </RadixToast.Action>
        )}
        <RadixToast.Close asChild>
          <IconButton label="Dismiss" size="small">
            <X size={14} />
          </IconButton>
        </RadixToast.Close>
      </div>
    </RadixToast.Root>
  );
}
