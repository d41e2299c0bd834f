import { useEffect, useState } from 'react';
import type { TextTarget } from '../../actions/action';
import { menuItems } from '../../actions/menus';
import type { App } from '../../state/app-type';
import { useApp } from '../../state/hooks';
import { PointMenu, type MenuItem } from '../../ui';
import { textUnder } from './text-under';
import styles from './texts.module.css';

interface Menu {
  at: { x: number; y: number };
  items: MenuItem[];
  /** What had the keyboard. */
  from: Element | null;
}

/**
 * The right-click menu of all that is read (WN23): what is selected, a message, a link. Places with a menu of their own, and fields, for
 * which main makes the system's, come first.
 */
export function TextMenu() {
  const app = useApp();
  const [menu, setMenu] = useState<Menu | null>(null);
  useEffect(() => {
    const onContextMenu = (event: MouseEvent): void => {
      if (event.defaultPrevented) return;
      const target = textUnder(app, event.target);
      if (!target) return;
      event.preventDefault();
      setMenu({ at: placeOf(event), items: itemsOf(app, target), from: document.activeElement });
    };
    document.addEventListener('contextmenu', onContextMenu);
    return () => document.removeEventListener('contextmenu', onContextMenu);
  }, [app]);
  if (!menu) return null;
  const { at, items, from } = menu;
  return (
    <div className={styles.layer}>
      <PointMenu
        at={at}
        items={items}
        onClose={() => setMenu(null)}
        returnTo={() => (from instanceof HTMLElement ? from : null)}
      />
    </div>
  );
}

/** The pointer; by key, the middle of what has the keyboard. */
function placeOf(event: MouseEvent): Menu['at'] {
  if (event.clientX > 0 || event.clientY > 0 || !(event.target instanceof Element)) {
    return { x: event.clientX, y: event.clientY };
  }
  const { left, top, width, height } = event.target.getBoundingClientRect();
  return { x: left + width / 2, y: top + height / 2 };
}

function itemsOf(app: App, target: TextTarget): MenuItem[] {
  const text = menuItems(app, 'text', target);
  // With something selected, that is what the person means.
  if (!target.entry || target.selected) return withoutStrayLines(text);
  const { entry } = target;
  return withoutStrayLines([
    ...text,
    { kind: 'separator', id: 'tools' },
    ...menuItems(app, 'tools', entry),
    { kind: 'separator', id: 'entry' },
    ...menuItems(app, 'entry', entry),
  ]);
}

/** No line at the ends, and none after another. */
function withoutStrayLines(items: readonly MenuItem[]): MenuItem[] {
  const isLine = (item: MenuItem | undefined): boolean => item === undefined || item.kind === 'separator';
  return items
    .filter((item, at) => !isLine(item) || !isLine(items[at - 1]))
    .filter((item, at, all) => !isLine(item) || !isLine(all[at + 1]))
    .map((item, at) => (item.kind === 'separator' ? { ...item, id: `line ${at}` } : item));
}
