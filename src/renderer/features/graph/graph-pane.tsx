import { type ReactNode, useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import { ActionButton } from '../../parts/action-button';
import { useApp, useUi } from '../../state/hooks';
import type { OpenSession } from '../../state/open-session';
import { Button, EmptyState, Spinner } from '../../ui';
import { BranchDrawer, useDrawer } from './branch-drawer';
import drawerStyles from './branch-drawer.module.css';
import { BranchListView } from './branch-list';
import { BranchBar } from './list-head';
import { createDragStore, GraphContext, type GraphScope, type Overlay } from './context';
import { FilterNote, GraphBar } from './graph-bar';
import { GraphView } from './graph-view';
import styles from './graph.module.css';
import { Outline } from './outline';
import { createTurnFacts } from './turn-facts';
import { useCarried } from './use-carried';
import { useGraphKind } from './flow';
import { createView } from './view';
import { createNodeTexts } from './words';

const read = (): boolean => document.documentElement.dataset.theme === 'dark';

function subscribe(onChange: () => void): () => void {
  const observer = new MutationObserver(onChange);
  observer.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });
  return () => observer.disconnect();
}

/** The theme on screen: what is painted must be painted anew when it changes. */
export function useIsDark(): boolean {
  return useSyncExternalStore(subscribe, read);
}

/** The branch graph of a session beside its transcript, or its outline (GR30). */
export function GraphPane({ session, onClose }: { session: OpenSession; onClose: (() => void) | null }) {
  const app = useApp();
  const scope = useMemo<GraphScope>(() => {
    const parts = {
      app,
      session,
      store: session.graph,
      texts: createNodeTexts((id) => session.entry(id)),
      drag: createDragStore(),
      overlay: createStore<Overlay>(() => ({ preview: null, menu: null, many: null, hover: null, hint: null, level: null, follows: null })), // prettier-ignore
      camera: { current: null },
      picture: { current: null },
      keys: { isSpaceDown: false, hasPanned: false, wanted: null },
    };
    session.graph.setFacts(createTurnFacts(parts));
    return { ...parts, view: createView(parts) };
  }, [app, session]);
  useEffect(() => dropOld(scope), [scope]);
  useCarried(scope);
  const isOutline = useUi((ui) => ui.layout.graphOutline);
  const showsList = useStore(session.graph.state, (state) => state.showsList);
  const [filter, setFilter] = useState('');
  const kind = useGraphKind();
  const ready = useStore(session.view, (view) => view.status === 'ready');
  useEffect(() => {
    if (ready) void session.graph.open(isOutline ? 'canvas' : kind);
  }, [session, ready, isOutline, kind]);
  return (
    <GraphContext value={scope}>
      <section className={styles.pane} aria-label="Branches" data-pane="graph">
        {showsList ? (
          <BranchBar filter={filter} onFilter={setFilter} onClose={onClose} />
        ) : (
          <GraphBar onClose={onClose} />
        )}
        <Body scope={scope} isOutline={isOutline} list={showsList && <BranchListView filter={filter} />} />
      </section>
    </GraphContext>
  );
}

/** What lies above the graph is of turns of that graph: with another one, as of a file that was read anew, it goes. */
function dropOld({ store, overlay, keys }: GraphScope): () => void {
  let { graph } = store;
  return store.state.subscribe(() => {
    if (store.graph === graph) return;
    ({ graph } = store);
    keys.wanted = null;
    overlay.setState({ preview: null, menu: null, many: null, hover: null, hint: null });
  });
}

function Body({ scope, isOutline, list }: { scope: GraphScope; isOutline: boolean; list: ReactNode }) {
  const { store } = scope;
  const isDark = useIsDark();
  const hasDrawer = useDrawer() === 'open';
  const status = useStore(store.state, (state) => state.status);
  const problem = useStore(store.state, (state) => state.problem);
  const isEmpty = useStore(store.state, (state) => state.version >= 0 && store.graph.turns.nodes.length === 0);
  if (status === 'failed') {
    return (
      <div className={styles.waiting}>
        <EmptyState
          title="The branches could not be read"
          actions={<Button onClick={() => void store.open()}>Try again</Button>}
        >
          {problem} The session itself is unchanged.
        </EmptyState>
      </div>
    );
  }
  if (status !== 'ready') {
    return (
      <div className={styles.waiting}>
        <Spinner label="Reading the branches" size={18} />
      </div>
    );
  }
  if (isEmpty) {
    return (
      <div className={styles.waiting}>
        <EmptyState title="No branches yet" actions={<ActionButton id="view.composer" target={null} />}>
          Every turn becomes a node here. Drag the + of a node to try another way from there.
        </EmptyState>
      </div>
    );
  }
  if (list) return list;
  return (
    <div className={drawerStyles.beside}>
      {hasDrawer && <BranchDrawer />}
      <div className={drawerStyles.main}>
        <div className={styles.note}>
          <FilterNote />
        </div>
        {isOutline ? <Outline /> : <GraphView isDark={isDark} />}
      </div>
    </div>
  );
}
