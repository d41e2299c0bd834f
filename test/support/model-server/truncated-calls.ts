import { NO_PROXIES } from '../../../src/main/network/proxy-fetch';
import { sealVerdict, toAssistantStream } from '../../../src/main/agent/stream/assistant-stream';
import { defaultLimits, type StreamTransport } from '../../../src/main/agent/stream/types';
import { UNSEALED_REASON } from '../../../src/shared/policy/call-outcome';
import { loadAgentCore, loadPiAi } from '../../../src/main/pi/pi';
import type { AgentTool, Api, Model, StreamFn, ToolResultMessage } from '../../../src/main/pi/pi-types';
import { LOOPBACK_KEY, modelsFor } from './models';
import type { ModelReply, ModelServer, Wire } from './types';

/** How a reply ends whose call was cut. */
export type CutEnding = 'close' | 'reset' | 'claims-tool-calls' | 'length';
export const CUT_ENDINGS: CutEnding[] = ['close', 'reset', 'claims-tool-calls', 'length'];

const WIRES: Wire[] = ['completions', 'responses', 'messages'];
const ARGUMENTS = JSON.stringify({
  command: 'rm -rf /srv/app/releases/2026-11-20 && echo "gone: \\"yes\\"" # aufräumen 片付け',
  timeoutSeconds: 30,
  environment: { KEEP: 'none', depth: [1, 2, { deep: true }] },
});

export interface TruncationCount {
  runs: number;
  executed: number;
  /** Runs in which the model was told to issue the call again. */
  refused: number;
}

/** A reply with one call whose argument text stops after `at` characters. */
function cutReply(at: number, ending: CutEnding, chunkChars: number): ModelReply {
  const call = { type: 'toolCall' as const, name: 'bash', arguments: ARGUMENTS.slice(0, at) };
  const reply: ModelReply = { text: 'I will clean up.', content: [call], chunkChars };
  if (ending === 'claims-tool-calls') return { ...reply, stop: 'toolUse' };
  if (ending === 'length') return { ...reply, stop: 'length' };
  return { ...reply, omitEnd: 'all', ending };
}

/**
 * Runs pi-agent-core's loop on `cuts` randomly cut calls with every ending, all wires in turn, with a tool that only
 * counts. `guarded` uses our request path and its seals; without it the stock stream of pi-ai, as the peer.
 */
export async function runTruncations(
  server: ModelServer,
  options: { cuts: number; random: () => number; transport?: StreamTransport },
): Promise<TruncationCount> {
  const count: TruncationCount = { runs: 0, executed: 0, refused: 0 };
  const tool = await countingTool(() => (count.executed += 1));
  const models = modelsFor(server);
  for (let cut = 0; cut < options.cuts; cut += 1) {
    const at = 1 + Math.floor(options.random() * (ARGUMENTS.length - 1));
    const chunkChars = 1 + Math.floor(options.random() * 24);
    const wire = WIRES[cut % WIRES.length] ?? 'completions';
    for (const ending of CUT_ENDINGS) {
      server.script([cutReply(at, ending, chunkChars), 'Understood.']);
      const results = await runOnce(models[wire], tool, options.transport);
      count.runs += 1;
      if (results.some((result) => JSON.stringify(result.content).includes(UNSEALED_REASON))) count.refused += 1;
    }
  }
  return count;
}

async function runOnce(model: Model<Api>, tool: AgentTool, transport?: StreamTransport): Promise<ToolResultMessage[]> {
  const { runAgentLoop } = await loadAgentCore();
  const streamFn: StreamFn | undefined =
    transport &&
    ((target, context, options) =>
      toAssistantStream(
        transport.stream(
          {
            model: target,
            context,
            options: { apiKey: LOOPBACK_KEY },
            limits: { ...defaultLimits(), idleTimeoutMs: 5_000 },
            proxies: NO_PROXIES,
          },
          options?.signal,
        ),
        target,
      ));
  const stock = (await loadPiAi()).streamSimple;
  const messages = await runAgentLoop(
    [{ role: 'user', content: 'Clean up.', timestamp: 1 }],
    { systemPrompt: '', messages: [], tools: [tool] },
    {
      model,
      apiKey: LOOPBACK_KEY,
      maxRetries: 0,
      convertToLlm: (all) => all.filter((one) => ['user', 'assistant', 'toolResult'].includes(one.role)) as never,
      beforeToolCall: async ({ assistantMessage, toolCall }) => {
        if (!transport || sealVerdict(assistantMessage, toolCall.id).ok) return undefined;
        return { block: true, reason: UNSEALED_REASON };
      },
    },
    () => undefined,
    undefined,
    streamFn ?? stock,
  );
  return messages.filter((message): message is ToolResultMessage => message.role === 'toolResult');
}

/** Every argument is optional, so that validation alone stops nothing. */
async function countingTool(onRun: () => void): Promise<AgentTool> {
  const { Type } = await loadPiAi();
  return {
    name: 'bash',
    label: 'bash',
    description: 'Runs a command',
    parameters: Type.Object({ command: Type.Optional(Type.String()), timeoutSeconds: Type.Optional(Type.Number()) }),
    execute: async () => {
      onRun();
      return { content: [{ type: 'text', text: 'done' }], details: {} };
    },
  };
}

/** A small seeded generator (mulberry32), so that a failing cut can be found again. */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
