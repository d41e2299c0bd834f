import { useStore } from 'zustand';
import { DropdownMenu, type MenuItem } from '../../ui';
import { fit, goToHead, nodeItems } from './act';
import { useGraph } from './context';
import { titleOfNode } from './words';
import styles from './graph.module.css';

/** The menu of a node, or of the graph where there is none, at the place of the click. */
export function NodeMenu() {
  const scope = useGraph();
  const menu = useStore(scope.overlay, (state) => state.menu);
  if (!menu) return null;
  const close = (): void => {
    scope.overlay.setState({ menu: null });
    document.querySelector<HTMLElement>('[data-graph]')?.focus({ preventScroll: true });
  };
  const items: MenuItem[] = menu.node
    ? [
        { kind: 'label', id: 'title', label: titleOfNode(menu.node, scope.texts(menu.node)) },
        ...nodeItems(scope, menu.node),
      ]
    : [
        { id: 'fit', label: 'Show the whole graph', hint: '0', onSelect: () => fit(scope) },
        { id: 'head', label: 'Go to HEAD', hint: 'H', onSelect: () => goToHead(scope) },
        { id: 'fold', label: 'Fold all long runs', onSelect: () => scope.store.foldAll(true) },
        { id: 'unfold', label: 'Unfold all', onSelect: () => scope.store.foldAll(false) },
      ];
  return (
    <DropdownMenu
      key={`${menu.at.x}:${menu.at.y}`}
      open
      onOpenChange={(open) => !open && close()}
      items={items}
      trigger={
        <button
          type="button"
          tabIndex={-1}
          aria-label="Actions"
          className={styles.menuAnchor}
          style={{ left: menu.at.x, top: menu.at.y }}
        />
      }
    />
  );
}
