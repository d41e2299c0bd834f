/**
 * Characters that the composer's field draws (CM7). Chromium lays a text field out as a whole: megabytes in it make every key a task
 * of seconds. More goes as a file, or waits beside the field.
 */
export const MAX_FIELD_CHARS = 50_000;

export function fitsField(text: string): boolean {
  return text.length <= MAX_FIELD_CHARS;
}

/** The bound as it is told. */
export const FIELD_BOUND = `${MAX_FIELD_CHARS.toLocaleString('en')} characters`;

/** A text before another one, as two paragraphs. */
export function joined(before: string, after: string): string {
  return before && after ? `${before}\n\n${after}` : before || after;
}

/** Files of one message: the contract's bound. */
export const MAX_ATTACHMENTS = 20;
