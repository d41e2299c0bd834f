/** Sizes and places of the panes, as the database keeps them. */
import type { StoreApi } from 'zustand/vanilla';
import type { LocalStore } from './local-store';
import { soon } from './soon';
import { readLayout, type Layout, type UiState } from './ui-store';

const LAYOUT_KEY = 'layout';

export interface LayoutMemory {
  /** Brings back what was kept; resolves soon, whatever the database does. */
  restore(): Promise<unknown>;
  set(patch: Partial<Layout>): void;
}

export function createLayoutMemory(local: LocalStore, ui: StoreApi<UiState>): LayoutMemory {
  let isBeingKept = false;

  /** A drag changes sizes with every pointer move: one write at a time, then the newest. */
  function keep(): void {
    if (isBeingKept) return;
    isBeingKept = true;
    const { layout } = ui.getState();
    const next = (): void => {
      isBeingKept = false;
      if (ui.getState().layout !== layout) keep();
    };
    local.putUi(LAYOUT_KEY, layout).then(next, next);
  }

  return {
    /** Pane sizes that come after the first screen still hold, unless the person has set others since. */
    restore() {
      const { layout: initial } = ui.getState();
      const take = (layout: unknown): void => {
        if (ui.getState().layout === initial) ui.setState({ layout: readLayout(layout) });
      };
      return soon(local.getUi(LAYOUT_KEY).then(take, () => undefined));
    },
    set(patch) {
      ui.setState({ layout: readLayout({ ...ui.getState().layout, ...patch }) });
      keep();
    },
  };
}
