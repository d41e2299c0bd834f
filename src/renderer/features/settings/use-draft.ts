import { useEffect, useRef, useState } from 'react';

/** What became of a typed text: it is the value already, it was handed on, or it was refused and stays in the field. */
export type Taken = 'same' | 'sent' | 'refused';

/** A pause in typing after which a text counts, milliseconds: half a number must not take effect. */
const PAUSE_MS = 700;

export interface Draft {
  value: string;
  onChange: (text: string) => void;
  onFocus: () => void;
  /** Takes the text at once: leaving the field, Enter. */
  onBlur: () => void;
  onEnter: () => void;
}

/**
 * A field's text while it is typed. It is taken after a pause, on Enter, on leaving the field and when the field goes away; what
 * is typed is never overwritten by the setting meanwhile, and what was refused stays to be mended.
 * @param shown the setting as text
 */
export function useDraft(shown: string, take: (text: string) => Taken): Draft {
  const [draft, setDraft] = useState<string | null>(null);
  const state = useRef({ draft, take, pending: false, focused: false, last: 'same' as Taken, timer: 0 });
  useEffect(() => {
    state.current.take = take;
  });
  useEffect(() => {
    const { pending, focused, last } = state.current;
    if (!pending && !focused && last !== 'refused') setDraft(null);
  }, [shown]);
  useEffect(() => {
    const { current } = state;
    return () => flush(current);
  }, []);

  return {
    value: draft ?? shown,
    onChange(text) {
      const { current } = state;
      setDraft(text);
      current.draft = text;
      current.pending = true;
      window.clearTimeout(current.timer);
      current.timer = window.setTimeout(() => flush(current), PAUSE_MS);
    },
    onFocus: () => void (state.current.focused = true),
    onBlur() {
      const { current } = state;
      current.focused = false;
      const wasPending = current.pending;
      flush(current);
      // What was just sent stays in the field until the setting follows.
      if (current.last === 'same' || (current.last === 'sent' && !wasPending)) setDraft(null);
    },
    onEnter: () => flush(state.current),
  };
}

interface DraftState {
  draft: string | null;
  take: (text: string) => Taken;
  pending: boolean;
  last: Taken;
  timer: number;
}

function flush(state: DraftState): void {
  window.clearTimeout(state.timer);
  if (!state.pending || state.draft === null) return;
  state.pending = false;
  state.last = state.take(state.draft);
}
