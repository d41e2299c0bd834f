/** What of the graph of one session is shown, and how far it is loaded. */
import type { StoreApi } from 'zustand/vanilla';
import type { TurnNode } from '@shared/graph/turns';
import { type GraphSearch, NO_GRAPH_SEARCH } from './graph-search';

export interface GraphState {
  status: 'closed' | 'loading' | 'ready' | 'failed';
  problem: string | null;
  /** Counts up whenever the graph has changed: it is one object that grows. */
  version: number;
  /** Counts up when cells may have moved. */
  layoutVersion: number;
  /** The node that keyboard and search are at. */
  cursor: TurnNode | null;
  /** The list of branches stands in the place of graph and outline (GR17). */
  showsList: boolean;
  search: GraphSearch;
  /** The entry at the reader's eye in the transcript, of whichever path that shows (GR11); null: there is none. */
  readingEntry: string | null;
  /** The node that somebody wants to see from outside of the graph, until it is in view. */
  wanted: TurnNode | null;
}

export const CLOSED_GRAPH: GraphState = {
  ...{ status: 'closed', problem: null, version: 0, layoutVersion: 0, cursor: null, showsList: false },
  ...{ search: NO_GRAPH_SEARCH, readingEntry: null, wanted: null },
};

/** Resolves when nothing is on its way any more. */
export function settled(state: StoreApi<GraphState>): Promise<void> {
  return new Promise((resolve) => {
    if (state.getState().status !== 'loading') return resolve();
    const end = state.subscribe(({ status }) => {
      if (status === 'loading') return;
      end();
      resolve();
    });
  });
}
