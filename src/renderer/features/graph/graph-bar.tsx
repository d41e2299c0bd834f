import { useDeferredValue, useMemo, useState } from 'react';
import { Check, ListFilter } from 'lucide-react';
import type { BranchGraph } from '@shared/graph/branch-graph';
import { GRAPH_FILTERS, type GraphFilter } from '@shared/graph/filters';
import { offersOf } from '@shared/graph/query';
import { Chip, cx, DropdownMenu, type MenuItem } from '../../ui';
import { menuItems } from '../../actions/menus';
import { plural } from '../../state/format';
import type { GraphStore } from '../../state/graph-store';
import { useUi } from '../../state/hooks';
import { PaneTabs, PaneTitle } from './pane-tabs';
import { useGraph, useGraphState } from './context';
import { ShowDrawer } from './branch-drawer';
import { HeadButtons } from './head-buttons';
import { HitList } from './hit-list';
import { SearchField } from './search-field';
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
/** Files that are offered, those that most turns changed; the field finds the others. */
const MOST_FILES = 60;

/** Search with its hits, filter and outline, and the size of the pane. */
export function GraphBar({ onClose }: { onClose: (() => void) | null }) {
  return (
    <>
      <div className={styles.top}>
        <header className={styles.bar}>
          <ShowDrawer />
          <PaneTitle />
          <PaneTabs />
          <SearchField />
          <Filter />
          <HeadButtons what="Graph" onClose={onClose} />
        </header>
      </div>
      <HitList />
    </>
  );
}

function Filter() {
  const { store } = useGraph();
  useGraphState((state) => state.layoutVersion);
  const [isOpen, setOpen] = useState(false);
  const [isChoosing, setChoosing] = useState(false);
  const name = filterName(store);
  const choose = (): void => {
    setChoosing(true);
    setOpen(true);
  };
  const plain = useItems(choose);
  const files = useFiles(isChoosing);
  return (
    <DropdownMenu
      align="end"
      open={isOpen}
      onOpenChange={(open) => {
        setOpen(open);
        if (!open) setChoosing(false);
      }}
      items={isChoosing ? files : plain}
      trigger={
        <button
          type="button"
          className={cx(styles.chip, store.graph.filter !== 'all' && styles.chipOn)}
          aria-label={`Filter: ${name}`}
          title={`Filter: ${name}`}
        >
          {store.graph.filter === 'all' ? (
            <ListFilter size={13} aria-hidden />
          ) : (
            <span className={styles.chipText}>{name} ▾</span>
          )}
        </button>
      }
    />
  );
}

function useItems(choose: () => void): MenuItem[] {
  const { app, store, view } = useGraph();
  const { graph } = store;
  const { file } = store.memory.get();
  const isOutline = useUi((ui) => ui.layout.graphOutline);
  const isOn = (filter: GraphFilter): boolean => graph.filter === filter && file === null;
  const tick = (isTicked: boolean) => <span className={styles.tick}>{isTicked && <Check size={14} />}</span>;
  return [
    ...GRAPH_FILTERS.map((filter): MenuItem => ({
      id: filter,
      label: filter === 'files' ? 'Turns that changed files' : FILTER_NAMES[filter],
      icon: tick(isOn(filter)),
      onSelect: () => store.setFilter(filter),
    })),
    { id: 'file', label: 'A changed file…', icon: tick(file !== null), onSelect: choose },
    { kind: 'separator', id: 'line' },
    {
      kind: 'check',
      id: 'hidden',
      label: 'Show hidden branches',
      checked: graph.hasHiddenShown,
      disabled: graph.hiddenCount === 0 && !graph.hasHiddenShown,
      onChange: (checked) => store.showHidden(checked),
    },
    {
      kind: 'check',
      id: 'outline',
      label: 'As an outline',
      checked: isOutline,
      onChange: (graphOutline) => app.setLayout({ graphOutline }),
    },
    { kind: 'separator', id: 'line2' },
    ...menuItems(app, 'folds', view),
  ];
}

/** The files that the session changed, each with the number of turns that did. */
function useFiles(isChoosing: boolean): MenuItem[] {
  const { store } = useGraph();
  if (!isChoosing) return [];
  const files = offersOf(store.graph.turns.nodes, 'file', '', store.facts, Infinity);
  const rest = files.length - MOST_FILES;
  const items = files.slice(0, MOST_FILES).map(({ value, count }): MenuItem => ({
    id: `file:${value}`,
    label: value,
    hint: plural(count, 'turn'),
    onSelect: () => store.setFilter('files', value),
  }));
  if (items.length === 0) return [{ kind: 'label', id: 'none', label: 'No file was changed in this session' }];
  if (rest > 0)
    items.push({ kind: 'label', id: 'rest', label: `${plural(rest, 'file')} more: type file: into the field` });
  return items;
}

/** The name of the filter, or of the file that it asks for. */
function filterName({ graph, memory }: GraphStore): string {
  const { file } = memory.get();
  if (graph.filter !== 'files' || file === null) return FILTER_NAMES[graph.filter];
  return file.slice(file.lastIndexOf('/') + 1) || file;
}

/** Says how much a filter leaves, or what it hides, so that an empty graph is no riddle (GR20). */
export function FilterNote() {
  const { store } = useGraph();
  const { graph } = store;
  // An entry may pass and move nothing, as where HEAD's turn fails; all turns are counted after what is seen.
  // The two count by themselves, so that the same number may be another state.
  const state = useGraphState(({ version, layoutVersion }) =>
    graph.filter === 'all' ? 'all' : `${layoutVersion} ${version}`,
  );
  const counted = useDeferredValue(state);
  const words = useMemo(() => (counted === 'all' ? '' : noteWords(store)), [store, counted]);
  return graph.filter === 'all' ? null : <Chip>{words}</Chip>;
}

function noteWords(store: GraphStore): string {
  const { graph } = store;
  return `${filterName(store)}: ${graph.filter === 'noTools' ? hiddenWords(graph) : foundWords(graph)}`;
}
/** HEAD's turn stays to be seen: it is no hit for that. */
function foundWords(graph: BranchGraph): string {
  const found = graph.countFound();
  return found > 0 ? found.toLocaleString('en') : graph.head ? 'none, HEAD alone is shown' : 'none';
}

function hiddenWords(graph: BranchGraph): string {
  const filteredCount = graph.countFiltered();
  return filteredCount === 0
    ? 'none hidden, every turn has words'
    : `${plural(filteredCount, 'turn')} without words hidden`;
}
