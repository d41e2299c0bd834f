import { createStore, type StoreApi } from 'zustand/vanilla';
import type { TerminalFrame } from '@shared/extensions/terminal';
import type { EditorDoes } from '@shared/session-state/events';

type Frames = Readonly<Record<string, TerminalFrame>>;

/** Views whose frame is kept: one that comes back to sight is drawn anew. */
const MAX_FRAMES = 8;

export interface TerminalsStore {
  /** What each terminal view shows, by the question that it stands for (EX24). */
  readonly frames: StoreApi<Frames>;
  draw(viewId: string, frame: TerminalFrame): void;
  end(viewId: string): void;
  /** What an editor of an extension said last that the composer of a session holds. */
  readonly typed: Map<string, string>;
  /** Hears of a key that was pressed in such an editor and is the composer's. Returns what ends that. */
  onKey(sessionId: string, listener: (key: EditorKey) => void): () => void;
  press(sessionId: string, key: EditorKey): void;
}

/** With the text that the editor had. */
interface EditorKey {
  does: Exclude<EditorDoes, 'hold'>;
  text: string;
}

export function createTerminalsStore(): TerminalsStore {
  const frames = createStore<Frames>(() => ({}));
  const listeners = new Map<string, (key: EditorKey) => void>();
  return {
    frames,
    typed: new Map(),
    onKey(sessionId, listener) {
      listeners.set(sessionId, listener);
      return () => void (listeners.get(sessionId) === listener && listeners.delete(sessionId));
    },
    press: (sessionId, key) => listeners.get(sessionId)?.(key),
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
