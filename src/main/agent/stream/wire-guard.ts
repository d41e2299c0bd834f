import { AsyncLocalStorage } from 'node:async_hooks';
import { dialectOf, endMarkOf, isLateToolCall } from './end-markers';
import type { WireDialect } from './end-markers';
import { FAILURE_TEXTS } from './failure-texts';
import { flawOfLine } from './frame-check';
import { guardBody } from './guarded-body';
import { readRetryAfterMs } from './retry-after';
import type { StreamLimits, WireFacts, WireFailureKind } from './types';

/** A server that has said "finished" but keeps the connection open is waited for this long (usage may follow). */
const AFTER_END_GRACE_MS = 3_000;
const BODY_HEAD_CHARS = 4_096;
const ERROR_BODY_BYTES = 256 * 1024;
const WEB_PAGE = /^(?:\xEF\xBB\xBF)?\s*<(?:!doctype|html|head|body|\?xml)/i;

type Fetch = typeof globalThis.fetch;

const current = new AsyncLocalStorage<WireGuard>();
let installed = false;

/** Wraps `globalThis.fetch` once. Requests made outside of a guard pass through untouched. */
export function installFetchGuard(): void {
  if (installed) return;
  installed = true;
  const original = globalThis.fetch;
  globalThis.fetch = (input, init) => {
    const guard = current.getStore();
    return guard ? guard.fetch(original, input, init) : original(input, init);
  };
}

/** The guard of the request whose code is running; undefined outside of any. */
export function currentGuard(): WireGuard | undefined {
  return current.getStore();
}

/** The error thrown into the SDK when the guard ends a request. */
export class WireGuardError extends Error {
  constructor(
    readonly kind: WireFailureKind,
    text: string,
  ) {
    super(text);
  }
}

/**
 * Watches the HTTP exchange of one provider request (WG1): status, retry-after, whether the end of
 * the stream was seen; and ends it on silence, on size, on a page instead of a stream. Redirects are not followed, for
 * a key in a custom header would follow them to any host.
 */
export class WireGuard {
  readonly facts: WireFacts = {
    used: false,
    status: null,
    contentType: null,
    retryAfterMs: null,
    endSeen: false,
    bytes: 0,
    longestLine: 0,
  };
  /** Tool calls whose chunks came after the model had finished. */
  lateToolCalls = false;
  /** Last event of a Responses stream that ended `incomplete`. */
  incompleteEvent: string | null = null;
  /** Whole arguments by Responses item id, for servers that don't stream them in pieces. */
  readonly finalArguments = new Map<string, string>();

  private readonly controller = new AbortController();
  private readonly dialect: WireDialect;
  private readonly isChecked: boolean;
  private readonly startedAt = Date.now();
  private timer: NodeJS.Timeout | undefined;
  private deadline = 0;
  private armedFor = 0;
  private progressed = false;
  private softEnded = false;
  private sawText = false;
  private closeBody: (() => void) | null = null;
  private readonly onCallerAbort = () => this.controller.abort(this.callerSignal?.reason);

  constructor(
    api: string,
    private readonly limits: StreamLimits,
    private readonly callerSignal?: AbortSignal,
  ) {
    this.dialect = dialectOf(api);
    // Mistral's own protocol is like the others' but for its content.
    this.isChecked = api !== 'mistral-conversations';
    if (callerSignal?.aborted) this.controller.abort(callerSignal.reason);
    else callerSignal?.addEventListener('abort', this.onCallerAbort, { once: true });
    this.extendDeadline(limits.firstByteTimeoutMs);
    this.arm();
  }

  /** Aborted by the caller or by the guard. */
  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Runs provider code so that its fetches pass through this guard. */
  run<T>(work: () => T): T {
    return current.run(this, work);
  }

  /** Progress of a transport without fetch: any event. On fetch the body itself counts. */
  noteEvent(): void {
    if (!this.facts.used) this.noteProgress();
  }

