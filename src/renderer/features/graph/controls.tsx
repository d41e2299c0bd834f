import { LocateFixed, Minus, Plus } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { useStore as useFlow } from '@xyflow/react';
import { Tooltip } from '../../ui';
import { act } from '../../actions/menus';
import { ACTIONS } from '../../actions/registry';
import { useGraph } from './context';
import styles from './graph.module.css';

/** Zoom, fit and follow, at the lower left of the graph. */
export function Controls() {
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
