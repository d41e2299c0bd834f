import { type ReactNode, useMemo, useRef, useState } from 'react';
import { ReactFlowProvider, useStore as useFlow } from '@xyflow/react';
import '@xyflow/react/dist/base.css';
import { useStore } from 'zustand';
import { LocateFixed, Minus, Plus } from 'lucide-react';
import { act } from '../../actions/menus';
import { ACTIONS } from '../../actions/registry';
import { plural } from '../../state/format';
import { Tooltip } from '../../ui';
import { useGraph, useGraphState } from './context';
import { Flow } from './flow';
import { DragLayer } from './ghosts';
import styles from './graph.module.css';
import { Minimap } from './minimap';
import { NodeMenu, PreviewCard } from './preview-card';
import { TourMarkInGraph } from './tour-mark';
import { serveKey } from './use-keys';
import { usePointer } from './use-pointer';
import { useWanted } from './view';

/** Zoom, fit and follow, at the lower left of the graph. */
function Controls() {
  const { store, view } = useGraph();
  const zoom = useFlow((state) => state.transform[2]);
  const [, redraw] = useState(0);
  const { follows } = store.memory.get();
  const follow = (): void => {
    store.memory.set({ follows: !follows });
    if (!follows) view.goToHead();
    redraw((count) => count + 1);
  };
  const percent = `${Math.round(zoom * 100)}%`;
  return (
    <div className={styles.controls} role="toolbar" aria-label="View of the graph">
      <Tool id="graph.zoomOut">
        <Minus size={13} />
      </Tool>
      <button
        type="button"
        className={styles.percent}
        aria-label={`${percent}, back to 100%`}
        onClick={() => view.zoomBy(1 / zoom)}
      >
        {percent}
      </button>
      <Tool id="graph.zoomIn">
        <Plus size={13} />
      </Tool>
      <Tool id="graph.fit">Fit</Tool>
      <Tooltip
        text={follows ? 'The view goes along with HEAD' : 'Go to HEAD and along with it'}
        shortcut={ACTIONS['graph.head'].ownKeys}
        side="top"
      >
        <button type="button" aria-label="Follow HEAD" aria-pressed={follows} onClick={follow}>
          <LocateFixed size={13} />
        </button>
      </Tooltip>
    </div>
  );
}

interface ToolProps {
  id: 'graph.zoomOut' | 'graph.zoomIn' | 'graph.fit';
  children: ReactNode;
}

function Tool({ id, children }: ToolProps) {
  const { app, view } = useGraph();
  const { label, ownKeys } = ACTIONS[id];
  // Words that are on the button are its name.
  const name = typeof children === 'string' ? undefined : label;
  return (
    <Tooltip text={label} shortcut={ownKeys} side="top">
      <button type="button" aria-label={name} onClick={() => act(app, id, view)}>
        {children}
      </button>
    </Tooltip>
  );
}

/** The graph itself: the plane, what floats above it, and the keys. */
export function GraphView({ isDark }: { isDark: boolean }) {
  const scope = useGraph();
  const frame = useRef<HTMLDivElement>(null);
  usePointer(scope, frame);
  useWanted(scope);
  const version = useGraphState((state) => state.version);
  const turns = useMemo(() => (version >= 0 ? scope.store.graph.layout.cells : 0), [scope, version]);
  const dragKind = useStore(scope.drag, (state) => state.kind);
  return (
    <div
      ref={frame}
      className={styles.frame}
      data-dragging={dragKind ?? undefined}
      onKeyDown={(event) => {
        const isOnPlane = event.target instanceof Element && event.target.matches('[data-graph]');
        if (isOnPlane && serveKey(scope, event)) {
          event.preventDefault();
          event.stopPropagation();
        }
      }}
    >
      <ReactFlowProvider>
        <Flow
          isDark={isDark}
          ariaLabel={`Branch graph, ${plural(turns, 'node')}. Arrow keys move, Enter goes there, B branches, L labels, K pins, Space folds.`}
        />
        <Minimap isDark={isDark} />
        <Controls />
        <DragLayer />
        <PreviewCard />
        <TourMarkInGraph />
      </ReactFlowProvider>
      <NodeMenu />
    </div>
  );
}
