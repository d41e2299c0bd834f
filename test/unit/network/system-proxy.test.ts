import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createRoutes, SystemProxy } from '../../../src/main/network/proxy-route';
import { defaultSettings } from '../../../src/shared/settings';

const API = new URL('https://api.example.org/v1');

/** A system whose answers the test gives, one after the other. */
class System {
  readonly asked: string[] = [];
  readonly answers: ((said: string) => void)[] = [];
  readonly ask = (url: string): Promise<string> => {
    this.asked.push(url);
    return new Promise((resolve) => this.answers.push(resolve));
  };
}
let system: System;
let proxy: SystemProxy;
beforeEach(() => {
  vi.useFakeTimers();
  system = new System();
  proxy = new SystemProxy(system.ask);
});
afterEach(() => void vi.useRealTimers());

/** What a request is told, and how long it waited for that. Milliseconds. */
async function timed(url = API): Promise<{ said: string | null; ms: number }> {
  const from = performance.now();
  const said = proxy.find(url).then((answer) => ({ said: answer, ms: Math.round(performance.now() - from) }));
  await vi.advanceTimersByTimeAsync(3_000);
  return said;
}

describe('WN25: a system that looks for its proxy for long', () => {
  it('is waited for three seconds once, however many ask, and refuses instead of leading around', async () => {
    expect(await timed()).toEqual({ said: null, ms: 3_000 });
    const many = await Promise.all(Array.from({ length: 20 }, () => timed()));
    expect(many.every(({ said, ms }) => said === null && ms === 0)).toBe(true);
    expect(system.asked).toEqual([API.href]);
    // Another address is another question.
    expect(await timed(new URL('https://other.test/'))).toEqual({ said: null, ms: 3_000 });
    const find = createRoutes({ settings: defaultSettings, environment: {}, askSystem: system.ask });
    const route = find(API.href);
    await vi.advanceTimersByTimeAsync(3_000);
    expect(await route).toMatchObject({
      kind: 'refused',
      detail:
        'The system did not say in time which proxy to use. Set an HTTP proxy in Settings › Providers, or choose none there.',
    });
  });

  it('shares one wait among those who ask during it', async () => {
    const first = proxy.find(API);
    await vi.advanceTimersByTimeAsync(2_000);
    const second = proxy.find(API);
    system.answers[0]!('PROXY p:1');
    expect(await Promise.all([first, second])).toEqual(['PROXY p:1', 'PROXY p:1']);
    expect(system.asked).toHaveLength(1);
  });

  it('that answers late is heard at the next request, for a minute', async () => {
    expect((await timed()).said).toBeNull();
    system.answers[0]!('PROXY late:1');
    expect(await timed()).toEqual({ said: 'PROXY late:1', ms: 0 });
    await vi.advanceTimersByTimeAsync(60_000);
    const later = proxy.find(API);
    expect(system.asked).toHaveLength(2);
    system.answers[1]!('DIRECT');
    expect(await later).toBe('DIRECT');
  });

  it('that never answers is asked anew after a minute', async () => {
    await timed();
    await vi.advanceTimersByTimeAsync(60_000);
    const again = proxy.find(API);
    system.answers[1]!('PROXY now:1');
    expect(await again).toBe('PROXY now:1');
  });

  it('one that answers at once is asked each time: a change holds from the next request on', async () => {
    for (const answer of ['PROXY a:1', 'DIRECT', 'PROXY b:1']) {
      const said = proxy.find(API);
      system.answers.at(-1)!(answer);
      expect(await said).toBe(answer);
    }
    expect(system.asked).toHaveLength(3);
  });
});
