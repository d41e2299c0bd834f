import type { Block } from './block-stream';

/** Characters of source whose blocks are kept: some fifty screens, so that scrolling back lexes nothing. */
const MAX_KEPT_CHARS = 3_000_000;

interface Kept {
  text: string;
  blocks: readonly Block[];
}

const kept = new Map<string, Kept>();
let keptChars = 0;

/**
 * The blocks of a finished text, by `cacheKey` (entry id and content index), if they are known. A row that scrolls back into
 * view gets the very same objects (QA2: lexing again is what makes virtual lists stutter).
 */
export function cachedBlocks(cacheKey: string, text: string): readonly Block[] | null {
  const known = kept.get(cacheKey);
  if (known && known.text === text) {
    kept.delete(cacheKey);
    kept.set(cacheKey, known);
    return known.blocks;
  }
  return null;
}

/** Keeps the blocks of a text that is read; those of a stream that ended, so that the stored reply goes on with them. */
export function keepBlocks(cacheKey: string, text: string, blocks: readonly Block[]): void {
  const before = kept.get(cacheKey);
  if (before?.blocks === blocks) return;
  if (before) keptChars -= before.text.length;
  kept.delete(cacheKey);
  kept.set(cacheKey, { text, blocks });
  keptChars += text.length;
  for (const [key, oldest] of kept) {
    if (keptChars <= MAX_KEPT_CHARS || key === cacheKey) break;
    kept.delete(key);
    keptChars -= oldest.text.length;
  }
}
