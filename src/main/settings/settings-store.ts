import { basename } from 'node:path';
import { checkSetting, readSettings } from '@shared/policy/check-setting';
import { defaultSettings, SETTING_KEYS, SETTINGS, type SettingKey, type Settings } from '@shared/settings';
import { isRecord } from '@shared/checks';
import { readOwnFile, type OwnFileSpec, type Parsed } from '../own-files/own-file';
import { readPatiently } from '../own-files/read-regular';
import { saveOwnFile, writeOwnFile } from '../own-files/write-own';

export interface SettingsStore {
  current(): Settings;
  /** Sentences about values in the file that were refused at start. */
  readonly problems: readonly string[];
  /**
   * What the person forbade is not known: neither could it be read nor the copy of when it last could. Whoever decides what the agent may do
   * decides as if they had forbidden all that can be.
   */
  readonly isUnknown: boolean;
  /** Rejects with a plain sentence (key, value, bound) and changes nothing if a value is bad or can't be saved. `along`: in the same write. */
  set(key: SettingKey, value: unknown, along?: Partial<Settings>): Promise<void>;
  reset(key: SettingKey): Promise<void>;
  onChange(listener: (settings: Settings) => void): () => void;
}

/**
 * Settings in one JSON file that holds only what differs from the defaults, written atomically. What can't be used is kept
 * beside it, never overwritten; keys of other versions survive. `<name>.last` is what it said when it was last good: it stands in
 * for what can't be read, and for the whole file if that is gone. Only what the person sets makes it say less.
 */
export async function openSettings(file: string): Promise<SettingsStore> {
  const copy = `${file}.last`;
  const before = await readPatiently(copy).catch(() => null);
  const last = goodOf(before);
  const inForce = last ? OF_LAST_START : NOT_KNOWN;
  let isLost = false;
  const spec: OwnFileSpec<Record<string, unknown>> = {
    name: 'The settings',
    parse: (json) => {
      const parsed = parse(json, last);
      ({ isLost } = parsed);
      return parsed;
    },
    empty: () => ({}),
    instead: () => last ?? {},
    ...{ remedy: inForce, meanwhile: inForce },
  };
  let read = await readOwnFile(file, spec);
  const isGone = read.state === 'missing';
  if (isGone) read = await readOwnFile(copy, spec);
  const problems = isLost ? read.problems.map((problem) => `${problem} ${NOT_KNOWN}`) : [...read.problems];
  const isRestored = isGone && Object.keys(read.value).length > 0;
  if (isRestored) problems.unshift(`The settings file ${basename(file)} is missing. ${OF_LAST_START}`);
  let stored = read.value;
  /** It only stands in: what could not be saved in it stops nobody. */
  const keepCopy = (text: string): Promise<void> => writeOwnFile(copy, text, { givesWay: true }).catch(() => undefined);
  const write = async (next: Record<string, unknown>): Promise<void> => {
    await read.mayReplace();
    const text = toText(next);
    await saveOwnFile(file, text);
    await keepCopy(text);
  };
  if (isRestored || (read.state === 'aside' && last)) await write(stored).catch(() => undefined);
  else if (!isGone && read.state === 'read' && (before ?? toText({})) !== toText(stored))
    await keepCopy(toText(stored));
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
    isUnknown: isLost || (last === null && (read.state === 'unread' || read.state === 'aside')),
    current: () => settings,
    set: async (key, value, along = {}) => {
      const given = Object.entries({ ...along, [key]: value }) as [SettingKey, unknown][];
      const wanted = given.map(([each, it]) => {
        const checked = checkSetting(each, it);
        if (!checked.ok) throw new RangeError(checked.message);
        return [each, checked.value] as const;
      });
      await change(() => {
        const next = { ...stored };
        for (const [each, it] of wanted)
          if (JSON.stringify(it) === JSON.stringify(defaultSettings()[each])) delete next[each];
          else next[each] = it;
        return next;
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

const OF_LAST_START = 'The settings of the last start are in use.';
const NOT_KNOWN =
  'What they denied is unknown, so Espalier asks about everything and trusts no folder until the next start.';

function toText(stored: Record<string, unknown>): string {
  return `${JSON.stringify(stored, null, 2)}\n`;
}

/** A copy that is whole in every part; null if there is none. */
function goodOf(text: string | null): Record<string, unknown> | null {
  try {
    const json: unknown = JSON.parse(text ?? 'null');
    return isRecord(json) && parse(json, null).bad.length === 0 ? json : null;
  } catch {
    return null;
  }
}

/** By what these say the agent may do less: it must not do more because one of them is damaged. */
const FORBIDDING: ReadonlySet<SettingKey> = new Set<SettingKey>(['tools.write', 'tools.bash', 'tools.deniedPaths']);

interface ParsedSettings extends Parsed<Record<string, unknown>> {
  /** Something that was forbidden may be missing. */
  isLost: boolean;
}

/** For values that are no value of their setting those of the last start are used; keys of other versions stay, untouched. */
function parse(json: unknown, last: Record<string, unknown> | null): ParsedSettings {
  const stored = { ...(json as Record<string, unknown>) };
  const bad: string[] = [];
  let isLost = false;
  for (const key of SETTING_KEYS) {
    if (!Object.hasOwn(stored, key) || checkSetting(key, stored[key]).ok) continue;
    bad.push(`${SETTINGS[key].label} (${key})`);
    const before = FORBIDDING.has(key) ? last?.[key] : undefined;
    const items = goodItems(key, stored[key], before);
    if (FORBIDDING.has(key)) isLost ||= last === null || (Array.isArray(before) && items === null);
    const rest = items?.length ? items : last?.[key];
    if (rest !== undefined) stored[key] = rest;
    else delete stored[key];
  }
  return { value: stored, bad, kept: stored, isLost };
}

/** A list without the items that are none, and with those of `before`: what it forbids goes on to be forbidden. Null: too many. */
function goodItems(key: SettingKey, value: unknown, before: unknown): unknown[] | null {
  const all = [before, value].flatMap((list) => (Array.isArray(list) ? (list as unknown[]) : []));
  const items = [...new Set(all.filter((item) => checkSetting(key, [item]).ok))];
  return checkSetting(key, items).ok ? items : null;
}
