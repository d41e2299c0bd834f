import type { MenuItemConstructorOptions } from 'electron';

/** What Chromium says of a place that was pressed with the other button. */
export interface Pressed {
  isEditable: boolean;
  /** A word that the system's checker does not know; '' where there is none. */
  misspelledWord: string;
  dictionarySuggestions: readonly string[];
  selectionText: string;
  editFlags: { canCut: boolean; canCopy: boolean; canPaste: boolean; canSelectAll: boolean };
}

/** What the menu does that no role of Electron's does. */
export interface FieldDeeds {
  replace(word: string): void;
  learn(word: string): void;
}

/** Suggestions that are offered. */
const MOST_SUGGESTIONS = 5;

/**
 * The menu of a field, and of words that are selected where the page has none of its own (WN23). Pasting is done by Electron's role, at
 * a press on it alone: there is no request by which a page could read the clipboard (PG1). Empty: nothing can be done there.
 */
export function fieldMenu(pressed: Pressed, deeds: FieldDeeds): MenuItemConstructorOptions[] {
  const { isEditable, selectionText, editFlags } = pressed;
  if (!isEditable) return selectionText.trim() === '' ? [] : [{ role: 'copy', enabled: editFlags.canCopy }];
  return [
    ...spellingOf(pressed, deeds),
    { role: 'cut', enabled: editFlags.canCut },
    { role: 'copy', enabled: editFlags.canCopy },
    { role: 'paste', enabled: editFlags.canPaste },
    { type: 'separator' },
    { role: 'selectAll', enabled: editFlags.canSelectAll },
  ];
}

function spellingOf(pressed: Pressed, { replace, learn }: FieldDeeds): MenuItemConstructorOptions[] {
  const { misspelledWord, dictionarySuggestions } = pressed;
  if (misspelledWord === '') return [];
  const words = dictionarySuggestions.slice(0, MOST_SUGGESTIONS);
  return [
    ...words.map((word): MenuItemConstructorOptions => ({ label: plain(word), click: () => replace(word) })),
    ...(words.length === 0 ? [{ label: 'No suggestions', enabled: false }] : []),
    { type: 'separator' },
    { label: 'Add to dictionary', click: () => learn(misspelledWord) },
    { type: 'separator' },
  ];
}

/** A label as it stands: `&` marks a key. */
const plain = (word: string): string => word.replaceAll('&', '&&');
