import { useEffect, useRef, useState } from 'react';
import { checkSetting } from '@shared/policy/check-setting';
import { SETTINGS, type SettingKey, type Settings } from '@shared/settings';
import { toAppError } from '../../bridge';
import { useApp, useSettings } from '../../state/hooks';
import type { Taken } from './use-draft';

export interface Setting<K extends SettingKey> {
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
