import { type RefObject, useEffect, useMemo, useRef } from 'react';
import { ReactFlowProvider } from '@xyflow/react';
import '@xyflow/react/dist/base.css';
import { useStore } from 'zustand';
import { noteGraphHere } from '../../actions/graph-here';
import { plural } from '../../state/format';
import { type GraphScope, useGraph, useGraphState, usePicture } from './context';
import { Controls } from './controls';
import { Flow, useGraphKind, WithPicture } from './flow';
import { DragLayer } from './ghosts';
import styles from './graph.module.css';
import { ManyList } from './many-list';
import { Minimap } from './minimap';
import { NothingShown } from './nothing-shown';
import { NodeMenu, PreviewCard } from './preview-card';
import { RailHead } from './rail-row';
import { TourMarkInGraph } from './tour-mark';
import { hereOf, serveKey, serveKeyUp } from './use-keys';
import { usePointer } from './use-pointer';
import { useWanted } from './view';

const isOnPlane = ({ target }: React.SyntheticEvent): boolean =>
  target instanceof Element && target.matches('[data-graph]');

/** The graph itself, as rail or as canvas: the plane, what floats above it, and the keys. */
export function GraphView({ isDark }: { isDark: boolean }) {
  const scope = useGraph();
  const kind = useGraphKind();
  const frame = useRef<HTMLDivElement>(null);
  usePointer(scope, frame);
  useWanted(scope);
  useHere(scope, frame);
  const dragKind = useStore(scope.drag, (state) => state.kind);
  return (
    <>
      {kind === 'rail' && <RailHead />}
      <div
        ref={frame}
        className={styles.frame}
        data-dragging={dragKind ?? undefined}
        onKeyDown={(event) => {
          if (!isOnPlane(event) || !serveKey(scope, event)) return;
          event.preventDefault();
          event.stopPropagation();
        }}
        onKeyUp={(event) => isOnPlane(event) && serveKeyUp(scope, event)}
        onBlur={() => (scope.keys.isSpaceDown = false)}
      >
        <ReactFlowProvider key={kind}>
          <WithPicture kind={kind}>
            <Plane isDark={isDark} />
            {kind === 'canvas' && (
              <>
                <Minimap isDark={isDark} />
                <Controls />
              </>
            )}
            <Nothing />
            <DragLayer />
            <PreviewCard />
            <ManyList />
            <TourMarkInGraph />
          </WithPicture>
        </ReactFlowProvider>
        <NodeMenu />
      </div>
    </>
  );
}

function Nothing() {
  const { first, isAwaited } = usePicture();
  return first === null && !isAwaited && <NothingShown />;
}

/** Whether the graph has the keyboard, or had it before a dialog was opened over it. */
function useHere(scope: GraphScope, frame: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const { app } = scope;
    const here = hereOf(scope);
    const follow = ({ target }: FocusEvent): void => {
      if (!(target instanceof Element)) return;
      if (frame.current?.contains(target)) noteGraphHere(app, here);
      else if (!target.closest('[role="dialog"], [role="menu"]')) noteGraphHere(app, null);
    };
    document.addEventListener('focusin', follow);
    return () => {
      document.removeEventListener('focusin', follow);
      noteGraphHere(app, null);
    };
  }, [scope, frame]);
}

function Plane({ isDark }: { isDark: boolean }) {
  const { kind } = usePicture();
  const { store } = useGraph();
  const version = useGraphState((state) => state.version);
  const turns = useMemo(() => (version >= 0 ? store.graph.turns.nodes.length : 0), [store, version]);
  const keys = 'Arrow keys move, Enter goes there, B branches, L labels, K pins, Space folds';
  const name = kind === 'rail' ? 'Branches, one row a turn' : 'Branch graph';
  return <Flow isDark={isDark} ariaLabel={`${name}, ${plural(turns, 'node')}. ${keys}.`} />;
}
