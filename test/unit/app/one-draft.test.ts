import { describe, expect, it } from 'vitest';
import type { SessionSummary } from '../../../src/shared/types';
import type { Client } from '../../../src/renderer/bridge';
import { LateStore } from '../../../src/renderer/db/late-store';
import { createApp } from '../../../src/renderer/state/app';
import type { App } from '../../../src/renderer/state/app-type';
import type { LocalStore } from '../../../src/renderer/state/local-store';
import { createMemoryStore } from '../../support/memory-store';

const IDS = ['A', 'B', 'C', 'D', 'E'];
const draftOf = (text: string) => ({ text, attachments: [] });

/** An app with five sessions, two more than stay open; main never answers. */
function openApp(local: LocalStore): App {
  const client = { request: () => new Promise(() => undefined), onEvents: () => () => undefined } as unknown as Client;
  const app = createApp({ client, local, now: () => 0 });
  const byId = Object.fromEntries(IDS.map((id) => [id, { id, title: id, state: 'idle' } as unknown as SessionSummary]));
  app.sessions.setState({ byId });
  return app;
}

/** Shows all others, so that A is closed, and A again. */
function leaveAndComeBack(app: App): void {
  const before = app.openSession('A');
  for (const id of [...IDS.slice(1), 'A']) app.activate(id);
  expect(app.openSession('A')).not.toBe(before);
}
const shown = (app: App): { text: string; aside: string[] } => {
  const { text, aside } = app.openSession('A').draft.state.getState();
  return { text, aside };
};

describe('CM6: a session has one draft, however often it is opened', () => {
  it('a database that comes late loses neither what it had nor what was typed', async () => {
    const database = createMemoryStore();
    await database.putDraft('A', draftOf('stored'));
    const store = new LateStore();
    store.fallBack();
    const app = openApp(store);
    app.activate('A');
    app.openSession('A').draft.set({ text: 'typed' });
    app.openSession('A').draft.flush();
    leaveAndComeBack(app);
    app.openSession('A').draft.set({ text: 'typed on' });
    await store.arrive(database);
    await expect.poll(() => shown(app)).toEqual({ text: 'typed on', aside: ['stored'] });
    app.draftOf('A').flush();
    await expect.poll(() => database.getDraft('A')).toEqual({ ...draftOf('typed on'), aside: ['stored'] });
  });

  it('what ends late in a session that was closed writes over nothing newer', async () => {
    const local = createMemoryStore();
    const app = openApp(local);
    app.activate('A');
    const { draft } = app.openSession('A');
    draft.set({ text: 'asked' });
    const message = draft.take();
    draft.keepAside('discarded');
    draft.discardAside('discarded');
    leaveAndComeBack(app);
    app.openSession('A').draft.set({ text: 'newer' });
    app.openSession('A').draft.flush();
    draft.arrived(message);
    // As the toast does.
    draft.keepAside('discarded');
    draft.flush();
    expect(shown(app)).toEqual({ text: 'newer', aside: ['discarded'] });
    expect(await local.getDraft('A')).toEqual({ ...draftOf('newer'), aside: ['discarded'] });
  });
});
