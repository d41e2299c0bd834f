/** What was thrown, in words; whatever it is, this does not throw. */
export function wordsOf(thrown: unknown): string {
  try {
    return thrown instanceof Error ? String(thrown.message) : String(thrown);
  } catch {
    return 'an unknown error';
  }
}
