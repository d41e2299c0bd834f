/** What breaks a line for a reader, whatever wrote it. For a class of a pattern with the flag `u`. */
export const LINE_BREAKS = String.raw`\n\v\f\r\u0085\u2028\u2029`;
const ANY_UNSEEN = String.raw`[\p{Z}\p{C}\p{Default_Ignorable_Code_Point}\u2800]`;

/** So many characters that a reader does not see, line breaks among them. One class: nothing to go back for. */
export const UNSEEN = `${ANY_UNSEEN}*`;
/** The same within a line. */
export const UNSEEN_IN_LINE = `(?:(?![${LINE_BREAKS}])${ANY_UNSEEN})*`;

/** A pattern for a word with characters between its letters that a reader does not see. */
export function spread(word: string, unseen: string): string {
  return [...word].join(unseen);
}
