/** Characters of a title, a label and other names and first words from outside that the window is sent and shows (JN46). */
export const MAX_NAME_CHARS = 300;

/** So many characters of a text, without half a pair at its end. */
export function beginningOf(text: string, most: number): string {
  return text.length > most ? text.slice(0, most).replace(/[\ud800-\udbff]$/, '') : text;
}
