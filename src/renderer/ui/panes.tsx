import {
  type KeyboardEvent,
  type PointerEvent,
  type ReactNode,
  type RefObject,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import { Tabs as RadixTabs } from 'radix-ui';
import { cx } from './cx';
import smallStyles from './small.module.css';
import styles from './split-pane.module.css';

const KEY_STEP = 16; // pixels a press of an arrow: four of the 4 px grid
const KEY_STEP_LARGE = 64; // with Shift

interface SplitPaneProps {
  /** Which side has the fixed size; the other takes the rest. */
  fixedSide: 'start' | 'end';
  direction?: 'row' | 'column';
  /** Size of the fixed side in pixels. */
  size: number;
  min: number;
  max: number;
  collapsed: boolean;
  /** The fixed side lies over the other one, which keeps all of the room. */
  floats?: boolean;
  /** Then so many pixels above and below it are left free. */
  floatsIn?: { top: number; bottom: number } | undefined;
  onSizeChange: (size: number) => void;
  onCollapsedChange: (collapsed: boolean) => void;
  /** Names the separator, such as "Resize sessions". */
  label: string;
  fixed: ReactNode;
  children: ReactNode;
}

/**
 * Two panes with a bar between them. Drag it, or focus it and use the arrows (Shift: larger steps), Home and End for
 * the bounds, Enter to collapse. Dragged below half of `min` it collapses. The owner keeps size and state.
 */
export function SplitPane(props: SplitPaneProps) {
  const { fixedSide, direction = 'row', size, collapsed, floats = false, floatsIn, fixed, children } = props;
  const shown = useRef<HTMLDivElement>(null);
  const pane = (
    <div
      ref={shown}
      className={styles.fixed}
      style={{ [direction === 'row' ? 'width' : 'height']: size }}
      hidden={collapsed}
    >
      {fixed}
    </div>
  );
  // The bar stays whatever becomes of the pane: it is what a drag holds, and the way back from a pane that is too large.
  const side = (
    <div
      className={cx(styles.side, styles[direction], floats && !collapsed && styles.floating)}
      style={floats && !collapsed ? floatsIn : undefined}
    >
      {fixedSide === 'start' && pane}
      <PaneBar {...props} pane={shown} />
      {fixedSide === 'end' && pane}
    </div>
  );
  return (
    <div className={cx(styles.split, styles[direction])}>
      {fixedSide === 'start' && side}
      <div className={styles.rest}>{children}</div>
      {fixedSide === 'end' && side}
    </div>
  );
}

interface PaneBarProps extends Omit<SplitPaneProps, 'floats' | 'floatsIn' | 'fixed' | 'children'> {
  /** What it makes wider and narrower. */
  pane: RefObject<HTMLElement | null>;
}

/** The bar alone, at the edge of a pane that is placed by others. */
export function PaneBar({ pane, ...props }: PaneBarProps) {
  const { fixedSide, direction = 'row', size, min, max, collapsed, onSizeChange, onCollapsedChange, label } = props;
  const from = useRef<{ pointer: number; size: number } | null>(null);
  const [dragging, setDragging] = useState(false);
  const sign = fixedSide === 'start' ? 1 : -1;

  /** What is seen of the pane: a small window shows less than the size that was asked for in a larger one. */
  function shownSize(): number {
    const { offsetWidth = 0, offsetHeight = 0 } = pane.current ?? {};
    return direction === 'row' ? offsetWidth : offsetHeight;
  }
  function resize(wanted: number): void {
    if (wanted < min / 2) {
      if (!collapsed) onCollapsedChange(true);
      return;
    }
    if (collapsed) onCollapsedChange(false);
    onSizeChange(Math.round(Math.min(max, Math.max(min, wanted))));
  }
  const at = (event: PointerEvent) => (direction === 'row' ? event.clientX : event.clientY);

  function onKeyDown(event: KeyboardEvent): void {
    const now = collapsed ? size : shownSize();
    const step = (event.shiftKey ? KEY_STEP_LARGE : KEY_STEP) * sign;
    const [less, more] = direction === 'row' ? ['ArrowLeft', 'ArrowRight'] : ['ArrowUp', 'ArrowDown'];
    if (event.key === 'Enter') onCollapsedChange(!collapsed);
    else if (event.key === less) resize(Math.max(min, now - step));
    else if (event.key === more) resize(Math.max(min, now + step));
    else if (event.key === 'Home') resize(min);
    else if (event.key === 'End') resize(max);
    else return;
    event.preventDefault();
  }

  return (
    <div
      role="separator"
      tabIndex={0}
      className={cx(styles.bar, direction === 'row' ? styles.upright : styles.level)}
      aria-label={label}
      aria-orientation={direction === 'row' ? 'vertical' : 'horizontal'}
      aria-valuenow={collapsed ? 0 : size}
      aria-valuemin={0}
      aria-valuemax={max}
      aria-valuetext={collapsed ? 'collapsed' : `${size} pixels`}
      data-dragging={dragging || undefined}
      onKeyDown={onKeyDown}
      onDoubleClick={() => onCollapsedChange(!collapsed)}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        from.current = { pointer: at(event), size: shownSize() };
        setDragging(true);
      }}
      onPointerMove={(event) => {
        if (from.current) resize(from.current.size + (at(event) - from.current.pointer) * sign);
      }}
      onLostPointerCapture={() => {
        from.current = null;
        setDragging(false);
      }}
    />
  );
}

