import { setImmediate as breathe } from 'node:timers/promises';
import { isFileChange } from '@shared/graph/turns';
import type { GraphEntry } from '@shared/ipc/tree-types';
import { isFailedReply } from '@shared/session/facts';
import type { SessionTree } from '@shared/session/tree';
import type { TreeNode } from '@shared/session/tree-node';
import type { SessionLog } from '../ports';
import { rowKindOf } from './path-rows';

/** Entries of one chunk that crosses to the window. */
const CHUNK_ENTRIES = 2000;
/** Entries read from the disk at once while searching. */
const SEARCH_BATCH = 200;
const MAX_HITS = 1000;
/** Milliseconds after which a search answers with what it has. */
const MAX_SEARCH_MS = 5000;

/**
 * Path entries of all branches from line `fromSeq` on, in file order, without bodies (contract `session.graph`). A parent is
 * the nearest path entry above: an imported file may hang entries at labels, and the tree has no cycles.
 */
export function* graphEntries(tree: SessionTree, fromSeq: number): Generator<GraphEntry[]> {
  let chunk: GraphEntry[] = [];
  for (const node of tree.entriesInOrder()) {
    if (node.seq < fromSeq || node.facts.side) continue;
    chunk.push(toGraphEntry(node));
    if (chunk.length < CHUNK_ENTRIES) continue;
    yield chunk;
    chunk = [];
  }
  if (chunk.length > 0) yield chunk;
}

function toGraphEntry(node: TreeNode): GraphEntry {
  const { facts, seq } = node;
  let parent = node.parent;
  while (parent?.facts.side) parent = parent.parent;
  const entry: GraphEntry = {
    id: facts.id,
    parentId: parent?.id ?? null,
    seq,
    kind: rowKindOf(facts),
    time: node.timeMs,
    tokens: facts.raw,
  };
  if (facts.reply && isFailedReply(facts.reply)) entry.failed = true;
  if (facts.answers !== undefined && isFileChange(facts.toolName, facts.isError)) entry.changed = facts.answers;
  return entry;
}

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
