import type { ClipboardEvent, DragEvent } from 'react';
import { useApp, useSession } from '../../state/hooks';
import { FIELD_BOUND, MAX_FIELD_CHARS } from '../../state/field-limit';
import { formatBytes } from '../../state/format';
import { attachFiles } from './attach';
import { MAX_TEXT_BYTES } from './read-files';

const FULL = `The field is full: it takes ${FIELD_BOUND}. A longer text that you paste is attached as a file.`;

interface FieldBound {
  onPaste(event: ClipboardEvent<HTMLTextAreaElement>): void;
  onDrop(event: DragEvent<HTMLTextAreaElement>): void;
  /** Says why the field takes no more. */
  refuse(): void;
}

/** Keeps the field within its bound (CM7): a pasted or dropped text that it can't take becomes a file. */
export function useFieldBound(): FieldBound {
  const session = useSession();
  const app = useApp();

  async function attach(text: string): Promise<void> {
    const file = new File([text], 'pasted text.txt', { type: 'text/plain' });
    if (file.size > MAX_TEXT_BYTES) {
      const problem = `The pasted text is over ${formatBytes(MAX_TEXT_BYTES)}, the most that an attached file of text may have. Save it as a file in the workspace, and name that file here with @.`;
      return session.draft.set({ problem });
    }
    await attachFiles(session, [file]);
    if (session.draft.state.getState().problem !== null) return;
    app.announce('The text is too long for the field and is attached as a file.');
  }

  return {
    onPaste(event) {
      const { clipboardData, currentTarget: field } = event;
      const files = [...clipboardData.files];
      const text = clipboardData.getData('text/plain');
      const left = field.value.length - (field.selectionEnd - field.selectionStart);
      if (files.length === 0 && left + text.length <= MAX_FIELD_CHARS) return;
      event.preventDefault();
      void (files.length > 0 ? attachFiles(session, files) : attach(text));
    },
    onDrop(event) {
      const { dataTransfer, currentTarget: field } = event;
      const text = dataTransfer.getData('text/plain');
      // What is moved within the field makes it no longer.
      const isOwn = text === field.value.slice(field.selectionStart, field.selectionEnd);
      if (dataTransfer.types.includes('Files') || isOwn || field.value.length + text.length <= MAX_FIELD_CHARS) return;
      event.preventDefault();
      void attach(text);
    },
    refuse: () => session.draft.set({ problem: FULL }),
  };
}
