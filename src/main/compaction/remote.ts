import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import type { Readable } from 'node:stream';
import { z } from 'zod';
import type { ModelRef } from '@shared/types';
import { endpointHost, refuseEndpoint } from '@shared/policy/summary-endpoint';
import type { Settings } from '@shared/settings';
import { wellFormed } from '@shared/well-formed';
import { postOver } from '../network/proxy-fetch';
import type { FindRoute, Route } from '../network/proxy-route';
import { noUsage } from '../pi/empty-reply';
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
 * @throws SummaryError in fixed words, so that neither key nor page of the server gets into a message; SummaryAborted
 */
export async function callRemote(
  { systemPrompt, body }: { systemPrompt: string; body: string },
  { remote }: RemoteSummarizer,
  signal: AbortSignal,
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
    if (isLate) throw new SummaryError('Remote compaction timed out');
    throw error instanceof SummaryError ? error : failed(connectionReason(error));
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
  if (route.kind === 'refused') throw new SummaryError(route.detail);
  const address = new URL(url);
  const bytes = Buffer.from(body, 'utf8');
  const headers = {
    accept: 'application/json',
    'content-type': 'application/json',
    'content-length': bytes.length,
    ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
  };
  if (route.kind === 'proxy') {
    const { statusCode, body: answer } = await postOver(route.proxy.href, { url, headers, body: bytes, signal });
    return readAnswer(answer, statusCode, '', key);
  }
  const request = (address.protocol === 'https:' ? https : http).request(address, { method: 'POST', headers, signal });
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request.on('response', resolve).on('error', reject).end(bytes);
  });
  return readAnswer(response, response.statusCode ?? 0, response.statusMessage ?? '', key);
}

async function readAnswer(answer: Readable, status: number, words: string, key: string | undefined): Promise<string> {
  try {
    // A redirect is a failure too: followed, it would take the conversation to an address that nobody chose.
    if (status < 200 || status > 299) throw failed(statusOf(status, words, key));
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
    if (bytes > MAX_BYTES) throw failed('reply larger than 1 MiB');
    chunks.push(chunk);
  }
  // Unlike `toString` it drops a byte order mark, which `JSON.parse` would refuse.
  return new TextDecoder().decode(Buffer.concat(chunks));
}

const REPLY = z.object({ summary: z.string(), shortSummary: z.unknown().optional() });

function accept(text: string): SummaryReply {
  const reply = REPLY.safeParse(parse(text));
  const summary = reply.data?.summary.trim();
  if (!reply.success || !summary) throw new SummaryError('Remote compaction response missing summary');
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

function failed(reason: string): SummaryError {
  return new SummaryError(`Remote compaction failed (${reason})`);
}

/** `500 Internal Server Error`, without the key if a server repeats it there. */
function statusOf(status: number, words: string, key: string | undefined): string {
  const clean = key ? words.split(key).join('[key]') : words;
  return `${status} ${clean.slice(0, MAX_REASON_CHARS)}`.trim();
}

/** The kind of a connection's failure. Never its message, which may repeat what was sent. */
function connectionReason(error: unknown): string {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && /^[A-Z0-9_]+$/.test(code) ? code : 'connection failed';
}
