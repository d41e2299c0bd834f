import { type ClipboardEvent, type DragEvent, type RefObject, useLayoutEffect } from 'react';
import { wellFormed } from '@shared/cut-text';
import { FIELD_BOUND, fitsField, MAX_FIELD_CHARS } from '../../state/draft-field';
import { MAX_ATTACHMENTS } from '../../state/draft-store';
import { formatBytes, plural } from '../../state/format';
import { useApp, useSession } from '../../state/hooks';
import type { DraftAttachment } from '../../state/local-store';
import { affordable } from '../markdown/text-cost';
import { attachFiles, MAX_TEXT_BYTES } from './attach';
import { type TextUndo, useTextUndo } from './use-text-undo';

/** A longer text that is pasted is attached (CM5). */
const MAX_PASTED_CHARS = 10_000;
const PASTED_NAME = 'pasted text';

const FULL = `The field is full: it takes ${FIELD_BOUND}. A longer text that you paste is attached.`;
const TOO_LARGE = `The pasted text is over ${formatBytes(MAX_TEXT_BYTES)}, the most that an attached file of text may have. Save it as a file in the workspace, and name that file here with @.`;
const TOO_MANY = `A message can have at most ${MAX_ATTACHMENTS} files. Remove one, and paste the text again.`;

interface FieldBound extends Pick<TextUndo, 'onUndoKey'> {
  onPaste(event: ClipboardEvent<HTMLTextAreaElement>): void;
  onDrop(event: DragEvent<HTMLTextAreaElement>): void;
  /** Puts an attached text where the caret is, and takes it from the files. */
  insert(file: DraftAttachment, field: HTMLTextAreaElement, show: (text: string, caret: number) => void): void;
  /** Says why the field takes no more. */
  refuse(): void;
}

/** Keeps the field within its bound (CM7) and long pastes out of it (CM5): they are attached. */
export function useFieldBound(): FieldBound {
  const { draft } = useSession();
  const app = useApp();
  const undo = useTextUndo(draft);

  function attachText(text: string): void {
    const { attachments } = draft.state.getState();
    if (attachments.length >= MAX_ATTACHMENTS) return draft.set({ problem: TOO_MANY });
    if (new Blob([text]).size > MAX_TEXT_BYTES) return draft.set({ problem: TOO_LARGE });
    // As a file would have it. At once: Enter may follow.
    const data = wellFormed(text).replaceAll('\0', '\ufffd');
    const file = { id: crypto.randomUUID(), kind: 'text', name: PASTED_NAME, mimeType: 'text/plain', data } as const;
    draft.set({ attachments: [...attachments, file], problem: null });
    undo.pasted(file);
    app.announce(`The pasted text of ${plural(text.length, 'character')} is attached.`);
  }

  return {
    onUndoKey: undo.onUndoKey,
    onPaste(event) {
      const { clipboardData, currentTarget } = event;
      const files = [...clipboardData.files];
      const text = clipboardData.getData('text/plain');
      const left = currentTarget.value.length - (currentTarget.selectionEnd - currentTarget.selectionStart);
      const fits = left + text.length <= MAX_FIELD_CHARS;
      const hasRoom = draft.state.getState().attachments.length < MAX_ATTACHMENTS;
      if (files.length === 0 && fits && (text.length <= MAX_PASTED_CHARS || !hasRoom)) return;
      event.preventDefault();
      if (files.length > 0) void attachFiles({ draft }, files);
      else attachText(text);
    },
    onDrop(event) {
      const { dataTransfer, currentTarget } = event;
      const text = dataTransfer.getData('text/plain');
      // What is moved within the field makes it no longer.
      const isOwn = text === currentTarget.value.slice(currentTarget.selectionStart, currentTarget.selectionEnd);
      const fits = currentTarget.value.length + text.length <= MAX_FIELD_CHARS;
      if (dataTransfer.types.includes('Files') || isOwn || fits) return;
      event.preventDefault();
      attachText(text);
    },
    insert(file, area, show) {
      const { value: before, selectionEnd: at } = area;
      // Lines end as the field ends them: it would say that somebody wrote.
      const data = file.data.replace(/\r\n?/g, '\n');
      draft.set({ attachments: draft.state.getState().attachments.filter(({ id }) => id !== file.id) });
      show(before.slice(0, at) + data + before.slice(at), at + data.length);
      undo.inserted(file, before, at);
      area.focus();
      app.announce('The text is in the field.');
    },
    refuse: () => draft.set({ problem: FULL }),
  };
}

/** Nanoseconds that the field may take to lay out a text: letters that no font has together take it seconds. */
const MAX_INSERT_NS = 60_000_000;
const cheap = new WeakMap<DraftAttachment, boolean>();

/** Whether an attached text can be put into a field that holds this. */
export function canInsert(file: DraftAttachment, text: string): boolean {
  return file.kind === 'text' && file.data !== '' && fitsField(text + file.data) && isCheap(file);
}

/** Asked with each key, looked at once. */
function isCheap(file: DraftAttachment): boolean {
  const known = cheap.get(file) ?? affordable(file.data, 0, MAX_INSERT_NS) === file.data.length;
  cheap.set(file, known);
  return known;
}

const MAX_SHARE = 0.4; // of the window's height: the transcript stays in sight

/** Grows a text field with its text. */
export function useAutosize(field: RefObject<HTMLTextAreaElement | null>, text: string): void {
  useLayoutEffect(() => {
    const area = field.current;
    if (!area) return;
    area.style.height = 'auto';
    area.style.height = `${Math.min(area.scrollHeight, window.innerHeight * MAX_SHARE)}px`;
  }, [field, text]);
}
