import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AppEvent } from '../../../src/shared/ipc/contract';
import { defaultSettings } from '../../../src/shared/settings';
import { NO_SESSION, type LiveSession } from '../../../src/shared/session-state/state';
import type { Bootstrap, SessionState, SessionSummary } from '../../../src/shared/types';
import { attend, attendNext } from '../../../src/renderer/actions/ways';
import type { Client } from '../../../src/renderer/bridge';
import { createApp } from '../../../src/renderer/state/app';
import type { App } from '../../../src/renderer/state/app-type';
import { nextWaiting, waitingCount } from '../../../src/renderer/state/sessions-store';
import { NO_PAGE } from '../../../src/renderer/state/page';
import { createMemoryStore } from '../../support/memory-store';

const summary = (id: string, state: SessionState, since = 0): SessionSummary =>
  ({
    ...{ id, title: id, state, turn: 'finished', entryCount: 1, updatedAt: 0 },
    ...(state === 'waiting' ? { waiting: { what: 'Run it', more: 0, since } } : {}),
  }) as SessionSummary;
const listOf = (sessions: SessionSummary[]) => Object.fromEntries(sessions.map((one) => [one.id, one]));

describe('NT1: the walk', () => {
  it('reaches each session that waits once, from wherever it begins, and no other', () => {
    const states = fc.constantFrom<SessionState>('idle', 'streaming', 'waiting', 'error');
    fc.assert(
      fc.property(fc.array(fc.tuple(states, fc.nat({ max: 5 })), { maxLength: 12 }), fc.nat(), (all, from) => {
        const sessions = all.map(([state, since], at) => summary(`s${at}`, state, since));
        const byId = listOf(sessions);
        const wanted = sessions.filter(({ state }) => state === 'waiting').map(({ id }) => id);
        expect(waitingCount({ byId })).toBe(wanted.length);
        let activeId = sessions[from % (sessions.length || 1)]?.id ?? null;
        const walked = wanted.map(() => (activeId = nextWaiting({ byId, activeId })!.id));
        expect([...walked].sort()).toEqual([...wanted].sort());
        if (wanted.length === 0) expect(nextWaiting({ byId, activeId })).toBeNull();
        // The last step leads round to the first.
        else expect(nextWaiting({ byId, activeId })!.id).toBe(walked[0]);
      }),
    );
  });
});

/** A window whose sessions are read when the test says so; `shown` are the cards that were brought into view. */
function openBench(sessions: SessionSummary[]) {
  const shown: string[] = [];
  const focused: string[] = [];
  const client = {
    request: () => new Promise(() => undefined),
    onEvents: () => () => undefined,
  } as unknown as Client;
  const page = {
    ...NO_PAGE,
    showQuestion: (id: string) => (shown.push(id), true),
    focusOnceDrawn: (place: string) => void focused.push(place),
  };
  const app = createApp({ client, local: createMemoryStore(), now: () => 0, page });
  app.sessions.setState({ byId: listOf(sessions) });
  const read = (id: string, live: Partial<LiveSession>): void => {
    app.openSession(id).live.setState({ ...NO_SESSION, ...live });
    app.openSession(id).view.setState({ status: 'ready' });
  };
  return { app, shown, focused, read };
}

const asks = (id: string) => [{ id }] as unknown as LiveSession['approvals'];
const REVIEW = {
  ...{ phase: 'review' as const, part: null, step: 0, steps: 0, retry: null, startedAt: 5 },
  review: { text: 'S', previousSummary: null, context: null },
} as const;

