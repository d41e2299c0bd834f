import { estimateText } from './estimate';
import { textOf } from './message-text';
import { dataOf } from './path-state';
import type { SessionTree } from './tree';

/** Raw estimate of what precedes the messages of a request: system prompt and tool schemas, in tokens. */
export interface Overhead {
  system: number;
  tools: number;
}

/** Nothing precedes the messages. */
const NO_OVERHEAD: Overhead = { system: 0, tools: 0 };

/** Overhead of a system prompt and a list of tool schemas (raw tokens). */
export function estimateOverhead(systemPrompt: string, tools: unknown): Overhead {
  const hasTools = Array.isArray(tools) && tools.length > 0;
  return { system: estimateText(systemPrompt), tools: hasTools ? estimateText(JSON.stringify(tools)) : 0 };
}

/** What records weigh; they never change, and each is asked for again with every reply. */
const sized = new WeakMap<object, Overhead>();

/** Overhead of the `espalier.request` in force at an entry, nothing if there is none (TK5). */
export function overheadInForce(tree: SessionTree, leafId: string | null, asOf?: number): Overhead {
  const request = tree.requestInForce(leafId, asOf);
  if (!request) return NO_OVERHEAD;
  const known = sized.get(request);
  if (known) return known;
  const { systemPrompt, tools } = dataOf(request);
  const overhead = estimateOverhead(textOf(systemPrompt), tools);
  sized.set(request, overhead);
  return overhead;
}
