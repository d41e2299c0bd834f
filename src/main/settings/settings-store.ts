import writeFileAtomic from 'write-file-atomic';
import { checkSetting, readSettings } from '@shared/check-setting';
import { defaultSettings, SETTING_KEYS, SETTINGS, type SettingKey, type Settings } from '@shared/settings';
import { readOwnFile, type Parsed } from '../own-files/own-file';

export interface SettingsStore {
  current(): Settings;
  /** Sentences about values in the file that were refused at start. */
  readonly problems: readonly string[];
  /** Rejects with a plain sentence (key, value, bound) and changes nothing if the value is bad or can't be saved. */
  set(key: SettingKey, value: unknown): Promise<void>;
  reset(key: SettingKey): Promise<void>;
  onChange(listener: (settings: Settings) => void): () => void;
}

/**
 * Settings in one JSON file that holds only what differs from the defaults, written atomically. What can't be used is kept
 * beside it, never overwritten; keys of other versions survive.
 */
export async function openSettings(file: string): Promise<SettingsStore> {
  const spec = { name: 'The settings', parse, empty: () => ({}), remedy: 'Those you see are the usual ones.' };
  const read = await readOwnFile<Record<string, unknown>>(file, spec);
  const { problems } = read;
  let stored = read.value;
  let settings = readSettings(stored).settings;
  const listeners = new Set<(settings: Settings) => void>();
  let writing: Promise<void> = Promise.resolve();

  const change = (next: () => Record<string, unknown>): Promise<void> => {
    const done = writing.then(async () => {
      const candidate = next();
      await writeFileAtomic(file, `${JSON.stringify(candidate, null, 2)}\n`);
      stored = candidate;
      settings = readSettings(stored).settings;
      for (const listener of listeners) listener(settings);
    });
    writing = done.catch(() => undefined);
    return done;
  };

  return {
    problems,
    current: () => settings,
    set: async (key, value) => {
      const checked = checkSetting(key, value);
      if (!checked.ok) throw new RangeError(checked.message);
      const isDefault = JSON.stringify(checked.value) === JSON.stringify(defaultSettings()[key]);
      await change(() => {
        const { [key]: _old, ...rest } = stored;
        return isDefault ? rest : { ...rest, [key]: checked.value };
      });
    },
    reset: (key) =>
      change(() => {
        if (!(key in SETTINGS)) return stored;
        const { [key]: _old, ...rest } = stored;
        return rest;
      }),
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** Values that are no value of their setting are left out; keys of other versions stay, untouched. */
function parse(json: unknown): Parsed<Record<string, unknown>> {
  const stored = { ...(json as Record<string, unknown>) };
  const bad: string[] = [];
  for (const key of SETTING_KEYS) {
    if (!Object.hasOwn(stored, key) || checkSetting(key, stored[key]).ok) continue;
    bad.push(`${SETTINGS[key].label} (${key})`);
    const rest = goodItems(key, stored[key]);
    if (rest) stored[key] = rest;
    else delete stored[key];
  }
  return { value: stored, bad, kept: stored };
}

/** A list without the items that are none: what it forbids goes on to be forbidden. */
function goodItems(key: SettingKey, value: unknown): unknown[] | null {
  if (!Array.isArray(value)) return null;
  const items = [...new Set(value.filter((item) => checkSetting(key, [item]).ok))];
  return items.length > 0 && checkSetting(key, items).ok ? items : null;
}