  /** Ends the request with a failure of our own; the first one counts. */
  fail(kind: WireFailureKind, code?: string, more?: string): WireGuardError {
    const text = more === undefined ? FAILURE_TEXTS[kind] : `${FAILURE_TEXTS[kind]} ${more}`;
    this.facts.failure ??= code === undefined ? { kind, text } : { kind, text, code };
    const error = new WireGuardError(kind, text);
    this.controller.abort(error);
    return error;
  }

  /** Stops the timers. Called once when the reply has ended. */
  dispose(): void {
    clearTimeout(this.timer);
    this.callerSignal?.removeEventListener('abort', this.onCallerAbort);
    this.closeBody?.();
  }

  /** One guarded fetch. The facts are those of the last one (an SDK may fetch a token first). */
  async fetch(original: Fetch, input: Parameters<Fetch>[0], init: Parameters<Fetch>[1]): Promise<Response> {
    this.facts.used = true;
    let response: Response;
    try {
      response = await original(input, { ...init, redirect: 'manual' });
    } catch (error) {
      if (!this.signal.aborted) this.noteConnectionFailure(error);
      throw error;
    }
    this.noteHead(response);
    if (response.status >= 300 && response.status < 400 && response.headers.has('location')) {
      void response.body?.cancel().catch(() => undefined);
      throw this.fail('redirect');
    }
    if (response.ok && /text\/html/i.test(this.facts.contentType ?? '')) {
      void response.body?.cancel().catch(() => undefined);
      throw this.fail('web-page');
    }
    if (!response.body) return response;
    return new Response(this.watch(response.body, response.ok), {
      status: response.status,
      statusText: response.statusText,
      headers: response.headers,
    });
  }

  private noteHead(response: Response): void {
    this.facts.status = response.status;
    this.facts.contentType = response.headers.get('content-type');
    this.facts.retryAfterMs = readRetryAfterMs(response.headers);
    delete this.facts.bodyHead;
    this.sawText = false;
  }

  private watch(body: ReadableStream<Uint8Array>, ok: boolean): ReadableStream<Uint8Array> {
    const isStream = ok && /event-stream/i.test(this.facts.contentType ?? '');
    const guarded = guardBody(body, {
      maxBytes: ok ? this.limits.maxBytes : Infinity,
      maxLineBytes: this.limits.maxLineBytes,
      truncateAt: ok ? Infinity : ERROR_BODY_BYTES,
      onLine: (line) => this.noteLine(line, isStream),
      onTooManyBytes: () => this.fail('too-many-bytes'),
      onLineTooLong: () => this.fail('line-too-long'),
      onProgress: (bytes, longestLine) => {
        this.facts.bytes = bytes;
        this.facts.longestLine = longestLine;
      },
      onAdvance: () => this.noteProgress(),
      // A connection that breaks after the model had finished took nothing away.
      onBroken: (error) => this.noteBroken(error),
    });
    this.closeBody = guarded.close;
    return guarded.stream;
  }

  /** Where the body ends at this line, if it does. */
  private noteLine(line: string, isStream: boolean): 'after' | 'before' | null {
    if (!this.sawText && line.trim() !== '') {
      this.sawText = true;
      if (this.facts.status === 200 && WEB_PAGE.test(line)) throw this.fail('web-page');
    }
    if (!isStream) this.noteBodyHead(line);
    else if (this.isFlawed(line)) return 'before';
    if (this.softEnded && isLateToolCall(this.dialect, line)) this.lateToolCalls = true;
    if (this.dialect === 'responses') this.noteResponsesLine(line);
    const mark = endMarkOf(this.dialect, line);
    if (mark === 'none') return null;
    this.facts.endSeen = true;
    if (!this.softEnded) {
      this.softEnded = true;
      this.extendDeadline(Math.min(AFTER_END_GRACE_MS, this.limits.idleTimeoutMs));
    }
    return mark === 'hard' ? 'after' : null;
  }

