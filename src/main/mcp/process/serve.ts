import { Connection, reasonOf, wantsSignIn } from './connection';
import { signIn } from './sign-in';
import type { FromProcess, McpRequests, ToProcess } from './messages';

const NOT_CONNECTED = 'The server is not connected.';

/** Serves main over a port: everything that has to do with servers happens here, so that none of it can hold up main. */
export function serveMcp(post: (message: FromProcess) => void, version: string): (message: ToProcess) => void {
  const connections = new Map<number, Connection>();
  const running = new Map<number, AbortController>();

  const of = (server: number): Connection => {
    const connection = connections.get(server);
    if (!connection) throw new Error(NOT_CONNECTED);
    return connection;
  };

  const drop = async (server: number): Promise<void> => {
    const connection = connections.get(server);
    connections.delete(server);
    await connection?.close();
  };

  const connect = async ({ server, reach, timeoutMs }: McpRequests['connect']['params'], signal: AbortSignal) => {
    await drop(server);
    const connection: Connection = new Connection(
      reach,
      timeoutMs,
      {
        log: (line) => post({ event: 'log', server, line }),
        changed: () => connections.get(server) === connection && post({ event: 'changed', server }),
        keep: (saved) => post({ event: 'keep', server, saved }),
        started: (group) => post({ event: 'started', server, group }),
        ended: (group) => post({ event: 'ended', group }),
        gone: (why) => {
          if (connections.get(server) !== connection) return;
          connections.delete(server);
          post({ event: 'gone', server, why });
        },
      },
      version,
    );
    const offer = await connection.open(signal);
    // Of two that were begun one stays: nothing that was started is forgotten.
    await drop(server);
    if (signal.aborted) {
      await connection.close();
      throw new Error('It was stopped.');
    }
    connections.set(server, connection);
    return offer;
  };

  const answer = (request: Extract<ToProcess, { id: number }>, signal: AbortSignal): Promise<unknown> => {
    switch (request.method) {
      case 'ping':
        return Promise.resolve(null);
      case 'connect':
        return connect(request, signal);
      case 'signIn': {
        const { id, server, url, oauth } = request;
        const keep = (saved: string): void => post({ event: 'keep', server, saved });
        const open = (address: string): void => post({ event: 'open', id, url: address });
        return signIn({ url, oauth, keep, open, signal }).then(() => null);
      }
      case 'disconnect':
        return drop(request.server).then(() => null);
      case 'offer':
        return of(request.server).offer(signal);
      case 'call': {
        const { id, server, tool, args, outputFile, timeoutMs } = request;
        const onProgress = (text: string): void => post({ event: 'progress', id, text });
        return of(server).call(tool, args, outputFile, { timeoutMs, signal, onProgress });
      }
      case 'resources':
        return of(request.server).resources(signal);
      case 'read':
        return of(request.server).read(request.uri, request.outputFile, signal);
      case 'prompt':
        return of(request.server).prompt(request.name, request.args, signal);
    }
  };

  return (message) => {
    if ('cancel' in message) {
      running.get(message.cancel)?.abort(new Error('It was stopped.'));
      return;
    }
    const { id } = message;
    const controller = new AbortController();
    running.set(id, controller);
    void (async () => answer(message, controller.signal))()
      .then(
        (value) => post({ id, answer: value }),
        (error: unknown) => {
          const failed = { id, error: reasonOf(error) };
          post(wantsSignIn(error) ? { ...failed, needsSignIn: true } : failed);
        },
      )
      .finally(() => running.delete(id));
  };
}
