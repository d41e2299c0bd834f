import { setImmediate as breathe } from 'node:timers/promises';
import type { SessionLog } from '../ports';

/** Entries read from the disk at once while searching. */
const SEARCH_BATCH = 200;
const MAX_HITS = 1000;
/** Milliseconds after which a search answers with what it has. */
const MAX_SEARCH_MS = 5000;

/**
 * Path entries of any branch whose text holds all words, case aside, newest first (contract `session.search`). Reads the
 * session file batch by batch and lets other work in between.
 * @returns `isPartial`: there may be more, older ones
 */
export async function searchEntries(
  log: SessionLog,
  query: string,
  now: () => number,
): Promise<{ entryIds: string[]; isPartial: boolean }> {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const entryIds: string[] = [];
  if (words.length === 0) return { entryIds, isPartial: false };
  const ids = log.tree.entriesInOrder().flatMap((node) => (node.facts.side ? [] : node.id));
  const start = now();
  for (let end = ids.length; end > 0; end -= SEARCH_BATCH) {
    const lines = await log.linesOf(ids.slice(Math.max(0, end - SEARCH_BATCH), end));
    for (const { id, line } of lines.reverse()) {
      if (!holds(line, words)) continue;
      entryIds.push(id);
      if (entryIds.length === MAX_HITS) return { entryIds, isPartial: true };
    }
    if (now() - start > MAX_SEARCH_MS) return { entryIds, isPartial: end > SEARCH_BATCH };
    await breathe();
  }
  return { entryIds, isPartial: false };
}

function holds(line: string, words: readonly string[]): boolean {
  let text: string;
  try {
    text = textsOf(JSON.parse(line)).toLowerCase();
  } catch {
    return false;
  }
  return words.every((word) => text.includes(word));
}

/** Fields of an entry that a person reads; ids, models and images are no words of the session. */
const READ = new Set(['text', 'thinking', 'content', 'summary', 'command', 'output', 'message', 'arguments', 'name']);

/** All strings that a person reads, in one text. Never recursive: a hostile file may nest without end. */
function textsOf(entry: unknown): string {
  const texts: string[] = [];
  const left: unknown[] = [entry];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (typeof next === 'string') texts.push(next);
    else if (Array.isArray(next)) for (let at = next.length - 1; at >= 0; at--) left.push(next[at]);
    else if (typeof next === 'object' && next !== null) {
      const { type } = next as { type?: unknown };
      if (type === 'image') continue;
      for (const [key, value] of Object.entries(next)) {
        if (READ.has(key))
          left.push(type === 'toolCall' && key === 'arguments' ? Object.values((value ?? {}) as object) : value);
      }
    }
  }
  return texts.join('\n');
}
