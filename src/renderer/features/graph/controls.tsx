import type { ReactNode } from 'react';
import { useStore as useFlow } from '@xyflow/react';
import { useStore } from 'zustand';
import { LocateFixed, Minus, Plus, Rows3, Workflow } from 'lucide-react';
import { act, ownKeysOf } from '../../actions/menus';
import { ACTIONS } from '../../actions/registry';
import { useUi } from '../../state/hooks';
import { Tooltip } from '../../ui';
import type { CanvasPicture } from './canvas';
import { useGraph, usePicture } from './context';
import styles from './graph.module.css';
import { setFollows } from './use-camera';

/** Zoom, fit and follow, at the lower left of the canvas. */
export function Controls() {
  const { view } = useGraph();
  const zoom = useFlow((state) => state.transform[2]);
  const isOfChapters = (usePicture() as Partial<CanvasPicture>).level === 'chapters';
  const percent = isOfChapters ? 'Chapters' : `${Math.round(zoom * 100)}%`;
  return (
    <div className={styles.controls} role="toolbar" aria-label="View of the graph" data-floats>
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
      <FollowHead size={13} />
      <OtherKind size={13} />
    </div>
  );
}

interface ToolProps {
  id: 'graph.zoomOut' | 'graph.zoomIn' | 'graph.fit';
  children: ReactNode;
}

function Tool({ id, children }: ToolProps) {
  const { app, view } = useGraph();
  const { label } = ACTIONS[id];
  // Words that are on the button are its name.
  const name = typeof children === 'string' ? undefined : label;
  return (
    <Tooltip text={label} shortcut={ownKeysOf(app, id)} side="top">
      <button type="button" aria-label={name} onClick={() => act(app, id, view)}>
        {children}
      </button>
    </Tooltip>
  );
}

/** Whether the view goes along with HEAD (GR10). */
export function FollowHead({ size }: { size: number }) {
  const scope = useGraph();
  const { store, view, overlay } = scope;
  const told = useStore(overlay, (state) => state.follows);
  const follows = told ?? store.memory.get().follows;
  const follow = (): void => {
    setFollows(scope, !follows);
    if (!follows) view.goToHead();
  };
  return (
    <Tooltip
      text={follows ? 'The view goes along with HEAD' : 'Go to HEAD and along with it'}
      shortcut={ownKeysOf(scope.app, 'graph.head')}
      side="top"
    >
      <button type="button" aria-label="Follow HEAD" aria-pressed={follows} onClick={follow}>
        <LocateFixed size={size} />
      </button>
    </Tooltip>
  );
}

/** From rail to canvas and back, beside the transcript: the whole window is the canvas's (GR8). */
export function OtherKind({ size }: { size: number }) {
  const { app, view } = useGraph();
  const { graphFull, graphCanvas } = useUi(({ layout }) => layout);
  if (graphFull) return null;
  const label = graphCanvas ? 'Show as rail' : 'Show as canvas';
  return (
    <Tooltip text={label} side="top">
      <button type="button" aria-label={label} onClick={() => act(app, 'graph.kind', view)}>
        {graphCanvas ? <Rows3 size={size} /> : <Workflow size={size} />}
      </button>
    </Tooltip>
  );
}
