/** The unsent text of one session: kept in memory, written behind to the window's own storage (CM1, CM6, CM7). */
import { createStore, type StoreApi } from 'zustand/vanilla';
import { fitsField, joined } from './field-limit';
import type { Draft, DraftAttachment, LocalStore } from './local-store';

/** Milliseconds after the last key until a draft is written; a crash loses at most this much typing. */
const WRITE_DELAY_MS = 300;

interface DraftState extends Required<Draft> {
  /** Why the last message was not accepted, or a file not attached. */
  problem: string | null;
}

/** A message as it is handed on. */
type Message = Pick<Draft, 'text' | 'attachments'>;

export interface DraftStore {
  readonly state: StoreApi<DraftState>;
  /** A text that the field does not take is put beside it. */
  set(patch: Partial<Message & Pick<DraftState, 'problem'>>): void;
  /** Empties field and files and returns what they held. */
  take(): Message;
  /** Puts a message back in front of what was typed since. */
  giveBack(message: Message, problem: string): void;
  /** Puts a text that waits beside the field into it, in front of what is there; it stays where both do not fit. */
  useAside(text: string): void;
  discardAside(text: string): void;
  /** Puts it back beside the field. */
  keepAside(text: string): void;
  /** Puts back all that was written in a session that was deleted. */
  restore(draft: Draft): void;
  /** Writes at once what is not written yet. */
  flush(): void;
}

/** Makes the draft of a session and starts reading it. It fills a field that nobody wrote in, else it waits beside it. */
export function createDraftStore(sessionId: string, local: LocalStore): DraftStore {
  const state = createStore<DraftState>(() => ({ text: '', attachments: [], aside: [], problem: null }));
  let timer: ReturnType<typeof setTimeout> | null = null;
  /** The field was written in, also if it is empty by now. */
  let isTouched = false;
  /** Something was put or taken before the stored draft came. */
  let isChanged = false;

  void local
    .getDraft(sessionId)
    .catch(() => null)
    .then((stored) => {
      if (stored) takeStored(readDraft(stored));
    });

  function takeStored(stored: Required<Draft>): void {
    const fills = !isTouched && fitsField(stored.text);
    state.setState((now) => ({
      text: fills ? stored.text : now.text,
      attachments: [...stored.attachments, ...now.attachments],
      aside: withText([...stored.aside, ...now.aside], fills || stored.text === now.text ? '' : stored.text),
    }));
    // What was written meanwhile stands in its place in the database, or is about to.
    if (isChanged) {
      changed();
      write();
    }
  }

  function write(): void {
    if (timer === null) return;
    clearTimeout(timer);
    timer = null;
    const { text, attachments, aside } = state.getState();
    const isEmpty = text === '' && attachments.length + aside.length === 0;
    const draft = { text, attachments, ...(aside.length > 0 ? { aside } : {}) };
    local.putDraft(sessionId, isEmpty ? null : draft).catch(() => undefined);
  }

  function changed(): void {
    isChanged = true;
    if (timer !== null) clearTimeout(timer);
    timer = setTimeout(write, WRITE_DELAY_MS);
  }

  return {
    state,
    set(patch) {
      const { text } = patch;
      const isOver = text !== undefined && !fitsField(text);
      state.setState((now) => ({ ...patch, ...(isOver ? { text: '', aside: withText(now.aside, text) } : {}) }));
      if (text !== undefined) isTouched = true;
      if (text !== undefined || patch.attachments) changed();
    },
    take() {
      const { text, attachments } = state.getState();
      isTouched = true;
      state.setState({ text: '', attachments: [], problem: null });
      changed();
      return { text, attachments };
    },
    giveBack(message, problem) {
      isTouched = true;
      state.setState((now) => {
        const text = joined(message.text, now.text);
        const attachments = [...message.attachments, ...now.attachments];
        if (fitsField(text)) return { text, attachments, problem };
        return { aside: withText(now.aside, message.text), attachments, problem };
      });
      changed();
    },
    useAside(text) {
      const now = state.getState();
      const whole = joined(text, now.text);
      if (!fitsField(whole)) return;
      isTouched = true;
      state.setState({ text: whole, aside: now.aside.filter((other) => other !== text) });
      changed();
    },
    discardAside(text) {
      state.setState((now) => ({ aside: now.aside.filter((other) => other !== text) }));
      changed();
    },
    keepAside(text) {
      state.setState((now) => ({ aside: withText(now.aside, text) }));
      changed();
    },
    restore(draft) {
      isTouched = true;
      state.setState({ ...readDraft(draft) });
      changed();
    },
    flush: write,
  };
}

/** Each text once. */
function withText(texts: string[], text: string): string[] {
  return text === '' || texts.includes(text) ? texts : [...texts, text];
}

/** What the database holds may be anything. */
function readDraft({ text, attachments, aside }: Draft): Required<Draft> {
  const files: DraftAttachment[] = Array.isArray(attachments) ? attachments : [];
  const texts: unknown[] = Array.isArray(aside) ? aside : [];
  return {
    text: typeof text === 'string' ? text : '',
    attachments: files,
    aside: texts.filter((other) => typeof other === 'string'),
  };
}
