import { createServer, request, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';

export interface ProxyServer {
  url: string;
  /** What it was asked for: method and address, as it stood in the request, and who asked. */
  readonly asked: { line: string; authorization: string | undefined }[];
  close(): Promise<void>;
}

/** What a proxy shows a person who may not pass. */
const PAGE = '<!DOCTYPE html><html><head><title>No</title></head><body>The proxy says no.</body></html>';
const PAGE_HEAD = `Content-Type: text/html\r\nContent-Length: ${PAGE.length}\r\nConnection: close`;

export interface ProxyOptions {
  /** Every host that it is asked for lies at this port of the loopback interface: names need not exist. */
  port: number;
  /** Answers everything with this status. */
  refuses?: number;
  /** Lets in only who brings this, as `name:password`. */
  password?: string;
}

/** A real HTTP proxy on the loopback interface: whole addresses for http, tunnels for https. */
export async function startProxyServer({ port, refuses, password }: ProxyOptions): Promise<ProxyServer> {
  const asked: ProxyServer['asked'] = [];
  const sockets = new Set<Socket>();
  const wanted = password === undefined ? undefined : `Basic ${Buffer.from(password).toString('base64')}`;
  const statusFor = (authorization: string | undefined): number | undefined =>
    refuses ?? (wanted !== undefined && authorization !== wanted ? 407 : undefined);
  const server: Server = createServer((incoming, outgoing) => {
    const { 'proxy-authorization': authorization, ...headers } = incoming.headers;
    asked.push({ line: `${incoming.method} ${incoming.url}`, authorization });
    const status = statusFor(authorization);
    if (status !== undefined) return void outgoing.writeHead(status).end('The proxy says no.');
    const { pathname, search } = new URL(incoming.url ?? '/');
    const onward = request({ host: '127.0.0.1', port, path: pathname + search, method: incoming.method, headers });
    onward.on('response', (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    onward.on('error', () => outgoing.destroy());
    incoming.pipe(onward);
  });
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => undefined);
  });
  server.on('connect', (incoming, socket: Socket, head: Buffer) => {
    const authorization = incoming.headers['proxy-authorization'];
    asked.push({ line: `CONNECT ${incoming.url}`, authorization });
    const status = statusFor(authorization);
    if (status !== undefined) return void socket.end(`HTTP/1.1 ${status} No\r\n${PAGE_HEAD}\r\n\r\n${PAGE}`);
    const onward = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      onward.write(head);
      onward.pipe(socket).pipe(onward);
    });
    sockets.add(onward);
    onward.on('error', () => socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
