import { AsyncLocalStorage } from 'node:async_hooks';
import { type Flaw, isRecord } from '@shared/checks';
import {
  dialectOf,
  DONE,
  endMarkOf,
  EventReader,
  isLateToolCall,
  type SseEvent,
  type WireDialect,
  writeEvent,
} from './wire-events';
import { FAILURE_TEXTS } from './failed-reply';
import { flawOfEvent, isCheckedDialect } from './frame-check';
import { guardBody, readRequestId, readRetryAfterMs } from './response';
import { fetchOver, NO_PROXIES, type Proxies, proxyFailure, readErrorCode } from '../../network/proxy-fetch';
import type { StreamLimits, WireFacts, WireFailureKind } from './types';

/** A server that has said "finished" but keeps the connection open is waited for this long (usage may follow). */
const AFTER_END_GRACE_MS = 3_000;
const BODY_HEAD_CHARS = 4_096;
const ERROR_BODY_BYTES = 256 * 1024;
const WEB_PAGE = /^(?:\xEF\xBB\xBF)?\s*<(?:!doctype|html|head|body|\?xml)/i;

/** Events of the messages wire that pi-ai reads, by their `event:` lines; it passes over all others. */
const MESSAGE_EVENTS = new Set([
  'message_start',
  'message_delta',
  'message_stop',
  'content_block_start',
  'content_block_delta',
  'content_block_stop',
  'error',
]);
const NO_JSON: Flaw = { path: '', found: 'no JSON' };

