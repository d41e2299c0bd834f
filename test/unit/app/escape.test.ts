import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { SessionSummary } from '../../../src/shared/types';
import { noteCarried } from '../../../src/renderer/actions/carried';
import { closeTopmost, noteClosed, serveEscape } from '../../../src/renderer/actions/escape';
import type { Client } from '../../../src/renderer/bridge';
import { createApp } from '../../../src/renderer/state/app';
import type { App } from '../../../src/renderer/state/app-type';
import type { ReadingPath } from '../../../src/renderer/state/reading-path';
import { createMemoryStore } from '../../support/memory-store';

const ID = 'session';
const SESSION = { id: ID };
const TARGET = {
  ...{ kind: 'branch' as const, target: 'a', parentId: 'a', oldLeaf: 'b', summary: null, preset: '', presetFiles: [] },
};

beforeAll(() => vi.useFakeTimers({ toFake: ['performance'], now: 1_000_000 }));
afterAll(() => vi.useRealTimers());
/** What was asked for is on its way to main. */
const asking = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));
/** Longer than the second press of two. */
const wait = (): unknown => vi.advanceTimersByTime(700);

function working(): { app: App; asked: string[] } {
  const asked: string[] = [];
  const request = (name: string): Promise<unknown> => {
    if (name === 'session.stop' || name === 'session.cancelJob') asked.push(name);
    return new Promise(() => undefined);
  };
  const client = { request, onEvents: () => () => undefined } as unknown as Client;
  const app = createApp({ client, local: createMemoryStore(), now: () => 0 });
  const session = { id: ID, title: 'A', state: 'streaming' } as SessionSummary;
  app.sessions.setState({ byId: { [ID]: session }, activeId: ID });
  app.openSession(ID).live.setState({ phase: 'running', leafId: 'b' });
  wait();
  return { app, asked };
}

function open(app: App): void {
  const { reading } = app.openSession(ID);
  app.draftOf(ID).toBranch(TARGET, { text: '', attachments: [] });
  reading.state.setState({ path: { rows: [], nth: 1 } as unknown as ReadingPath });
  app.find.open(ID);
  app.ui.setState({ searchOpen: true });
}

/** What is there to be closed, from the topmost. */
function left(app: App): string[] {
  const { searchOpen } = app.ui.getState();
  return [
    app.draftOf(ID).state.getState().branch ? 'prepared' : '',
    app.openSession(ID).reading.state.getState().path ? 'reading' : '',
    app.find.state.getState().sessionId === null ? '' : 'find',
    searchOpen ? 'search' : '',
  ].filter(Boolean);
}

describe('GR24: Escape', () => {
  it('puts down what the keyboard carries before anything else, wherever it is pressed', async () => {
    const { app, asked } = working();
    app.draftOf(ID).toBranch(TARGET, { text: '', attachments: [] });
    let isCarried = true;
    noteCarried(app, () => {
      isCarried = false;
      noteCarried(app, null);
    });
    expect(serveEscape(app, SESSION)).toBe(true);
    expect([isCarried, left(app)]).toEqual([false, ['prepared']]);
    await asking();
    expect(asked).toEqual([]);
  });

  it('closes one thing at a time, in one order, and ends work only where there is nothing to close', async () => {
    const { app, asked } = working();
    open(app);
    const seen = [left(app)];
    for (let press = 0; press < 4; press++) {
      wait();
      expect(serveEscape(app, SESSION)).toBe(true);
      seen.push(left(app));
    }
    expect(seen).toEqual([
      ['prepared', 'reading', 'find', 'search'],
      ['reading', 'find', 'search'],
      ['find', 'search'],
      ['search'],
      [],
    ]);
    // Nothing was stopped for any of it.
    await asking();
    expect(asked).toEqual([]);
    wait();
    serveEscape(app, SESSION);
    await asking();
    expect(asked).toEqual(['session.stop']);
  });

  it('that closed something stops nothing within 600 ms, whoever closed it', async () => {
    const { app, asked } = working();
    app.find.open(ID);
    expect(closeTopmost(app, SESSION)).toBe(true);
    vi.advanceTimersByTime(599);
    expect(serveEscape(app, SESSION)).toBe(true);
    await asking();
    expect(asked).toEqual([]);
    vi.advanceTimersByTime(2);
    serveEscape(app, SESSION);
    await asking();
    expect(asked).toEqual(['session.stop']);
    const other = working();
    noteClosed(performance.now());
    serveEscape(other.app, SESSION);
    await asking();
    expect(other.asked).toEqual([]);
  });

  it('ends the reading of a path that is still on its way, and not the run', async () => {
    const { app, asked } = working();
    const { state } = app.openSession(ID).reading;
    state.setState({ opening: 'x' });
    expect(serveEscape(app, SESSION)).toBe(true);
    await asking();
    expect([state.getState().opening, asked]).toEqual([null, []]);
  });

  it('that ended work may be pressed again at once: a summary is cancelled first, then the run stops', async () => {
    const { app, asked } = working();
    app.openSession(ID).live.setState({ job: { kind: 'compaction', review: null } as never });
    const at = performance.now();
    serveEscape(app, SESSION);
    noteClosed(at);
    app.openSession(ID).live.setState({ job: null });
    serveEscape(app, SESSION);
    await asking();
    expect(asked).toEqual(['session.cancelJob', 'session.stop']);
  });
});
