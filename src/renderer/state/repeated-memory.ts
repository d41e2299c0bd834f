/** On which paths it was dismissed that repeated summaries lose detail (JB11), as the database keeps it. */

/** Paths of one session that are remembered, the latest. */
const MOST = 200;

/** Where they lie in the database. */
export const repeatedKey = (sessionId: string): string => `repeated:${sessionId}`;

/** A stored list of ids, whatever was stored; each once. */
export function readIds(stored: unknown): string[] {
  if (!Array.isArray(stored)) return [];
  const ids = stored.filter((id): id is string => typeof id === 'string');
  return [...new Set(ids)].slice(-MOST);
}
