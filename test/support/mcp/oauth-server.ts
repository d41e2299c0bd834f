import { createHash, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

/** An MCP server over streamable HTTP on the loopback interface, which wants a sign-in by OAuth with PKCE, and its own authorisation server. */
export interface OAuthServer {
  url: string;
  /** Tokens that are good now. */
  readonly tokens: Set<string>;
  readonly seen: string[];
  /** What the person does at the sign-in. */
  person: 'agrees' | 'refuses';
  close(): Promise<void>;
}

export async function startOAuthServer(): Promise<OAuthServer> {
  const tokens = new Set<string>();
  const refresh = new Set<string>();
  const codes = new Map<string, { challenge: string; redirect: string }>();
  const seen: string[] = [];
  const token = (): string => randomBytes(12).toString('hex');

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? '/', base);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString('utf8');
    const json = (value: unknown, status = 200): void => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(value));
    };
    seen.push(`${request.method} ${url.pathname}`);
    switch (url.pathname) {
      case '/.well-known/oauth-protected-resource/mcp':
      case '/.well-known/oauth-protected-resource':
        return json({ resource: `${base}/mcp`, authorization_servers: [base] });
      case '/.well-known/oauth-authorization-server':
        return json({
          issuer: base,
          authorization_endpoint: `${base}/authorize`,
          token_endpoint: `${base}/token`,
          registration_endpoint: `${base}/register`,
          response_types_supported: ['code'],
          grant_types_supported: ['authorization_code', 'refresh_token'],
          code_challenge_methods_supported: ['S256'],
          token_endpoint_auth_methods_supported: ['none'],
        });
      case '/register':
        return json({ ...(JSON.parse(body) as object), client_id: 'client-1' }, 201);
      case '/authorize': {
        const redirect = url.searchParams.get('redirect_uri') ?? '';
        const target = new URL(redirect);
        target.searchParams.set('state', url.searchParams.get('state') ?? '');
        if (server.person === 'refuses') target.searchParams.set('error', 'access_denied');
        else {
          const code = token();
          codes.set(code, { challenge: url.searchParams.get('code_challenge') ?? '', redirect });
          target.searchParams.set('code', code);
        }
        response.writeHead(302, { location: String(target) });
        return void response.end();
      }
      case '/token': {
        const form = new URLSearchParams(body);
        const code = codes.get(form.get('code') ?? '');
        const verifier = createHash('sha256')
          .update(form.get('code_verifier') ?? '')
          .digest('base64url');
        const isCode = code?.challenge === verifier && code.redirect === form.get('redirect_uri');
        if (!isCode && !refresh.delete(form.get('refresh_token') ?? '')) return json({ error: 'invalid_grant' }, 400);
        const given = { access_token: token(), refresh_token: token(), token_type: 'Bearer', expires_in: 3600 };
        tokens.add(given.access_token);
        refresh.add(given.refresh_token);
        return json(given);
      }
      case '/mcp':
        return mcp(request, response, body, json);
      default:
        return json({}, 404);
    }
  };

  const mcp = (
    { method, headers }: IncomingMessage,
    response: ServerResponse,
    body: string,
    json: (value: unknown, status?: number) => void,
  ): void => {
    if (!tokens.has((headers.authorization ?? '').replace('Bearer ', ''))) {
      response.setHeader('www-authenticate', `Bearer resource_metadata="${base}/.well-known/oauth-protected-resource"`);
      return json({ error: 'unauthorized' }, 401);
    }
    if (method !== 'POST') return json({}, 405);
    const {
      id,
      method: asked,
      params,
    } = JSON.parse(body) as { id?: number; method: string; params?: { protocolVersion?: string } };
    if (id === undefined) {
      response.writeHead(202);
      return void response.end();
    }
    const results: Record<string, unknown> = {
      initialize: {
        protocolVersion: params?.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: 'remote', version: '1' },
      },
      'tools/list': { tools: [{ name: 'where', inputSchema: { type: 'object' } }] },
      'tools/call': { content: [{ type: 'text', text: 'Far away.' }] },
    };
    json({ jsonrpc: '2.0', id, result: results[asked] ?? {} });
  };

  const http = createServer((request, response) => void answer(request, response)).listen(0, '127.0.0.1');
  await once(http, 'listening');
  const base = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  const server: OAuthServer = {
    ...{ url: `${base}/mcp`, tokens, seen, person: 'agrees' },
    close: async () => {
      http.closeAllConnections();
      http.close();
      await once(http, 'close');
    },
  };
  return server;
}
