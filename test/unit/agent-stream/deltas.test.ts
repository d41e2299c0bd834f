import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DeltaBatcher } from '../../../src/main/agent/stream/worker-server';
import { DeltaQueue } from '../../../src/main/agent/stream/worker-transport';
import { failedOutcome } from '../../../src/main/agent/stream/failed-reply';
import { defaultLimits, type DeltaEvent } from '../../../src/main/agent/stream/types';
import { NO_PROXIES } from '../../../src/main/network/proxy-fetch';
import { modelsFor } from '../../support/model-server/models';

const model = modelsFor({ url: 'http://127.0.0.1:1' }).completions;
const request = { model, context: { messages: [] }, options: {}, limits: defaultLimits(), proxies: NO_PROXIES };

const delta = fc.record({
  type: fc.constantFrom('text_delta' as const, 'thinking_delta' as const, 'toolcall_delta' as const),
  contentIndex: fc.nat({ max: 2 }),
  delta: fc.string({ maxLength: 5 }),
});
const start = fc.record({ type: fc.constant('text_start' as const), contentIndex: fc.nat({ max: 2 }) });

/** Neighbouring deltas of a block joined: what batching may change, and nothing else. */
function joined(events: DeltaEvent[]): DeltaEvent[] {
  const out: DeltaEvent[] = [];
  for (const event of events) {
    const last = out.at(-1);
    if (
      last &&
      'delta' in last &&
      'delta' in event &&
      last.type === event.type &&
      last.contentIndex === event.contentIndex
    ) {
      out[out.length - 1] = { ...last, delta: last.delta + event.delta };
    } else out.push(event);
  }
  return out;
}

describe('DeltaBatcher', () => {
  it('keeps order and every character', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(delta, start), { maxLength: 60 }), async (events) => {
        const sent: DeltaEvent[] = [];
        const batcher = new DeltaBatcher((batch) => sent.push(...batch));
        for (const [n, event] of events.entries()) {
          if (n % 25 === 24) await sleep(1);
          batcher.push(event);
        }
        batcher.flush();
        expect(joined(sent)).toEqual(joined(events));
      }),
      { numRuns: 50 },
    );
  });

  it('sends the first delta at once and a burst as one event', () => {
    const batches: DeltaEvent[][] = [];
    const batcher = new DeltaBatcher((batch) => batches.push(batch));
    const push = (text: string) => batcher.push({ type: 'text_delta', contentIndex: 0, delta: text });
    push('a');
    expect(batches).toEqual([[{ type: 'text_delta', contentIndex: 0, delta: 'a' }]]);
    for (let n = 0; n < 1000; n += 1) push('b');
    batcher.flush();
    expect(
      batches
        .flat()
        .map((event) => ('delta' in event ? event.delta : ''))
        .join(''),
    ).toBe(`a${'b'.repeat(1000)}`);
    expect(batches.flat().length).toBeLessThan(50);
  });
});

describe('DeltaQueue', () => {
  it('yields what was pushed, then ends with the first outcome', async () => {
    const queue = new DeltaQueue();
    const event = (n: number): DeltaEvent => ({ type: 'text_delta', contentIndex: 0, delta: `${n}` });
    queue.push([event(1), event(2)]);
    const seen: DeltaEvent[] = [];
    const reading = (async () => {
      for await (const one of queue) seen.push(one);
    })();
    await sleep(1);
    queue.push([event(3)]);
    queue.end(failedOutcome(request, 'aborted'));
    queue.end(failedOutcome(request, 'worker-crash', 'late'));
    queue.push([event(4)]);
    await reading;
    expect(seen).toEqual([event(1), event(2), event(3)]);
    expect((await queue.result()).message.stopReason).toBe('aborted');
  });
});
