import { describe, expect, it } from 'vitest';
import { deleteSession } from '../../../src/renderer/actions/sessions';
import type { Client } from '../../../src/renderer/bridge';
import { createApp } from '../../../src/renderer/state/app';
import type { App } from '../../../src/renderer/state/app-type';
import type { LocalStore } from '../../../src/renderer/state/local-store';
import type { AppEvent } from '../../../src/shared/ipc/contract';
import type { SessionSummary } from '../../../src/shared/types';
import { createMemoryStore } from '../../support/memory-store';

const ID = 'session';
const DRAFT = { text: 'Half a question', attachments: [] };

/** An app with two sessions, of which the first is shown; main deletes and restores as it is asked. */
async function openApp(summary: Partial<SessionSummary> = {}): Promise<{ app: App; local: LocalStore }> {
  let tell: (events: AppEvent[], batch: number) => void = () => undefined;
  const sessions = [{ id: ID, title: '', preview: '', state: 'idle', updatedAt: 2, ...summary }, { id: 'other', title: 'B', preview: '', state: 'idle', updatedAt: 1 }] as unknown as SessionSummary[]; // prettier-ignore
  let batch = 0;
  const request = (name: string): Promise<unknown> => {
    if (name === 'sessions.delete') {
      tell([{ type: 'session_removed', sessionId: ID, mark: null } as AppEvent], ++batch);
      return Promise.resolve(undefined);
    }
    return name === 'sessions.restore' ? Promise.resolve(sessions[0]) : new Promise(() => undefined);
  };
  const onEvents = (listener: typeof tell): (() => void) => ((tell = listener), () => undefined);
  const local = createMemoryStore();
  const app = createApp({ client: { request, onEvents } as unknown as Client, local, now: () => 0 });
  void app.start();
  app.sessions.setState({ byId: Object.fromEntries(sessions.map((session) => [session.id, session])), activeId: ID });
  return { app, local };
}

const undo = (app: App): void => app.ui.getState().toasts[0]?.action?.onSelect();
const draftIn = (app: App): string => app.openSession(ID).draft.state.getState().text;

describe('undoing the deletion of a session gives it its draft back', () => {
  it('JN49: of one that is open', async () => {
    const { app, local } = await openApp();
    app.openSession(ID).draft.set(DRAFT);
    await deleteSession(app, { id: ID });
    expect(app.sessions.getState().activeId).toBe('other');
    await expect.poll(() => local.getDraft(ID)).toBeNull();
    undo(app);
    await expect.poll(() => app.sessions.getState().activeId).toBe(ID);
    await expect.poll(() => draftIn(app)).toBe(DRAFT.text);
    await app.draftOf(ID).flush();
    expect(await local.getDraft(ID)).toEqual(DRAFT);
  });

  it('JN49: of one that was not opened', async () => {
    const { app, local } = await openApp();
    await local.putDraft(ID, DRAFT);
    await deleteSession(app, { id: ID });
    await expect.poll(() => local.getDraft(ID)).toBeNull();
    undo(app);
    await expect.poll(() => app.sessions.getState().activeId).toBe(ID);
    await expect.poll(() => draftIn(app)).toBe(DRAFT.text);
  });

  it('JN49: with what waits beside its field', async () => {
    const { app } = await openApp();
    const long = 'x'.repeat(60_000);
    app.openSession(ID).draft.set({ text: long });
    await deleteSession(app, { id: ID });
    undo(app);
    await expect.poll(() => app.openSession(ID).draft.state.getState().aside).toEqual([long]);
  });

  it.each([
    [{}, 'Deleted “New session”.'],
    [{ title: 'Plans', entryCount: 0 }, 'Deleted “Plans”. It had no messages, so only Undo brings it back.'],
    [{ title: 'A', preview: 'words' }, 'Deleted “A”. It stays under Recently deleted for at least 30 days.'],
    [{ title: 'x', foreign: 'plain text' }, 'Removed “x”. It stays under Recently deleted for at least 30 days.'],
  ])('JN49: says that it is in the trash only where it is: %j', async (summary, text) => {
    const { app } = await openApp(summary);
    await deleteSession(app, { id: ID });
    expect(app.ui.getState().toasts.map((toast) => toast.text)).toEqual([text]);
  });
});
