import { own } from '@shared/checks';
import { isOwnKey, refuseShortcut, type Shortcuts } from '@shared/shortcuts';
import type { Action } from './action';

/** The keys of actions as the person has them: those of the registry, or others that were chosen in Settings (WN15). Pure. */

/** Where the keys of an action count, if they can be changed: everywhere, or while the keyboard is on what it acts on. */
export function shortcutKind({ keys, isLocal, group, isDanger, ownKeys }: Action): 'everywhere' | 'place' | null {
  if (isLocal) return null;
  if (keys !== undefined || (group !== undefined && !isDanger)) return 'everywhere';
  return ownKeys !== undefined && isOwnKey(ownKeys) ? 'place' : null;
}

/** Letters that places have for what is no action. */
const TAKEN: ReadonlyMap<string, string> = new Map([
  ['P', 'opens the preview'],
  ['/', 'finds in the graph'],
  ['=', 'is the same key as +'],
]);

/** Why an action can't have these keys, to complete "Ctrl+C …"; null: it can. */
export function refuseKeys(action: Action, keys: string): string | null {
  if (shortcutKind(action) !== 'place') return refuseShortcut(keys);
  return isOwnKey(keys) ? (TAKEN.get(keys) ?? null) : 'can’t be used here. Press one letter, digit or sign';
}

/** The keys that an action came with; undefined: none. */
export function initialKeys(action: Action): string | undefined {
  return shortcutKind(action) === 'everywhere' ? action.keys : action.ownKeys;
}

/** Keys that the person chose for an action, '' for none; undefined: they chose none, or such that it can't have. */
export function chosenKeys(chosen: Shortcuts, action: Action & { id: string }): string | undefined {
  const keys = shortcutKind(action) === null ? undefined : own(chosen, action.id);
  return keys === undefined || keys === '' || refuseKeys(action, keys) === null ? keys : undefined;
}

/** The keys that count everywhere, or at least are said to; undefined: none. */
export function keysEverywhere(chosen: Shortcuts, action: Action & { id: string }): string | undefined {
  if (shortcutKind(action) !== 'everywhere') return action.keys;
  return (chosenKeys(chosen, action) ?? action.keys) || undefined;
}

/** The key that counts while the keyboard is on what it acts on; undefined: none. */
export function keyInPlace(chosen: Shortcuts, action: Action & { id: string }): string | undefined {
  if (shortcutKind(action) !== 'place') return action.ownKeys;
  return (chosenKeys(chosen, action) ?? action.ownKeys) || undefined;
}
