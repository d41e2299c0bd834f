import { useStore } from 'zustand';
import { menuItems } from '../../actions/menus';
import { PointMenu, type MenuItem } from '../../ui';
import { useGraph } from './context';
import { targetOf } from './view';
import { titleOfNode } from './words';

/** The menu of a node, or of the graph where there is none, at the place of the click. */
export function NodeMenu() {
  const scope = useGraph();
  const { app, overlay, view, texts } = scope;
  const menu = useStore(overlay, (state) => state.menu);
  if (!menu) return null;
  const close = (): void => {
    overlay.setState({ menu: null });
    document.querySelector<HTMLElement>('[data-graph]')?.focus({ preventScroll: true });
  };
  const { node, at } = menu;
  const items: MenuItem[] = node
    ? [
        { kind: 'label', id: 'title', label: titleOfNode(node, texts(node)) },
        ...menuItems(app, 'node', targetOf(scope, node)),
      ]
    : menuItems(app, 'graph', view);
  return <PointMenu at={at} items={items} onClose={close} />;
}
