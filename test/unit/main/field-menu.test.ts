import { describe, expect, it, vi } from 'vitest';
import { fieldMenu, type Pressed } from '../../../src/main/app/field-menu';

const deeds = { replace: vi.fn(), learn: vi.fn() };
const flags = { canCut: true, canCopy: true, canPaste: true, canSelectAll: true };
const pressed = (patch: Partial<Pressed> = {}): Pressed => ({
  isEditable: true,
  misspelledWord: '',
  dictionarySuggestions: [],
  selectionText: '',
  editFlags: flags,
  ...patch,
});
const words = (patch: Partial<Pressed>): unknown[] =>
  fieldMenu(pressed(patch), deeds).map(({ role, label, type }) => role ?? label ?? type);

describe('WN23: the menu of a field', () => {
  it('cuts, copies, pastes and selects all by roles, as far as that can be done', () => {
    expect(words({})).toEqual(['cut', 'copy', 'paste', 'separator', 'selectAll']);
    const items = fieldMenu(pressed({ editFlags: { ...flags, canCut: false, canPaste: false } }), deeds);
    expect(items.filter(({ enabled }) => enabled === false).map(({ role }) => role)).toEqual(['cut', 'paste']);
  });

  it('offers the first suggestions for a word, and to learn it', () => {
    const dictionarySuggestions = ['fish & chips', 'b', 'c', 'd', 'e', 'f'];
    const items = fieldMenu(pressed({ misspelledWord: 'fsh', dictionarySuggestions }), deeds);
    expect(items.slice(0, 7).map(({ label, type }) => label ?? type)).toEqual([
      ...['fish && chips', 'b', 'c', 'd', 'e', 'separator', 'Add to dictionary'],
    ]);
    const click = (at: number): void => (items[at]?.click as unknown as () => void)();
    click(0);
    click(6);
    expect(deeds.replace).toHaveBeenCalledWith('fish & chips');
    expect(deeds.learn).toHaveBeenCalledWith('fsh');
    expect(words({ misspelledWord: 'qqq' })[0]).toBe('No suggestions');
  });

  it('outside of fields copies what is selected, and else is not there', () => {
    expect(words({ isEditable: false, selectionText: 'a' })).toEqual(['copy']);
    expect(words({ isEditable: false, selectionText: ' \n' })).toEqual([]);
  });
});