interface TabItem {
  value: string;
  label: string;
  icon?: ReactNode;
  content: ReactNode;
}

interface TabsProps {
  items: readonly TabItem[];
  value: string;
  onChange: (value: string) => void;
  /** Accessible name of the list of tabs. */
  label: string;
  orientation?: 'horizontal' | 'vertical';
  className?: string;
  /** Stands before the tabs. */
  before?: ReactNode;
  /** Something else stands in the place of the chosen tab's content, called so: no tab is marked, and each leads back. */
  inPlace?: string | undefined;
}

/** Views of one thing, one at a time; arrows move between tabs. */
export function Tabs({
  items,
  value,
  onChange,
  label,
  orientation = 'horizontal',
  className,
  before,
  inPlace,
}: TabsProps) {
  const unmarked = { 'aria-selected': false, 'data-state': 'inactive' };
  return (
    <RadixTabs.Root
      className={cx(smallStyles.tabs, className)}
      value={value}
      onValueChange={onChange}
      orientation={orientation}
    >
      {before}
      <RadixTabs.List className={smallStyles.tabList} aria-label={label}>
        {items.map((item) => (
          <RadixTabs.Trigger
            key={item.value}
            value={item.value}
            className={smallStyles.tab}
            {...(inPlace === undefined ? {} : unmarked)}
            // The chosen one is not chosen again.
            onClick={() => inPlace !== undefined && item.value === value && onChange(value)}
          >
            {item.icon}
            {item.label}
          </RadixTabs.Trigger>
        ))}
      </RadixTabs.List>
      {items.map((item) => (
        <RadixTabs.Content
          key={item.value}
          value={item.value}
          className={smallStyles.panel}
          {...(inPlace === undefined ? {} : { 'aria-label': inPlace, 'aria-labelledby': undefined })}
        >
          {item.content}
        </RadixTabs.Content>
      ))}
    </RadixTabs.Root>
  );
}

/** As in the style sheets: CSS pixels, so that a zoomed window counts as the smaller one that it is. */
const LOW = '(max-height: 700px)';

function subscribe(onChange: () => void): () => void {
  const query = window.matchMedia(LOW);
  query.addEventListener('change', onChange);
  return () => query.removeEventListener('change', onChange);
}

/** Whether the window has so little height that what stands around the transcript has to fold. */
export function useLowWindow(): boolean {
  return useSyncExternalStore(subscribe, () => window.matchMedia(LOW).matches);
}
