import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { OutsideResult, OutsideTool, ToolSource } from '../extensions/tool-source';
import type { Instance } from './instance';
import type { McpServers } from './servers';
import type { McpResult, McpTool } from './process/messages';
import { toolNames } from './tool-names';
import { searchTools } from './tool-search';
import { estimateOverhead } from '@shared/session/context/figure';

export interface McpToolsOptions {
  servers: McpServers;
  /** Full outputs go to `<outputsDir>/<sessionId>/`. */
  outputsDir: string;
  /** Tokens of the window of a session's model; 0 where that is unknown. */
  windowOf: (sessionId: string) => number;
}

interface Offered {
  server: string;
  /** Of what the person agreed to. */
  hash: string;
  tool: string;
  instance: Instance;
  about: McpTool;
  timeoutMs: number;
  trustsReadOnly: boolean;
}

/** Of the window: tools that take more are found with `tool_search` (EX20). */
const SHARE = 0.1;

/** The tools of all MCP servers of a session. */
export class McpTools implements ToolSource {
  /** What was made of an offer: it is another object after each change. */
  private readonly made = new Map<string, { key: readonly unknown[]; tools: readonly OutsideTool[] }>();

  constructor(private readonly options: McpToolsOptions) {}

  toolsOf(sessionId: string): readonly OutsideTool[] {
    const ready = this.options.servers.readyOf(sessionId);
    const window = this.options.windowOf(sessionId);
    const key = [window, ...ready.flatMap(({ instance, choices }) => [instance.offer, choices])];
    const known = this.made.get(sessionId);
    if (known?.key.length === key.length && known.key.every((one, at) => one === key[at])) return known.tools;
    const offered = ready.flatMap(({ server, instance, choices }) =>
      (instance.offer?.tools ?? [])
        .filter(({ name }) => !choices.toolsOff.includes(name))
        .map((about): Offered => ({
          ...{ server: server.name, hash: server.hash, tool: about.name, instance, about },
          ...{ timeoutMs: server.definition.timeoutMs, trustsReadOnly: choices.trustsReadOnly },
        })),
    );
    const all = [...toolNames(offered)].map(([name, one]) => this.toolOf(sessionId, name, one));
    const limit = window > 0 ? window * SHARE : Number.POSITIVE_INFINITY;
    const tools = tokensOf(all) > limit ? searchTools(all) : all;
    this.made.set(sessionId, { key, tools });
    return tools;
  }

  forget(sessionId: string): void {
    this.made.delete(sessionId);
  }

  private toolOf(sessionId: string, name: string, { server, hash, instance, about, ...rest }: Offered): OutsideTool {
    return {
      ...{ name, label: about.title, description: about.description, parameters: about.schema },
      ...{ origin: { kind: 'mcp', name: server }, source: `${hash} ${about.name}`, readOnlyHint: about.readOnly },
      isConfirmedReadOnly: about.readOnly && rest.trustsReadOnly,
      // What the server does with two calls at once nobody knows.
      isSequential: !about.readOnly,
      execute: async (_callId, args, signal, onUpdate) => {
        const outputFile = join(this.options.outputsDir, sessionId, `mcp-${randomUUID()}.txt`);
        const params = { server: instance.number, tool: about.name, args, timeoutMs: rest.timeoutMs, outputFile };
        const onProgress = (text: string): void => onUpdate({ content: [{ type: 'text', text }] });
        try {
          const result = await this.options.servers.link.ask('call', params, { signal, onProgress });
          return resultOf(result, server, about.name);
        } catch (error) {
          // A stop is the loop's to tell.
          if (signal.aborted) throw error;
          throw new Error(`The MCP server ${server} failed. ${(error as Error).message}`, { cause: error });
        }
      },
    };
  }
}

/** What the tools take of a request, in raw tokens. */
export function tokensOf(tools: readonly Pick<OutsideTool, 'name' | 'description' | 'parameters'>[]): number {
  const plain = tools.map(({ name, description, parameters }) => ({ name, description, parameters }));
  return estimateOverhead('', plain).tools;
}

function resultOf(
  { content, isError, fullOutputPath, totalChars }: McpResult,
  server: string,
  tool: string,
): OutsideResult {
  const whole = fullOutputPath === undefined ? {} : { fullOutputPath, totalChars };
  return { content, isError, details: { mcp: { server, tool }, ...whole } };
}
