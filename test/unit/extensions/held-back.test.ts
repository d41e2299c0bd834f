import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LastOnly } from '../../../src/main/extensions/process/last-only';
import { NoticeBound } from '../../../src/main/extensions/process/notice-bound';
import { RateBound } from '../../../src/main/extensions/process/rates';
import { shortLines, shortText } from '../../../src/main/extensions/process/short';

/** What an extension shows and says is held back in its own process (EX16). */

beforeEach(() => void vi.useFakeTimers({ now: 1_000_000 }));
afterEach(() => void vi.useRealTimers());

const microtasks = (): Promise<unknown> => vi.advanceTimersByTimeAsync(0);

describe('EX16: state', () => {
  const make = () => {
    const told: [string, unknown][] = [];
    const tooMany = vi.fn();
    const shown = new LastOnly(tooMany);
    const set = (key: string, value?: unknown): void =>
      shown.set(key, () => void told.push([key, value]), value === undefined);
    return { told, tooMany, shown, set };
  };

  it('what is set in one go is told at once as one, the last of each key, in the order of the last changes', async () => {
    const { told, set } = make();
    set('a', 1);
    set('b', 2);
    set('a', 3);
    expect(told).toEqual([]);
    await microtasks();
    expect(told).toEqual([['b', 2], ['a', 3]]); // prettier-ignore
  });

  it('what follows is told ten times a second at most, the last of it always', async () => {
    const { told, set } = make();
    for (let at = 0; at < 1_000; at++) {
      set('a', at);
      await vi.advanceTimersByTimeAsync(1);
    }
    expect(told.length).toBeLessThanOrEqual(11);
    await vi.advanceTimersByTimeAsync(100);
    expect(told.at(-1)).toEqual(['a', 999]);
  });

  it('a loop that never gives the thread back is seen, and bounded', () => {
    const { told, set } = make();
    for (let at = 0; at < 1_000; at++) {
      set('a', at);
      vi.setSystemTime(Date.now() + 1);
    }
    expect(told.length).toBeGreaterThan(2);
    expect(told.length).toBeLessThanOrEqual(11);
  });

  it('a clock that is set back holds nothing up', async () => {
    const { told, set } = make();
    set('a', 1);
    await microtasks();
    vi.setSystemTime(Date.now() - 3_600_000);
    set('a', 2);
    await vi.advanceTimersByTimeAsync(100);
    expect(told.at(-1)).toEqual(['a', 2]);
  });

  it('of a million keys as many are held as there is room for; what goes makes room', async () => {
    const { told, tooMany, shown, set } = make();
    for (let at = 0; at < 100_000; at++) set(`k${at}`, at);
    shown.flush();
    expect(told).toHaveLength(64);
    expect(tooMany).toHaveBeenCalled();
    set('k0');
    shown.flush();
    set('later', 1);
    shown.flush();
    expect(told.slice(-2)).toEqual([['k0', undefined], ['later', 1]]); // prettier-ignore
  });

  it('what came and went meanwhile takes no room from what is there', () => {
    const { told, tooMany, shown, set } = make();
    for (let at = 0; at < 1_000; at++) {
      set(`file ${at}`, 'working');
      set(`file ${at}`);
    }
    set('all', 'done');
    shown.flush();
    expect(tooMany).not.toHaveBeenCalled();
    expect(told.at(-1)).toEqual(['all', 'done']);
    expect(told.length).toBeLessThanOrEqual(64);
  });

  it('whatever is set when: what is shown at the end is what was set last (property)', async () => {
    const step = fc.record({ key: fc.nat(30), value: fc.option(fc.nat(9), { nil: undefined }), wait: fc.nat(120) });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 80 }), async (steps) => {
        const { told, set } = make();
        const wanted = new Map<string, number>();
        for (const { key, value, wait } of steps) {
          set(String(key), value);
          if (value === undefined) wanted.delete(String(key));
          else wanted.set(String(key), value);
          if (wait > 60) await vi.advanceTimersByTimeAsync(wait);
        }
        await vi.advanceTimersByTimeAsync(200);
        const shown = new Map<string, unknown>();
        for (const [key, value] of told)
          if (value === undefined) shown.delete(key);
          else shown.set(key, value);
        expect(shown).toEqual(wanted);
      }),
      { numRuns: 100 },
    );
  });
});

