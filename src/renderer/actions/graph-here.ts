import type { App } from '../state/app-type';
import type { GraphView, NodeTarget } from './action';

/** The graph that has the keyboard, or had it before the palette was opened: what the palette acts on besides the session (GR24). */
export interface GraphHere {
  view: GraphView;
  /** What its keys are about; null: no turn is. */
  node(): NodeTarget | null;
}

const places = new WeakMap<App, GraphHere>();

export const graphHere = (app: App): GraphHere | undefined => places.get(app);

/** Null: the keyboard is elsewhere. */
export function noteGraphHere(app: App, here: GraphHere | null): void {
  if (here) places.set(app, here);
  else places.delete(app);
}
