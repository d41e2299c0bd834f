import { readFile, rename } from 'node:fs/promises';
import writeFileAtomic from 'write-file-atomic';
import { checkSetting, readSettings } from '@shared/check-setting';
import { defaultSettings, SETTINGS, type SettingKey, type Settings } from '@shared/settings';

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
 * Settings in one JSON file that holds only what differs from the defaults, written atomically. A file that can't be
 * parsed is set aside, never overwritten; keys of other versions survive.
 */
export async function openSettings(file: string): Promise<SettingsStore> {
  const problems: string[] = [];
  let stored = await load(file, problems);
  const read = readSettings(stored);
  problems.push(...read.problems);
  let settings = read.settings;
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

async function load(file: string, problems: string[]): Promise<Record<string, unknown>> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT')
      problems.push(`The settings could not be read: ${String(error)}`);
    return {};
  }
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed))
      return parsed as Record<string, unknown>;
  } catch {
    // Falls through to setting the file aside.
  }
  const aside = `${file}.unreadable`;
  await rename(file, aside).catch(() => undefined);
  problems.push(`The settings file could not be read and was set aside as ${aside}. Defaults are in force.`);
  return {};
}