describe('EX16: notices', () => {
  const make = () => {
    const told: string[] = [];
    let leftOut = 0;
    const notices = new NoticeBound({
      tell: ({ text }) => void told.push(String(text)),
      tellLeftOut: (count) => void (leftOut += count),
    });
    return { told, leftOut: () => leftOut, notices, say: (text: string) => notices.notify({ text, level: 'info' }) };
  };

  it('a few come at once; of more the last, behind how many were left out', async () => {
    const { told, leftOut, say } = make();
    for (let at = 0; at < 1_000; at++) say(String(at));
    const first = told.length;
    expect(first).toBe(10);
    await vi.advanceTimersByTimeAsync(250);
    expect(told.at(-1)).toBe('999');
    expect(leftOut() + told.length).toBe(1_000);
  });

  it('one at a time, now and then, comes as it is said', async () => {
    const { told, leftOut, say } = make();
    for (let at = 0; at < 50; at++) {
      say(String(at));
      expect(told.at(-1)).toBe(String(at));
      await vi.advanceTimersByTimeAsync(300);
    }
    expect(leftOut()).toBe(0);
  });

  it('a loop that never gives the thread back is heard some times a second', () => {
    const { told, leftOut, say, notices } = make();
    for (let at = 0; at < 10_000; at++) {
      say(String(at));
      if (at % 10 === 0) vi.setSystemTime(Date.now() + 10);
    }
    expect(told.length).toBeGreaterThan(20);
    expect(told.length).toBeLessThan(10 + 4 * 10 + 2);
    notices.flush();
    expect(told.at(-1)).toBe('9999');
    expect(leftOut() + told.length).toBe(10_000);
  });

  it('each is told or counted, in order, the last always, whatever the clock does (property)', async () => {
    const step = fc.record({ many: fc.nat(30), wait: fc.nat(600), back: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        const { told, leftOut, say } = make();
        let said = 0;
        for (const { many, wait, back } of steps) {
          for (let times = 0; times < many; times++) say(String(said++));
          if (back) vi.setSystemTime(Date.now() - 5_000);
          await vi.advanceTimersByTimeAsync(wait);
        }
        await vi.advanceTimersByTimeAsync(300);
        expect(told.length + leftOut()).toBe(said);
        if (said > 0) expect(told.at(-1)).toBe(String(said - 1));
        expect(told.map(Number)).toEqual([...told.map(Number)].sort((a, b) => a - b));
      }),
      { numRuns: 100 },
    );
  });
});

describe('EX16: texts', () => {
  it('are cut before they cross; of a widget it is said how many lines are left out', () => {
    expect(shortText('x'.repeat(1e6))).toHaveLength(8_000);
    expect(shortText(undefined)).toBeUndefined();
    expect(shortText(7)).toBe(7);
    expect(() => shortText({ long: 'x'.repeat(1e6) })).toThrow('larger than');
    expect(shortLines(['a', 'b'])).toEqual({ lines: ['a', 'b'], leftOut: 0 });
    const { lines, leftOut } = shortLines(Array.from({ length: 1_000 }, () => 'y'.repeat(1e5)));
    expect(JSON.stringify(lines).length).toBeLessThan(110_000);
    expect((lines as string[]).length + leftOut).toBe(1_000);
    expect(shortLines(Array(500).fill(1))).toEqual({ lines: Array(60).fill(1), leftOut: 440 });
    expect(shortLines(undefined)).toEqual({ lines: undefined, leftOut: 0 });
  });

  it('what is told besides is bounded, and that something is left out is said once', async () => {
    const dropped = vi.fn();
    const bound = new RateBound(dropped, 3, 1);
    expect(Array.from({ length: 10 }, () => bound.take()).filter(Boolean)).toHaveLength(3);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(Array.from({ length: 10 }, () => bound.take()).filter(Boolean)).toHaveLength(2);
    expect(dropped).toHaveBeenCalledOnce();
  });
});
