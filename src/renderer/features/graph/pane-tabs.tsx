import { type KeyboardEvent, useDeferredValue, useMemo } from 'react';
import { flushSync } from 'react-dom';
import { useSummary, useUi } from '../../state/hooks';
import { shownTitle } from '../../state/sessions-store';
import { cx } from '../../ui';
import { useGraph, useGraphState } from './context';
import styles from './branch-list.module.css';

/** What stands in the pane: the tree, or its branches as a list (GR17). */
export const PANEL_ID = 'branches-panel';

/** Whose graph it is, where it has the whole window: the bar above the transcript, which says so, is below it or aside. */
export function PaneTitle() {
  const { session } = useGraph();
  const isFull = useUi(({ layout }) => layout.graphFull);
  const summary = useSummary(session.id);
  return isFull && summary ? (
    <span className={styles.paneTitle} dir="auto" title={shownTitle(summary)}>
      {shownTitle(summary)}
    </span>
  ) : null;
}

/** Tree or list, with how many branches there are. Arrows go from one to the other. */
export function PaneTabs() {
  const { store } = useGraph();
  const showsList = useGraphState((state) => state.showsList);
  const version = useDeferredValue(useGraphState((state) => state.version));
  const count = useMemo(() => (version >= 0 ? store.graph.order.runs().length : 0), [store, version]);

  function choose(list: boolean): void {
    // Tree and list have heads of their own: the tab that was pressed is gone with the other one.
    flushSync(() => store.showList(list));
    const tab = `[data-pane="graph"] [data-tab="${list ? 'list' : 'tree'}"]`;
    document.querySelector<HTMLElement>(tab)?.focus();
  }
  function onKeyDown(event: KeyboardEvent): void {
    if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return;
    event.preventDefault();
    event.stopPropagation();
    choose(!showsList);
  }
  const tab = (isList: boolean, label: string) => (
    <button
      type="button"
      role="tab"
      data-tab={isList ? 'list' : 'tree'}
      className={cx(styles.tab, showsList === isList && styles.tabOn)}
      aria-selected={showsList === isList}
      aria-controls={isList && showsList ? PANEL_ID : undefined}
      tabIndex={showsList === isList ? 0 : -1}
      onClick={() => choose(isList)}
      onKeyDown={onKeyDown}
    >
      {label}
      {isList && count > 0 && <i>{count.toLocaleString('en')}</i>}
    </button>
  );
  return (
    <div className={styles.tabs} role="tablist" aria-label="Branches of this session">
      {tab(false, 'Tree')}
      {tab(true, 'Branches')}
    </div>
  );
}
