import { useEffect, useRef, useState } from 'react';
import { checkSetting } from '@shared/policy/check-setting';
import { type SettingKey, SETTINGS, type Settings } from '@shared/settings';
import { toAppError } from '../../bridge';
import { useApp, useSettings } from '../../state/hooks';

interface Setting<K extends SettingKey> {
  value: Settings[K];
  /** Why the last value was refused, or null. */
  problem: string | null;
  isChanged: boolean;
  /** Takes effect at once if it is within its bounds. */
  set: (next: unknown) => Taken;
  /** Changes what was last set, though the window may not have heard of that yet. */
  update: (change: (value: Settings[K]) => unknown) => Taken;
  reset: () => void;
}

/** One setting of the window with what was refused about it. */
export function useSetting<K extends SettingKey>(name: K): Setting<K> {
  const app = useApp();
  const value = useSettings((state) => state.settings[name]);
  const newest = useRef<Settings[K]>(value);
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => {
    newest.current = value;
  }, [value]);

  function set(next: unknown): Taken {
    const checked = checkSetting(name, next);
    if (!checked.ok) {
      setProblem(checked.bound === undefined ? checked.message : `Must be ${checked.bound}.`);
      return 'refused';
    }
    setProblem(null);
    if (same(checked.value, newest.current)) return 'same';
    newest.current = checked.value as Settings[K];
    app.client.request('settings.set', { key: name, value: checked.value }).catch((cause: unknown) => {
      newest.current = app.settings.getState().settings[name];
      setProblem(toAppError(cause).message);
    });
    return 'sent';
  }

  return {
    value,
    problem,
    isChanged: !same(value, SETTINGS[name].initial),
    set,
    update: (change) => set(change(newest.current)),
    reset() {
      setProblem(null);
      void app.ask('settings.reset', { key: name });
    },
  };
}

function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** What became of a typed text: it is the value already, it was handed on, or it was refused and stays in the field. */
export type Taken = 'same' | 'sent' | 'refused';

/** A pause in typing after which a text counts, milliseconds: half a number must not take effect. */
const PAUSE_MS = 700;

interface Draft {
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
