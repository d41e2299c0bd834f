import type { AssistantMessage } from '../../pi/pi-types';
import { cutToRecord, type ReplyDoor, soundUsage } from './sound-reply';
import { emptyReply, type PiAi } from '../../pi/pi';
import { libraryFailure } from '../../network/proxy-fetch';
import { FAILURE_TEXTS, hideKeys } from './failed-reply';
import { sealToolCalls } from './seal-tool-calls';
import type { ProviderOutcome, ProviderRequest, WireFacts } from './types';
import type { WireGuard } from './wire-guard';

/** Error pages can be long; a stored reply need not carry them whole. Characters. */
const MAX_ERROR_CHARS = 4_000;
/** pi-ai notices a missing end itself on the messages wire. */
const MISSING_END = /ended before message_stop$/;
const ABORTED = 'Request was aborted';
/** How `JSON.parse` words it, and pi-ai where it parses itself. */
const JSON_ERROR =
  /^(?:Could not parse .{1,80} event|Unexpected (?:token|end of JSON|non-whitespace|number|string)|Expected .{1,60} in JSON|Unterminated (?:string|fractional)|Bad (?:control|escaped) |Bad Unicode|No number after|Exponent part)|is not valid JSON$/;
/** How V8 words what pi-ai or an SDK ran into when a reply is not as they expect. */
const PROGRAM_ERROR =
  /^(?:Cannot (?:read|set|convert|destructure|create|use|assign)\b|Invalid (?:array|string) length|Maximum call stack|.{1,200} is not (?:a function|iterable|a constructor|an object|defined|extensible)\b)/;
/** What SDKs say when fetch failed without saying why. */
const BARE_CONNECTION_ERROR = /^(connection error\.?|fetch failed|terminated|network error)$/i;

interface Ending {
  request: ProviderRequest;
  guard: WireGuard;
  callerAborted: boolean;
  pi: PiAi;
  door: ReplyDoor;
  final?: AssistantMessage;
  latest?: AssistantMessage;
  rawArguments: ReadonlyMap<number, string>;
  thrown?: string;
}

/** Turns what pi-ai and the guard know at the end into the message to be stored, the facts, and the seals. */
export function finishOutcome(ending: Ending): ProviderOutcome {
  const { guard } = ending;
  const message = soundMessage(ending);
  if (ending.thrown !== undefined) setError(message, ending.thrown);
  else if (!ending.final) setError(message, ABORTED);
  applyGuard(message, ending);
  noteLibraryProxy(message, guard);
  noteFault(message, guard.facts);
  if (cutToRecord(message)) {
    guard.facts.failure ??= { kind: 'too-many-bytes', text: FAILURE_TEXTS['too-many-bytes'] };
    setError(message, FAILURE_TEXTS['too-many-bytes']);
  }
  if (message.errorMessage) message.errorMessage = hideKeys(message.errorMessage, ending.request);
  const wire = guard.facts;
  const sealed = sealToolCalls(message, {
    rawArguments: ending.rawArguments,
    finalArguments: guard.finalArguments,
    nameless: ending.door.nameless,
    endSeen: !wire.used || wire.endSeen,
    lateToolCalls: guard.lateToolCalls,
  });
  return { message, wire: { ...wire }, sealed };
}

function applyGuard(message: AssistantMessage, ending: Ending): void {
  const { facts } = ending.guard;
  if (ending.callerAborted) {
    message.stopReason = 'aborted';
    message.errorMessage = ABORTED;
    return;
  }
  if (message.stopReason !== 'error' && message.stopReason !== 'aborted') {
    applyIncomplete(message, ending);
    noteMissingEnd(message, facts);
  }
  // What was thrown in passing may have left the reply half done, however it ended.
  if (facts.failure?.kind === 'reply-fault') setError(message, facts.failure.text);
  if (MISSING_END.test(message.errorMessage ?? '')) {
    facts.failure ??= { kind: 'cut-stream', text: FAILURE_TEXTS['cut-stream'] };
  }
  if (facts.failure && (message.stopReason === 'error' || message.stopReason === 'aborted')) {
    setError(message, describeFailure(message.errorMessage ?? '', facts));
  }
}

