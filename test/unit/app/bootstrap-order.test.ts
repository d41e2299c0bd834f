import { describe, expect, it } from 'vitest';
import { defaultSettings } from '../../../src/shared/settings';
import type { AppEvent } from '../../../src/shared/ipc/contract';
import type { Bootstrap, SessionState, SessionSummary } from '../../../src/shared/types';
import type { Client } from '../../../src/renderer/bridge';
import { createApp } from '../../../src/renderer/state/app';
import { type App } from '../../../src/renderer/state/app-type';

const summary = (state: SessionState): SessionSummary => ({ id: 'one', title: 'One', state }) as SessionSummary;
const changed = (state: SessionState): AppEvent => ({ type: 'sessions_changed', summary: summary(state) });
const notice = (id: string): Bootstrap['notices'][number] => ({ id, level: 'warning', text: id }) as never;

const bootstrapWith = (part: Partial<Bootstrap>): Bootstrap =>
  ({
    settings: defaultSettings(),
    settingsProblems: [],
    sessions: [],
    providers: [],
    notices: [],
    ...part,
  }) as Bootstrap;

/** A window whose bootstraps and events come when the test says so. */
function startBench(): {
  app: App;
  answers: ((boot: Bootstrap) => void)[];
  send: (event: AppEvent, batch: number) => void;
} {
  const answers: ((boot: Bootstrap) => void)[] = [];
  let send: (event: AppEvent, batch: number) => void = () => undefined;
  const client = {
    request: (name: string) =>
      name === 'app.bootstrap'
        ? new Promise((resolve) => answers.push(resolve as never))
        : new Promise(() => undefined),
    onEvents(listener: (events: AppEvent[], batch: number) => void) {
      send = (event, batch) => listener([event], batch);
      return () => undefined;
    },
  } as unknown as Client;
  const local = {
    getUi: async () => null,
    putUi: async () => undefined,
    getDraft: async () => null,
    draftsAlone: async () => [],
  };
  const app = createApp({ client, local: local as never, newId: () => 'new' });
  void app.start();
  return { app, answers, send: (event, batch) => send(event, batch) };
}

const settle = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

describe('a bootstrap and the events around it', () => {
  it('a change that overtakes the answer stays, one that the answer holds does not come back', async () => {
    const { app, answers, send } = startBench();
    send(changed('streaming'), 3);
    send(changed('idle'), 4);
    answers[0]!(bootstrapWith({ sessions: [summary('streaming')], nextBatch: 4 }));
    await settle();
    expect(app.sessions.getState().byId.one?.state).toBe('idle');
    send(changed('streaming'), 3);
    expect(app.sessions.getState().byId.one?.state).toBe('idle');
  });

  it('a notice of both is shown once', async () => {
    const { app, answers, send } = startBench();
    answers[0]!(bootstrapWith({ notices: [notice('damaged')], nextBatch: 4 }));
    await settle();
    send({ type: 'notice', notice: notice('damaged') }, 3);
    send({ type: 'notice', notice: notice('full') }, 4);
    expect(app.ui.getState().notices.map(({ text }) => text)).toEqual(['damaged', 'full']);
  });
});
