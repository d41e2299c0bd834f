import { setImmediate } from 'node:timers/promises';
import type { AppEvent, EventBatch } from '@shared/ipc/contract';
import type { BatchPart } from '@shared/ipc/names';
import { isLong, jsonPieces, splitJson } from '../large-json';

/** Told of an event that can't be written as text, as one that is nested without end. */
export type OnUnsendable = (error: unknown, event: AppEvent) => void;

/**
 * Sends batches in their order, as text: those with the line of an entry of many megabytes in parts, between which this thread
 * does other work. An event that can't be written as text is left out alone; its missing number tells the window.
 */
export function batchSender(
  send: (message: string | BatchPart) => void,
  onUnsendable: OnUnsendable,
): (batch: EventBatch) => void {
  let sending: Promise<void> | null = null;
  return (batch) => {
    if (!sending && !isLarge(batch)) return send(textOf(batch, onUnsendable));
    const sent: Promise<void> = (sending ?? Promise.resolve())
      .then(() => sendParts(batch, send, onUnsendable))
      .finally(() => {
        if (sending === sent) sending = null;
      });
    sending = sent;
  };
}

function textOf(batch: EventBatch, onUnsendable: OnUnsendable): string {
  try {
    return JSON.stringify(batch);
  } catch {
    return JSON.stringify(sendable(batch, onUnsendable));
  }
}

function sendable(batch: EventBatch, onUnsendable: OnUnsendable): EventBatch {
  const events = batch.events.filter((event) => {
    try {
      // A line is a text, which can always be written; one of many megabytes is not written here.
      JSON.stringify(isLong(lineOf(event)) ? { ...event, line: null } : event);
      return true;
    } catch (error) {
      onUnsendable(error, event);
      return false;
    }
  });
  return { ...batch, events };
}

function isLarge({ events }: EventBatch): boolean {
  return events.some((event) => isLong(lineOf(event)));
}

function lineOf(event: AppEvent): string {
  return event.type === 'entry_appended' ? event.line.line : '';
}

async function sendParts(
  batch: EventBatch,
  send: (message: string | BatchPart) => void,
  onUnsendable: OnUnsendable,
): Promise<void> {
  if (!isLarge(batch)) return send(textOf(batch, onUnsendable));
  let at = 0;
  for (const text of jsonPieces(splitJson(sendable(batch, onUnsendable)))) {
    send({ seq: batch.seq, at, text, isLast: false });
    at += 1;
    await setImmediate();
  }
  send({ seq: batch.seq, at, text: '', isLast: true });
}
