import { type FocusEvent, type KeyboardEvent, useEffect, useEffectEvent, useRef, useState } from 'react';
import { X } from 'lucide-react';
import { DismissableLayer } from 'radix-ui/internal';
import { Button, IconButton } from './button';
import { cx } from './cx';
import { ErrorBoundary } from './error-boundary';
import { noticeIcons, type NoticeLevel } from './notice';
import styles from './small.module.css';
import { fitsSlot, useToastPlace } from './toast-place';
import { visibleString } from '@shared/policy/visible-text';

const READ_MS = 5_000;
const ACT_MS = 10_000;

/**
 * Milliseconds that a toast has on screen (GR25): ten seconds for an error and for what offers something, such as Undo; an error
 * that asks something stays until it is answered.
 */
export function toastMs(toast: { level: NoticeLevel; action?: unknown; durationMs?: number }): number {
  const { level, action, durationMs } = toast;
  if (durationMs !== undefined) return durationMs;
  if (level === 'error') return action ? Infinity : ACT_MS;
  return action ? ACT_MS : READ_MS;
}

/** Calls `onEnd` once after so many milliseconds that it ran. It stands until `run`; `hold` keeps what is left. */
export class Countdown {
  #left: number;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #since = 0;

  constructor(
    ms: number,
    private readonly onEnd: () => void,
  ) {
    this.#left = ms;
  }

  run(): void {
    if (this.#timer !== undefined || this.#left === Infinity) return;
    this.#since = performance.now();
    this.#timer = setTimeout(() => {
      this.#left = Infinity;
      this.onEnd();
    }, this.#left);
  }

  hold(): void {
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#left = Math.max(0, this.#left - (performance.now() - this.#since));
  }
}

interface ToastItem {
  id: string;
  level: NoticeLevel;
  text: string;
  action?: { label: string; onSelect: () => void };
  /** Milliseconds on screen; left out, as long as `toastMs` gives it. */
  durationMs?: number;
  /** How often it was told while it stood. */
  count?: number;
}

interface ToastsProps {
  items: readonly ToastItem[];
  onDismiss: (id: string) => void;
}

const HOTKEY = 'F8';

/**
 * Short-lived messages. They lie on nothing (GR25): few and short ones stand in the slot of the sidebar, others in a strip that takes
 * its room from the window (`toast-place.ts`); dialogs and the full graph, which stand above the page, leave them that room
 * (`--toasts`). F8 moves the focus there; pointer, focus and a window in the background hold them. Escape is theirs only while they
 * have the focus: elsewhere it stops a run or closes a dialog (decision 0019).
 */
