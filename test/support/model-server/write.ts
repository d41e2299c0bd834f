import type { ServerResponse } from 'node:http';

/** Writes and waits until the client has taken it, or is gone. */
export async function write(res: ServerResponse, data: string | Buffer): Promise<void> {
  if (data.length === 0 || res.destroyed || res.write(data)) return;
  await new Promise<void>((resolve) => {
    const done = (): void => {
      res.off('drain', done);
      res.off('close', done);
      resolve();
    };
    res.once('drain', done);
    res.once('close', done);
  });
}