  /**
   * What doesn't keep to the protocol does not reach the SDK, for pi-ai hands on whatever the JSON holds, or throws: the body
   * ends before it, so that what came is kept. After the model had finished nothing is missing.
   */
  private isFlawed(line: string): boolean {
    const flaw = this.isChecked ? flawOfLine(this.dialect, line) : null;
    if (flaw && !this.facts.endSeen && !this.signal.aborted) {
      const text = `${FAILURE_TEXTS['bad-reply']} In it, ${flaw.path || 'an event'} is ${flaw.found}.`;
      this.facts.failure ??= { kind: 'bad-reply', text };
    }
    return flaw !== null;
  }

  private noteBodyHead(line: string): void {
    const head = this.facts.bodyHead ?? '';
    if (head.length >= BODY_HEAD_CHARS) return;
    const text = Buffer.from(line, 'latin1').toString('utf8');
    this.facts.bodyHead = `${head}${head === '' ? '' : '\n'}${text}`.slice(0, BODY_HEAD_CHARS);
  }

  private noteResponsesLine(line: string): void {
    if (!line.startsWith('data:')) return;
    if (line.includes('"response.incomplete"')) {
      this.incompleteEvent = Buffer.from(line.slice(5), 'latin1').toString('utf8');
    } else if (line.includes('"response.output_item.done"') && line.includes('"function_call"')) {
      const call = readFunctionCall(Buffer.from(line.slice(5), 'latin1').toString('utf8'));
      if (call) this.finalArguments.set(call.id, call.arguments);
    }
  }

  private noteBroken(error: unknown): boolean {
    if (this.facts.endSeen) return true;
    if (!this.signal.aborted) {
      this.facts.failure ??= { kind: 'cut-stream', text: FAILURE_TEXTS['cut-stream'], code: readErrorCode(error) };
    }
    return false;
  }

  private noteConnectionFailure(error: unknown): void {
    const code = readErrorCode(error);
    this.facts.failure ??= { kind: 'connection', text: FAILURE_TEXTS.connection, code };
  }

  private noteProgress(): void {
    this.progressed = true;
    const wait = this.softEnded ? Math.min(AFTER_END_GRACE_MS, this.limits.idleTimeoutMs) : this.limits.idleTimeoutMs;
    this.extendDeadline(wait);
  }

  private extendDeadline(waitMs: number): void {
    const total = this.limits.totalTimeoutMs === undefined ? Infinity : this.startedAt + this.limits.totalTimeoutMs;
    this.deadline = Math.min(Date.now() + waitMs, total);
    if (this.deadline < this.armedFor) this.arm();
  }

  /** One timer that looks at the deadline when it fires, so that progress costs no timer calls unless it comes nearer. */
  private arm(): void {
    clearTimeout(this.timer);
    this.armedFor = this.deadline;
    this.timer = setTimeout(() => this.checkDeadline(), Math.max(1, this.deadline - Date.now()));
  }

  private checkDeadline(): void {
    if (this.signal.aborted) return;
    if (Date.now() < this.deadline) return this.arm();
    const { totalTimeoutMs } = this.limits;
    if (this.softEnded) this.closeBody?.();
    else if (totalTimeoutMs !== undefined && Date.now() - this.startedAt >= totalTimeoutMs) this.fail('total-timeout');
    else this.fail(this.progressed ? 'idle-timeout' : 'first-byte-timeout');
  }
}

function readFunctionCall(json: string): { id: string; arguments: string } | null {
  try {
    const event = JSON.parse(json) as { item?: { call_id?: unknown; id?: unknown; arguments?: unknown } };
    const { call_id: callId, id, arguments: args } = event.item ?? {};
    return typeof args === 'string' ? { id: `${String(callId)}|${String(id)}`, arguments: args } : null;
  } catch {
    return null;
  }
}

/** The system or undici code of a failed fetch, found on the error or on its cause. */
function readErrorCode(error: unknown): string | undefined {
  for (let at = error; typeof at === 'object' && at !== null; at = (at as { cause?: unknown }).cause) {
    const { code, errors } = at as { code?: unknown; errors?: unknown };
    if (typeof code === 'string' && code !== '') return code;
    if (Array.isArray(errors)) return readErrorCode(errors[0]);
  }
  return undefined;
}
