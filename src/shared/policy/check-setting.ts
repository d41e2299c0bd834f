import { isRecord } from '../checks';
import {
  type ContextOverride,
  defaultSettings,
  MODEL_NAME,
  OVERRIDE_KEYS,
  SETTING_KEYS,
  type SettingKey,
  SETTINGS,
  type Settings,
} from '../settings';
import { refuseEndpoint, refuseProxy } from './addresses';
import { refuseShortcuts } from '../shortcuts';
import type { SettingSpec } from '../setting-specs';

const MAX_OVERRIDES = 100;
const MAX_ITEM_CHARS = 1000;

/** A refusal: `message` names key, value and bound; `bound` alone is for a place where the setting stands right there. */
interface RefusedSetting {
  ok: false;
  message: string;
  bound?: string;
}
export type SettingCheck = { ok: true; value: unknown } | RefusedSetting;

/**
 * Checks one value against its spec. Numbers are integers within their bounds; anything else is refused with key,
 * value and bound in plain words (ST1).
 */
export function checkSetting(key: SettingKey, value: unknown): SettingCheck {
  const { control, label } = SETTINGS[key] as SettingSpec<unknown>;
  const refuse = (bound: string): RefusedSetting => ({
    ok: false,
    message: `${label} (${key}) can't be ${JSON.stringify(value) ?? 'empty'}: it must be ${bound}.`,
    bound,
  });
  switch (control.kind) {
    case 'boolean':
      return typeof value === 'boolean' ? { ok: true, value } : refuse('on or off');
    case 'integer': {
      const { min, max, unit, optional } = control;
      if (optional && value === null) return { ok: true, value };
      const inBounds = typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max;
      return inBounds ? { ok: true, value } : refuse(`a whole number from ${inWords(min)} to ${inWords(max)} ${unit}`);
    }
    case 'choice':
      return typeof value === 'string' && control.options.includes(value)
        ? { ok: true, value }
        : refuse(`one of ${control.options.join(', ')}`);
    case 'text':
      return typeof value === 'string' && value.length <= control.maxLength
        ? { ok: true, value: value.trim() }
        : refuse(`text of at most ${control.maxLength} characters`);
    case 'list': {
      const { maxItems } = control;
      const fits = Array.isArray(value) && value.length <= maxItems && value.every(isListItem);
      return fits ? { ok: true, value } : refuse(`a list of at most ${maxItems} items`);
    }
    case 'model': {
      if (value === '') return { ok: true, value };
      return isModelName(value) ? { ok: true, value } : refuse('named provider/model, or empty');
    }
    case 'models': {
      const { maxItems } = control;
      if (!Array.isArray(value) || value.length > maxItems) return refuse(`a list of at most ${maxItems} models`);
      if (!value.every(isModelName)) return refuse('a list of models, each named provider/model');
      return new Set(value).size === value.length ? { ok: true, value } : refuse('a list without duplicate models');
    }
    case 'endpoint': {
      const text = typeof value === 'string' ? value.trim() : null;
      const bound = text === null ? 'a text' : refuseEndpoint(text);
      // Without the value: it may hold a password.
      return bound === null
        ? { ok: true, value: text }
        : { ...refuse(bound), message: `${label} (${key}) must be ${bound}.` };
    }
    case 'proxy': {
      const text = typeof value === 'string' ? value.trim() : null;
      const bound = text === null ? 'a text' : refuseProxy(text);
      return bound === null
        ? { ok: true, value: text }
        : { ...refuse(bound), message: `${label} (${key}) must be ${bound}.` };
    }
    case 'shortcuts': {
      const bound = isRecord(value) ? refuseShortcuts(value) : 'keys of actions, by their ids';
      return bound === null
        ? { ok: true, value }
        : { ...refuse(bound), message: `${label} (${key}) must be ${bound}.` };
    }
    case 'overrides':
      return checkOverrides(value);
  }
}

function inWords(number: number): string {
  return number.toLocaleString('en');
}

function isModelName(value: unknown): value is string {
  return typeof value === 'string' && value.length <= 400 && MODEL_NAME.test(value);
}

function isListItem(value: unknown): value is string {
  return typeof value === 'string' && value.length > 0 && value.length <= MAX_ITEM_CHARS;
}

/** Each number of an override is bound as the setting that it replaces; one without numbers is dropped. */
function checkOverrides(value: unknown): SettingCheck {
  const refuse = (message: string): SettingCheck => ({
    ok: false,
    message: `Limits per model (compaction.modelOverrides) ${message}.`,
  });
  if (!isRecord(value)) return refuse('must list models with their limits');
  if (Object.keys(value).length > MAX_OVERRIDES) return refuse(`can list at most ${MAX_OVERRIDES} models`);
  const kept: [string, ContextOverride][] = [];
  for (const [model, numbers] of Object.entries(value)) {
    if (!isRecord(numbers)) return refuse('must list models with their limits');
    if (!isModelName(model)) return refuse(`can't be for "${model}": a model is named provider/model`);
    const override: ContextOverride = {};
    for (const [name, number] of Object.entries(numbers)) {
      if (!Object.hasOwn(OVERRIDE_KEYS, name)) return refuse(`can't contain "${name}"`);
      const own = name as keyof ContextOverride;
      const checked = checkSetting(OVERRIDE_KEYS[own], number);
      if (!checked.ok) return { ok: false, message: `${model}: ${checked.message}` };
      if (number !== null) override[own] = number as number;
    }
    if (Object.keys(override).length > 0) kept.push([model, override]);
  }
  return { ok: true, value: Object.fromEntries(kept) };
}

/** Reads stored settings: unknown keys are kept aside, bad values fall back to their default and are reported. */
export function readSettings(stored: Record<string, unknown>): { settings: Settings; problems: string[] } {
  const settings = defaultSettings() as Record<string, unknown>;
  const problems: string[] = [];
  for (const key of SETTING_KEYS) {
    if (!(key in stored)) continue;
    const checked = checkSetting(key, stored[key]);
    if (checked.ok) settings[key] = checked.value;
    else problems.push(checked.message);
  }
  return { settings: settings as Settings, problems };
}
