import { describe, expect, it } from 'vitest';
import type { SessionSummary } from '../../../src/shared/types';
import { handOff } from '../../../src/renderer/actions/branches';
import { importFiles } from '../../../src/renderer/actions/sessions';
import type { Client } from '../../../src/renderer/bridge';
import { createApp } from '../../../src/renderer/state/app';
import type { App } from '../../../src/renderer/state/app-type';
import { NO_PAGE, type Place } from '../../../src/renderer/state/page';
import { NO_SESSION } from '../../../src/shared/session-state/state';
import { createMemoryStore } from '../../support/memory-store';

const summary = (id: string): SessionSummary =>
  ({ id, title: id, state: 'idle', entryCount: 1, updatedAt: 0 }) as SessionSummary;

/** An app with session A shown; what opens B ends when the test says so. */
function openBench(hasFocus = false): { app: App; end: () => void; focused: Place[] } {
  let end: () => void = () => undefined;
  const made = new Promise<void>((resolve) => (end = resolve));
  const focused: Place[] = [];
  const client = {
    async request(name: string) {
      if (name === 'session.open') return new Promise(() => undefined);
      if (name === 'sessions.import') return made.then(() => summary('B'));
      if (name === 'session.handoff') return made.then(() => ({ summary: summary('B'), editorText: 'Draft' }));
      return undefined;
    },
    onEvents: () => () => undefined,
  } as unknown as Client;
  const page = { ...NO_PAGE, hasFocus: () => hasFocus, focusOnceDrawn: (place: Place) => void focused.push(place) };
  const app = createApp({ client, local: createMemoryStore(), now: () => 0, page });
  app.sessions.setState({ byId: { A: summary('A'), C: summary('C') } });
  app.activate('A');
  app.openSession('A').live.setState({ ...NO_SESSION, leafId: 'leaf' });
  focused.length = 0;
  return { app, end, focused };
}

const ways: Record<string, (app: App) => Promise<void>> = {
  import: (app) => importFiles(app, [{ handle: 'h', name: 'b.jsonl' }]),
  handoff: (app) => handOff(app, { id: 'A' }, 'Go on'),
};

describe.each(Object.entries(ways))('CM8: what opens by itself, by %s', (_name, begin) => {
  it('opens where nobody writes', async () => {
    const { app, end } = openBench();
    const done = begin(app);
    end();
    await done;
    expect(app.sessions.getState().activeId).toBe('B');
  });

  it('leaves the window to somebody who writes: each letter is in the draft of the session that is shown', async () => {
    const { app, end } = openBench();
    const done = begin(app);
    app.openSession('A').draft.set({ text: 'half a th' });
    end();
    await done;
    app.openSession('A').draft.set({ text: 'half a thought' });
    expect(app.sessions.getState().activeId).toBe('A');
    expect(app.openSession('B').draft.state.getState().text).not.toContain('half');
    const offer = app.ui.getState().toasts.at(-1)?.action;
    expect(offer?.label).toBe('Open it');
    offer?.onSelect();
    expect(app.sessions.getState().activeId).toBe('B');
    expect(app.openSession('A').draft.state.getState().text).toBe('half a thought');
  });

  it('leaves it to somebody who wrote and sent, or only attached a file', async () => {
    const file = { id: 'x', kind: 'text' as const, name: 'x.txt', mimeType: 'text/plain', data: 'x' };
    for (const what of ['sent', 'attached']) {
      const { app, end } = openBench();
      const done = begin(app);
      const { draft } = app.openSession('A');
      draft.set(what === 'sent' ? { text: 'asked' } : { attachments: [file] });
      if (what === 'sent') draft.take('00000001');
      end();
      await done;
      expect(app.sessions.getState().activeId).toBe('A');
    }
  });

  it('opens where a message that was sent before arrives meanwhile', async () => {
    const { app, end } = openBench();
    app.openSession('A').draft.set({ text: 'asked' });
    const message = app.openSession('A').draft.take('00000001');
    const done = begin(app);
    app.openSession('A').draft.arrived(message);
    end();
    await done;
    expect(app.sessions.getState().activeId).toBe('B');
  });

  it('leaves it to somebody who went elsewhere', async () => {
    const { app, end } = openBench();
    const done = begin(app);
    app.activate('C');
    end();
    await done;
    expect(app.sessions.getState().activeId).toBe('C');
  });
});

describe('CM8: the keyboard', () => {
  it('stays in the composer when another session comes, and where it was otherwise', () => {
    for (const hasFocus of [true, false]) {
      const { app, focused } = openBench(hasFocus);
      app.activate('C');
      expect(focused).toEqual(hasFocus ? ['composer'] : []);
      app.activate('C');
      expect(focused).toEqual(hasFocus ? ['composer'] : []);
    }
  });
});
