/** The unsent text of one session: kept in memory, written behind to the window's own storage (CM1). */
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { Draft, DraftAttachment, LocalStore } from './local-store';

/** Milliseconds after the last key until a draft is written; a crash loses at most this much typing. */
const WRITE_DELAY_MS = 300;

interface DraftState extends Draft {
  loaded: boolean;
  /** Why the last message was not accepted, or a file not attached. */
  problem: string | null;
}

export interface DraftStore {
  readonly state: StoreApi<DraftState>;
  set(patch: Partial<Pick<DraftState, 'text' | 'attachments' | 'problem'>>): void;
  /** Empties the draft and returns what it held. */
  take(): Draft;
  /** Puts a message back in front of what was typed since. */
  giveBack(draft: Draft, problem: string): void;
  /** Writes at once what is not written yet. */
  flush(): void;
}

/** Makes the draft of a session and starts reading it; what is typed before it arrives wins. */
export function createDraftStore(sessionId: string, local: LocalStore): DraftStore {
  const state = createStore<DraftState>(() => ({ text: '', attachments: [], loaded: false, problem: null }));
  let timer: ReturnType<typeof setTimeout> | null = null;

  void local
    .getDraft(sessionId)
    .catch(() => null)
    .then((stored) => {
      const { text, attachments } = state.getState();
      const untouched = text === '' && attachments.length === 0;
      state.setState({ loaded: true, ...(stored && untouched ? readDraft(stored) : {}) });
    });

  function write(): void {
    if (timer === null) return;
    clearTimeout(timer);
    timer = null;
    const { text, attachments } = state.getState();
    const empty = text === '' && attachments.length === 0;
    local.putDraft(sessionId, empty ? null : { text, attachments }).catch(() => undefined);
  }

  function changed(): void {
    if (timer !== null) clearTimeout(timer);
    timer = setTimeout(write, WRITE_DELAY_MS);
  }

  return {
    state,
    set(patch) {
      state.setState(patch);
      if (patch.text !== undefined || patch.attachments !== undefined) changed();
    },
    take() {
      const { text, attachments } = state.getState();
      state.setState({ text: '', attachments: [], problem: null });
      changed();
      return { text, attachments };
    },
    giveBack(draft, problem) {
      state.setState((now) => ({
        text: now.text ? `${draft.text}\n\n${now.text}` : draft.text,
        attachments: [...draft.attachments, ...now.attachments],
        problem,
      }));
      changed();
    },
    flush: write,
  };
}

function readDraft(stored: Draft): Draft {
  const attachments: DraftAttachment[] = Array.isArray(stored.attachments) ? stored.attachments : [];
  return { text: typeof stored.text === 'string' ? stored.text : '', attachments };
}
