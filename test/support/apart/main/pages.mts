import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

type Serve = (request: Request) => Response | Promise<Response>;

/** Who answers for the host of an `app:` address: the same code as in Electron, headers included. */
const served = new Map<string, Serve>();

/** The hosts of the app's own pages, in the sessions that serve them. */
export const HOST_OF_APP = 'app';
export const HOST_OF_CONSENT = 'consent';

export function serveHost(host: string, serve: Serve): void {
  served.set(host, serve);
}

/** Where Chromium, which knows no scheme `app:`, finds what main serves. On `localhost` a page may store and is secure. */
export function addressFor(url: string): string {
  return url.replace(/^app:\/\/([^/]+)/, 'http://$1.localhost');
}

/** Serves the pages on a free port of this machine. */
export function startPages(): Promise<number> {
  const server = createServer((request, response) => {
    const host = /^([^.]+)\.localhost$/.exec(request.headers.host ?? '')?.[1] ?? '';
    const serve = served.get(host);
    // What a browser asks for by itself, and Electron does not.
    if (request.url === '/favicon.ico') return void response.writeHead(204).end();
    const answer = async (): Promise<void> => {
      const { status, headers, body } = serve
        ? await wholeAnswer(serve, `app://${host}${request.url ?? '/'}`)
        : { status: 404, headers: {}, body: new Uint8Array() };
      response.writeHead(status, headers).end(body);
    };
    answer().catch((error: unknown) => {
      process.stderr.write(`The page's file ${request.url} could not be served: ${String(error)}\n`);
      response.destroy();
    });
  });
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      server.unref();
      resolve((server.address() as AddressInfo).port);
    });
  });
}

async function wholeAnswer(serve: Serve, url: string) {
  const answer = await serve(new Request(url));
  const headers = Object.fromEntries(answer.headers as unknown as Iterable<[string, string]>);
  return { status: answer.status, headers, body: new Uint8Array(await answer.arrayBuffer()) };
}
