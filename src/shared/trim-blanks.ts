/**
 * A text without the blanks at its ends that a shell and git take for blanks: spaces, tabs and line feeds. Linear, however many stand
 * within it, which a pattern that ends with an anchor is not.
 */
export function trimBlanks(text: string): string {
  let from = 0;
  let to = text.length;
  while (from < to && isBlank(text.charCodeAt(from))) from += 1;
  while (to > from && isBlank(text.charCodeAt(to - 1))) to -= 1;
  return text.slice(from, to);
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09 || code === 0x0a;
}
