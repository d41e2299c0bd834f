import { describe, expect, it } from 'vitest';
import { defaultSettings } from '../../../src/shared/settings';
import type { AppEvent } from '../../../src/shared/ipc/contract';
import type { SessionSummary } from '../../../src/shared/types';
import { NO_SESSION, type SessionSnapshot } from '../../../src/shared/session-state/state';
import type { Client } from '../../../src/renderer/bridge';
import { createApp } from '../../../src/renderer/state/app';
import { createMemoryStore } from '../../support/memory-store';

/** A window that shows one session; main answers with what it says now. */
async function startBench() {
  let send: (event: AppEvent) => void = () => undefined;
  const asked: string[] = [];
  const main: SessionSnapshot = { ...NO_SESSION, lines: [], thinkingLevel: 'off', n: 7 };
  const answers: Record<string, unknown> = {
    'app.bootstrap': {
      ...{ settings: defaultSettings(), settingsProblems: [], providers: [], notices: [], nextBatch: 0 },
      sessions: [{ id: 'one', title: 'One', state: 'idle' } as SessionSummary],
    },
    'session.open': main,
  };
  const client = {
    request: async (name: string) => {
      asked.push(name);
      return structuredClone(answers[name]);
    },
    onEvents(listener: (events: AppEvent[], batch: number) => void) {
      send = (event) => listener([JSON.parse(JSON.stringify(event)) as AppEvent], 0);
      return () => undefined;
    },
  } as unknown as Client;
  const app = createApp({ client, local: createMemoryStore(), newId: () => 'new' });
  await app.start();
  const session = app.openSession('one');
  await expect.poll(() => session.live.getState().thinkingLevel).toBe('off');
  const level = (): string => session.live.getState().thinkingLevel;
  const reads = (): number => asked.filter((name) => name === 'session.open').length;
  const changed = (n?: unknown, over?: unknown): AppEvent =>
    ({ type: 'model_changed', sessionId: 'one', model: null, thinkingLevel: 'low', n, over }) as never;
  return { app, main, level, reads, changed, send: (event: AppEvent) => send(event) };
}

describe('EV5: what the window was not told of a session is asked for', () => {
  it.each([
    ['without a number', undefined],
    ['whose number is none', '8'],
    ['whose number is half a one', 7.5],
    ['after a gap', 9],
    ['that says it was joined of what is no number', 8, 'two'],
  ])('an event %s', async (_what, n, over?) => {
    const { main, level, reads, changed, send } = await startBench();
    main.thinkingLevel = 'high';
    main.n = 20;
    send(changed(n, over));
    await expect.poll(level).toBe('high');
    expect(reads()).toBe(2);
    // In the same channel, what follows is taken as ever.
    send(changed(21));
    expect(level()).toBe('low');
    expect(reads()).toBe(2);
  });

  it('an event without a number that comes while the state is on its way', async () => {
    const { main, level, reads, changed, send } = await startBench();
    send(changed());
    send(changed());
    main.thinkingLevel = 'high';
    await expect.poll(level).toBe('high');
    expect(reads()).toBe(3);
  });
});

describe('what is said of a turn that is over', () => {
  it.each([
    ['done', 'One: answer finished.'],
    ['stopped', 'One: stopped.'],
    ['failed', 'One: No answer'],
  ])('%s: %s', async (reason, words) => {
    const { app, send } = await startBench();
    if (reason === 'failed') {
      const failure = { title: 'No answer', detail: '', actions: [] };
      send({ type: 'failure', sessionId: 'one', n: 8, failure });
    }
    send({ type: 'settled', sessionId: 'one', n: reason === 'failed' ? 9 : 8, leafId: null, reason });
    expect(app.ui.getState().announcement).toBe(words);
  });
});
