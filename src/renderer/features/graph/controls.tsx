import { LocateFixed, Minus, Plus } from 'lucide-react';
import { useState } from 'react';
import { useStore as useFlow } from '@xyflow/react';
import { Tooltip } from '../../ui';
import { fit, goToHead, zoomBy } from './act';
import { useGraph } from './context';
import styles from './graph.module.css';

/** Zoom, fit and follow, at the lower left of the graph. */
export function Controls() {
  const scope = useGraph();
  const { store } = scope;
  const zoom = useFlow((state) => state.transform[2]);
  const [, redraw] = useState(0);
  const { follows } = store.memory.get();
  const follow = (): void => {
    store.memory.set({ follows: !follows });
    if (!follows) goToHead(scope);
    redraw((count) => count + 1);
  };
  const percent = `${Math.round(zoom * 100)}%`;
  return (
    <div className={styles.controls} role="toolbar" aria-label="View of the graph">
      <Tool label="Zoom out" shortcut="-" onClick={() => zoomBy(scope, 0.8)}>
        <Minus size={13} />
      </Tool>
      <button
        type="button"
        className={styles.percent}
        aria-label={`${percent}, back to 100%`}
        onClick={() => zoomBy(scope, 1 / zoom)}
      >
        {percent}
      </button>
      <Tool label="Zoom in" shortcut="+" onClick={() => zoomBy(scope, 1.25)}>
        <Plus size={13} />
      </Tool>
      <Tooltip text="Show the whole graph" shortcut="0" side="top">
        <button type="button" onClick={() => fit(scope)}>
          Fit
        </button>
      </Tooltip>
      <Tooltip
        text={follows ? 'The view goes along with HEAD' : 'Go to HEAD and along with it'}
        shortcut="H"
        side="top"
      >
        <button type="button" aria-label="Follow HEAD" aria-pressed={follows} onClick={follow}>
          <LocateFixed size={13} />
        </button>
      </Tooltip>
    </div>
  );
}

function Tool(props: { label: string; shortcut: string; onClick: () => void; children: React.ReactNode }) {
  return (
    <Tooltip text={props.label} shortcut={props.shortcut} side="top">
      <button type="button" aria-label={props.label} onClick={props.onClick}>
        {props.children}
      </button>
    </Tooltip>
  );
}
