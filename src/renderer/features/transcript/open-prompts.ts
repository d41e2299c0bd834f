/** Prompts that are remembered as opened while the app runs. */
const MAX_KEPT = 1_000;

const opened = new Set<string>();

const keyOf = (sessionId: string, entryId: string): string => `${sessionId}\n${entryId}`;

/** A row that left the list comes back as the person left it. */
export function isPromptOpen(sessionId: string, entryId: string): boolean {
  return opened.has(keyOf(sessionId, entryId));
}

export function keepPromptOpen(sessionId: string, entryId: string, isOpen: boolean): void {
  const key = keyOf(sessionId, entryId);
  opened.delete(key);
  if (isOpen) opened.add(key);
  const oldest = opened.size > MAX_KEPT ? opened.values().next().value : undefined;
  if (oldest !== undefined) opened.delete(oldest);
}
