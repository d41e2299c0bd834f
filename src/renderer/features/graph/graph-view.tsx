import { useMemo, useRef } from 'react';
import { ReactFlowProvider } from '@xyflow/react';
import '@xyflow/react/dist/base.css';
import { useStore } from 'zustand';
import { plural } from '../../state/format';
import { useGraph, useGraphState } from './context';
import { Controls } from './controls';
import { DragLayer } from './drag-layer';
import { Flow } from './flow';
import { Minimap } from './minimap';
import { NodeMenu } from './node-menu';
import { PreviewCard } from './preview-card';
import { TourMarkInGraph } from './tour-mark';
import { serveKey } from './use-keys';
import { usePointer } from './use-pointer';
import styles from './graph.module.css';

/** The graph itself: the plane, what floats above it, and the keys. */
export function GraphView({ isDark }: { isDark: boolean }) {
  const scope = useGraph();
  const frame = useRef<HTMLDivElement>(null);
  usePointer(scope, frame);
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
