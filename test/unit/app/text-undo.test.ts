import { beforeEach, describe, expect, it } from 'vitest';
import { createTextUndo, type TextUndo } from '../../../src/renderer/features/composer/use-text-undo';
import { createDraftStore, type DraftStore } from '../../../src/renderer/state/draft-store';
import { createMemoryStore } from '../../support/memory-store';

const file = (id: string) => ({ id, kind: 'text' as const, name: 'pasted text', mimeType: 'text/plain', data: id });
const keys = { key: 'z', ctrlKey: true, metaKey: false, shiftKey: false, altKey: false };
const redo = { ...keys, key: 'Z', shiftKey: true };

let draft: DraftStore;
let undo: TextUndo;
const press = (event: typeof keys): boolean =>
  undo.onUndoKey(event, (text, at) => {
    draft.set({ text });
    caret = at;
  });
let caret = 0;
const attached = (): string[] => draft.state.getState().attachments.map(({ id }) => id);
const paste = (id: string): void => {
  draft.set({ attachments: [...draft.state.getState().attachments, file(id)] });
  undo.pasted(file(id));
};

beforeEach(() => {
  draft = createDraftStore('session', createMemoryStore());
  undo = createTextUndo(draft);
  draft.set({ text: 'before' });
});

describe('CM5: undo', () => {
  it('takes back a paste that was attached, and redo attaches it again', () => {
    paste('a');
    paste('b');
    expect(press(keys)).toBe(true);
    expect(attached()).toEqual(['a']);
    expect(press(redo)).toBe(true);
    expect(attached()).toEqual(['a', 'b']);
    expect([press(keys), press(keys), press(keys)]).toEqual([true, true, false]);
    expect(attached()).toEqual([]);
  });

  it('is about the field where something was typed since, and about nothing else where the file is gone', () => {
    paste('a');
    draft.set({ text: 'before and after' });
    expect(press(keys)).toBe(false);
    draft.set({ text: 'before' });
    expect([press({ ...keys, altKey: true }), press({ ...keys, ctrlKey: false })]).toEqual([false, false]);
    draft.set({ attachments: [] });
    expect([press(keys), press(redo)]).toEqual([false, false]);
  });

  it('of a text that was put into the field attaches it again, redo puts it back, each with its caret', () => {
    draft.set({ text: 'before' });
    paste('TEXT');
    draft.set({ attachments: [], text: 'beTEXTfore' });
    undo.inserted(file('TEXT'), 'before', 2);
    expect(press(keys)).toBe(true);
    expect([draft.state.getState().text, attached(), caret]).toEqual(['before', ['TEXT'], 2]);
    expect(press(redo)).toBe(true);
    expect([draft.state.getState().text, attached(), caret]).toEqual(['beTEXTfore', [], 6]);
    expect([press(keys), press(keys), press(keys)]).toEqual([true, true, false]);
    expect([draft.state.getState().text, attached()]).toEqual(['before', []]);
  });

  it('attaches no more than twenty: it says so, and goes on once there is room', () => {
    const nineteen = Array.from({ length: 19 }, (_, at) => file(`f${at}`));
    draft.set({ attachments: nineteen });
    paste('a');
    press(keys);
    draft.set({ attachments: [...nineteen, file('other')], problem: null });
    expect(press(redo)).toBe(true);
    expect(attached()).toHaveLength(20);
    expect(attached()).not.toContain('a');
    expect(draft.state.getState().problem).toContain('at most 20 files');
    draft.set({ attachments: nineteen });
    press(redo);
    expect(attached().at(-1)).toBe('a');
  });
});
