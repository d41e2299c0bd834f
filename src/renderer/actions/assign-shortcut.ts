import type { Shortcuts } from '@shared/shortcuts';
import { LIST, type Listed, type MenuName, MENUS } from './menus';
import { initialKeys, keyInPlace, keysEverywhere, shortcutKind } from './shortcuts';

/** Giving keys to actions: what stands in the way, and what is stored then (WN15). Pure. */

/** Menus whose actions are met by one keyboard, so that no two of them may have one key. */
const PLACES: readonly (readonly MenuName[])[] = [
  ['session', 'file'],
  ['entry', 'tools'],
  ['node', 'graph', 'zoom', 'branch'],
];

/** The actions whose keys can be changed, in the order of the registry. */
export const CHANGEABLE: readonly Listed[] = LIST.filter((action) => shortcutKind(action) !== null);

/** The keys of an action that can be changed. */
export function keysOfAction(chosen: Shortcuts, action: Listed): string | undefined {
  return (shortcutKind(action) === 'place' ? keyInPlace : keysEverywhere)(chosen, action);
}

function meets(one: Listed, other: Listed): boolean {
  if (shortcutKind(one) === 'everywhere') return shortcutKind(other) === 'everywhere';
  const isAt = (menus: readonly MenuName[], { id }: Listed): boolean =>
    menus.some((menu) => (MENUS[menu] as readonly string[]).includes(id));
  return PLACES.some((menus) => isAt(menus, one) && isAt(menus, other));
}

/** Who else has these keys where an action would have them. Control and Mod are one key elsewhere than on macOS. */
export function holdersOf(chosen: Shortcuts, action: Listed, keys: string, mac: boolean): Listed[] {
  const plain = (text: string): string => (mac ? text : text.replace('Control', 'Mod'));
  return LIST.filter((other) => {
    if (other.id === action.id || !meets(action, other)) return false;
    const theirs = shortcutKind(action) === 'place' ? keyInPlace(chosen, other) : keysEverywhere(chosen, other);
    return theirs !== undefined && plain(theirs) === plain(keys);
  });
}

/**
 * What is stored once an action has these keys, '' for none, and those who had them no longer do. What is as it came is not
 * stored.
 */
export function withKeys(chosen: Shortcuts, action: Listed, keys: string, holders: readonly Listed[]): Shortcuts {
  const next = new Map(Object.entries(chosen));
  for (const [each, theirs] of [[action, keys] as const, ...holders.map((holder) => [holder, ''] as const)])
    if (theirs === (initialKeys(each) ?? '')) next.delete(each.id);
    else next.set(each.id, theirs);
  return Object.fromEntries(next);
}
