/** A key as a terminal sends it; null: it is none of a terminal's, and the window's own. */

interface Key {
  key: string;
  ctrlKey: boolean;
  altKey: boolean;
  shiftKey: boolean;
  metaKey: boolean;
}

const CSI = '\u001b[';
/** Those that end in a letter, and those with a number. */
const LETTERS = new Map([
  ['ArrowUp', 'A'],
  ['ArrowDown', 'B'],
  ['ArrowRight', 'C'],
  ['ArrowLeft', 'D'],
  ['End', 'F'],
  ['Home', 'H'],
  ['F1', 'P'],
  ['F2', 'Q'],
  ['F3', 'R'],
  ['F4', 'S'],
]);
const NUMBERS = new Map([
  ['Insert', 2],
  ['Delete', 3],
  ['PageUp', 5],
  ['PageDown', 6],
  ['F5', 15],
  ['F7', 18],
  ['F8', 19],
  ['F9', 20],
  ['F10', 21],
  ['F11', 23],
  ['F12', 24],
]);
/** Code points of keys that are no letters, and what they send alone. */
const CONTROLS = new Map([
  ['Enter', [13, '\r']],
  ['Tab', [9, '\t']],
  ['Backspace', [127, '\u007f']],
  ['Escape', [27, '\u001b']],
] as const);

/** F6 goes to the next pane (WN2), and the system's own key is none of a terminal's: nobody is caught in a view. */
export function terminalKey(event: Key, isMac: boolean): string | null {
  const { key, ctrlKey, altKey, shiftKey, metaKey } = event;
  if (key === 'F6' || metaKey) return null;
  const modifiers = 1 + (shiftKey ? 1 : 0) + (altKey ? 2 : 0) + (ctrlKey ? 4 : 0);
  const letter = LETTERS.get(key);
  if (letter !== undefined) {
    if (modifiers > 1) return `${CSI}1;${modifiers}${letter}`;
    return key.startsWith('F') ? `\u001bO${letter}` : CSI + letter;
  }
  const number = NUMBERS.get(key);
  if (number !== undefined) return `${CSI}${number}${modifiers > 1 ? `;${modifiers}` : ''}~`;
  const control = CONTROLS.get(key as 'Enter');
  if (control) return controlKey(key, control, modifiers);
  if ([...key].length !== 1) return null;
  if (ctrlKey && !altKey) return withControl(key, modifiers);
  // There it writes a character of its own.
  if (altKey && !ctrlKey && !isMac) return `\u001b${key}`;
  return key;
}

/** The release of a key, for components that want to hear of it. */
export function releasedKey({ key }: Pick<Key, 'key'>): string | null {
  const letter = LETTERS.get(key);
  if (letter !== undefined) return `${CSI}1;1:3${letter}`;
  const code =
    CONTROLS.get(key as 'Enter')?.[0] ?? ([...key].length === 1 ? key.toLowerCase().codePointAt(0) : undefined);
  return code === undefined ? null : `${CSI}${code};1:3u`;
}

function controlKey(key: string, [code, alone]: readonly [number, string], modifiers: number): string {
  if (modifiers === 1) return alone;
  if (key === 'Tab' && modifiers === 2) return `${CSI}Z`;
  if (key === 'Backspace' && modifiers === 3) return '\u001b\u007f';
  return `${CSI}${code};${modifiers}u`;
}

function withControl(key: string, modifiers: number): string | null {
  const upper = key.toUpperCase();
  const code = upper.charCodeAt(0);
  if (modifiers === 5 && key.length === 1 && code >= 0x40 && code <= 0x5f) return String.fromCharCode(code & 0x1f);
  if (modifiers === 5 && key === ' ') return '\u0000';
  return `${CSI}${key.toLowerCase().codePointAt(0) ?? 0};${modifiers}u`;
}

/** Pasted text, marked as such: nothing of it is a key. */
export function pastedText(text: string): string {
  return `${CSI}200~${text.replace(/\u001b/g, '').replace(/\r\n?/g, '\n')}${CSI}201~`;
}
