/** The real package (EX14). A chunk of its own: loaded for extensions that name it. */
export * from '@mariozechner/pi-tui';

/** A name of pi-tui 1.5: the cursor as components draw it themselves. */
export function renderFakeCursor(text: string): string {
  return `\u001b[7m${text}\u001b[27m`;
}
