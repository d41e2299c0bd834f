/** What the page and the highlight worker say to each other. */
export interface HighlightRequest {
  id: number;
  code: string;
  /** A name that `resolveLanguage` gave. */
  language: string;
}

/** A run of characters and its class (`HIGHLIGHT_CLASSES`), or plain text. */
export type HighlightSpan = string | [text: string, classIndex: number];

export interface HighlightAnswer {
  id: number;
  /** Null: the code could not be coloured and stays plain. */
  lines: HighlightSpan[][] | null;
}

/** Class names of `code.module.css`, by index. Index 0 is text without a colour of its own. */
export const HIGHLIGHT_CLASSES = [
  'plain', 'comment', 'keyword', 'string', 'number', 'function', 'type', 'tag', 'attribute', 'inserted', 'deleted', 'heading', 'escape',
] as const; // prettier-ignore

export type HighlightClass = (typeof HIGHLIGHT_CLASSES)[number];
