import { useMemo } from 'react';
import { useStore as useFlow, type ReactFlowState } from '@xyflow/react';
import type { GraphViewport } from '../../state/graph-memory';
import { detailOf, windowOf, type Size, type Window } from './geometry';

const transformOf = (state: ReactFlowState): ReactFlowState['transform'] => state.transform;
const widthOf = (state: ReactFlowState): number => state.width;
const heightOf = (state: ReactFlowState): number => state.height;

/** Where the plane is. Drawn anew with every frame of a pan: for what moves along with it alone. */
export function useFlowView(): { view: GraphViewport; size: Size } {
  const [x, y, zoom] = useFlow(transformOf);
  const width = useFlow(widthOf);
  const height = useFlow(heightOf);
  return useMemo(() => ({ view: { x, y, zoom }, size: { width, height } }), [x, y, zoom, width, height]);
}

/** Size of the pane. */
export function useFlowSize(): Size {
  const width = useFlow(widthOf);
  const height = useFlow(heightOf);
  return useMemo(() => ({ width, height }), [width, height]);
}

/**
 * The part of the plane whose nodes are needed, and the zoom as far as it decides on detail. It changes with every row that
 * comes into view: a few new nodes in each frame of a pan are smoother than many in every fourth.
 */
export function useFlowWindow(): { window: Window; zoom: number } {
  const key = useFlow((state) => {
    const [x, y, zoom] = state.transform;
    const { fromLane, toLane, fromRow, toRow } = windowOf({ x, y, zoom }, state);
    const band = detailOf(zoom, 0) === 'full' ? 1 : detailOf(zoom, 0) === 'title' ? 0.5 : 0.1;
    return [fromLane, toLane, fromRow, toRow, state.width === 0 ? 0 : band].join();
  });
  return useMemo(() => {
    const [fromLane = 0, toLane = 0, fromRow = 0, toRow = 0, zoom = 0] = key.split(',').map(Number);
    return { window: { fromLane, toLane, fromRow, toRow }, zoom };
  }, [key]);
}
