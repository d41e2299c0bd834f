import { hashBytes } from '../tools/gated-tool';

/** What every provider takes as a tool's name. */
const MAX_CHARS = 64;
const HASH_CHARS = 8;

interface Named {
  server: string;
  tool: string;
}

/**
 * `mcp__server__tool` for each of a session's tools: what providers do not take becomes `_`; names that would then be the same, or are
 * too long, end in a hash of what they stand for. The same tools have the same names, in whatever order they come.
 */
export function toolNames<T extends Named>(tools: readonly T[]): Map<string, T> {
  const plain = tools.map(({ server, tool }) => `mcp__${fold(server)}__${fold(tool)}`);
  const counts = new Map<string, number>();
  for (const name of plain) counts.set(name, (counts.get(name) ?? 0) + 1);
  const named = new Map<string, T>();
  for (const [at, tool] of tools.entries()) {
    const name = plain[at] ?? '';
    const isPlain = name.length <= MAX_CHARS && counts.get(name) === 1;
    const hash = hashBytes(`${tool.server}\n${tool.tool}`).slice(0, HASH_CHARS);
    named.set(isPlain ? name : `${name.slice(0, MAX_CHARS - HASH_CHARS - 1)}_${hash}`, tool);
  }
  return named;
}

function fold(name: string): string {
  return name.replace(/[^A-Za-z0-9_]/g, '_');
}
