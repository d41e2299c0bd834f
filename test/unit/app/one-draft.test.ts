import { describe, expect, it } from 'vitest';
import type { AppEvent } from '../../../src/shared/ipc/contract';
import type { SessionSummary } from '../../../src/shared/types';
import type { Client } from '../../../src/renderer/bridge';
import { LateStore } from '../../../src/renderer/db/local-store';
import { createApp } from '../../../src/renderer/state/app';
import type { App } from '../../../src/renderer/state/app-type';
import { createDrafts } from '../../../src/renderer/state/draft-store';
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
    void app.openSession('A').draft.flush();
    leaveAndComeBack(app);
    app.openSession('A').draft.set({ text: 'typed on' });
    await store.arrive(database);
    await expect.poll(() => shown(app)).toEqual({ text: 'typed on', aside: ['stored'] });
    void app.draftOf('A').flush();
    await expect.poll(() => database.getDraft('A')).toEqual({ ...draftOf('typed on'), aside: ['stored'] });
  });

  it('one that nobody shows any more is held in the database alone', async () => {
    const local = createMemoryStore();
    const app = openApp(local);
    app.activate('A');
    app.openSession('A').draft.set({ text: 'typed' });
    for (const id of IDS.slice(1)) app.activate(id);
    await app.draftOf('A').flush();
    expect(app.draftOf('A').state.getState().text).toBe('');
    expect(await local.getDraft('A')).toEqual(draftOf('typed'));
    app.activate('A');
    await expect.poll(() => shown(app)).toEqual({ text: 'typed', aside: [] });
  });

  it('what ends late in a session that was closed writes over nothing newer', async () => {
    const local = createMemoryStore();
    const app = openApp(local);
    app.activate('A');
    const { draft } = app.openSession('A');
    draft.set({ text: 'asked' });
    const message = draft.take('00000001');
    draft.keepAside('discarded');
    draft.discardAside('discarded');
    leaveAndComeBack(app);
    app.openSession('A').draft.set({ text: 'newer' });
    await app.openSession('A').draft.flush();
    draft.arrived(message);
    // As the toast does.
    draft.keepAside('discarded');
    await draft.flush();
    expect(shown(app)).toEqual({ text: 'newer', aside: ['discarded'] });
    expect(await local.getDraft('A')).toEqual({ ...draftOf('newer'), aside: ['discarded'] });
  });
});

it('CM6: a window that closes says that all is written after the stored draft is read and written with what was typed', async () => {
  const memory = createMemoryStore();
  await memory.putDraft('A', draftOf('stored'));
  let read: () => void = () => undefined;
  const mayRead = new Promise<void>((resolve) => (read = resolve));
  const local = { ...memory, getDraft: (id: string) => mayRead.then(() => memory.getDraft(id)) };
  let tell: (events: AppEvent[], batch: number) => void = () => undefined;
  let heard: () => void = () => undefined;
  const written = new Promise<string>((resolve) => (heard = () => resolve('written')));
  const client = {
    request: (name: string) => (name === 'app.written' && heard(), new Promise(() => undefined)),
    onEvents: (listener: typeof tell) => ((tell = listener), () => undefined),
  } as unknown as Client;
  const app = createApp({ client, local, now: () => 0 });
  void app.start();
  app.openSession('A').draft.set({ text: 'typed' });
  tell([{ type: 'closing' }], 1);
  const later = new Promise<string>((resolve) => setTimeout(() => resolve('not yet')));
  expect(await Promise.race([written, later])).toBe('not yet');
  read();
  expect(await written).toBe('written');
  expect(await memory.getDraft('A')).toEqual({ ...draftOf('typed'), aside: ['stored'] });
});

it('JN49: of sessions that were deleted without being opened only those with a draft are held, for an undo', async () => {
  const memory = createMemoryStore();
  await memory.putDraft('written in', draftOf('stored'));
  const reads: string[] = [];
  const local = { ...memory, getDraft: (id: string) => (reads.push(id), memory.getDraft(id)) };
  const drafts = createDrafts(local);
  for (const id of ['written in', 'empty']) drafts.remove(id);
  await drafts.flush();
  await expect.poll(() => memory.getDraft('written in')).toBeNull();
  for (const id of ['written in', 'empty']) await drafts.of(id).flush();
  expect(reads).toEqual(['written in', 'empty', 'empty']);
  drafts.of('written in').bringBack();
  await drafts.flush();
  expect(await memory.getDraft('written in')).toEqual(draftOf('stored'));
});
