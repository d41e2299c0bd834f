/** Key combinations as text (`Mod+Shift+E`; Mod is Command on macOS, Control elsewhere). */

const SYMBOLS: Record<string, string> = { Mod: '⌘', Shift: '⇧', Alt: '⌥', Control: '⌃' };
const NAMES: Record<string, string> = {
  ArrowUp: '↑',
  ArrowDown: '↓',
  ArrowLeft: '←',
  ArrowRight: '→',
  Escape: 'Esc',
  PageUp: 'PgUp',
  PageDown: 'PgDn',
  Delete: 'Del',
};

export type KeyPress = Pick<KeyboardEvent, 'key' | 'metaKey' | 'ctrlKey' | 'shiftKey' | 'altKey'> & { code?: string };

/** True when the pressed keys are exactly the combination. */
export function matchesKeys(event: KeyPress, keys: string, mac: boolean): boolean {
  const parts = keys.split('+');
  const key = parts.pop() ?? '';
  const mod = parts.includes('Mod');
  const control = parts.includes('Control') || (mod && !mac);
  // On macOS a letter or digit with Option is another character.
  const isCharacter = mac && event.altKey && keyOfCode(event.code) === key;
  return (
    (isCharacter || event.key.toLowerCase() === key.toLowerCase()) &&
    event.metaKey === (mod && mac) &&
    event.ctrlKey === control &&
    event.shiftKey === parts.includes('Shift') &&
    event.altKey === parts.includes('Alt')
  );
}

/** The letter or digit that stands on a key, whatever a modifier makes of it. */
function keyOfCode(code: string | undefined): string | undefined {
  return /^(?:Key|Digit)([A-Z0-9])$/.exec(code ?? '')?.[1];
}

const MODIFIER_KEYS = new Set([
  'Control',
  'Shift',
  'Alt',
  'AltGraph',
  'Meta',
  'OS',
  'CapsLock',
  'Fn',
  'Dead',
  'Process',
]);

/** What was pressed, as text in the order of `MODIFIERS`; null: a modifier alone, or a key that only begins a character. */
export function keysOfPress(event: KeyPress, mac: boolean): string | null {
  if (MODIFIER_KEYS.has(event.key) || (event.key.length > 1 && event.key === 'Unidentified')) return null;
  const held = {
    Mod: mac ? event.metaKey : event.ctrlKey,
    Control: mac && event.ctrlKey,
    // The key of the system elsewhere: no name that could be given to an action.
    Super: !mac && event.metaKey,
    Alt: event.altKey,
    Shift: event.shiftKey,
  };
  const key = (mac && event.altKey ? keyOfCode(event.code) : undefined) ?? event.key;
  const name = key === ' ' ? 'Space' : key.length === 1 ? key.toUpperCase() : key;
  return [...Object.entries(held).flatMap(([modifier, isHeld]) => (isHeld ? [modifier] : [])), name].join('+');
}

/** The combination as the platform writes it: `⌘⇧E` or `Ctrl+Shift+E`. */
export function formatKeys(keys: string, mac: boolean): string {
  const parts = keys.split('+').map((part) => NAMES[part] ?? part);
  if (mac) return parts.map((part) => SYMBOLS[part] ?? part).join('');
  return parts.map((part) => (part === 'Mod' || part === 'Control' ? 'Ctrl' : part)).join('+');
}

/** Whether this page runs on macOS. */
export function isMac(platform: string): boolean {
  return platform === 'darwin';
}

/** A key means one thing in all approval cards: that of an answer which a card does not offer does nothing there (docs/specs/safety.md C2). */
export const ANSWER_KEYS = { once: '1', session: '2', always: '3', edit: '4', why: '5', deny: 'Escape' } as const;

/** The same in words, as the help lists them. */
export const ANSWER_LINES: readonly { what: string; keys: string[] }[] = [
  { what: 'Run, write or allow once', keys: [ANSWER_KEYS.once] },
  { what: 'Allow until you quit, where offered', keys: [ANSWER_KEYS.session] },
  { what: 'Always allow, where offered', keys: [ANSWER_KEYS.always] },
  { what: 'Edit the command', keys: [ANSWER_KEYS.edit] },
  { what: 'Decline and say why', keys: [ANSWER_KEYS.why] },
  { what: 'Decline', keys: [ANSWER_KEYS.deny] },
];