type Fetch = typeof globalThis.fetch;
/** Reads JSON that is not quite JSON, as pi-ai does on the messages wire; throws. */
type RepairJson = (json: string) => unknown;

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
  incompleteEvent: Readonly<Record<string, unknown>> | null = null;
  /** Whole arguments by Responses item id, for servers that don't stream them in pieces. */
  readonly finalArguments = new Map<string, string>();

  private readonly controller = new AbortController();
  private readonly dialect: WireDialect;
  private readonly isChecked: boolean;
  /** On a clock that nobody sets, as all times here. */
  private readonly startedAt = performance.now();
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
    private readonly repairJson?: RepairJson,
    readonly proxies: Proxies = NO_PROXIES,
  ) {
    this.dialect = dialectOf(api);
    // Mistral's own protocol is like the others' but for its content.
    this.isChecked = api !== 'mistral-conversations' && isCheckedDialect(this.dialect);
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
  fail(kind: WireFailureKind, more?: string): WireGuardError {
    const text = more === undefined ? FAILURE_TEXTS[kind] : `${FAILURE_TEXTS[kind]} ${more}`;
    this.facts.failure ??= { kind, text };
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
    const { model: proxy } = this.proxies;
    const send = proxy ? fetchOver(proxy.href) : original;
    try {
      response = await send(input, { ...init, redirect: 'manual' });
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
    this.facts.requestId = readRequestId(response.headers);
    delete this.facts.bodyHead;
    this.sawText = false;
  }

  /**
   * What is checked goes on as it was read, event by event, so that an SDK can't find anything else in it than the guard did.
   * On a checked wire that is every body that is not an error, whatever type it claims to be: the SDKs don't look at that.
   */
  private watch(body: ReadableStream<Uint8Array>, ok: boolean): ReadableStream<Uint8Array> {
    const isStream = ok && /event-stream/i.test(this.facts.contentType ?? '');
    const isChecked = ok && this.isChecked;
    const reader = new EventReader(this.limits.maxLineBytes, () => this.fail('line-too-long'));
    let passed = '';
    const take = (event: SseEvent | null, isLast: boolean): boolean => {
      if (!event || !ok) return false;
      const step = this.takeEvent(event, isChecked, isLast);
      if (isChecked) passed += step.passed;
      return step.ends;
    };
    const guarded = guardBody(body, {
      maxBytes: ok ? this.limits.maxBytes : Infinity,
      maxLineBytes: this.limits.maxLineBytes,
      truncateAt: ok ? Infinity : ERROR_BODY_BYTES,
      onLine: (line) => {
        this.noteLine(line, isStream);
        return take(reader.take(line), false);
      },
      onEnd: () => void take(reader.end(), true),
      ...(isChecked && {
        rewritten: () => {
          const text = passed;
          passed = '';
          return text;
        },
      }),
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

  private noteLine(line: string, isStream: boolean): void {
    if (!this.sawText && line.trim() !== '') {
      this.sawText = true;
      if (this.facts.status === 200 && WEB_PAGE.test(line)) throw this.fail('web-page');
    }
    if (!isStream) this.noteBodyHead(line);
  }

  /**
   * Takes note of an event: what of it goes on, and whether the body ends at it. `isLast`: the body ended before the event did.
   *
   * What doesn't keep to the protocol does not reach the SDK, for pi-ai hands on whatever the JSON holds, or throws: the body
   * ends before it, so that what came is kept. After the model had finished nothing is missing.
   */
  private takeEvent(event: SseEvent, isChecked: boolean, isLast: boolean): { passed: string; ends: boolean } {
    const value = this.valueOf(event.data);
    const name = this.nameOf(event, value);
    if (isChecked && name === null) return { passed: '', ends: false };
    // An error may be told in plain words.
    if (isChecked && !(name === 'error' && value === undefined)) {
      if (value === undefined && isLast) return { passed: '', ends: true };
      const flaw = value === undefined ? NO_JSON : value === DONE ? null : flawOfEvent(this.dialect, value);
      if (flaw) {
        this.noteFlaw(flaw);
        return { passed: '', ends: true };
      }
    }
    if (this.softEnded && isLateToolCall(this.dialect, value)) this.lateToolCalls = true;
    if (this.dialect === 'responses') this.noteResponsesEvent(event, value);
    return {
      passed: writeEvent({ name: name ?? '', data: value === DONE ? DONE : event.data }),
      ends: this.noteEndMark(value),
    };
  }

  /** What the data of an event holds; undefined if that is not JSON. */
  private valueOf(data: string): unknown {
    if (this.dialect !== 'messages' && /^\s*\[DONE\]/.test(data)) return DONE;
    try {
      return JSON.parse(data);
    } catch {
      if (this.dialect !== 'messages' || !this.repairJson) return undefined;
    }
    try {
      return this.repairJson(data);
    } catch {
      return undefined;
    }
  }

  /** The name that the event goes on with; null if no SDK reads an event of that name. */
  private nameOf({ name }: SseEvent, value: unknown): string | null {
    // The SDK of OpenAI reads events of some names as something else; none of them is of these wires.
    if (this.dialect !== 'messages') return '';
    const said = name === '' && isRecord(value) && typeof value.type === 'string' ? value.type : name;
    return MESSAGE_EVENTS.has(said) ? said : null;
  }

  private noteFlaw(flaw: Flaw): void {
    if (this.facts.endSeen || this.signal.aborted) return;
    const text = `${FAILURE_TEXTS['bad-reply']} In it, ${flaw.path || 'an event'} is ${flaw.found}.`;
    this.facts.failure ??= { kind: 'bad-reply', text };
  }

  /** Whether the body ends here. */
  private noteEndMark(value: unknown): boolean {
    const mark = endMarkOf(this.dialect, value);
    if (mark === 'none' || mark === 'closed') return mark === 'closed';
    this.facts.endSeen = true;
    if (!this.softEnded) {
      this.softEnded = true;
      this.extendDeadline(Math.min(AFTER_END_GRACE_MS, this.limits.idleTimeoutMs));
    }
    return mark === 'hard';
  }

  private noteBodyHead(line: string): void {
    const head = this.facts.bodyHead ?? '';
    if (head.length >= BODY_HEAD_CHARS) return;
    const text = Buffer.from(line, 'latin1').toString('utf8');
    this.facts.bodyHead = `${head}${head === '' ? '' : '\n'}${text}`.slice(0, BODY_HEAD_CHARS);
  }

  private noteResponsesEvent({ data }: SseEvent, value: unknown): void {
    if (!isRecord(value)) return;
    if (value.type === 'response.incomplete') this.incompleteEvent = value;
    if (value.type !== 'response.output_item.done' || !isRecord(value.item)) return;
    if (value.item.type !== 'function_call') return;
    const call = readFunctionCall(Buffer.from(data, 'latin1').toString('utf8'));
    if (call) this.finalArguments.set(call.id, call.arguments);
  }

  private noteBroken(error: unknown): boolean {
    if (this.facts.endSeen) return true;
    if (!this.signal.aborted) {
      this.facts.failure ??= { kind: 'cut-stream', text: FAILURE_TEXTS['cut-stream'], code: readErrorCode(error) };
    }
    return false;
  }

  private noteConnectionFailure(error: unknown): void {
    const { model: proxy } = this.proxies;
    const { code, more } = proxy ? proxyFailure(error, proxy) : { code: readErrorCode(error), more: undefined };
    const kind = proxy ? 'proxy' : 'connection';
    const text = more === undefined ? FAILURE_TEXTS[kind] : `${FAILURE_TEXTS[kind]} ${more}`;
    this.facts.failure ??= { kind, text, code };
  }

  private noteProgress(): void {
    this.progressed = true;
    const wait = this.softEnded ? Math.min(AFTER_END_GRACE_MS, this.limits.idleTimeoutMs) : this.limits.idleTimeoutMs;
    this.extendDeadline(wait);
  }

  private extendDeadline(waitMs: number): void {
    const total = this.limits.totalTimeoutMs === undefined ? Infinity : this.startedAt + this.limits.totalTimeoutMs;
    this.deadline = Math.min(performance.now() + waitMs, total);
    if (this.deadline < this.armedFor) this.arm();
  }

  /** One timer that looks at the deadline when it fires, so that progress costs no timer calls unless it comes nearer. */
  private arm(): void {
    clearTimeout(this.timer);
    this.armedFor = this.deadline;
    this.timer = setTimeout(() => this.checkDeadline(), Math.max(1, this.deadline - performance.now()));
  }

  private checkDeadline(): void {
    if (this.signal.aborted) return;
    if (performance.now() < this.deadline) return this.arm();
    const { totalTimeoutMs } = this.limits;
    if (this.softEnded) this.closeBody?.();
    else if (totalTimeoutMs !== undefined && performance.now() - this.startedAt >= totalTimeoutMs)
      this.fail('total-timeout');
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