describe('NT1, NT2: the way to a session', () => {
  it('waits until it is read, then leads to its card', async () => {
    const { app, shown, focused, read } = openBench([summary('a', 'waiting'), summary('b', 'idle')]);
    app.activate('b');
    const done = attendNext(app);
    expect([app.sessions.getState().activeId, shown]).toEqual(['a', []]);
    read('a', { phase: 'waiting', approvals: asks('q1') });
    await done;
    expect([shown, focused]).toEqual([['q1'], []]);
  });

  it('leads nowhere if the person went on meanwhile', async () => {
    const { app, shown, read } = openBench([summary('a', 'waiting'), summary('b', 'idle')]);
    const done = attend(app, 'a');
    app.activate('b');
    read('a', { phase: 'waiting', approvals: asks('q1') });
    await done;
    expect([app.sessions.getState().activeId, shown]).toEqual(['b', []]);
  });

  it('what failed is shown at its end, to write in', async () => {
    const { app, focused, read } = openBench([summary('a', 'error')]);
    read('a', {});
    await attend(app, 'a');
    expect(app.ui.getState().arrival).toEqual({ sessionId: 'a', entryId: null });
    expect(focused).toEqual(['composer']);
  });

  it('a summary that waits is opened: that of a compaction, and that of a branch in its sheet', async () => {
    const { app, read } = openBench([summary('a', 'waiting'), summary('b', 'waiting')]);
    const facts = { kind: 'compaction', reason: 'manual', tokensBefore: 1, projected: null, messages: 1 } as const;
    read('a', { phase: 'job', job: { ...REVIEW, ...facts } });
    await attend(app, 'a');
    expect(app.ui.getState().reviews.a).toEqual({ startedAt: 5, text: 'S', isOpen: true });
    read('b', { phase: 'rewriting', job: { ...REVIEW, kind: 'bringOver', targetId: 't', fromId: 'f' } });
    await attend(app, 'b');
    expect(app.ui.getState().branchDialog).toEqual({ kind: 'bringOver', sessionId: 'b', sourceId: 'f', targetId: 't' });
  });

  it('a session that is gone, or a file, is not shown', async () => {
    const file = { ...summary('f', 'idle'), foreign: 'a picture' };
    const { app } = openBench([file]);
    await attend(app, 'f');
    await attend(app, 'gone');
    expect(app.sessions.getState().activeId).toBeNull();
  });
});

describe('NT2: what was asked for outside while the window starts', () => {
  /** A window that starts; `boot` answers it. */
  function starting() {
    let answer: (boot: Bootstrap) => void = () => undefined;
    let send: (event: AppEvent) => void = () => undefined;
    const asked: string[] = [];
    const client = {
      request: (name: string) =>
        name === 'app.bootstrap'
          ? new Promise((resolve) => (answer = resolve as never))
          : name === 'session.open'
            ? new Promise(() => undefined)
            : Promise.resolve(undefined),
      onEvents(listener: (events: AppEvent[], batch: number) => void) {
        send = (event) => listener([event], 9);
        return () => undefined;
      },
    } as unknown as Client;
    const app: App = createApp({ client, local: createMemoryStore(), now: () => 0 });
    app.onAttend = (id) => {
      asked.push(id);
      app.activate(id);
    };
    const boot = (attend: string | null): void =>
      answer({
        ...{ settings: defaultSettings(), settingsProblems: [], providers: [], notices: [], attend, nextBatch: 0 },
        sessions: [summary('a', 'idle'), summary('b', 'waiting')],
      } as unknown as Bootstrap);
    return { app, asked, boot, send: (event: AppEvent) => send(event), started: app.start() };
  }

  it('is shown in place of the last session', async () => {
    const { app, asked, boot, started } = starting();
    boot('b');
    await started;
    expect([app.sessions.getState().activeId, asked]).toEqual(['b', ['b']]);
  });

  it('also where it is told before the list is there', async () => {
    const { app, asked, boot, send, started } = starting();
    send({ type: 'attend', sessionId: 'b' });
    expect(asked).toEqual([]);
    boot(null);
    await started;
    expect([app.sessions.getState().activeId, asked]).toEqual(['b', ['b']]);
  });

  it('a session that is gone keeps the window from nothing', async () => {
    const { app, asked, boot, started } = starting();
    boot('deleted');
    await started;
    expect([app.sessions.getState().activeId, asked]).toEqual(['a', []]);
  });

  it('later it is shown at once', async () => {
    const { asked, boot, send, started } = starting();
    boot(null);
    await started;
    send({ type: 'attend', sessionId: 'b' });
    expect(asked).toEqual(['b']);
  });
});
