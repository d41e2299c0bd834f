/** The unsent text of one session: kept in memory, written behind to the window's own storage (CM1, CM6, CM7). */
import { createStore, type StoreApi } from 'zustand/vanilla';
import { fitsField, joined } from './field-limit';
import type { Draft, DraftAttachment, LocalStore } from './local-store';

/** Milliseconds after a key until a draft is written; a crash loses at most this much typing. */
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
  /** Empties field and files and returns what they held. It stays a draft for the database until it `arrived` or is given back. */
  take(): Message;
  arrived(message: Message): void;
  /** Puts a message back in front of what was typed since. */
  giveBack(message: Message, problem: string): void;
  /** Puts a text that waits beside the field into it, in front of what is there; it stays where both do not fit. */
  useAside(text: string): void;
  discardAside(text: string): void;
  /** Puts it back beside the field. */
  keepAside(text: string): void;
  /** Puts back what was written in a session that was deleted. It fills an empty field, else it waits beside it. */
  restore(draft: Draft): void;
  /** All that is not sent; null if nothing is. */
  content(): Draft | null;
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
  /** What was taken and is not known to be saved. */
  let onItsWay: Message[] = [];

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
    local.putDraft(sessionId, content()).catch(() => undefined);
  }

  function content(): Draft | null {
    const now = state.getState();
    const texts = [...onItsWay.map((message) => message.text), now.text].filter((text) => text !== '');
    const text = texts.pop() ?? '';
    const aside = texts.reduce(withText, now.aside);
    const attachments = [...onItsWay.flatMap((message) => message.attachments), ...now.attachments];
    if (text === '' && attachments.length + aside.length === 0) return null;
    return { text, attachments, ...(aside.length > 0 ? { aside } : {}) };
  }

  function changed(): void {
    isChanged = true;
    // Not put off by the next key: who types on would have nothing written.
    timer ??= setTimeout(write, WRITE_DELAY_MS);
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
      const message = { text, attachments };
      onItsWay = [...onItsWay, message];
      changed();
      return message;
    },
    arrived(message) {
      onItsWay = onItsWay.filter((other) => other !== message);
      changed();
    },
    giveBack(message, problem) {
      isTouched = true;
      onItsWay = onItsWay.filter((other) => other !== message);
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
      const back = readDraft(draft);
      isTouched = true;
      state.setState((now) => {
        const fills = now.text === '' && fitsField(back.text);
        const aside = [...back.aside, ...now.aside].reduce(withText, [] as string[]);
        return {
          text: fills ? back.text : now.text,
          attachments: [...back.attachments, ...now.attachments],
          aside: fills || back.text === now.text ? aside : withText(aside, back.text),
        };
      });
      changed();
    },
    content,
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
