import { Button, EmptyState } from '../../ui';
import { useGraph, useGraphState } from './context';
import styles from './graph.module.css';

/** In the place of a tree of which nothing is left to be seen: why, and the way back (GR20, GR29). */
export function NothingShown() {
  const { store } = useGraph();
  useGraphState((state) => state.layoutVersion);
  const { graph } = store;
  const isFiltered = graph.filter !== 'all';
  return (
    <div className={styles.nothing} role="status">
      <EmptyState
        title={isFiltered ? 'No turn passes this filter' : 'All branches are hidden'}
        actions={
          isFiltered ? (
            <Button onClick={() => store.setFilter('all')}>Show all turns</Button>
          ) : (
            graph.hiddenCount > 0 && <Button onClick={() => store.showHidden(true)}>Show hidden branches</Button>
          )
        }
      >
        Nothing of them is deleted.
      </EmptyState>
    </div>
  );
}
