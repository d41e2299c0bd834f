import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import type { Readable } from 'node:stream';
import { z } from 'zod';
import type { ModelRef } from '@shared/types';
import { endpointHost, type ProxyAddress, refuseEndpoint } from '@shared/policy/addresses';
import type { Settings } from '@shared/settings';
import { wellFormed } from '@shared/cut-text';
import { PASSWORD_REFUSED, postOver, PROXY_FAILED, proxyFailure, readErrorCode } from '../network/proxy-fetch';
import type { FindRoute, Route } from '../network/proxy-route';
import { noUsage } from '../pi/pi';
import type { FailedRequest, StreamTransport } from '../agent/stream/types';
import { SummaryAborted, SummaryError, type SummaryReply } from './summary-call';

/** Stands for the provider where a summary came from an endpoint of the person's own. */
export const REMOTE_PROVIDER = 'remote';

/** A longer reply is not a summary. */
const MAX_BYTES = 1024 * 1024;
/** Characters of a server's own words in an error. */
const MAX_REASON_CHARS = 100;
const MAX_SHORT_CHARS = 200;

/** The person's own server that writes summaries. Stands among the models that may, under the name `remote/<host>`. */
export interface RemoteSummarizer {
  ref: ModelRef;
  remote: { url: string; key: string | undefined; timeoutMs: number; route: Route };
}

/** The endpoint of the settings, or null if none is set. It is reached as providers are (WN25). */
export async function remoteSummarizer(
  settings: Pick<Settings, 'compaction.remoteEndpoint' | 'compaction.remoteTimeoutMs'>,
  key: string | undefined,
  findRoute: FindRoute,
): Promise<RemoteSummarizer | null> {
  const url = settings['compaction.remoteEndpoint'];
  if (url === '' || refuseEndpoint(url) !== null) return null;
  const ref = { provider: REMOTE_PROVIDER, modelId: endpointHost(url) };
  const timeoutMs = settings['compaction.remoteTimeoutMs'];
  return { ref, remote: { url, key, timeoutMs, route: await findRoute(url) } };
}

/**
 * One summary by the person's own endpoint (SU37): a POST of `{systemPrompt, prompt}`, answered by
 * `{summary, shortSummary?}`. What it costs there is not known: its usage is zero.
 * @param note told of a request that failed, before it is thrown
 * @throws SummaryError in fixed words, so that neither key nor page of the server gets into a message; SummaryAborted
 */
export async function callRemote(
  { systemPrompt, body }: { systemPrompt: string; body: string },
  { ref, remote }: RemoteSummarizer,
  signal: AbortSignal,
  note?: StreamTransport['noteFailure'],
): Promise<SummaryReply> {
  if (signal.aborted) throw new SummaryAborted();
  const controller = new AbortController();
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    controller.abort();
  }, remote.timeoutMs);
  const end = (): void => controller.abort();
  signal.addEventListener('abort', end, { once: true });
  try {
    const text = await post(remote, JSON.stringify(wellFormed({ systemPrompt, prompt: body })), controller.signal);
    return accept(text);
  } catch (error) {
    if (signal.aborted) throw new SummaryAborted();
    const failure = isLate
      ? new RemoteFailure('Remote compaction timed out', { kind: 'total-timeout' })
      : error instanceof RemoteFailure
        ? error
        : notConnected(error);
    note?.(ref, failure.facts);
    throw failure;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', end);
  }
}

/** Not `fetch`: its own limit of five minutes is shorter than the wait a person may set. It follows no redirects either way. */
async function post(
  { url, key, route }: RemoteSummarizer['remote'],
  body: string,
  signal: AbortSignal,
): Promise<string> {
  if (route.kind === 'refused') throw new RemoteFailure(route.detail, { kind: 'proxy' });
  const address = new URL(url);
  const bytes = Buffer.from(body, 'utf8');
  const headers = {
    accept: 'application/json',
    'content-type': 'application/json',
    'content-length': bytes.length,
    ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
  };
  if (route.kind === 'proxy') {
    const { proxy } = route;
    const sent = postOver(proxy.href, { url, headers, body: bytes, signal });
    const { statusCode, body: answer } = await sent.catch((error: unknown) => {
      throw notThrough(error, proxy);
    });
    return readAnswer(answer, statusCode, '', key);
  }
  const request = (address.protocol === 'https:' ? https : http).request(address, { method: 'POST', headers, signal });
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request.on('response', resolve).on('error', reject).end(bytes);
  });
  return readAnswer(response, response.statusCode ?? 0, response.statusMessage ?? '', key);
}

async function readAnswer(answer: Readable, status: number, words: string, key: string | undefined): Promise<string> {
  // Undici takes it for an error if a body that is not read through is closed.
  answer.on('error', () => undefined);
  try {
    // A redirect is a failure too: followed, it would take the conversation to an address that nobody chose.
    if (status < 200 || status > 299) throw failed(statusOf(status, words, key), { status, kind: kindOf(status) });
    return await readText(answer);
  } finally {
    answer.destroy();
  }
}

/** @throws SummaryError as soon as more comes than a summary can be long */
async function readText(response: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) throw failed('reply larger than 1 MiB', { kind: 'too-many-bytes' });
    chunks.push(chunk);
  }
  // Unlike `toString` it drops a byte order mark, which `JSON.parse` would refuse.
  return new TextDecoder().decode(Buffer.concat(chunks));
}

const REPLY = z.object({ summary: z.string(), shortSummary: z.unknown().optional() });

function accept(text: string): SummaryReply {
  const reply = REPLY.safeParse(parse(text));
  const summary = reply.data?.summary.trim();
  if (!reply.success || !summary)
    throw new RemoteFailure('Remote compaction response missing summary', { kind: 'bad-reply' });
  const { shortSummary: short } = reply.data;
  const line = typeof short === 'string' ? short.replace(/\s+/g, ' ').trim() : '';
  return {
    text: summary,
    usage: noUsage(),
    ...(line === '' ? {} : { shortSummary: [...line].slice(0, MAX_SHORT_CHARS).join('') }),
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function failed(reason: string, facts: FailedRequest): RemoteFailure {
  return new RemoteFailure(`Remote compaction failed (${reason})`, facts);
}

/** What the log is told of a failed request (WN19). */
class RemoteFailure extends SummaryError {
  constructor(
    message: string,
    readonly facts: FailedRequest,
  ) {
    super(message, facts.code === PASSWORD_REFUSED ? 'password' : 'other');
  }
}

function kindOf(status: number): string {
  if (status === 401 || status === 403) return 'unauthorized';
  return status >= 500 ? 'server-error' : 'error';
}

/** `500 Internal Server Error`, without the key if a server repeats it there. */
function statusOf(status: number, words: string, key: string | undefined): string {
  const clean = key ? words.split(key).join('[key]') : words;
  return `${status} ${clean.slice(0, MAX_REASON_CHARS)}`.trim();
}

/** By the kind of the failure alone, never its message, which may repeat what was sent. */
function notConnected(error: unknown): RemoteFailure {
  const code = readErrorCode(error);
  const known = code !== undefined && /^[A-Z0-9_]+$/.test(code) ? code : undefined;
  return failed(known ?? 'connection failed', { kind: 'connection', ...(known ? { code: known } : {}) });
}

/** The same where a proxy stands on the way: it is named (WN25). */
function notThrough(error: unknown, proxy: ProxyAddress): RemoteFailure {
  const { code, more } = proxyFailure(error, proxy);
  const facts = { kind: 'proxy', ...(code ? { code } : {}) };
  return new RemoteFailure(`Remote compaction failed. ${PROXY_FAILED} ${more}`, facts);
}
