import { createStore, type StoreApi } from 'zustand/vanilla';
import type { TerminalFrame } from '@shared/extensions/terminal';

type Frames = Readonly<Record<string, TerminalFrame>>;

/** Views whose frame is kept: one that comes back to sight is drawn anew. */
const MAX_FRAMES = 8;

export interface TerminalsStore {
  /** What each terminal view shows, by the question that it stands for (EX24). */
  readonly frames: StoreApi<Frames>;
  draw(viewId: string, frame: TerminalFrame): void;
  end(viewId: string): void;
}

export function createTerminalsStore(): TerminalsStore {
  const frames = createStore<Frames>(() => ({}));
  return {
    frames,
    draw(viewId, frame) {
      const { [viewId]: _before, ...others } = frames.getState();
      frames.setState(Object.fromEntries([...Object.entries(others).slice(1 - MAX_FRAMES), [viewId, frame]]), true);
    },
    end(viewId) {
      const { [viewId]: gone, ...others } = frames.getState();
      if (gone) frames.setState(others, true);
    },
  };
}
