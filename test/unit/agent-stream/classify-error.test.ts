import { describe, expect, it } from 'vitest';
import { classifyReply, isTransient, learnWindow, retryAfterOf } from '../../../src/main/agent/classify-error';
import type { ReplyClass } from '../../../src/main/agent/classify-error';
import { emptyReply, loadPiAi } from '../../../src/main/pi/pi';
import { FAILURE_TEXTS } from '../../../src/main/agent/stream/failed-reply';
import type { WireFacts, WireFailureKind } from '../../../src/main/agent/stream/types';
import type { AssistantMessage } from '../../../src/main/pi/pi-types';
import { proxyFailure } from '../../../src/main/network/proxy-fetch';
import { modelsFor } from '../../support/model-server/models';

const model = modelsFor({ url: 'http://127.0.0.1:1' }).completions;
const wireFacts: WireFacts = {
  used: true,
  status: 200,
  contentType: null,
  retryAfterMs: null,
  endSeen: false,
  bytes: 0,
  longestLine: 0,
};

function failed(errorMessage: string, provider = 'openai'): AssistantMessage {
  return { ...emptyReply(model), provider, errorMessage };
}

function replied(
  stopReason: AssistantMessage['stopReason'],
  input: number,
  output: number,
  cacheRead = 0,
): AssistantMessage {
  const usage = { ...emptyReply(model).usage, input, output, cacheRead, totalTokens: input + output + cacheRead };
  return { ...emptyReply(model), stopReason, usage };
}

describe('safety A8: usage that can’t be', () => {
  const limits = { window: 1000, sessionFigure: 10, threshold: 800 };
  const judged = (message: AssistantMessage, isImplausible: boolean): ReplyClass =>
    classifyReply({ message, ...limits, isImplausible });

  it('is no evidence of a full window', () => {
    const silent = replied('stop', 1e9, 5);
    expect([judged(silent, false), judged(silent, true)]).toEqual(['silent', 'ok']);
    const cut = replied('length', 1e9, 0);
    expect([judged(cut, false), judged(cut, true)]).toEqual(['length-overflow', 'length']);
  });
});

interface Row {
  text: string;
  class: ReplyClass;
  transient: boolean;
  provider?: string;
  window?: number;
}
const row = (text: string, kind: ReplyClass, transient: boolean, more: Partial<Row> = {}): Row => ({
  text,
  class: kind,
  transient,
  ...more,
});
const overflow = (text: string, window?: number, provider?: string): Row =>
  row(text, 'overflow', false, { window, provider });