export function Toasts({ items, onDismiss }: ToastsProps) {
  const region = useRef<HTMLDivElement>(null);
  const cameFrom = useRef<Element | null>(null);
  const [hold, setHold] = useState(() => ({ pointer: false, focus: false, background: !document.hasFocus() }));
  const isHeld = hold.pointer || hold.focus || hold.background;
  const place = useToastPlace(region, items.length, fitsSlot(items));

  useEffect(() => {
    const onBlur = (): void => setHold((now) => ({ ...now, background: true }));
    const onFocus = (): void => setHold((now) => ({ ...now, background: false }));
    const onKeyDown = (event: globalThis.KeyboardEvent): void => {
      if (event.key === HOTKEY && region.current?.querySelector('[data-toast]')) region.current.focus();
    };
    window.addEventListener('blur', onBlur);
    window.addEventListener('focus', onFocus);
    document.addEventListener('keydown', onKeyDown);
    return () => {
      window.removeEventListener('blur', onBlur);
      window.removeEventListener('focus', onFocus);
      document.removeEventListener('keydown', onKeyDown);
    };
  }, []);

  // The newest is the last. Nothing is returned: newer Chromium gives a promise, and React would call it.
  useEffect(() => {
    region.current?.scrollTo({ top: region.current.scrollHeight });
  }, [items.length]);

  // A row that goes takes the pointer and the focus from the list without an event.
  useEffect(() => {
    const node = region.current;
    if (node)
      setHold((now) => ({ ...now, pointer: node.matches(':hover'), focus: node.contains(document.activeElement) }));
  }, [items]);

  function dismiss(id: string): void {
    const isLast = items.length === 1;
    if (region.current?.contains(document.activeElement)) {
      const next = isLast ? cameFrom.current : region.current;
      if (next instanceof HTMLElement) next.focus();
    }
    onDismiss(id);
  }

  function onFocus(event: FocusEvent): void {
    if (!region.current?.contains(event.relatedTarget)) cameFrom.current = event.relatedTarget;
    setHold((now) => ({ ...now, focus: true }));
  }

  function onBlur(event: FocusEvent): void {
    if (!region.current?.contains(event.relatedTarget)) setHold((now) => ({ ...now, focus: false }));
  }

  function onKeyDown(event: KeyboardEvent): void {
    if (event.key !== 'Escape') return;
    const focused = document.activeElement?.closest('[data-toast]')?.getAttribute('data-toast');
    const id = focused ?? items.at(-1)?.id;
    if (id === undefined) return;
    event.preventDefault();
    dismiss(id);
  }

  return (
    // A press on a toast is none beside the dialog under it.
    <DismissableLayer.Branch
      ref={region}
      className={cx(styles.toasts, place && styles.inSlot)}
      style={place ?? undefined}
      role="region"
      aria-label={`Notices (${HOTKEY})`}
      tabIndex={-1}
      onPointerEnter={() => setHold((now) => ({ ...now, pointer: true }))}
      onPointerLeave={() => setHold((now) => ({ ...now, pointer: false }))}
      onFocus={onFocus}
      onBlur={onBlur}
      onKeyDown={onKeyDown}
    >
      {/* It is there before the first message, or that would not be read; an open dialog hides all but such regions. */}
      <ol aria-live="polite">
        {items.map((item) => (
          // No pane holds them: one that fails would take the whole window with it.
          <ErrorBoundary
            key={item.id}
            inputs={[item]}
            fallback={() => <ToastRow item={unreadable(item)} isHeld={isHeld} onDismiss={() => dismiss(item.id)} />}
          >
            <ToastRow item={item} isHeld={isHeld} onDismiss={() => dismiss(item.id)} />
          </ErrorBoundary>
        ))}
      </ol>
    </DismissableLayer.Branch>
  );
}

function unreadable({ id, level }: ToastItem): ToastItem {
  return { id, level, text: 'A message could not be shown.' };
}

interface ToastRowProps {
  item: ToastItem;
  isHeld: boolean;
  onDismiss: () => void;
}

function ToastRow({ item, isHeld, onDismiss }: ToastRowProps) {
  const Icon = noticeIcons[item.level];
  const { action } = item;
  useCountdown(item, isHeld, onDismiss);
  return (
    <li>
      <div
        className={cx(styles.notice, styles[item.level], styles.toast)}
        role={item.level === 'error' ? 'alert' : 'status'}
        data-toast={item.id}
      >
        <Icon size={15} aria-hidden />
        <div className={styles.noticeText} data-readable>
          {visibleString(item.text)}
          {item.count !== undefined && <span className={styles.count}> {item.count}×</span>}
        </div>
        <div className={styles.noticeActions}>
          {action && (
            <Button
              size="small"
              onClick={() => {
                onDismiss();
                action.onSelect();
              }}
            >
              {action.label}
            </Button>
          )}
          <IconButton label="Dismiss" size="small" onClick={onDismiss}>
            <X size={14} />
          </IconButton>
        </div>
      </div>
    </li>
  );
}

/** Ends a toast when its time is over; told again it has all of it anew. */
function useCountdown(item: ToastItem, isHeld: boolean, onEnd: () => void): void {
  const { id, count } = item;
  const ms = toastMs(item);
  const countdown = useRef<Countdown>(null);
  const end = useEffectEvent(onEnd);
  useEffect(() => {
    const mine = new Countdown(ms, () => end());
    countdown.current = mine;
    return () => mine.hold();
  }, [id, count, ms]);
  useEffect(() => (isHeld ? countdown.current?.hold() : countdown.current?.run()), [id, count, ms, isHeld]);
}
