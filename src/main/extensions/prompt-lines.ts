import type { OutsideTool } from './tool-source';

/** What tools want a system prompt to say of them: a line each, and rules while they are active (EX22). */
export interface PromptLines {
  tools: { name: string; line: string }[];
  rules: string[];
}

export const NO_LINES: PromptLines = { tools: [], rules: [] };

/** Characters of one line, of one rule, and of all of a kind: a tool that says more wants a skill. */
const MAX_LINE_CHARS = 500;
const MAX_RULE_CHARS = 2_000;
const MAX_ALL_CHARS = 40_000;

/** Of tools that the model can call now, in their order. A rule that two have is said once. */
export function promptLinesOf(tools: readonly OutsideTool[]): PromptLines {
  const rules = new Set(
    tools.flatMap(({ promptGuidelines = [] }) => promptGuidelines.map((rule) => lineOf(rule, MAX_RULE_CHARS))),
  );
  const lines = tools.map(({ name, promptSnippet = '' }) => ({ name, line: lineOf(promptSnippet, MAX_LINE_CHARS) }));
  return {
    tools: within(
      lines.filter(({ line }) => line !== ''),
      ({ name, line }) => name.length + line.length,
    ),
    rules: within(
      [...rules].filter((rule) => rule !== ''),
      (rule) => rule.length,
    ),
  };
}

function lineOf(text: string, most: number): string {
  const line = text
    .slice(0, 4 * most)
    .replace(/\s+/gu, ' ')
    .trim();
  return line.length > most ? `${line.slice(0, most)}…` : line;
}

function within<T>(items: readonly T[], sizeOf: (item: T) => number): T[] {
  let left = MAX_ALL_CHARS;
  return items.filter((item) => (left -= sizeOf(item)) >= 0);
}
