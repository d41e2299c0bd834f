import type { Proxies } from '../../network/proxy-fetch';
import type { Api, AssistantMessage, Context, Model, SimpleStreamOptions, ToolCall } from '../../pi/pi-types';
import type { TextPart, TextPlace } from '@shared/ipc/long-texts';

/** Bounds of one provider request. All are enforced by the wire guard, beside the SDK's own. Milliseconds and bytes. */
export interface StreamLimits {
  /** Longest silence in mid-reply. Progress is a whole line or a KiB, so a drip of single bytes doesn't count. */
  idleTimeoutMs: number;
  /** Longest wait for the first line of the body (a local server may read a long prompt for minutes). */
  firstByteTimeoutMs: number;
  /** Longest duration of the whole reply; absent = unlimited. */
  totalTimeoutMs?: number;
  /** Largest reply body after decompression. */
  maxBytes: number;
  /** Longest single line of the body. */
  maxLineBytes: number;
}

/** The options of pi-ai that a caller may choose. Retries, time-outs and the transport belong to the guard. */
export type ProviderOptions = Pick<
  SimpleStreamOptions,
  'maxTokens' | 'reasoning' | 'apiKey' | 'headers' | 'sessionId' | 'cacheRetention' | 'temperature' | 'thinkingBudgets'
>;

/** Who takes part in one request on the wire, each only where somebody listens (EX22). */
export interface RequestHooks {
  /** The request as the provider gets it. Resolves with what is sent in its place; undefined: it is sent as it is. */
  onPayload?: (payload: unknown) => Promise<unknown>;
  /** An answer has begun. Not waited for. */
  onResponse?: (response: HeardResponse) => void;
}

export interface HeardResponse {
  status: number;
  headers: Record<string, string>;
}

/**
 * One request to a model, as plain data: it crosses into the worker by structured clone. A transport reads its messages before
 * `stream` returns: the list is the session's, which goes on.
 */
export interface ProviderRequest {
  model: Model<Api>;
  context: Context;
  options: ProviderOptions;
  limits: StreamLimits;
  /** The proxies that it goes through. Never left out: that would be a way around them (WN25). */
  proxies: Proxies;
  /** The only thing that does not cross: a transport asks them from where the request runs. */
  hooks?: RequestHooks;
}

/** What streams out of a reply. Never the growing message: that is quadratic (QA4). */
export type DeltaEvent =
  | { type: 'start' }
  | { type: 'text_start' | 'thinking_start'; contentIndex: number }
  | { type: 'toolcall_start'; contentIndex: number; id: string; name: string }
  | { type: 'text_delta' | 'thinking_delta' | 'toolcall_delta'; contentIndex: number; delta: string }
  | { type: 'text_end' | 'thinking_end'; contentIndex: number }
  | { type: 'toolcall_end'; contentIndex: number; toolCall: ToolCall };

/** Why the guard or the transport ended a reply, where pi-ai alone would not have said so. */
export type WireFailureKind =
  | 'connection'
  | 'proxy'
  | 'cut-stream'
  | 'first-byte-timeout'
  | 'idle-timeout'
  | 'total-timeout'
  | 'line-too-long'
  | 'too-many-bytes'
  | 'redirect'
  | 'web-page'
  | 'not-a-stream'
  | 'content-filter'
  | 'bad-reply'
  | 'reply-fault'
  | 'worker-crash'
  | 'worker-crash-again';

/** A failure seen on the wire. `code` is the system's error code (ECONNREFUSED, UND_ERR_SOCKET …) if there is one. */
interface WireFailure {
  kind: WireFailureKind;
  text: string;
  code?: string;
}

/** What was seen of the HTTP exchange; `used` is false for transports without fetch (Bedrock, the demo model). */
export interface WireFacts {
  used: boolean;
  status: number | null;
  contentType: string | null;
  retryAfterMs: number | null;
  /** By what name the server keeps the request. A server's word, of any length. */
  requestId?: string | undefined;
  endSeen: boolean;
  bytes: number;
  longestLine: number;
  /** First 4 KiB of a body that is not an event stream (an error, a page). */
  bodyHead?: string;
  failure?: WireFailure;
}

/** Whether the arguments of one tool call are proven complete; `reason` is for logs and tests. */
export type SealVerdict = { ok: true } | { ok: false; reason: SealRefusal };
export type SealRefusal =
  | 'not-finished'
  | 'cut-stream'
  | 'after-end'
  | 'duplicate-id'
  | 'no-name'
  | 'too-large'
  | 'invalid-json'
  | 'not-an-object'
  | 'mismatch'
  | 'unknown-call';

/** The end of a reply: the message as it is to be stored, the wire's facts, and the verdict for each tool call id. */
export interface ProviderOutcome {
  message: AssistantMessage;
  wire: WireFacts;
  sealed: Record<string, SealVerdict>;
}

/** A running reply. Iterate it for the deltas; `result()` never rejects, failures are `error` messages. */
export interface ProviderStream extends AsyncIterable<DeltaEvent> {
  result(): Promise<ProviderOutcome>;
}

/** Where provider code runs: in a worker thread (the app) or in this thread (tests, fallback). */
export interface StreamTransport {
  stream(request: ProviderRequest, signal?: AbortSignal): ProviderStream;
  /** Tells the log of a failed request that went another way, such as one to the person's own summary endpoint (WN19). */
  noteFailure?(model: { provider: string; modelId: string }, facts: FailedRequest): void;
  close(): Promise<void>;
}

/** What the log may know of a failed request. None of it is the server's own text. */
export interface FailedRequest {
  status?: number;
  kind: string;
  code?: string;
}

/** Main to worker. */
export type WorkerCommand =
  /** A part of a long text, as of a picture, of the request that will have this id. */
  | { type: 'part'; id: number; part: TextPart }
  /** `places`: where its long texts belong; absent if it has none. */
  | { type: 'start'; id: number; request: ProviderRequest; places?: TextPlace[]; hears?: HookNames }
  | { type: 'abort'; id: number }
  /** The answer to `payload`; without `payload` it is sent as it was. */
  | { type: 'payload'; id: number; payload?: unknown };
/** Which hooks of a request somebody listens to. */
export type HookNames = readonly (keyof RequestHooks)[];
/** Worker to main. */
export type WorkerReport =
  | { type: 'payload'; id: number; payload: unknown }
  | { type: 'response'; id: number; response: HeardResponse }
  | { type: 'deltas'; id: number; deltas: DeltaEvent[] }
  | { type: 'end'; id: number; outcome: ProviderOutcome };

const MIB = 1024 * 1024;
/** Bytes an SSE event needs for one token at worst, with room for servers that repeat ids and log probabilities. */
const BYTES_PER_TOKEN = 2048;

/**
 * The limits of a normal request. The byte cap grows with the tokens that the reply may have, so an endless stream is
 * ended near its legal size and a long honest reply is not.
 */
export function defaultLimits(maxTokens = 32_000): StreamLimits {
  return {
    idleTimeoutMs: 120_000,
    firstByteTimeoutMs: 290_000,
    totalTimeoutMs: 3_600_000,
    maxBytes: Math.min(128 * MIB, 8 * MIB + maxTokens * BYTES_PER_TOKEN),
    maxLineBytes: 4 * MIB,
  };
}
