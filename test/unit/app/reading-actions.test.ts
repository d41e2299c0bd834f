import { describe, expect, it } from 'vitest';
import type { RequestName } from '../../../src/shared/ipc/contract';
import type { SessionSummary } from '../../../src/shared/types';
import { editQueued, fillComposer } from '../../../src/renderer/actions/moves';
import { goToVersion } from '../../../src/renderer/actions/reading';
import type { Client } from '../../../src/renderer/bridge';
import { createApp } from '../../../src/renderer/state/app';
import type { App } from '../../../src/renderer/state/app-type';
import { createMemoryStore } from '../../support/memory-store';

const ID = 'session';

/** An app whose main answers as told, and sends a path as `path` does. */
function openApp(
  answers: Partial<Record<RequestName, unknown>>,
  path: () => Promise<void> = () => Promise.resolve(),
): { app: App; asked: RequestName[] } {
  const asked: RequestName[] = [];
  const client = {
    request(name: RequestName) {
      asked.push(name);
      return name in answers ? Promise.resolve(answers[name]) : new Promise(() => undefined);
    },
    bulk: () => ({ done: path(), cancel: () => undefined }),
    onEvents: () => () => undefined,
  } as unknown as Client;
  const app = createApp({ client, local: createMemoryStore(), now: () => 0 });
  app.sessions.setState({ byId: { [ID]: { id: ID, title: 'A', state: 'idle' } as SessionSummary }, activeId: ID });
  app.openSession(ID).live.setState({ leafId: 'leaf' });
  return { app, asked };
}

describe('GR5: the version before or after', () => {
  const versions = ['a', 'b', 'c'].map((entryId) => ({ entryId, leafId: `${entryId}1` }));

  it('is announced once it is shown, not where it could not be read', async () => {
    const { app } = openApp({ 'session.versions': { versions } }, () => Promise.reject(new Error('It is gone.')));
    await goToVersion(app, { sessionId: ID, id: 'a', isRead: true }, 1);
    expect(app.ui.getState().toasts.at(-1)?.text).toBe('It is gone.');
    expect(app.ui.getState().announcement).toBe('');
    // On HEAD's path it needs no reading.
    const row = { id: 'b', parentId: null, seq: 1, time: 1, tokens: 1, kind: 'user' } as const;
    app.openSession(ID).view.setState({ rows: [row] });
    await goToVersion(app, { sessionId: ID, id: 'a', isRead: true }, 1);
    expect(app.ui.getState().announcement).toBe('Way 2 of 3 from here.');
  });

  it('is not announced where another message was wanted meanwhile', async () => {
    const { app } = openApp({ 'session.versions': { versions } }, () => new Promise(() => undefined));
    const { reading } = app.openSession(ID);
    const going = goToVersion(app, { sessionId: ID, id: 'a', isRead: true }, 1);
    await expect.poll(() => reading.state.getState().opening).toBe('b');
    reading.leave();
    await going;
    expect(app.ui.getState().announcement).toBe('');
  });
});

describe('BR4: the composer of a begun branch', () => {
  const target = { kind: 'branch', target: 'a', parentId: 'a', oldLeaf: 'leaf', summary: null } as const;

  it('does not get the text of a message that HEAD went to: that waits for HEAD', () => {
    const { app } = openApp({});
    const draft = app.draftOf(ID);
    draft.toBranch({ ...target, preset: '', presetFiles: [] }, { text: '', attachments: [] });
    fillComposer(app, ID, 'of HEAD', []);
    expect(draft.state.getState()).toMatchObject({ text: '', branch: { head: { text: 'of HEAD' } } });
    // What waits there already is not put aside unasked.
    fillComposer(app, ID, 'another', []);
    expect(draft.state.getState()).toMatchObject({ text: '', aside: [], branch: { head: { text: 'of HEAD' } } });
    app.ui.getState().toasts.at(-1)?.action?.onSelect();
    expect(draft.state.getState()).toMatchObject({ aside: ['of HEAD'], branch: { head: { text: 'another' } } });
  });

  it('GR13: what waits for HEAD is no prepared branch, and stays in the queue', async () => {
    const { app, asked } = openApp({ 'queue.remove': true });
    const item = { id: 'i', text: 'other', attachments: [], mode: 'steer', createdAt: 0, held: true } as const;
    app.openSession(ID).live.setState({ queue: [{ ...item, attachments: [] }] });
    await editQueued(app, { sessionId: ID, itemId: 'i' });
    expect([asked.includes('queue.remove'), app.ui.getState().toasts.length]).toEqual([false, 1]);
  });
});
