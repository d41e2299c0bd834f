import { beforeEach, expect, it, vi } from 'vitest';
import { defaultSettings } from '../../../src/shared/settings';
import type { AppEvent } from '../../../src/shared/ipc/contract';
import { EventChannel, LastWrites } from '../../../src/main/ipc/event-channel';
import type { Client } from '../../../src/renderer/bridge';
import { LateStore } from '../../../src/renderer/db/local-store';
import { createApp } from '../../../src/renderer/state/app';
import type { App } from '../../../src/renderer/state/app-type';
import { createMemoryStore } from '../../support/memory-store';

const sessions = ['A', 'B'].map((id, index) => ({ id, title: id, state: 'idle', updatedAt: -index }));

interface Bench {
  app: App;
  store: LateStore;
  /** Ids of the sessions that it asked main to make again. */
  made: string[];
  /** Which sessions it told main to draw. */
  drawn: string[];
  /** Asks the page for its last writes, and says whether it answers without waiting for anything from outside. */
  answersClosing: () => Promise<boolean>;
}

/** A started window whose database is not open yet; main has these sessions. */
async function startBench(known: readonly unknown[] = sessions, lastShown: string | null = null): Promise<Bench> {
  const boot = {
    settings: defaultSettings(),
    settingsProblems: [],
    sessions: known,
    providers: [],
    notices: [],
    lastShown,
  };
  const answers: Record<string, unknown> = { 'app.bootstrap': boot, 'app.ready': {}, 'sessions.create': sessions[0] };
  let tell: (events: AppEvent[], batch: number) => void = () => undefined;
  let hasAnswered = false;
  const made: string[] = [];
  const drawn: string[] = [];
  const client = {
    request(name: string, { again, sessionId, state }: { again?: string; sessionId?: string; state?: string }) {
      if (name === 'app.drawing') drawn.push(`${sessionId} ${state}`);
      if (name === 'app.written') hasAnswered = true;
      if (again) return (made.push(again), Promise.resolve({ ...sessions[0], id: again }));
      return name in answers ? Promise.resolve(answers[name]) : new Promise(() => undefined);
    },
    onEvents: (listener: typeof tell) => ((tell = listener), () => undefined),
  } as unknown as Client;
  const store = new LateStore();
  const app = createApp({ client, local: store, now: () => 0 });
  const started = app.start();
  // The first screen waits a second for remembered sizes.
  await vi.advanceTimersByTimeAsync(1000);
  await started;
  async function answersClosing(): Promise<boolean> {
    tell([{ type: 'closing' }], 1);
    await vi.advanceTimersByTimeAsync(0);
    return hasAnswered;
  }
  return { app, store, made, drawn, answersClosing };
}

/** Hands a message to main, which saves it. */
function send({ app }: Bench): void {
  const { draft } = app.openSession('A');
  draft.set({ text: 'asked' });
  draft.arrived(draft.take('00000001'));
}

beforeEach(() => {
  vi.useFakeTimers();
  return () => vi.useRealTimers();
});

it.each([
  ['a session that the start chose', sessions],
  ['one that it made', []],
])('WN5: while the database does not open, a window with %s answers at once', async (_name, known) => {
  const bench = await startBench(known);
  expect(await bench.answersClosing()).toBe(true);
});

it.each([true, false])('WN5: so does one whose message main has (without a database: %s)', async (isWithout) => {
  const bench = await startBench();
  if (isWithout) bench.store.fallBack();
  send(bench);
  await vi.advanceTimersByTimeAsync(1000);
  expect(await bench.answersClosing()).toBe(true);
});

it.each<[string, (app: App) => void]>([
  ['what is typed', ({ openSession }) => openSession('A').draft.set({ text: 'typed' })],
  ['a message on its way', ({ openSession }) => (openSession('A').draft.set({ text: 'x' }), void openSession('A').draft.take('1'))], // prettier-ignore
  ['the draft of a deleted session', ({ draftOf }) => draftOf('A').remove()],
  ['a pane size', ({ setLayout }) => setLayout({ sidebarWidth: 300 })],
])('WN5: %s is waited for', async (_name, act) => {
  const { app, store, answersClosing } = await startBench();
  act(app);
  expect(await answersClosing()).toBe(false);
  await store.arrive(createMemoryStore());
  await vi.advanceTimersByTimeAsync(0);
  expect(await answersClosing()).toBe(true);
});

it('WN3: main is told at once of each session that is shown, whatever the database does', async () => {
  const { app, drawn, answersClosing } = await startBench();
  expect(drawn).toEqual(['A begins']);
  app.activate('B');
  app.activate('B');
  expect(drawn).toEqual(['A begins', 'B begins']);
  expect(await answersClosing()).toBe(true);
});

it.each([
  ['is there', 'B', 'B'],
  ['is gone', 'gone', 'A'],
  ['has the name of a property', 'constructor', 'A'],
])('WN3: the session that was shown last %s', async (_name, last, shown) => {
  const { app } = await startBench(sessions, last);
  expect(app.sessions.getState().activeId).toBe(shown);
});

it('CM1: a late database adds the sessions of its drafts when it is there; those that main has are not made again', async () => {
  const { app, store, made } = await startBench();
  const database = createMemoryStore();
  for (const id of ['A', 'C']) await database.putDraft(id, { text: id, attachments: [] });
  await store.arrive(database);
  await vi.advanceTimersByTimeAsync(0);
  expect(made).toEqual(['C']);
  expect(Object.keys(app.sessions.getState().byId).sort()).toEqual(['A', 'B', 'C']);
});

it.each<[string, (app: App) => void, string]>([
  ['nothing', () => undefined, 'C'],
  ['something typed', ({ openSession }) => openSession('A').draft.set({ text: 'typed' }), 'A'],
  ['another session shown', ({ activate }) => activate('B'), 'B'],
])('WN3: the session that was shown last comes with a late database, after %s', async (_name, act, shown) => {
  const { app, store } = await startBench(sessions, 'C');
  expect(app.sessions.getState().activeId).toBe('A');
  act(app);
  const database = createMemoryStore();
  await database.putDraft('C', { text: 'C', attachments: [] });
  await store.arrive(database);
  await vi.advanceTimersByTimeAsync(0);
  expect(app.sessions.getState().activeId).toBe(shown);
});

it('WN5: main asks a page that listens, and waits two seconds for its answer', async () => {
  const channel = new EventChannel();
  const writes = new LastWrites(channel);
  expect(await writes.wait()).toBe(true);
  const sent: AppEvent[] = [];
  channel.connect(({ events }) => void sent.push(...events));
  const answered = writes.wait();
  expect(sent).toEqual([{ type: 'closing' }]);
  writes.written();
  expect(await answered).toBe(true);
  const end = vi.fn();
  void writes.wait().then(end);
  await vi.advanceTimersByTimeAsync(1999);
  expect(end).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(end).toHaveBeenCalledExactlyOnceWith(false);
});
