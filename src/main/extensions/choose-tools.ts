import type { OutsideTool } from './tool-source';

/** Names that no provider refuses. */
const NAME = /^[a-zA-Z0-9_-]{1,128}$/;
/** Tools of one session, and characters of one description: more would leave no room for anything else. */
const MAX_TOOLS = 512;
const MAX_DESCRIPTION_CHARS = 100_000;

/** A tool that can't be offered, and why. */
export interface RefusedTool {
  tool: OutsideTool;
  problem: string;
}

/**
 * Which outside tools a session can have beside ours: the first of a name, and ours before any, unless a tool says that it takes
 * the place of one. In their order.
 */
export function chooseTools(
  offered: readonly OutsideTool[],
  ours: readonly string[],
): { tools: OutsideTool[]; refused: RefusedTool[] } {
  const tools = new Map<string, OutsideTool>();
  const refused: RefusedTool[] = [];
  for (const tool of offered) {
    const problem = problemOf(tool, ours, tools);
    if (problem === null) tools.set(tool.name, tool);
    else refused.push({ tool, problem });
  }
  return { tools: [...tools.values()], refused };
}

function problemOf(
  { name, description, overrides }: OutsideTool,
  ours: readonly string[],
  taken: ReadonlyMap<string, OutsideTool>,
): string | null {
  if (!NAME.test(name)) return 'Its name may have letters, digits, “_” and “-” only, 128 at most.';
  if (description.length > MAX_DESCRIPTION_CHARS) return 'Its description is too long.';
  if (ours.includes(name) && overrides !== true) return 'Espalier has a tool of this name.';
  const other = taken.get(name);
  if (other) return `“${other.origin.name}” has a tool of this name.`;
  return taken.size >= MAX_TOOLS ? `A session can have ${MAX_TOOLS} tools of extensions and servers.` : null;
}