/** Where a library asked by itself, what it says of a proxy reads like the provider's own words. */
function noteLibraryProxy(message: AssistantMessage, { facts, proxies: { library } }: WireGuard): void {
  if (message.stopReason !== 'error' || library === null || facts.used || facts.failure) return;
  const failed = libraryFailure(message.errorMessage ?? '', library);
  if (failed === null) return;
  // What has begun to come did get through.
  const isCut = message.content.length > 0;
  const text = isCut ? FAILURE_TEXTS['cut-stream'] : `${FAILURE_TEXTS.proxy} ${failed.more}`;
  facts.failure = isCut ? { kind: 'cut-stream', text } : { kind: 'proxy', text, code: failed.code };
  setError(message, text);
}

/** Words of a program that stumbled over a reply are no words for a person, and no reason to ask again. */
function noteFault(message: AssistantMessage, facts: WireFacts): void {
  const said = message.errorMessage ?? '';
  if (message.stopReason !== 'error' || facts.failure) return;
  const isNoJson = JSON_ERROR.test(said);
  if (!isNoJson && !PROGRAM_ERROR.test(said)) return;
  const kind = facts.used && facts.status === 200 ? 'bad-reply' : 'reply-fault';
  facts.failure = { kind, text: FAILURE_TEXTS[kind] + (isNoJson ? ' In it, a line is no JSON.' : '') };
  setError(message, facts.failure.text);
}

/** A reply whose end never came looks finished to pi-ai. */
function noteMissingEnd(message: AssistantMessage, facts: WireFacts): void {
  if (!facts.used || facts.endSeen) return;
  const isStream = /event-stream/i.test(facts.contentType ?? '');
  const kind = isStream || message.content.length > 0 ? 'cut-stream' : 'not-a-stream';
  facts.failure ??= { kind, text: FAILURE_TEXTS[kind] };
  setError(message, facts.failure.text);
}

/** pi-ai passes over `response.incomplete`: its reason and its usage are taken from the event itself. */
function applyIncomplete(message: AssistantMessage, { guard, pi, request }: Ending): void {
  if (guard.incompleteEvent === null) return;
  const event = readIncomplete(guard.incompleteEvent);
  if (event.usage) {
    const cacheRead = event.usage.input_tokens_details?.cached_tokens ?? 0;
    const input = Math.max(0, (event.usage.input_tokens ?? 0) - cacheRead);
    const output = event.usage.output_tokens ?? 0;
    const totalTokens = event.usage.total_tokens ?? input + cacheRead + output;
    message.usage = soundUsage({ ...message.usage, input, output, cacheRead, totalTokens });
    pi.calculateCost(request.model, message.usage);
  }
  if (event.reason === 'content_filter') {
    guard.facts.failure ??= { kind: 'content-filter', text: FAILURE_TEXTS['content-filter'] };
    setError(message, guard.facts.failure.text);
  } else {
    message.stopReason = 'length';
  }
}

interface IncompleteResponse {
  reason?: string;
  usage?: {
    input_tokens?: number;
    output_tokens?: number;
    total_tokens?: number;
    input_tokens_details?: { cached_tokens?: number };
  };
}

function readIncomplete(event: Readonly<Record<string, unknown>>): IncompleteResponse {
  const { response } = event as {
    response?: { incomplete_details?: { reason?: string } | null; usage?: IncompleteResponse['usage'] | null };
  };
  return { reason: response?.incomplete_details?.reason, usage: response?.usage ?? undefined };
}

function describeFailure(text: string, facts: WireFacts): string {
  const failure = facts.failure;
  if (!failure) return text;
  if (failure.kind !== 'connection' && failure.kind !== 'cut-stream') return failure.text;
  const said =
    text === '' || text === ABORTED || MISSING_END.test(text) || BARE_CONNECTION_ERROR.test(text) ? failure.text : text;
  return failure.code && !said.includes(failure.code) ? `${said} (${failure.code})` : said;
}

function setError(message: AssistantMessage, text: string): void {
  message.stopReason = 'error';
  message.errorMessage = text;
}

/** What came through the door, with a bounded error text. */
function soundMessage({ door, final, latest, request }: Ending): AssistantMessage {
  const message = door.message(final ?? latest ?? emptyReply(request.model));
  if (message.errorMessage && message.errorMessage.length > MAX_ERROR_CHARS) {
    message.errorMessage = `${message.errorMessage.slice(0, MAX_ERROR_CHARS)}…`;
  }
  return message;
}
