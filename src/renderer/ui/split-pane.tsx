import { useRef, useState } from 'react';
import type { KeyboardEvent, PointerEvent, ReactNode } from 'react';
import { cx } from './cx';
import styles from './split-pane.module.css';

const KEY_STEP = 16; // pixels a press of an arrow: four of the 4 px grid
const KEY_STEP_LARGE = 64; // with Shift

export interface SplitPaneProps {
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
  const { fixedSide, direction = 'row', size, collapsed, floats = false, fixed, children } = props;
  const pane = (
    <div
      className={cx(styles.fixed, floats && styles.floating)}
      style={{ [direction === 'row' ? 'width' : 'height']: size }}
      hidden={collapsed}
    >
      {fixed}
    </div>
  );
  return (
    <div className={cx(styles.split, styles[direction])}>
      {fixedSide === 'start' && pane}
      {fixedSide === 'start' && !floats && <Bar {...props} />}
      <div className={styles.rest}>{children}</div>
      {fixedSide === 'end' && !floats && <Bar {...props} />}
      {fixedSide === 'end' && pane}
    </div>
  );
}

function Bar(props: SplitPaneProps) {
  const { fixedSide, direction = 'row', size, min, max, collapsed, onSizeChange, onCollapsedChange, label } = props;
  const from = useRef<{ pointer: number; size: number } | null>(null);
  const [dragging, setDragging] = useState(false);
  const sign = fixedSide === 'start' ? 1 : -1;

  function resize(wanted: number): void {
    if (wanted < min / 2) return onCollapsedChange(true);
    if (collapsed) onCollapsedChange(false);
    onSizeChange(Math.round(Math.min(max, Math.max(min, wanted))));
  }
  const at = (event: PointerEvent) => (direction === 'row' ? event.clientX : event.clientY);

  function onKeyDown(event: KeyboardEvent): void {
    const step = (event.shiftKey ? KEY_STEP_LARGE : KEY_STEP) * sign;
    const [less, more] = direction === 'row' ? ['ArrowLeft', 'ArrowRight'] : ['ArrowUp', 'ArrowDown'];
    if (event.key === 'Enter') onCollapsedChange(!collapsed);
    else if (event.key === less) resize(Math.max(min, size - step));
    else if (event.key === more) resize(Math.max(min, size + step));
    else if (event.key === 'Home') resize(min);
    else if (event.key === 'End') resize(max);
    else return;
    event.preventDefault();
  }

  return (
    <div
      role="separator"
      tabIndex={0}
      className={styles.bar}
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
        from.current = { pointer: at(event), size: collapsed ? 0 : size };
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
