import writeFileAtomic from 'write-file-atomic';
import { checkSetting, readSettings } from '@shared/check-setting';
import { defaultSettings, SETTING_KEYS, SETTINGS, type SettingKey, type Settings } from '@shared/settings';
import { isRecord, readOwnFile, type Parsed } from '../own-files/own-file';
import { readPatiently } from '../own-files/read-regular';

export interface SettingsStore {
  current(): Settings;
  /** Sentences about values in the file that were refused at start. */
  readonly problems: readonly string[];
  /**
   * What the person set is not known: neither could the file be read nor the copy of when it last could. Whoever decides what the agent may do
   * decides as if they had forbidden all that can be.
   */
  readonly isUnknown: boolean;
  /** Rejects with a plain sentence (key, value, bound) and changes nothing if the value is bad or can't be saved. */
  set(key: SettingKey, value: unknown): Promise<void>;
  reset(key: SettingKey): Promise<void>;
  onChange(listener: (settings: Settings) => void): () => void;
}

/**
 * Settings in one JSON file that holds only what differs from the defaults, written atomically. What can't be used is kept
 * beside it, never overwritten; keys of other versions survive. `<name>.last` is what it said when it was last good: it stands in
 * for what can't be read.
 */
export async function openSettings(file: string): Promise<SettingsStore> {
  const copy = `${file}.last`;
  const before = await readPatiently(copy).catch(() => null);
  const last = goodOf(before);
  const inForce = last
    ? 'Those of the last start are in use.'
    : 'What they forbade is not known: you are asked about everything, and no folder is trusted until the next start.';
  const read = await readOwnFile<Record<string, unknown>>(file, {
    name: 'The settings',
    parse: (json) => parse(json, last ?? {}),
    empty: () => ({}),
    instead: () => last ?? {},
    ...{ remedy: inForce, meanwhile: inForce },
  });
  const { problems } = read;
  let stored = read.value;
  /** It only stands in: what could not be saved in it stops nobody. */
  const keepCopy = (text: string): Promise<void> => writeFileAtomic(copy, text, { mode: 0o600 }).catch(() => undefined);
  const write = async (next: Record<string, unknown>): Promise<void> => {
    read.mayReplace();
    const text = toText(next);
    await writeFileAtomic(file, text);
    await keepCopy(text);
  };
  if (read.state === 'aside' && last) await write(last).catch(() => undefined);
  if (read.state === 'read' && (before ?? toText({})) !== toText(stored)) await keepCopy(toText(stored));
  let settings = readSettings(stored).settings;
  const listeners = new Set<(settings: Settings) => void>();
  let writing: Promise<void> = Promise.resolve();

  const change = (next: () => Record<string, unknown>): Promise<void> => {
    const done = writing.then(async () => {
      const candidate = next();
      await write(candidate);
      stored = candidate;
      settings = readSettings(stored).settings;
      for (const listener of listeners) listener(settings);
    });
    writing = done.catch(() => undefined);
    return done;
  };

  return {
    problems,
    isUnknown: read.state !== 'read' && last === null,
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

function toText(stored: Record<string, unknown>): string {
  return `${JSON.stringify(stored, null, 2)}\n`;
}

/** A copy that is whole in every part; null if there is none. */
function goodOf(text: string | null): Record<string, unknown> | null {
  try {
    const json: unknown = JSON.parse(text ?? 'null');
    return isRecord(json) && parse(json, {}).bad.length === 0 ? json : null;
  } catch {
    return null;
  }
}

/** For values that are no value of their setting those of the last start are used; keys of other versions stay, untouched. */
function parse(json: unknown, last: Record<string, unknown>): Parsed<Record<string, unknown>> {
  const stored = { ...(json as Record<string, unknown>) };
  const bad: string[] = [];
  for (const key of SETTING_KEYS) {
    if (!Object.hasOwn(stored, key) || checkSetting(key, stored[key]).ok) continue;
    bad.push(`${SETTINGS[key].label} (${key})`);
    const rest = goodItems(key, stored[key]) ?? last[key];
    if (rest !== undefined) stored[key] = rest;
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
