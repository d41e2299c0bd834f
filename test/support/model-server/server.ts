import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { providerErrors } from './errors';
import { renderFrames } from './frames';
import { hostileServers } from './hostile';
import type { CapturedRequest, ErrorReply, HostileReply, ModelReply, ModelServer, Reply, Script, Wire } from './types';
import { write } from './write';

const DEFAULT_REPLY: ModelReply = { text: 'OK.' };
const SSE = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache',
  'x-request-id': 'req_loopback',
};

/** Starts a model server on a free port of 127.0.0.1. Answers "OK." until it is given a script. */
export async function startModelServer(): Promise<ModelServer> {
  let script: Script = () => DEFAULT_REPLY;
  let arrived: (() => void)[] = [];
  const requests: CapturedRequest[] = [];
  const models: ModelServer['models'] = [{ id: 'loopback', object: 'model', owned_by: 'espalier' }];

  const http = createServer((req, res) => {
    void (async () => {
      const path = (req.url ?? '/').split('?')[0] ?? '/';
      if (path.endsWith('/models')) return sendJson(res, 200, { object: 'list', data: models });
      const wire = wireOfPath(path);
      if (!wire)
        return sendJson(res, 404, { error: { message: `No such path: ${path}`, type: 'invalid_request_error' } });
      const request = await capture(req, res, wire, path, requests.length);
      requests.push(request);
      for (const wake of arrived) wake();
      await answer(await script(request, request.n), request, res);
    })().catch((error: unknown) => res.destroy(error instanceof Error ? error : undefined));
  });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');

  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    requests,
    models,
    script(next) {
      script = toScript(next, requests.length);
    },
    async received(n) {
      while (requests.length < n) await new Promise<void>((resolve) => arrived.push(resolve));
      arrived = [];
    },
    forget() {
      script = () => DEFAULT_REPLY;
      requests.length = 0;
      models.splice(1);
    },
    async close() {
      http.closeAllConnections();
      http.close();
      await once(http, 'close');
    },
  };
}

function toScript(next: Script | Reply | Reply[], offset: number): Script {
  if (typeof next === 'function') return (request, n) => next(request, n - offset);
  if (!Array.isArray(next)) return () => next;
  const queue = [...next];
  return () => queue.shift() ?? DEFAULT_REPLY;
}

function wireOfPath(path: string): Wire | null {
  if (path.endsWith('/chat/completions')) return 'completions';
  if (path.endsWith('/responses')) return 'responses';
  return path.endsWith('/messages') ? 'messages' : null;
}

async function capture(
  req: IncomingMessage,
  res: ServerResponse,
  wire: Wire,
  path: string,
  n: number,
): Promise<CapturedRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk as Buffer);
  const body = JSON.parse(Buffer.concat(chunks).toString('utf8') || '{}') as Record<string, unknown>;
  const request: CapturedRequest = {
    n,
    wire,
    path,
    method: req.method ?? '',
    headers: req.headers,
    body,
    at: Date.now(),
    abandoned: false,
    closed: new Promise((resolve) => {
      res.once('close', () => {
        request.abandoned = !res.writableFinished;
        resolve();
      });
    }),
  };
  return request;
}

async function answer(reply: Reply, request: CapturedRequest, res: ServerResponse): Promise<void> {
  if (typeof reply === 'string') return sendReply({ text: reply }, request, res);
  if ('hostile' in reply) return sendHostile(reply, request, res);
  if ('error' in reply) return sendError(reply, res);
  return sendReply(reply, request, res);
}

async function sendError(reply: ErrorReply, res: ServerResponse): Promise<void> {
  await sleep(reply.delayMs);
  const [status, body] =
    typeof reply.error === 'string' ? providerErrors[reply.error] : [reply.error.status, reply.error.body];
  const headers = { ...(reply.retryAfter === undefined ? {} : { 'retry-after': reply.retryAfter }), ...reply.headers };
  if (typeof body === 'string') {
    const type = body.startsWith('<') ? 'text/html' : 'text/plain';
    res.writeHead(status, { 'content-type': type, ...headers }).end(body);
  } else {
    res.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  }
}

async function sendHostile(reply: HostileReply, request: CapturedRequest, res: ServerResponse): Promise<void> {
  const frames = framesOf({ text: 'An unending, torn reply with ünïcödé 漢字 🌳.', chunkChars: 64 }, request);
  const scene = { res, wire: request.wire, path: request.path, frames, intervalMs: reply.intervalMs ?? 1_000 };
  await hostileServers[reply.hostile](scene);
}

async function sendReply(reply: ModelReply, request: CapturedRequest, res: ServerResponse): Promise<void> {
  await sleep(reply.delayMs);
  res.writeHead(200, { ...SSE, ...reply.headers });
  res.flushHeaders();
  const frames = framesOf(reply, request);
  if (reply.cutAtByte !== undefined) {
    const body = Buffer.from(frames.join(''));
    await write(res, body.subarray(0, reply.cutAtByte));
  } else {
    await sendFrames(frames, reply, res);
  }
  if (reply.ending === 'hang' || res.destroyed) return;
  if (reply.ending !== 'reset') return void res.end();
  // Let the bytes reach the client first, so that the reset cuts exactly there.
  await sleep(5);
  res.socket?.resetAndDestroy();
}

async function sendFrames(frames: string[], reply: ModelReply, res: ServerResponse): Promise<void> {
  const tokens = (reply.chunkChars ?? 12) / 4;
  const gapMs = reply.tokensPerSecond ? (tokens / reply.tokensPerSecond) * 1000 : 0;
  const begun = Date.now();
  for (const [index, frame] of frames.entries()) {
    if (res.destroyed) return;
    if (reply.pauseAt?.frame === index) await sleep(reply.pauseAt.ms);
    if (reply.holdAt?.frame === index) await reply.holdAt.until;
    if (gapMs > 0) await sleep(begun + index * gapMs - Date.now());
    await write(res, frame);
  }
}

function framesOf(reply: ModelReply, request: CapturedRequest): string[] {
  const model = typeof request.body.model === 'string' ? request.body.model : 'loopback';
  return renderFrames(request.wire, reply, { model, promptChars: JSON.stringify(request.body).length });
}

function sendJson(res: ServerResponse, status: number, body: object): void {
  res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

async function sleep(ms = 0): Promise<void> {
  if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
}
