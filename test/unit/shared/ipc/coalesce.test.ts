import fc from 'fast-check';
import { expect, it } from 'vitest';
import { coalesceEvents } from '@shared/ipc/event-batch';
import type { AppEvent } from '@shared/ipc/contract';

/** What a window knows after some events: text by block and tool, the last of each state, the order of the rest. */
function replay(events: readonly AppEvent[]): unknown {
  const texts: Record<string, string> = {};
  const states: Record<string, unknown> = {};
  const rest: AppEvent[] = [];
  for (const event of events) {
    if (event.type === 'stream_delta') {
      const key = `${event.sessionId} ${event.streamId} ${event.index} ${event.kind}`;
      texts[key] = (texts[key] ?? '') + event.delta;
    } else if (event.type === 'tool_output') {
      const key = `${event.sessionId} ${event.toolCallId}`;
      texts[key] = (texts[key] ?? '') + event.chunk;
    } else if (event.type === 'queue_changed') states[event.sessionId] = event.items;
    else rest.push(event);
  }
  const order = ['a', 'b'].map((id) => rest.filter((event) => 'sessionId' in event && event.sessionId === id));
  return { texts, states, order };
}

const sessionId = fc.constantFrom('a', 'b');
const event = fc.oneof(
  fc.record({
    type: fc.constant('stream_delta' as const),
    sessionId,
    streamId: fc.constantFrom('s', 't'),
    index: fc.nat(2),
    kind: fc.constantFrom('text' as const, 'thinking' as const),
    delta: fc.string({ maxLength: 3 }),
  }),
  fc.record({
    type: fc.constant('tool_output' as const),
    sessionId,
    toolCallId: fc.constantFrom('x', 'y'),
    chunk: fc.string({ maxLength: 3 }),
  }),
  fc.record({
    type: fc.constant('queue_changed' as const),
    sessionId,
    items: fc.constantFrom([], [{ id: '1' }] as never),
  }),
  fc.record({
    type: fc.constant('stream_end' as const),
    sessionId,
    streamId: fc.constantFrom('s', 't'),
    entryId: fc.constant(null),
  }),
  fc.record({
    type: fc.constant('session_state' as const),
    sessionId,
    state: fc.constantFrom('idle' as const, 'streaming' as const),
  }),
) as fc.Arbitrary<unknown> as fc.Arbitrary<AppEvent>;

it('EV4: a window that gets coalesced events knows what it would know from all of them', () => {
  fc.assert(
    fc.property(fc.array(event, { maxLength: 40 }), (events) => {
      const before = JSON.stringify(events);
      const joined = coalesceEvents(events);
      expect(joined.length).toBeLessThanOrEqual(events.length);
      expect(replay(joined)).toEqual(replay(events));
      expect(JSON.stringify(events)).toBe(before);
    }),
    { numRuns: 500 },
  );
});

it('EV4: text never moves past an event of its session that came before it', () => {
  const delta = (text: string, n: number, over?: number): AppEvent => ({
    type: 'stream_delta',
    sessionId: 'a',
    streamId: 's',
    index: 0,
    kind: 'text',
    delta: text,
    n,
    ...(over ? { over } : {}),
  });
  const end: AppEvent = { type: 'stream_end', sessionId: 'a', n: 3, streamId: 's', entryId: null };
  expect(coalesceEvents([delta('1', 1), delta('2', 2), end, delta('3', 4), delta('4', 5)])).toEqual([
    delta('12', 2, 2),
    end,
    delta('34', 5, 2),
  ]);
});
