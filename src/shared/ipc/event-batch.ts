import type { EventBatch } from './contract';

/**
 * Loose by intent: the types of the contract say what an event holds; this refuses what is no batch of events at all. By
 * hand, because the contract's schemas, which the window has no other use for, cost its start 30 ms (QP16).
 */
export function isEventBatch(value: unknown): value is EventBatch {
  if (!isObject(value)) return false;
  const { seq, events } = value;
  return typeof seq === 'number' && Number.isSafeInteger(seq) && seq >= 0 && Array.isArray(events);
}

/** One that is none is left out: the others of its batch still count. */
export function isEvent(value: unknown): boolean {
  return isObject(value) && typeof value.type === 'string';
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
