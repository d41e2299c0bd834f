import { useMemo, type KeyboardEvent } from 'react';
import { type DraftStore, MAX_ATTACHMENTS } from '../../state/draft-store';
import type { DraftAttachment } from '../../state/local-store';

const NO_ROOM = `A message can have at most ${MAX_ATTACHMENTS} files. Remove one, and try again.`;
/** Nobody goes back further. */
const MAX_KEPT = 20;

type Keys = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'shiftKey' | 'altKey'>;
/** Puts a text into the field, the caret where it says. */
type Show = (text: string, caret: number) => void;

export interface TextUndo {
  /** A pasted text was attached, beside the field as it is now. */
  pasted(file: DraftAttachment): void;
  /** An attached text was put into the field, in front of `at`. */
  inserted(file: DraftAttachment, before: string, at: number): void;
  /** Takes back or does again what was done last, if that was one of these and the key says so. True if it did, or said why not. */
  onUndoKey(event: Keys, show: Show): boolean;
}

/** Undo for what moves between field and files: the browser's knows what is typed, and nothing of the files. One for each draft. */
export function useTextUndo(draft: DraftStore): TextUndo {
  return useMemo(() => createTextUndo(draft), [draft]);
}

interface Place {
  text: string;
  caret: number;
  /** The text is among the files. */
  isAttached: boolean;
}

interface Deed {
  file: DraftAttachment;
  before: Place;
  after: Place;
}

export function createTextUndo(draft: Pick<DraftStore, 'state' | 'set'>): TextUndo {
  let done: Deed[] = [];
  let undone: Deed[] = [];
  const { state } = draft;

  function did(deed: Deed): void {
    done = [...done, deed].slice(-MAX_KEPT);
    undone = [];
  }

  /** With anything else in the field the key is about that. */
  function isAt({ text, isAttached }: Place, { id }: DraftAttachment): boolean {
    const now = state.getState();
    return now.text === text && now.attachments.some((file) => file.id === id) === isAttached;
  }

  /** Others may have been attached since it was among them. */
  function hasRoomFor({ isAttached }: Place, file: DraftAttachment): boolean {
    const others = state.getState().attachments.filter(({ id }) => id !== file.id);
    return !isAttached || others.length < MAX_ATTACHMENTS;
  }

  function goTo({ text, caret, isAttached }: Place, file: DraftAttachment, show: Show): void {
    const others = state.getState().attachments.filter(({ id }) => id !== file.id);
    draft.set({ attachments: isAttached ? [...others, file] : others });
    if (text !== state.getState().text) show(text, caret);
  }

  return {
    pasted(file) {
      const { text } = state.getState();
      const place = { text, caret: text.length };
      did({ file, before: { ...place, isAttached: false }, after: { ...place, isAttached: true } });
    },
    inserted(file, before, at) {
      const { text } = state.getState();
      const after = { text, caret: at + text.length - before.length, isAttached: false };
      did({ file, before: { text: before, caret: at, isAttached: true }, after });
    },
    onUndoKey({ key, ctrlKey, metaKey, shiftKey, altKey }, show) {
      if (!(ctrlKey || metaKey) || altKey) return false;
      const isUndo = key === 'z' && !shiftKey;
      const isRedo = (key.toLowerCase() === 'z' && shiftKey) || (key === 'y' && !shiftKey);
      const last = isUndo ? done.at(-1) : isRedo ? undone.at(-1) : undefined;
      if (!last || !isAt(isUndo ? last.after : last.before, last.file)) return false;
      const wanted = isUndo ? last.before : last.after;
      if (!hasRoomFor(wanted, last.file)) {
        draft.set({ problem: NO_ROOM });
        return true;
      }
      goTo(wanted, last.file, show);
      if (isUndo) [done, undone] = [done.slice(0, -1), [...undone, last]];
      else [done, undone] = [[...done, last], undone.slice(0, -1)];
      return true;
    },
  };
}
