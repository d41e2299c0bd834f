import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { probeJson } from '../../../src/main/models/endpoint-test';

/** What the “Test” button says about what an address answers, over real sockets. */
let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

async function serve(answer: RequestListener): Promise<string> {
  server = createServer(answer);
  await new Promise<void>((resolve) => server!.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/models`;
}

it('reads JSON, with a byte order mark before it too', async () => {
  const url = await serve((_request, response) => response.end('\uFEFF{"data":[{"id":"a"}]}'));
  expect(await probeJson(url)).toEqual({ ok: true, body: { data: [{ id: 'a' }] } });
});

it('stops reading an endless answer, and says that it is not JSON', async () => {
  let sent = 0;
  const url = await serve((_request, response) => {
    const chunk = 'x'.repeat(256 * 1024);
    const more = (): void => {
      while (!response.destroyed && response.write(chunk)) sent += chunk.length;
      if (!response.destroyed) response.once('drain', more);
    };
    more();
  });
  expect(await probeJson(url, { timeoutMs: 60_000 })).toMatchObject({
    ok: false,
    message: expect.stringContaining('other than JSON'),
  });
  // The limit of 4 MB and what the sockets hold, never the rest.
  expect(sent).toBeLessThan(64 * 1024 * 1024);
});

it.each([
  [401, '', 'It rejected the key (HTTP 401). Check the key.'],
  [302, '', 'It redirects to another address. Enter that address as the base URL.'],
  [
    200,
    '<!doctype html><p>Welcome',
    'It returned a web page instead of JSON. Check the base URL; it often ends in /v1.',
  ],
  [500, 'out of cheese', 'It returned HTTP 500: out of cheese.'],
  [200, 'hello', 'It returned something other than JSON. Check the base URL.'],
])('HTTP %i with %j: says what to do', async (status, body, message) => {
  const url = await serve((_request, response) => response.writeHead(status, { location: '/else' }).end(body));
  expect(await probeJson(url)).toEqual({ ok: false, status, message });
});

it('says when nothing answers, and when it takes too long', async () => {
  const url = await serve(() => undefined);
  expect(await probeJson(url, { timeoutMs: 1000 })).toMatchObject({ message: 'It did not answer within 1 seconds.' });
  await new Promise<void>((resolve) => {
    server!.closeAllConnections();
    server!.close(() => resolve());
  });
  expect(await probeJson(url)).toMatchObject({
    message: 'Nothing answers at that address. Is the server running?',
  });
});
