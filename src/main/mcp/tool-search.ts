import type { OutsideTool } from '../extensions/tool-source';
import { textOf } from './process/offered-tools';

const MAX_FOUND = 10;
const MAX_ANSWER_CHARS = 40_000;

/**
 * In place of a list of tools that would take too much of the window: one tool that finds them, and one that makes a call of what was
 * found (EX20). Both are there from the run's first request on, so that its tools stay as they are.
 */
export function searchTools(tools: readonly OutsideTool[]): OutsideTool[] {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const servers = [...new Set(tools.map(({ origin }) => origin.name))];
  const search: OutsideTool = {
    name: 'tool_search',
    label: 'Search tools',
    description: `Finds tools of the connected MCP servers (${servers.join(', ').slice(0, 500)}): ${tools.length} tools, too many to be listed. Gives up to ${MAX_FOUND} that fit best, each with the schema of its arguments. Then make the call with tool_call.`,
    parameters: {
      type: 'object',
      properties: { query: { type: 'string', description: 'Words for what the tool should do, or its name.' } },
      required: ['query'],
    },
    origin: { kind: 'mcp', name: 'Espalier' },
    readOnlyHint: true,
    isConfirmedReadOnly: true,
    execute: async (_callId, args) => {
      const found = rank(tools, textOf(args.query)).slice(0, MAX_FOUND);
      const text = found.length === 0 ? 'No tool fits. Try other words.' : describe(found);
      return { content: [{ type: 'text', text }], details: { found: found.map(({ name }) => name) } };
    },
  };
  const call: OutsideTool = {
    name: 'tool_call',
    label: 'Call a found tool',
    description: 'Calls a tool that tool_search found.',
    parameters: {
      type: 'object',
      properties: {
        tool: { type: 'string', description: 'Its full name.' },
        arguments: { type: 'object', description: 'Its arguments, as its schema says.' },
      },
      required: ['tool'],
    },
    origin: { kind: 'mcp', name: 'Espalier' },
    isSequential: true,
    standsFor: (args) => byName.get(textOf(recordOf(args).tool)),
    execute: async (callId, args, signal, onUpdate) => {
      const tool = byName.get(textOf(args.tool));
      if (!tool) throw new Error('There is no tool of this name. Find one with tool_search.');
      return tool.execute(callId, recordOf(args.arguments), signal, onUpdate);
    },
  };
  return [search, call];
}

function foldText(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}

function splitWords(text: string): string[] {
  return [...new Set(foldText(text).split(/[^\p{L}\p{N}]+/u))].filter((word) => word !== '').slice(0, 30);
}

function recordOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}

/** Best first: words of the query in the name count more than in the description. */
function rank(tools: readonly OutsideTool[], query: string): OutsideTool[] {
  const words = splitWords(query.slice(0, 500));
  const scored = tools.flatMap((tool) => {
    const name = foldText(`${tool.name} ${tool.label}`.replaceAll('_', ' '));
    const about = foldText(tool.description.slice(0, 2_000));
    const exact = tool.name === query.trim() ? 100 : 0;
    const score = words.reduce((sum, word) => sum + (name.includes(word) ? 3 : about.includes(word) ? 1 : 0), exact);
    return score > 0 ? [{ tool, score }] : [];
  });
  return scored.sort((a, b) => b.score - a.score || (a.tool.name < b.tool.name ? -1 : 1)).map(({ tool }) => tool);
}

function describe(found: readonly OutsideTool[]): string {
  let text = '';
  for (const { name, description, parameters } of found) {
    const one = `${name}\n${description}\nArguments: ${JSON.stringify(parameters)}\n\n`;
    if (text !== '' && text.length + one.length > MAX_ANSWER_CHARS) break;
    text += one.slice(0, MAX_ANSWER_CHARS);
  }
  return text.trimEnd();
}
