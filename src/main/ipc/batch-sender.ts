import { setImmediate } from 'node:timers/promises';
import type { EventBatch } from '@shared/ipc/contract';
import type { BatchPart } from '@shared/ipc/names';
import { isLong, jsonPieces, splitJson } from '../large-json';

/**
 * Sends batches in their order, as text: those with the line of an entry of many megabytes in parts, between which this thread
 * does other work.
 */
export function batchSender(send: (message: string | BatchPart) => void): (batch: EventBatch) => void {
  let sending: Promise<void> | null = null;
  return (batch) => {
    if (!sending && !isLarge(batch)) return send(JSON.stringify(batch));
    const sent: Promise<void> = (sending ?? Promise.resolve())
      .then(() => sendParts(batch, send))
      .finally(() => {
        if (sending === sent) sending = null;
      });
    sending = sent;
  };
}

function isLarge({ events }: EventBatch): boolean {
  return events.some((event) => event.type === 'entry_appended' && isLong(event.line.line));
}

async function sendParts(batch: EventBatch, send: (message: string | BatchPart) => void): Promise<void> {
  if (!isLarge(batch)) return send(JSON.stringify(batch));
  let at = 0;
  for (const text of jsonPieces(splitJson(batch))) {
    send({ seq: batch.seq, at, text, isLast: false });
    at += 1;
    await setImmediate();
  }
  send({ seq: batch.seq, at, text: '', isLast: true });
}
