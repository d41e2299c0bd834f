import type { AppEvent, EventBatch } from './contract';

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

type StreamDelta = Extract<AppEvent, { type: 'stream_delta' }>;
type ToolOutput = Extract<AppEvent, { type: 'tool_output' }>;

/**
 * Joins what a frame gathered (QP6): neighbouring deltas of one block, neighbouring output of one tool, and of
 * states that replace each other only the last. The order of all other events is kept, and an event never moves before
 * one that came earlier for the same session. Linear; the events given are not changed. Those of a session are numbered anew
 * within its numbers, so that they ascend and none is missing (EV5).
 */
export function coalesceEvents(events: readonly AppEvent[]): AppEvent[] {
  const joined: AppEvent[] = [];
  /** Where the newest event of a kind that may still grow stands, by session, block or tool. */
  const open = new Map<string, { at: number; parts: string[] }>();
  /** How many events stand at a place of `joined`, where it is more than one. */
  const over = new Map<number, number>();
  const count = (at: number): void => void over.set(at, (over.get(at) ?? 1) + 1);
  const close = (sessionId: string): void => {
    for (const key of open.keys()) if (key.startsWith(`${sessionId}\n`)) settle(joined, open, key);
  };
  // Nearly all are deltas that follow each other: no key has to be made for those.
  let before: StreamDelta | null = null;
  let parts: string[] = [];
  let beforeAt = 0;
  for (const event of events) {
    if (before && event.type === 'stream_delta' && isSameBlock(event, before)) {
      parts.push(event.delta);
      count(beforeAt);
      continue;
    }
    before = null;
    const key = growthKey(event);
    if (key === null) {
      if ('sessionId' in event && typeof event.sessionId === 'string') close(event.sessionId);
      joined.push(event);
      continue;
    }
    const text = event.type === 'stream_delta' ? event.delta : event.type === 'tool_output' ? event.chunk : '';
    const known = open.get(key);
    const grown = known ?? { at: joined.length, parts: [] };
    if (known) count(known.at);
    if (known && !isText(event)) joined[known.at] = event;
    else grown.parts.push(text);
    if (!known) {
      open.set(key, grown);
      joined.push(event);
    }
    if (event.type === 'stream_delta') [before, parts, beforeAt] = [event, grown.parts, grown.at];
  }
  for (const key of open.keys()) settle(joined, open, key);
  if (over.size > 0) renumber(events, joined, over);
  return joined;
}

function renumber(events: readonly AppEvent[], joined: AppEvent[], over: ReadonlyMap<number, number>): void {
  const numbers = new Map<string, number>();
  for (const event of events) {
    if ('n' in event && !numbers.has(event.sessionId)) numbers.set(event.sessionId, event.n - 1);
  }
  joined.forEach((event, at) => {
    if (!('n' in event)) return;
    const many = over.get(at) ?? 1;
    const n = (numbers.get(event.sessionId) ?? 0) + many;
    numbers.set(event.sessionId, n);
    if (n !== event.n || many > 1) joined[at] = { ...event, n, ...(many > 1 ? { over: many } : {}) };
  });
}

function isSameBlock(a: StreamDelta, b: StreamDelta): boolean {
  return a.index === b.index && a.kind === b.kind && a.streamId === b.streamId && a.sessionId === b.sessionId;
}

function isText(event: AppEvent): event is StreamDelta | ToolOutput {
  return event.type === 'stream_delta' || event.type === 'tool_output';
}

function growthKey(event: AppEvent): string | null {
  switch (event.type) {
    case 'stream_delta':
      return `${event.sessionId}\ndelta\n${event.streamId}\n${event.index}\n${event.kind}`;
    case 'tool_output':
      return `${event.sessionId}\noutput\n${event.toolCallId}`;
    case 'context_usage':
      return `${event.sessionId}\nusage`;
    case 'extension_shows':
      return `${event.sessionId}\nshows`;
    case 'extension_frame':
      return `${event.sessionId}\nframe\n${event.viewId}`;
    case 'queue_changed':
      return `${event.sessionId}\nqueue`;
    case 'sessions_changed':
      return `${event.summary.id}\nsummary`;
    default:
      return null;
  }
}

function settle(joined: AppEvent[], open: Map<string, { at: number; parts: string[] }>, key: string): void {
  const known = open.get(key);
  open.delete(key);
  const event = known && joined[known.at];
  if (!known || !event || known.parts.length < 2) return;
  if (event.type === 'stream_delta') joined[known.at] = { ...event, delta: known.parts.join('') };
  if (event.type === 'tool_output') joined[known.at] = { ...event, chunk: known.parts.join('') };
}