/** Texts as providers send them, the SDK's status in front where it puts one. */
const table: Row[] = [
  overflow(
    '400 {"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 213462 tokens > 200000 maximum"}}',
    200_000,
    'anthropic',
  ),
  overflow(
    '400 {"type":"error","error":{"type":"invalid_request_error","message":"input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, decrease input length or `max_tokens` and try again"}}',
    200_000,
    'anthropic',
  ),
  overflow('400 Your input exceeds the context window of this model. Please adjust your input and try again.'),
  overflow(
    "400 This model's maximum context length is 128000 tokens. However, your messages resulted in 140211 tokens. Please reduce the length of the messages.",
    128_000,
  ),
  overflow(
    "400 This model's maximum context length is 8,192 tokens. However, you requested 9000 tokens (8000 in the messages, 1000 in the completion).",
    8_192,
  ),
  overflow('context_length_exceeded: Your input exceeds the context window of this model'),
  overflow('400 {"error":{"message":"","code":"context_length_exceeded"}}'),
  overflow('Validation error: Input is too long for requested model.', undefined, 'amazon-bedrock'),
  overflow(
    '{"error":{"code":400,"message":"The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).","status":"INVALID_ARGUMENT"}}',
    1_048_575,
    'google',
  ),
  overflow("400 This model's maximum prompt length is 131072 but the request contains 537812 tokens.", 131_072, 'xai'),
  overflow('400 Please reduce the length of the messages or completion.', undefined, 'groq'),
  overflow(
    '413 Request too large for model `llama-x` in organization `org_x` service tier `on_demand` on tokens per minute (TPM): Limit 6000, Requested 9000, please reduce your message size and try again.',
    undefined,
    'groq',
  ),
  overflow(
    "400 This endpoint's maximum context length is 65536 tokens. However, you requested about 70012 tokens (66012 of text input, 4000 in the output). Please reduce the length of either one.",
    65_536,
    'openrouter',
  ),
  overflow('400 the request exceeds the available context size (8192 tokens), try increasing it', 8_192, 'llama.cpp'),
  overflow(
    '400 request (9120 tokens) exceeds the available context size (8192 tokens), try increasing it',
    8_192,
    'llama.cpp',
  ),
  overflow(
    '400 The number of tokens to keep from the initial prompt is greater than the context length. Try to load the model with a larger context length, or provide a shorter input',
    undefined,
    'lmstudio',
  ),
  overflow('400 prompt token count of 140000 exceeds the limit of 128000', 128_000, 'github-copilot'),
  overflow('400 invalid params, context window exceeds limit (2013)', undefined, 'minimax'),
  overflow('400 Your request exceeded model token limit: 262144 (requested: 300000)', 262_144, 'kimi-coding'),
  overflow(
    '400 Prompt contains 140000 tokens and 0 draft tokens, too large for model with 131072 maximum context length',
    131_072,
    'mistral',
  ),
  overflow('Provider finish_reason: model_context_window_exceeded', undefined, 'zai'),
  overflow('400 prompt too long; exceeded max context length by 211 tokens', undefined, 'ollama'),
  overflow('413 status code (no body)', undefined, 'cerebras'),
  overflow('400 status code (no body)', undefined, 'cerebras'),
  overflow(
    '413 {"type":"error","error":{"type":"request_too_large","message":"Prompt has too many tokens"}}',
    undefined,
    'anthropic',
  ),
  overflow('400 too many tokens in the request'),
  overflow('token limit exceeded'),

  row(
    '413 {"type":"error","error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}',
    'payload',
    false,
    { provider: 'anthropic' },
  ),
  row(
    '413 {"type":"error","error":{"type":"request_too_large","message":"Request exceeds the maximum allowed number of bytes."}}',
    'payload',
    false,
  ),
  row('413 <html><head><title>413 Request Entity Too Large</title></head></html>', 'payload', false),
  row('413 Payload Too Large: body limit is 10 MB', 'payload', false),
  row('413 status code (no body)', 'payload', false, { provider: 'openai' }),
  row('400 status code (no body)', 'other', false, { provider: 'openai' }),

  row('Throttling error: Too many tokens, please wait before trying again.', 'throttle', true, {
    provider: 'amazon-bedrock',
  }),
  row('Service unavailable: Too many tokens', 'throttle', true, { provider: 'amazon-bedrock' }),
  row(
    '429 Rate limit reached for gpt-x in organization org-x on tokens per min (TPM): Limit 30000, Used 29000, Requested 4000. Please try again in 6.5s.',
    'throttle',
    true,
  ),
  row(
    '429 {"type":"error","error":{"type":"rate_limit_error","message":"This request would exceed your organization\'s rate limit of 50,000 input tokens per minute."}}',
    'throttle',
    true,
  ),
  row('429 status code (no body)', 'throttle', true),
  row('Too many requests, please slow down', 'throttle', true),
  row('429 Rate of requests exceeds the limit of 60 requests per minute', 'throttle', true),
  row('429 You exceeded your current quota, please check your plan and billing details.', 'throttle', false),
  row('429 Quota exceeded for metric: generate_requests_per_minute. Please retry in 23.5s.', 'throttle', true, {
    provider: 'google',
  }),

  row('500 The server had an error while processing your request.', 'other', true),
  row('502 <html>Bad gateway</html>', 'other', true),
  row('503 The engine is currently overloaded, please try again later', 'other', true),
  row('504 Gateway Timeout', 'other', true),
  row('529 {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}', 'other', true),
  row('{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}', 'other', true),
  row('Connection error.', 'other', true),
  row('terminated', 'other', true),
  row('fetch failed', 'other', true),
  row('connect ECONNRESET 10.0.0.1:443', 'other', true),
  row('Anthropic stream ended before message_stop', 'other', true),
  row('Provider finish_reason: network_error', 'other', true),

  row('401 Incorrect API key provided: sk-wrong.', 'other', false),
  row('403 Country, region, or territory not supported', 'other', false),
  row('404 The model `gpt-gone` does not exist or you do not have access to it.', 'other', false),
  row('400 Your credit balance is too low to access the Anthropic API.', 'other', false),
  row('402 Insufficient credits. Add more using the billing page.', 'other', false),
  row('400 max_tokens is too large: 999999. This model supports at most 16384 completion tokens.', 'other', false),
  row('Provider finish_reason: content_filter', 'other', false),
  row('No API key for provider: openai', 'other', false),
  row('Unexpected token o in JSON at position 1', 'other', false),
];

