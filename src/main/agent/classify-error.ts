import { codeInProxyWords } from '../network/proxy-fetch';
import type { AssistantMessage } from '../pi/pi-types';
import { FAILURE_TEXTS } from './stream/failed-reply';
import type { WireFacts, WireFailureKind } from './stream/types';

/**
 * The words providers use for the failures that Espalier treats differently (TG9, TG11). Matched against the
 * reply's error text and the head of the error body, so a code alone is enough.
 */

/** Not an overflow even where the text also speaks of tokens. */
const THROTTLE_TEXTS = [
  /^throttling error:/im,
  /^service unavailable:/im,
  /rate[ -]limit/i,
  /too many requests/i,
  /throttlingexception/i,
  /(?:tokens|requests) per (?:second|min(?:ute)?|hour|day)\b/i,
  /^429\b/m,
  /\b(?:http|status|code|error)[ :=("]*429\b/i,
];

/** The account can't pay for it; waiting doesn't help. */
const QUOTA_TEXTS = [
  /insufficient[_ ](?:quota|credits?|balance|funds)/i,
  /exceeded (?:your|the) (?:current |monthly |daily )?quota/i,
  /quota (?:has been )?(?:exceeded|exhausted)/i,
  /credit balance is too low/i,
  /billing/i,
  /payment required/i,
  /(?:usage|spend(?:ing)?|monthly|credit) limit (?:has been )?(?:reached|exceeded)/i,
];

/** A byte limit of the server or of a proxy before it. */
const TOO_LARGE_TEXTS = [/request_too_large/i, /(?:entity|payload|body|content) too large/i];

/** Prompt and reply together do not fit the model. Grouped by provider as in pi-ai, generic ones last. */
const OVERFLOW_TEXTS = [
  /(?:prompt|input|request|context|conversation)(?: is| are|_is)? too (?:long|large)/i,
  /input token count.*exceeds the maximum/is,
  /maximum (?:prompt|context|input) length (?:is|of)/i,
  /reduce the length/i,
  /reduce your message size/i,
  /exceeds the limit of \d+/i,
  /exceeds? (?:the |this |your )?(?:model'?s? )?(?:maximum |available |allowed )*(?:context|input|prompt)[ _-](?:window|size|length|limit)/i,
  /exceeds (?:the )?(?:maximum )?(?:number of )?(?:input )?tokens? (?:allowed|limit)/i,
  /greater than the context length/i,
  /context window exceeds limit/i,
  /exceeded model token limit/i,
  /too large for model with \d+ maximum context length/i,
  /exceeded (?:max(?:imum)? )?context length/i,
  /exceed context limit/i,
  /context_size_exceeded|exceed_context_size/i,
  /model_context_window_exceeded/i,
  /context[_ ]length[_ ]exceeded/i,
  /too many tokens/i,
  /token limit exceeded/i,
  /request_too_large/i,
];

/** Providers that answer an overflow with a bare 400 or 413. */
const BODYLESS_OVERFLOW_PROVIDERS = new Set(['cerebras']);
const NO_BODY = /^4(?:00|13)\s*(?:status code)?\s*\(no body\)/i;

/** Where an overflow text names the model's window. Commas in numbers are allowed. */
const WINDOW_TEXTS = [
  /maximum (?:prompt|context|input) length (?:is|of) ([\d,]+)/i,
  /([\d,]+) maximum context length/i,
  /available context size \(?([\d,]+)/i,
  /"n_ctx"\s*:\s*(\d+)/,
  /maximum number of tokens allowed \(([\d,]+)\)/i,
  /> ([\d,]+) maximum/i,
  /exceed context limit: [\d, +]+ > ([\d,]+)/i,
  /exceeds the limit of ([\d,]+)/i,
  /model token limit: ([\d,]+)/i,
];

/** Worth another try by the text alone: for replies whose wire facts are gone. */
const TRANSIENT_TEXTS = [
  /overloaded/i,
  /^(?:500|502|503|504|529)\b/m,
  /\b(?:http|status|code|error)[ :=("]*(?:500|502|503|504|529)\b/i,
  /service unavailable|bad gateway|gateway time-?out|internal server error|server_error|temporarily unavailable/i,
  /connection error|fetch failed|network error|network_error|terminated|socket hang up|other side closed/i,
  /\b(?:ECONNRESET|ECONNREFUSED|EPIPE|ETIMEDOUT|EAI_AGAIN|ENOTFOUND|ENETUNREACH|EHOSTUNREACH|UND_ERR_\w+)\b/,
  /ended before message_stop|stream (?:ended|closed) (?:early|unexpectedly|prematurely)|premature close/i,
];

/**
 * Codes of a connection that will not come up by itself. Of a proxy: one that refuses the password, for an account is locked after a
 * few wrong ones, and one that refuses for another reason than that it is busy.
 */
const LASTING_CONNECTION_CODES =
  /^(?:CERT_|ERR_TLS|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|ERR_INVALID_URL|UND_ERR_HEADERS_OVERFLOW|HPE_|PROXY_|HTTP_(?!408|425|429)4|HTTP_501)/;

/** Classes of TG9; `ok` and `aborted` complete the table, `other` is an error for retry or a card. */
export type ReplyClass =
  'ok' | 'aborted' | 'throttle' | 'payload' | 'overflow' | 'silent' | 'length-overflow' | 'length' | 'other';

/** A reply with what is known around it. Tokens; limits are those of the model that replied. */
interface ReplyFacts {
  message: AssistantMessage;
  /** Absent for replies read back from the file. */
  wire?: WireFacts;
  /** W of TK8; 0 or undefined = unknown. */
  window?: number;
  /** T of TG1; undefined = no threshold. */
  threshold?: number;
  /** D of TK6, with this reply. */
  sessionFigure: number;
  /** The model's maximum output; 0 or undefined = unknown. */
  maxOutput?: number;
  /** Its usage can't be (docs/specs/safety.md A8): no evidence of a full window. */
  isImplausible?: boolean;
}

const TRANSIENT_STATUS = new Set([429, 500, 502, 503, 504, 529]);
const TRANSIENT_FAILURES = new Set<WireFailureKind>([
  'connection',
  'proxy',
  'cut-stream',
  'first-byte-timeout',
  'idle-timeout',
  'worker-crash',
]);

/** The class of a reply (TG9, first match). Pure. */
export function classifyReply(facts: ReplyFacts): ReplyClass {
  const { message, wire } = facts;
  switch (message.stopReason) {
    case 'aborted':
      return 'aborted';
    case 'error':
      return classifyError(message, wire);
    case 'length':
      return classifyLength(facts);
    case 'stop':
      return facts.window && !facts.isImplausible && message.usage.input + message.usage.cacheRead > facts.window
        ? 'silent'
        : 'ok';
    case 'toolUse':
      return 'ok';
  }
}

function classifyError(message: AssistantMessage, wire: WireFacts | undefined): ReplyClass {
  if (wire?.failure && wire.failure.kind !== 'not-a-stream') return 'other';
  const text = errorWords(message, wire);
  const status = statusOf(message, wire);
  if (isThrottle(text, status)) return 'throttle';
  if (isPayload(text, status, message)) return 'payload';
  if (isBodyless(message)) return isKnownBodyless(message) ? 'overflow' : 'other';
  return matches(OVERFLOW_TEXTS, text) && !matches(QUOTA_TEXTS, text) ? 'overflow' : 'other';
}

/** Groq answers a prompt over the per-minute budget with 413 and speaks of a rate: waiting does not help, a summary does. */
function isThrottle(text: string, status: number | null): boolean {
  if (status === 413) return false;
  return status === 429 || matches(THROTTLE_TEXTS, text);
}

function isPayload(text: string, status: number | null, message: AssistantMessage): boolean {
  if (status !== 413 && !matches(TOO_LARGE_TEXTS, text)) return false;
  if (/token|context/i.test(text)) return false;
  if (isBodyless(message)) return !isKnownBodyless(message);
  return matches(TOO_LARGE_TEXTS.slice(1), text) || /\bbytes?\b|\bsize\b|\b\d+ ?[KMG]i?B\b/i.test(text);
}

function isBodyless(message: AssistantMessage): boolean {
  return NO_BODY.test(message.errorMessage ?? '');
}

function isKnownBodyless(message: AssistantMessage): boolean {
  return BODYLESS_OVERFLOW_PROVIDERS.has(message.provider);
}

function classifyLength({
  message,
  window,
  threshold,
  sessionFigure,
  maxOutput,
  isImplausible,
}: ReplyFacts): ReplyClass {
  const { input, cacheRead, output } = message.usage;
  const isFull = window !== undefined && window > 0 && input + cacheRead >= 0.99 * window;
  const filled = isFull && output === 0 && !isImplausible;
  const squeezed = threshold !== undefined && sessionFigure > threshold && output < (maxOutput || Infinity);
  return filled || squeezed ? 'length-overflow' : 'length';
}

/** The model's window in tokens if an overflow text names one of at least 1024 (TK8), else null. */
export function learnWindow(message: AssistantMessage, wire?: WireFacts): number | null {
  if (message.stopReason !== 'error' || classifyError(message, wire) !== 'overflow') return null;
  const text = errorWords(message, wire);
  for (const pattern of WINDOW_TEXTS) {
    const digits = pattern.exec(text)?.[1]?.replaceAll(',', '');
    const value = Number(digits);
    if (digits && Number.isSafeInteger(value) && value >= 1024) return value;
  }
  return null;
}

/**
 * Whether another try may help (TG11): overloaded, rate limited, 429/500/502/503/504/529, connection, dropped
 * stream; never quota, billing, a wrong key, an overflow or an abort.
 */
export function isTransient(message: AssistantMessage, wire?: WireFacts): boolean {
  if (message.stopReason !== 'error') return false;
  if (wire?.failure) {
    const { kind, code } = wire.failure;
    return TRANSIENT_FAILURES.has(kind) && !LASTING_CONNECTION_CODES.test(code ?? '');
  }
  const text = errorWords(message, wire);
  const status = statusOf(message, wire);
  if (status === 401 || status === 403 || isQuota(text)) return false;
  const kind = classifyError(message, wire);
  if (kind === 'payload' || kind === 'overflow') return false;
  if (kind === 'throttle' || (status !== null && TRANSIENT_STATUS.has(status))) return true;
  const said = message.errorMessage ?? '';
  const isStored = isStoredTransientText(said);
  return said.startsWith(FAILURE_TEXTS.proxy) ? isStored : isStored || matches(TRANSIENT_TEXTS, text);
}

/** How long the provider asks to wait, in ms: its header, else its words ("try again in 6.5s"); null if it says nothing. */
export function retryAfterOf(message: AssistantMessage, wire?: WireFacts): number | null {
  if (wire?.retryAfterMs !== null && wire?.retryAfterMs !== undefined) return wire.retryAfterMs;
  const text = errorWords(message, wire);
  const match = /(?:try again|retry) in (?:(\d+)m(?!s))?(?:([\d.]+)(ms|s))?/i.exec(text);
  if (!match || (match[1] === undefined && match[2] === undefined)) return null;
  const minutes = Number(match[1] ?? 0) * 60_000;
  return Math.round(minutes + Number(match[2] ?? 0) * (match[3] === 'ms' ? 1 : 1000));
}

/** Out of money or quota. A "quota" of requests per minute that names its end is a rate limit (Google). */
export function isQuota(text: string): boolean {
  return matches(QUOTA_TEXTS, text) && !/(?:retry|try again) in \d/i.test(text);
}

/** The error text with the head of the error body: some providers say the code only there. */
export function errorWords(message: AssistantMessage, wire?: WireFacts): string {
  return [message.errorMessage ?? '', wire?.bodyHead ?? ''].join('\n');
}

/** The HTTP status, from the wire or from the front of the SDK's text. */
export function statusOf(message: AssistantMessage, wire?: WireFacts): number | null {
  if (wire?.status) return wire.status;
  const match = /^([45]\d\d)\b/.exec(message.errorMessage ?? '');
  return match ? Number(match[1]) : null;
}

function isStoredTransientText(text: string): boolean {
  const kind = [...TRANSIENT_FAILURES].find((one) => text.startsWith(FAILURE_TEXTS[one]));
  return kind !== undefined && !(kind === 'proxy' && LASTING_CONNECTION_CODES.test(codeInProxyWords(text) ?? ''));
}

function matches(patterns: RegExp[], text: string): boolean {
  return patterns.some((pattern) => pattern.test(text));
}
