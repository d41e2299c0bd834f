import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ExtensionBus, logTextOf } from '../../../src/main/extensions/bus';
import type { Compacting, ExtensionError, Handler } from '../../../src/main/extensions/events';

/** Order, results, failures and ends of handlers (EX1, EX2). Time is the test's own. */
type Ask = Handler<'session.compacting'>;
type Before = Handler<'session_before_compact'>;

let errors: ExtensionError[];
let bus: ExtensionBus;
beforeEach(() => {
  vi.useFakeTimers();
  errors = [];
  bus = new ExtensionBus({ onError: (error) => errors.push(error) });
});
afterEach(() => {
  // Nothing is left behind that would keep the app from ending.
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

const never = new AbortController().signal;
const A = { extensionPath: 'a.ts' };
const B = { extensionPath: 'b.ts' };
const onCompacting = (handler: unknown, from = A): (() => void) => bus.on('session.compacting', handler as Ask, from);
const onBefore = (handler: unknown, from = A): (() => void) =>
  bus.on('session_before_compact', handler as Before, from);
const ask = (signal = never) =>
  bus.ask('session.compacting', { sessionId: 's', messages: [] }, { sessionId: 's', signal });
const askBefore = (signal = never) => bus.ask('session_before_compact', {} as never, { sessionId: 's', signal });
const failed = { reason: 'manual', aborted: false, willRetry: false, fromExtension: false } as const;
const hang = (): Promise<never> => new Promise(() => undefined);

describe('order and results', () => {
  it('EX1: extensions in the order they came, each one’s handlers as registered, one after the other', async () => {
    const calls: string[] = [];
    const step = (name: string) => async () => {
      calls.push(`${name} begins`);
      await Promise.resolve();
      calls.push(`${name} ends`);
    };
    onCompacting(step('a1'));
    onCompacting(step('b1'), B);
    onBefore(step('other'), B);
    onCompacting(step('a2'));
    await ask();
    expect(calls).toEqual(['a1 begins', 'a1 ends', 'a2 begins', 'a2 ends', 'b1 begins', 'b1 ends']);
  });

  it('EX1: the last truthy answer wins, with the name of its extension', async () => {
    expect(await ask()).toBeNull();
    onCompacting(() => ({ prompt: 'one' }));
    onCompacting(async () => ({ prompt: 'two' }), B);
    for (const nothing of [undefined, null, false, 0, '']) onCompacting(() => nothing);
    expect(await ask()).toEqual({ extensionPath: 'b.ts', result: { prompt: 'two' }, cancels: false });
    expect(errors).toEqual([]);
  });

  it('EX1: cancel returns at once; where nothing can be cancelled it is no more than a key', async () => {
    const later = vi.fn();
    onBefore(() => ({ compaction: {} }));
    onBefore(() => ({ cancel: true }));
    onBefore(later);
    expect(await askBefore()).toMatchObject({ cancels: true });
    expect(later).not.toHaveBeenCalled();

    onCompacting(() => ({ cancel: true }));
    onCompacting(later);
    expect(await ask()).toMatchObject({ cancels: false });
    expect(later).toHaveBeenCalledOnce();
  });

  it('EX7: has() says whether somebody listens; what was taken away is not called, not even in a dispatch under way', async () => {
    expect(bus.has('session.compacting', 's')).toBe(false);
    const second = vi.fn();
    const endFirst = onCompacting(() => endSecond());
    const endSecond = onCompacting(second);
    expect(bus.has('session.compacting', 's')).toBe(true);
    expect(bus.has('session_compact', 's')).toBe(false);
    await ask();
    expect(second).not.toHaveBeenCalled();
    endFirst();
    endFirst();
    expect(bus.has('session.compacting', 's')).toBe(false);
  });

  it('EX1: one that is added during a dispatch is not part of it', async () => {
    const added = vi.fn();
    onCompacting(() => void onCompacting(added, B));
    await ask();
    expect(added).not.toHaveBeenCalled();
    await ask();
    expect(added).toHaveBeenCalledOnce();
  });
});

describe('failures', () => {
  it('EX2: what throws or rejects is reported and has no answer; the others are asked', async () => {
    const error = new Error('no luck');
    onCompacting(() => {
      throw error;
    });
    onCompacting(() => Promise.reject(new TypeError('nor here')), B);
    onCompacting(() => ({ prompt: 'mine' }));
    expect(await ask()).toMatchObject({ result: { prompt: 'mine' } });
    expect(errors).toEqual([
      { extensionPath: 'a.ts', event: 'session.compacting', error: 'no luck', stack: error.stack },
      expect.objectContaining({ extensionPath: 'b.ts', error: 'nor here' }),
    ]);
  });

  it.each<[string, unknown, string]>([
    ['text', 'plain words', 'plain words'],
    ['nothing', undefined, 'undefined'],
    ['no prototype', Object.create(null), 'It threw something that cannot be read.'],
    ['a throwing getter', Object.defineProperty(new Error('x'), 'message', { get: () => { throw new Error('y'); } }), 'It threw something that cannot be read.'],
    ['an error without words', new RangeError(), 'RangeError'],
  ])('EX2: anything can be thrown: %s', async (_name, thrown, error) => {
    onCompacting(() => {
      throw thrown;
    });
    expect(await ask()).toBeNull();
    expect(errors).toEqual([expect.objectContaining({ error })]);
  }); // prettier-ignore

  it('EX2: an answer that cannot be looked at is the handler’s failure', async () => {
    const trap = new Proxy({}, { get: () => { throw new Error('hands off'); } }); // prettier-ignore
    onBefore(() => trap);
    expect(await askBefore()).toBeNull();
    expect(errors).toEqual([expect.objectContaining({ event: 'session_before_compact', error: 'hands off' })]);
  });

  it.each([
    ['before', 180_000],
    ['others', 10_000],
  ] as const)('EX2: %s have %i ms; then the next is asked, the signal aborts and the late answer is ignored', async (kind, ms) => {
    let answer = (_result: unknown): void => undefined;
    let signal: AbortSignal | undefined;
    const slow = (payload: Compacting): Promise<unknown> => {
      signal = payload.signal;
      return new Promise((resolve) => (answer = resolve));
    };
    const next = vi.fn();
    for (const handler of [slow, next]) {
      if (kind === 'before') onBefore(handler);
      else onCompacting(handler);
    }
    const asked = kind === 'before' ? askBefore() : ask();
    await vi.advanceTimersByTimeAsync(ms - 1);
    expect([errors, next.mock.calls.length, signal?.aborted]).toEqual([[], 0, false]);
    await vi.advanceTimersByTimeAsync(1);
    expect(signal?.aborted).toBe(true);
    answer({ cancel: true, prompt: 'too late' });
    expect(await asked).toBeNull();
    expect(next).toHaveBeenCalledOnce();
    expect(errors).toEqual([expect.objectContaining({ error: `The handler did not answer within ${ms / 1000} s.` })]);
  }); // prettier-ignore

  it('EX2: one that fails after its time is heard of once', async () => {
    let fail = (_error: Error): void => undefined;
    onCompacting(() => new Promise((_resolve, reject) => (fail = reject)));
    const asked = ask();
    await vi.advanceTimersByTimeAsync(10_000);
    fail(new Error('late'));
    expect(await asked).toBeNull();
    await vi.advanceTimersByTimeAsync(0);
    expect(errors).toHaveLength(1);
  });
});

describe('the job ends', () => {
  it('EX2: an abort ends the waiting at once and is no failure; the handler hears of it, nobody else is asked', async () => {
    const controller = new AbortController();
    const next = vi.fn();
    let heard = false;
    onBefore(({ signal }: Compacting) => {
      return new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          heard = true;
          reject(new Error('aborted'));
        });
      });
    });
    onBefore(next);
    const asked = askBefore(controller.signal);
    await Promise.resolve();
    controller.abort();
    expect(await asked).toBeNull();
    expect([heard, errors, next.mock.calls.length]).toEqual([true, [], 0]);
  });

  it('EX2: an answer given before an abort does not outlive it; an aborted job asks nobody', async () => {
    const controller = new AbortController();
    const first = vi.fn(() => ({ prompt: 'one' }));
    onCompacting(first);
    onCompacting(() => controller.abort());
    expect(await ask(controller.signal)).toBeNull();
    expect(await ask(controller.signal)).toBeNull();
    expect(first).toHaveBeenCalledOnce();
  });

  it('EX2: an abort ends the waiting for those that are told, and still all of them are told', async () => {
    const controller = new AbortController();
    const last = vi.fn();
    bus.on('session_compact_failed', hang, A);
    bus.on('session_compact_failed', last, B);
    const told = bus.tell('session_compact_failed', failed, { sessionId: 's', signal: controller.signal });
    controller.abort();
    await told;
    expect(last).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(last).toHaveBeenCalledExactlyOnceWith(
      { ...failed, type: 'session_compact_failed' },
      expect.objectContaining({ sessionId: 's' }),
    );
    expect(errors).toHaveLength(1);
  });

  it('EX2: without an abort those that are told are waited for, each for its time', async () => {
    const done = vi.fn();
    bus.on('session_compact_failed', hang, A);
    const told = bus.tell('session_compact_failed', failed, { sessionId: 's', signal: never }).then(done);
    await vi.advanceTimersByTimeAsync(9_999);
    expect(done).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    await told;
    expect(done).toHaveBeenCalled();
  });
});

it('EX2: the log gets the beginning of a message and the frames, never more of what an extension says', () => {
  const error = `The file says: ${'private '.repeat(100)}\nline two`;
  const stack = `Error: ${error}\n    at run (a.ts:1:2)\n    at b.ts:3:4`;
  const text = logTextOf({ extensionPath: 'a.ts', event: 'session_compact', error, stack });
  const [first, ...frames] = text.split('\n');
  expect(first).toBe(`Extension a.ts, session_compact: ${error.slice(0, 200)}`);
  expect(frames).toEqual(['    at run (a.ts:1:2)', '    at b.ts:3:4']);
});