describe('AG6, WG4: error texts of real providers', () => {
  it.each(table.map((entry) => [entry.text, entry] as const))('%s', (_text, entry) => {
    const message = failed(entry.text, entry.provider);
    expect(classifyReply({ message, sessionFigure: 0, window: 200_000 })).toBe(entry.class);
    expect(isTransient(message)).toBe(entry.transient);
    expect(learnWindow(message)).toBe(entry.window ?? null);
  });

  it('TK8: a limit is learned from the words of a server, numbers of something else are not', () => {
    const learned = (text: string) => learnWindow(failed(text));
    expect(learned("This model's maximum context length is 128,000 tokens. However you requested 1")).toBe(128_000);
    expect(learned('the request exceeds the available context size (4096 tokens)')).toBe(4096);
    expect(learned('maximum context length is 512 tokens')).toBeNull();
    expect(learned('rate limit 200000 tokens per minute')).toBeNull();
  });

  it('calls every text an overflow that pi-ai does, but for byte limits, rates and bare errors of unknown providers', async () => {
    const { isContextOverflow } = await loadPiAi();
    const missed = table.filter(
      ({ text, provider, class: kind }) => isContextOverflow(failed(text, provider)) && kind !== 'overflow',
    );
    expect(missed.map(({ text }) => text).filter((text) => !/request_too_large|no body|per minute/.test(text))).toEqual(
      [],
    );
  });
});

