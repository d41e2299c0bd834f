import { randomBytes } from 'node:crypto';
import type { PiAi } from '../../../pi/pi';
import type { ModelCalls, PiModel } from './models';
import { transcript } from './transcript';

/**
 * pi-ai as extensions get it (EX14): the real one, but that its requests are sent by main, which has the keys. The key that an extension
 * hands over is a token of `ctx.modelRegistry`, and is not looked at: main uses the person's own for that provider.
 */
export function piAiFor(piAi: PiAi, models: ModelCalls): object {
  const send =
    (isSimple: boolean) =>
    (model: PiModel, context: unknown, options: Record<string, unknown> = {}) => {
      const stream = piAi.createAssistantMessageEventStream();
      const push = (event: unknown): void => stream.push(event as never);
      const signal = options.signal instanceof AbortSignal ? options.signal : undefined;
      models.stream({ model, context, options, isSimple }, push, signal).then(
        (message) => stream.end(message as never),
        (error: unknown) => {
          const failed = failedMessage(model, error, signal?.aborted ?? false);
          push({ type: 'error', reason: failed.stopReason, error: failed });
          stream.end(failed as never);
        },
      );
      return stream;
    };
  const complete = (isSimple: boolean) => (model: PiModel, context: unknown, options?: Record<string, unknown>) =>
    send(isSimple)(model, context, options).result();
  return {
    ...piAi,
    stream: send(false),
    streamSimple: send(true),
    complete: complete(false),
    completeSimple: complete(true),
    getEnvApiKey: () => undefined,
    uuidv7,
    ...transcript,
    ...apisOf(piAi),
    ToolCallArgumentsStream: argumentsStream(piAi),
  };
}

/** The APIs of pi-ai as 1.5 hands them out. Their requests are sent from here, with a key that the extension has (EX25). */
function apisOf(piAi: PiAi): object {
  return {
    anthropicMessagesApi: () => ({ stream: piAi.streamAnthropic, streamSimple: piAi.streamSimpleAnthropic }),
    openAIResponsesApi: () => ({ stream: piAi.streamOpenAIResponses, streamSimple: piAi.streamSimpleOpenAIResponses }),
    openAICompletionsApi: () => ({
      stream: piAi.streamOpenAICompletions,
      streamSimple: piAi.streamSimpleOpenAICompletions,
    }),
    googleGenerativeAIApi: () => ({ stream: piAi.streamGoogle, streamSimple: piAi.streamSimpleGoogle }),
  };
}

/** The arguments of a call, piece by piece. */
function argumentsStream({ parseStreamingJson }: PiAi): new () => object {
  return class ToolCallArgumentsStream {
    private text = '';
    append(piece: string): unknown {
      this.text += piece;
      return parseStreamingJson(this.text);
    }
    get value(): unknown {
      return parseStreamingJson(this.text);
    }
  };
}

function failedMessage(model: PiModel, error: unknown, isAborted: boolean) {
  const none = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  return {
    role: 'assistant' as const,
    content: [],
    api: model.api,
    provider: model.provider,
    model: model.id,
    usage: { ...none, totalTokens: 0, cost: { ...none, total: 0 } },
    stopReason: isAborted ? ('aborted' as const) : ('error' as const),
    errorMessage: error instanceof Error ? error.message : String(error),
    timestamp: Date.now(),
  };
}

/** An id that sorts by time (RFC 9562). */
function uuidv7(): string {
  const time = Date.now().toString(16).padStart(12, '0');
  const random = randomBytes(10);
  random[0] = ((random[0] ?? 0) & 0x0f) | 0x70;
  random[2] = ((random[2] ?? 0) & 0x3f) | 0x80;
  const hex = time + random.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
