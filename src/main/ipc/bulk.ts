import { MessageChannelMain, type WebContents } from 'electron';
import { CHANNELS, type BulkPacket } from '@shared/ipc/names';
import type { Log } from '../ports';
import { toFailure } from './failure';
import { type BulkSources, openBulk, pack } from './bulk-chunks';
import type { RequestGate } from './request-gate';

/**
 * Bulk data on a MessagePort of its own, pulled: the next chunk is read when the window has taken the last, so a slow
 * window costs no memory and a closed port ends the reading.
 */
export function serveBulk(
  sources: BulkSources,
  options: { windowId: () => number | undefined; log: Log; handle: RequestGate['serve'] },
): void {
  options.handle(CHANNELS.bulk, (event, input) => {
    const { name, bulkId, chunks } = openBulk(sources, event, input, options.windowId());
    // The sender was found to be the window's.
    pump(pack(name, chunks), event.sender as WebContents, bulkId, options.log);
  });
}

function pump(chunks: AsyncIterable<BulkPacket>, contents: WebContents, bulkId: string, log: Log): void {
  const { port1, port2 } = new MessageChannelMain();
  const iterator = chunks[Symbol.asyncIterator]();
  let ended = false;
  const end = (): void => {
    if (ended) return;
    ended = true;
    iterator.return?.().catch((error: unknown) => log.error('A bulk transfer could not be ended', error));
  };
  const sendNext = async (): Promise<void> => {
    try {
      const next = await iterator.next();
      if (ended) return;
      if (next.done) {
        ended = true;
        port1.postMessage({ done: true });
      } else {
        port1.postMessage(next.value);
      }
    } catch (error) {
      const { failure, expected } = toFailure(error);
      if (!expected) log.error('A bulk transfer failed', error);
      if (!ended) port1.postMessage({ error: failure.message });
      end();
    }
  };
  port1.on('message', ({ data }) => {
    if (ended) return;
    if (data === 'next') void sendNext();
    else end();
  });
  port1.on('close', end);
  port1.start();
  contents.postMessage(CHANNELS.bulkPort, { bulkId }, [port2]);
}