describe('what only the wire knows', () => {
  it('reads a code from the error body', () => {
    const wire = {
      ...wireFacts,
      status: 400,
      bodyHead: '{"error":{"message":"bad","code":"context_length_exceeded"}}',
    };
    expect(classifyReply({ message: failed('400 bad'), wire, sessionFigure: 0 })).toBe('overflow');
    const local = {
      ...wireFacts,
      status: 400,
      bodyHead: '{"error":{"type":"exceed_context_size_error","n_ctx":4096}}',
    };
    expect(learnWindow(failed('400 too big'), local)).toBe(4_096);
  });

  it('takes status and retry-after from it', () => {
    const wire = { ...wireFacts, status: 503, retryAfterMs: 7_000 };
    expect(isTransient(failed('Sorry'), wire)).toBe(true);
    expect(retryAfterOf(failed('Sorry'), wire)).toBe(7_000);
    expect(isTransient(failed('Sorry'), { ...wire, status: 401 })).toBe(false);
  });

  it.each<[WireFailureKind, boolean]>([
    ['connection', true],
    ['cut-stream', true],
    ['first-byte-timeout', true],
    ['idle-timeout', true],
    ['worker-crash', true],
    ['total-timeout', false],
    ['line-too-long', false],
    ['too-many-bytes', false],
    ['redirect', false],
    ['web-page', false],
    ['not-a-stream', false],
    ['content-filter', false],
  ])('%s: transient %s, also when only the stored text is left', (kind, expected) => {
    const text = FAILURE_TEXTS[kind];
    expect(isTransient(failed(text), { ...wireFacts, failure: { kind, text } })).toBe(expected);
    expect(isTransient(failed(text))).toBe(expected);
    expect(classifyReply({ message: failed(text), sessionFigure: 0 })).toBe('other');
  });

  it.each([
    ['PROXY_AUTHENTICATION', false],
    ['HTTP_403', false],
    ['HTTP_404', false],
    ['HTTP_501', false],
    ['HTTP_408', true],
    ['HTTP_429', true],
    ['HTTP_502', true],
    ['HTTP_503', true],
    ['ECONNREFUSED', true],
  ])('WN25: a proxy’s %s is transient: %s, also by its stored words', (code, expected) => {
    const proxy = { href: 'http://me:word@proxy.test:1/', shown: 'http://proxy.test:1' };
    const status = /^HTTP_(\d+)$/.exec(code)?.[1] ?? (code === 'PROXY_AUTHENTICATION' ? '407' : undefined);
    const error = status
      ? new Error(`Proxy response (${status}) !== 200 when HTTP Tunneling`)
      : Object.assign(new Error('no'), { code });
    const { code: found, more } = proxyFailure(error, proxy);
    expect(found).toBe(code);
    const text = `${FAILURE_TEXTS.proxy} ${more}`;
    const failure = { kind: 'proxy' as const, text, code };
    expect(isTransient(failed(text), { ...wireFacts, status: null, failure })).toBe(expected);
    expect(isTransient(failed(text))).toBe(expected);
  });

  it('does not retry a bad certificate', () => {
    const failure = { kind: 'connection' as const, text: '', code: 'DEPTH_ZERO_SELF_SIGNED_CERT' };
    expect(isTransient(failed('Connection error.'), { ...wireFacts, failure })).toBe(false);
  });
});

describe('replies that are no errors (window 100000, threshold 85000)', () => {
  const limits = { window: 100_000, threshold: 85_000, maxOutput: 8_000 };
  it.each<[string, AssistantMessage, number, ReplyClass]>([
    ['stop inside the window', replied('stop', 90_000, 10), 90_010, 'ok'],
    ['stop over the window', replied('stop', 60_000, 10, 40_001), 100_011, 'silent'],
    ['tool use over the window', replied('toolUse', 120_000, 10), 120_010, 'ok'],
    ['empty length at 99 %', replied('length', 99_000, 0), 80_000, 'length-overflow'],
    ['empty length at 98 %', replied('length', 98_000, 0), 80_000, 'length'],
    ['short length over the threshold', replied('length', 86_000, 100), 86_100, 'length-overflow'],
    ['full length over the threshold', replied('length', 86_000, 8_000), 94_000, 'length'],
    ['length at 10 %', replied('length', 10_000, 8_000), 18_000, 'length'],
    ['aborted', replied('aborted', 0, 0), 0, 'aborted'],
  ])('%s', (_what, message, sessionFigure, expected) => {
    expect(classifyReply({ message, sessionFigure, ...limits })).toBe(expected);
  });

  it('never speaks of overflow when the window is unknown', () => {
    expect(classifyReply({ message: replied('stop', 10_000_000, 1), sessionFigure: 10_000_001, window: 0 })).toBe('ok');
    expect(classifyReply({ message: replied('length', 10_000_000, 0), sessionFigure: 10_000_000 })).toBe('length');
  });
});

describe('retryAfterOf', () => {
  it.each<[string, number | null]>([
    ['Please try again in 6.5s.', 6_500],
    ['Please try again in 120ms.', 120],
    ['Please try again in 1m30s.', 90_000],
    ['Please retry in 23.5s.', 23_500],
    ['Please try again later', null],
  ])('%s', (text, expected) => {
    expect(retryAfterOf(failed(text))).toBe(expected);
  });
});
