import type { IncomingHttpHeaders } from 'node:http';
import type { ErrorName } from './errors';
import type { HostileName } from './hostile';

/** The three dialects the server speaks. */
export type Wire = 'completions' | 'responses' | 'messages';

interface ReplyText {
  type: 'text';
  text: string;
}
interface ReplyThinking {
  type: 'thinking';
  thinking: string;
  signature?: string;
}
export interface ReplyToolCall {
  type: 'toolCall';
  /** Default: made up, unique. */
  id?: string;
  name: string;
  /** An object is sent as its JSON; a string is sent as it is (for broken JSON). */
  arguments: Record<string, unknown> | string;
}
export type ReplyBlock = ReplyText | ReplyThinking | ReplyToolCall;

export interface ReplyUsage {
  /** Tokens of the prompt that no cache served. */
  input: number;
  output: number;
  cacheRead?: number;
  cacheWrite?: number;
}

/** Why the model stops; each wire has its own words for it. */
export type ReplyStop = 'stop' | 'length' | 'toolUse' | 'contentFilter';

/**
 * How the transport ends after the (possibly cut) body. `close`: clean end; `reset`: the socket is destroyed;
 * `hang`: nothing more comes, the socket stays open.
 */
type Ending = 'close' | 'reset' | 'hang';

/** One scripted model reply. */
export interface ModelReply {
  /** Shorthand for one text block in front of `content`. */
  text?: string;
  content?: ReplyBlock[];
  /** Default: `toolUse` if there is a call, else `stop`. */
  stop?: ReplyStop;
  /** Default: estimated from the request and the reply. */
  usage?: ReplyUsage | 'none' | 'zero';
  /** Characters in each delta; default 12. */
  chunkChars?: number;
  /** Pace of the deltas; default unlimited. A delta counts as `chunkChars / 4` tokens. */
  tokensPerSecond?: number;
  /** Wait before the headers. */
  delayMs?: number;
  /** Pause in ms before the frame with this index. */
  pauseAt?: { frame: number; ms: number };
  /** Wait before the frame with this index until the promise is settled: the test decides when the reply goes on. */
  holdAt?: { frame: number; until: Promise<unknown> };
  /** Leave out the end: `all` = no stop reason, no end marker; `marker` = a stop reason but no [DONE] / message_stop. */
  omitEnd?: 'all' | 'marker';
  /** Cut the whole body after this many bytes (negative: from its end). */
  cutAtByte?: number;
  ending?: Ending;
  /** Change the frames before they are sent (malformed lines, duplicates, events after the end). */
  frames?: (frames: string[]) => string[];
  headers?: Record<string, string>;
}

/** An error answer before any stream: by name in the wire's real wording, or spelled out. */
export interface ErrorReply {
  error: ErrorName | { status: number; body: string | object };
  retryAfter?: string;
  headers?: Record<string, string>;
  delayMs?: number;
}

/** A misbehaving server. */
export interface HostileReply {
  hostile: HostileName;
  /** Pace of `slow-drip`, ms a byte; default 1000. */
  intervalMs?: number;
}

export type Reply = ModelReply | ErrorReply | HostileReply | string;

/** Answers the n-th model request (from 0). */
export type Script = (request: CapturedRequest, n: number) => Reply | Promise<Reply>;

/** A request as it arrived. `closed` resolves when the client's connection or the answer has ended. */
export interface CapturedRequest {
  n: number;
  wire: Wire;
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: Record<string, unknown>;
  at: number;
  /** The client went away before the answer was complete. */
  abandoned: boolean;
  closed: Promise<void>;
}

export interface ModelServer {
  /** `http://127.0.0.1:<port>` */
  url: string;
  requests: CapturedRequest[];
  /** Sets what is answered: a function, one reply for all, or a queue (afterwards: "OK."). */
  script(script: Script | Reply | Reply[]): void;
  /** What `/v1/models` lists (OpenAI shape). */
  models: { id: string; [key: string]: unknown }[];
  /** Resolves when n model requests have arrived. */
  received(n: number): Promise<void>;
  /** As after the start: answers "OK.", and nothing was asked. */
  forget(): void;
  close(): Promise<void>;
}
