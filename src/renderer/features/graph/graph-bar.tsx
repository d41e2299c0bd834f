import { useEffect, useState } from 'react';
import { Check, ListTree, Maximize2, Minimize2, X } from 'lucide-react';
import { GRAPH_FILTERS, type GraphFilter } from '@shared/graph/filters';
import { Chip, cx, DropdownMenu, IconButton, Input, Kbd, type MenuItem } from '../../ui';
import { menuItems } from '../../actions/menus';
import { useKeys } from '../../parts/action-button';
import { useUi } from '../../state/hooks';
import { PaneTabs } from './pane-tabs';
import { useGraph, useGraphState } from './context';
import { show } from './view';
import styles from './graph.module.css';

const FILTER_NAMES: Record<GraphFilter, string> = {
  all: 'All',
  noTools: 'No tools',
  user: 'Your messages',
  labelled: 'Labelled',
  errors: 'Errors',
  compactions: 'Compactions',
  files: 'Changed files',
};
/** Milliseconds after the last key until the session is searched. */
const SEARCH_DELAY_MS = 250;

/** Search, filter, outline and the size of the pane. */
export function GraphBar({ isOutline, onClose }: { isOutline: boolean; onClose: () => void }) {
  const { app } = useGraph();
  const isFull = useUi((ui) => ui.layout.graphFull);
  const keys = useKeys('view.graph');
  return (
    <header className={styles.bar}>
      <PaneTabs />
      <Search />
      <Filter />
      <button
        type="button"
        className={cx(styles.chip, isOutline && styles.chipOn)}
        aria-pressed={isOutline}
        onClick={() => app.setLayout({ graphOutline: !isOutline })}
      >
        <ListTree size={12} aria-hidden /> Outline
      </button>
      <IconButton
        size="small"
        label={isFull ? 'Back beside the transcript' : 'Graph in the whole window'}
        onClick={() => app.setLayout({ graphFull: !isFull })}
      >
        {isFull ? <Minimize2 size={13} /> : <Maximize2 size={13} />}
      </IconButton>
      <IconButton size="small" label="Close the graph" shortcut={keys} onClick={onClose}>
        <X size={14} />
      </IconButton>
    </header>
  );
}

function Search() {
  const scope = useGraph();
  const { store } = scope;
  const search = useGraphState((state) => state.search);
  const [text, setText] = useState(search.query);
  useEffect(() => {
    const timer = setTimeout(() => void store.search(text), SEARCH_DELAY_MS);
    return () => clearTimeout(timer);
  }, [store, text]);
  const step = async (by: 1 | -1): Promise<void> => {
    if (store.state.getState().search.query !== text) await store.search(text);
    const node = store.stepSearch(by);
    if (node) show(scope, node);
  };
  return (
    <Input
      type="text"
      role="searchbox"
      className={styles.search}
      data-graph-search
      aria-label="Find in the tree"
      placeholder="Find in tree"
      value={text}
      end={text === '' ? <Kbd>/</Kbd> : <Hits />}
      onChange={(event) => setText(event.target.value)}
      onKeyDown={(event) => {
        if (event.key === 'Enter') void step(event.shiftKey ? -1 : 1);
        else if (event.key === 'Escape') {
          setText('');
          void store.search('');
          focusTree(event.currentTarget);
        } else if (event.key === 'ArrowDown') focusTree(event.currentTarget);
        else return;
        event.preventDefault();
        event.stopPropagation();
      }}
    />
  );
}

function Hits() {
  const { hits, at, isPartial, isBusy, query } = useGraphState((state) => state.search);
  if (isBusy || query === '') return <span className={styles.hits}>…</span>;
  const count = `${hits.length}${isPartial ? '+' : ''}`;
  // Of a single one there is nothing to choose.
  const isPlain = at < 0 || count === '1';
  return (
    <span className={styles.hits} role="status" aria-label={isPlain ? `${count} found` : `${at + 1} of ${count} found`}>
      {isPlain ? count : `${at + 1}/${count}`}
    </span>
  );
}

/** The keyboard goes to the graph or the outline, whichever is shown. */
function focusTree(from: Element): void {
  from.closest('[data-pane="graph"]')?.querySelector<HTMLElement>('[data-graph], [data-outline]')?.focus();
}

function Filter() {
  const { app, store, view } = useGraph();
  useGraphState((state) => state.layoutVersion);
  const { graph } = store;
  const items: MenuItem[] = [
    ...GRAPH_FILTERS.map((filter): MenuItem => ({
      id: filter,
      label: FILTER_NAMES[filter],
      icon: <span className={styles.tick}>{graph.filter === filter && <Check size={14} />}</span>,
      onSelect: () => store.setFilter(filter),
    })),
    { kind: 'separator', id: 'line' },
    {
      kind: 'check',
      id: 'hidden',
      label: 'Show hidden branches',
      checked: graph.hasHiddenShown,
      disabled: graph.hiddenCount === 0 && !graph.hasHiddenShown,
      onChange: (checked) => store.showHidden(checked),
    },
    { kind: 'separator', id: 'line2' },
    ...menuItems(app, 'folds', view),
  ];
  return (
    <DropdownMenu
      align="end"
      items={items}
      trigger={
        <button
          type="button"
          className={cx(styles.chip, graph.filter !== 'all' && styles.chipOn)}
          aria-label={`Filter: ${FILTER_NAMES[graph.filter]}`}
        >
          {FILTER_NAMES[graph.filter]} ▾
        </button>
      }
    />
  );
}

/** Says how much a filter leaves, so that an empty graph is no riddle. */
export function FilterNote() {
  const { store } = useGraph();
  useGraphState((state) => state.layoutVersion);
  const { graph } = store;
  if (graph.filter === 'all') return null;
  return (
    <Chip>
      {FILTER_NAMES[graph.filter]}: {graph.layout.cells} of {graph.turns.nodes.length}
    </Chip>
  );
}
