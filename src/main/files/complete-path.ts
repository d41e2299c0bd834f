import { realpath } from 'node:fs/promises';
import { walk } from '../tools/walk';

const MOST_FILES = 20_000;
const MOST_ANSWERS = 50;
const DEEPEST = 12;
const PASSED = new Set(['node_modules', 'dist', 'out', 'build', 'target', '.cache', '.venv', '__pycache__', '.next']);

/**
 * Files below `workspace` whose path holds the letters of `query` in order, best first: matches in the name before
 * matches in a folder, shorter paths first. At most 50, from at most 20,000 files; folders of tools are passed over.
 */
export async function completePath(workspace: string, query: string): Promise<string[]> {
  const root = await realpath(workspace).catch(() => null);
  if (root === null) return [];
  try {
    const files = [...walk({ root, ignoresFrom: null, passes: PASSED, maxNames: MOST_FILES, maxDepth: DEEPEST })];
    return rankPaths(files, query).slice(0, MOST_ANSWERS);
  } catch {
    // No folder, or none that can be read: there is nothing to offer.
    return [];
  }
}

/** Pure part: which paths fit, best first. */
function rankPaths(paths: readonly string[], query: string): string[] {
  const wanted = query.toLowerCase();
  const scored: { path: string; score: number }[] = [];
  for (const path of paths) {
    const score = scoreOf(path.toLowerCase(), wanted);
    if (score !== null) scored.push({ path, score });
  }
  scored.sort((a, b) => a.score - b.score || a.path.length - b.path.length || (a.path < b.path ? -1 : 1));
  return scored.map(({ path }) => path);
}

/** Lower is better; null if the letters are not there in order. */
function scoreOf(path: string, wanted: string): number | null {
  if (wanted === '') return path.split('/').length;
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (name.startsWith(wanted)) return 0;
  if (name.includes(wanted)) return 1;
  if (path.includes(wanted)) return 2;
  let at = 0;
  for (const letter of wanted) {
    at = path.indexOf(letter, at) + 1;
    if (at === 0) return null;
  }
  return 3;
}
