import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import type { Wire } from './types';
import { write } from './write';

const MIB = 1024 * 1024;
const SSE = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' };

/** What a misbehaving server works with: the answer, the frames of a normal reply, and its own pace. */
export interface HostileScene {
  res: ServerResponse;
  wire: Wire;
  path: string;
  frames: string[];
  intervalMs: number;
}

/** The ways to misbehave that a `ModelReply` cannot express (QB5, QB6). */
export const hostileServers = {
  'hang-before-headers': () => undefined,
  'hang-after-headers': ({ res }: HostileScene) => {
    res.writeHead(200, SSE).flushHeaders();
  },
  'web-page': ({ res }: HostileScene) => {
    res.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
    res.end('<!DOCTYPE html><html><body><h1>Sign in</h1><form method="post"></form></body></html>');
  },
  'web-page-as-stream': ({ res }: HostileScene) => {
    res.writeHead(200, SSE).end('<!DOCTYPE html>\n<html><body>Sign in</body></html>');
  },
  'json-200': ({ res }: HostileScene) => {
    res.writeHead(200, { 'content-type': 'application/json' });
    res.end(JSON.stringify({ error: { message: 'streaming is not supported here', code: 'unsupported' } }));
  },
  'malformed-line': ({ res, frames }: HostileScene) => {
    const broken = frames[2]?.replace(/data: \{/, 'data: {"oops" ') ?? '';
    res.writeHead(200, SSE).end([...frames.slice(0, 2), broken, ...frames.slice(3)].join(''));
  },
  'long-line': async ({ res }: HostileScene) => {
    res.writeHead(200, SSE).write('data: {"id":"x","choices":[{"index":0,"delta":{"content":"');
    const block = 'a'.repeat(64 * 1024);
    for (let sent = 0; sent < 30 * MIB && !res.destroyed; sent += block.length) await write(res, block);
    res.end('"}}]}\n\n');
  },
  endless: async ({ res, frames }: HostileScene) => {
    res.writeHead(200, SSE);
    const deltas = frames.filter((frame) => frame.includes('unending') && frame.includes('delta'));
    res.write(frames.slice(0, frames.indexOf(deltas[0] ?? '')).join(''));
    const block = deltas.join('').repeat(50);
    while (!res.destroyed) await write(res, block);
  },
  'gzip-bomb': async ({ res }: HostileScene) => {
    res.writeHead(200, { ...SSE, 'content-encoding': 'gzip' });
    const member = gzipSync(Buffer.alloc(10 * MIB, 'a'));
    for (let sent = 0; sent < 100 && !res.destroyed; sent += 1) await write(res, member);
    res.end();
  },
  'gzip-bomb-lines': async ({ res }: HostileScene) => {
    res.writeHead(200, { ...SSE, 'content-encoding': 'gzip' });
    const member = gzipSync(Buffer.from(': keep-alive\n\n'.repeat(700_000)));
    for (let sent = 0; sent < 100 && !res.destroyed; sent += 1) await write(res, member);
    res.end();
  },
  'slow-drip': async ({ res, frames, intervalMs }: HostileScene) => {
    res.writeHead(200, SSE);
    for (const byte of Buffer.from(frames.join(''))) {
      if (res.destroyed) return;
      res.write(Buffer.from([byte]));
      await new Promise((resolve) => setTimeout(resolve, intervalMs));
    }
    res.end();
  },
  'header-flood': ({ res }: HostileScene) => {
    const flood = Array.from({ length: 2_000 }, (_, n) => `x-flood-${n}: ${'f'.repeat(1_000)}`).join('\r\n');
    res.socket?.end(`HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n${flood}\r\n\r\n`);
  },
  'redirect-loop': ({ res, path }: HostileScene) => {
    res.writeHead(307, { location: path }).end();
  },
  'invalid-utf8': ({ res, frames }: HostileScene) => {
    const body = Buffer.from(frames.join('').replaceAll('torn', '\u0001\u0001'), 'utf8');
    for (let at = body.indexOf(1); at !== -1; at = body.indexOf(1)) body[at] = 0xff;
    res.writeHead(200, SSE).end(body);
  },
  'nul-bytes': ({ res, frames }: HostileScene) => {
    res.writeHead(200, SSE).end(frames.join('').replaceAll('torn', '\u0000\u0000'));
  },
  'split-characters': async ({ res, frames }: HostileScene) => {
    res.writeHead(200, SSE);
    res.socket?.setNoDelay(true);
    for (const byte of Buffer.from(frames.join(''))) {
      if (byte >= 0x80) await new Promise((resolve) => setTimeout(resolve, 1));
      await write(res, Buffer.from([byte]));
    }
    res.end();
  },
} satisfies Record<string, (scene: HostileScene) => unknown>;

export type HostileName = keyof typeof hostileServers;
