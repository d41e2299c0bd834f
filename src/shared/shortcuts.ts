/**
 * Keys that the person gave to actions (WN15): what may be stored, and what is refused. A combination is text, as `Mod+Shift+E`: Mod is
 * Command on macOS and Control elsewhere. Pure, and the same on each system, since a settings file is taken along.
 */

/** The keys of actions by their ids; '': none. What does not stand here has the keys that it came with. */
export type Shortcuts = Readonly<Record<string, string>>;

/** In this order they are written. */
export const MODIFIERS = ['Mod', 'Control', 'Alt', 'Shift'] as const;

const FUNCTION_KEY = /^F([1-9]|1\d|2[0-4])$/;
/** `+` parts a combination, so that it can't be in one. */
const CHARACTER = /^[!-*,-~]$/;
const MOVING = new Set(['ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight', 'Home', 'End', 'PageUp', 'PageDown']);
const EDITING = new Set(['Insert', 'Delete']);

const TEXT = 'is for editing text';
const WINDOW = 'belongs to the window or the system';
/** What has a meaning everywhere, and what comes of it: it completes "Ctrl+C …". */
const RESERVED: ReadonlyMap<string, string> = new Map([
  ...['C', 'X', 'V', 'Shift+V', 'A', 'Z', 'Shift+Z', 'Y'].map((keys) => [`Mod+${keys}`, TEXT] as const),
  ...['-', '=', '0', 'Shift+_'].map((keys) => [`Mod+${keys}`, 'changes the zoom'] as const),
  ...['Mod+Q', 'Mod+W', 'Mod+M', 'Mod+H', 'Alt+F4', 'F11'].map((keys) => [keys, WINDOW] as const),
  ...['Alt+F', 'Alt+V', 'F10', 'Shift+F10'].map((keys) => [keys, 'opens a menu'] as const),
  ['F2', 'renames'],
  ['F6', 'goes to the next pane'],
  ['Shift+F6', 'goes to the previous pane'],
  ['F8', 'goes to the notices'],
]);

/** Why a combination can't be given to an action, to complete "Ctrl+C …"; null: it can. */
export function refuseShortcut(keys: string): string | null {
  const parts = keys.split('+');
  const key = parts.pop() ?? '';
  const isCharacter = CHARACTER.test(key) && key === key.toUpperCase();
  const isFunction = FUNCTION_KEY.test(key);
  const order = MODIFIERS.filter((modifier) => parts.includes(modifier));
  if (order.join('+') !== parts.join('+') || !(isCharacter || isFunction || MOVING.has(key) || EDITING.has(key)))
    return 'can’t be a shortcut';
  // Elsewhere than on macOS they are one key.
  const has = (modifier: string): boolean => parts.includes(modifier);
  const isMod = has('Mod') || has('Control');
  const plain = [...new Set(order.map((modifier) => (modifier === 'Control' ? 'Mod' : modifier))), key].join('+');
  const reserved = RESERVED.get(plain);
  if (reserved !== undefined) return reserved;
  if (isFunction) return null;
  if (!isMod && !has('Alt')) return isCharacter ? 'types a character' : 'moves the cursor or edits text';
  if (isMod && (EDITING.has(key) || (MOVING.has(key) && !key.startsWith('Page'))))
    return 'moves the cursor or edits text';
  // AltGr is both of them on Windows.
  return isMod && has('Alt') && isCharacter ? 'types a character on some keyboards' : null;
}

/** A key of its own that an action has while the keyboard is on what it acts on, in the graph or on a message: one character. */
export function isOwnKey(key: string): boolean {
  return key === '+' || (CHARACTER.test(key) && key === key.toUpperCase());
}

/** Ids of actions are words with points; those of other versions are kept. */
const ID = /^[A-Za-z][A-Za-z.]{0,59}$/;
const MOST = 300;

/** What is wrong with stored shortcuts, to complete "must be …"; null: nothing. */
export function refuseShortcuts(value: Readonly<Record<string, unknown>>): string | null {
  const entries = Object.entries(value);
  if (entries.length > MOST) return `for at most ${MOST} actions`;
  for (const [id, keys] of entries) {
    if (!ID.test(id) || typeof keys !== 'string' || keys.length > 60) return 'keys of actions, by their ids';
    if (keys === '' || isOwnKey(keys)) continue;
    const why = refuseShortcut(keys);
    if (why !== null) return `other keys than ${keys} for ${id}, which ${why}`;
  }
  return null;
}
