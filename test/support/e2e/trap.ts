import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Trap {
  /** An address that nothing may ever fetch. */
  url: string;
  /** What was asked of it all the same. */
  requests: string[];
  close(): Promise<void>;
}

/** Listens on a free port of this machine and counts what comes. */
export function startTrap(): Promise<Trap> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    response.writeHead(200, { 'access-control-allow-origin': '*' }).end();
  });
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      const close = (): Promise<void> => {
        server.closeAllConnections();
        return new Promise((done) => server.close(() => done()));
      };
      resolve({ url: `http://127.0.0.1:${port}`, requests, close });
    });
  });
}
