import { describe, expect, it } from 'vitest';
import type { SessionChange, SessionEvent } from '../../../src/shared/session-state/events';
import type { Client } from '../../../src/renderer/bridge';
import { createMemoryStore } from '../../support/memory-store';
import { createDraftStore } from '../../../src/renderer/state/draft-store';
import { createOpenSession, type OpenSession } from '../../../src/renderer/state/open-session';
import { NO_SESSION, type Row, type SessionSnapshot } from '../../../src/shared/session-state/state';

const ID = 'session';
const numbered = (n: number, change: SessionChange): SessionEvent => ({ ...change, sessionId: ID, n });
const delta = (text: string): SessionChange => ({
  type: 'stream_delta',
  streamId: 'reply',
  index: 0,
  kind: 'text',
  delta: text,
});

/** A snapshot whose reply stands at `text` after event `n`. */
function snapshotAt(text: string, n: number): SessionSnapshot {
  const reply = {
    streamId: 'reply',
    provider: 'p',
    model: 'm',
    startedAt: 0,
    blocks: [{ kind: 'text' as const, text }],
  };
  return { ...NO_SESSION, lines: [], reply, n };
}

/** A stream of rows that the session asked for: the test sends what comes. */
interface Bulk {
  onChunk: (part: { rows: Row[] }) => void;
  done: () => void;
}

/** A session whose snapshots come when the test says so. */
function openBench(onBulk: (bulk: Bulk) => void = () => undefined): {
  session: OpenSession;
  answers: ((snapshot: SessionSnapshot) => void)[];
  text: () => string;
} {
  const answers: ((snapshot: SessionSnapshot) => void)[] = [];
  const client = {
    request: () => new Promise((resolve) => answers.push(resolve)),
    bulk: (_name: string, _params: object, onChunk: Bulk['onChunk']) => ({
      done: new Promise<void>((done) => onBulk({ onChunk, done })),
      cancel: () => undefined,
    }),
  } as unknown as Client;
  const local = {
    getDraft: async () => null,
    putDraft: async () => undefined,
    getUi: async () => null,
    putUi: async () => undefined,
    loadEntries: async () => [],
  } as never;
  const draft = createDraftStore(ID, local);
  const session = createOpenSession(ID, { client, local, draft, newId: () => 'new' });
  return { session, answers, text: () => session.live.getState().reply?.blocks[0]?.text ?? '' };
}

describe('EV5: a snapshot and the events around it', () => {
  it('does not take what an event that comes late says a second time', async () => {
    const { session, answers, text } = openBench();
    const opened = session.refresh();
    answers[0]!(snapshotAt('one two three', 7));
    await opened;
    session.apply(numbered(7, delta(' two three')));
    session.apply(numbered(8, delta(' four')));
    expect(text()).toBe('one two three four');
  });

  it('keeps what an event says that overtakes the answer', async () => {
    const { session, answers, text } = openBench();
    const opened = session.refresh();
    session.apply(numbered(4, delta(' two')));
    session.apply(numbered(5, delta(' three')));
    answers[0]!(snapshotAt('one two', 4));
    await opened;
    session.apply(numbered(6, delta(' four')));
    expect(text()).toBe('one two three four');
  });

  it('of two snapshots takes the later one, and after it what is newer than that', async () => {
    const { session, answers, text } = openBench();
    const first = session.refresh();
    session.apply(numbered(4, delta(' two')));
    const second = session.refresh();
    session.apply(numbered(5, delta(' three')));
    answers[1]!(snapshotAt('one two', 4));
    await second;
    answers[0]!(snapshotAt('one', 3));
    await first;
    expect(text()).toBe('one two three');
  });
});

describe('bodies', () => {
  it('all come, however few of them an answer holds; one that is damaged is not asked for again and again', async () => {
    const ids = ['e1', 'e2', 'damaged', 'e3'];
    const entry = (id: string): string =>
      JSON.stringify({ type: 'message', id, parentId: null, message: { role: 'user', content: 'x'.repeat(200_000) } });
    const asked: string[][] = [];
    const client = {
      request: async (name: string, params: { ids: string[] }) => {
        if (name === 'session.open')
          return { ...snapshotAt('', 1), rows: ids.map((id, seq) => ({ id, seq, kind: 'user', tokens: 1 })) };
        asked.push(params.ids);
        const [first = ''] = params.ids;
        const isDamaged = first === 'damaged';
        return {
          lines: [{ seq: ids.indexOf(first), id: isDamaged ? '' : first, line: isDamaged ? '{' : entry(first) }],
        };
      },
    } as unknown as Client;
    const local = createMemoryStore();
    const draft = createDraftStore(ID, local);
    const session = createOpenSession(ID, { client, local, draft, newId: () => 'new' });
    await session.refresh();
    await session.loadEntries(ids);
    expect(ids.filter((id) => session.entry(id))).toEqual(['e1', 'e2', 'e3']);
    expect(asked.map((some) => some.length)).toEqual([4, 3, 2, 1]);
  });

  it('that are on their way for another have come too for who asks for them', async () => {
    const entry = JSON.stringify({
      type: 'message',
      id: 'e1',
      parentId: null,
      message: { role: 'user', content: 'x' },
    });
    const { session, answers } = openBench();
    void session.loadEntries(['e1']);
    let isThere = false;
    const second = session.loadEntries(['e1']).then(() => (isThere = true));
    await expect.poll(() => answers.length).toBe(1);
    expect(isThere).toBe(false);
    answers[0]!({ lines: [{ seq: 0, id: 'e1', line: entry }] } as never);
    await second;
    expect(session.entry('e1')).toBeDefined();
    expect(answers).toHaveLength(1);
  });
});

describe('a message', () => {
  it('that fails at once keeps its failure card, though main’s answer to it comes after the event', async () => {
    const { session, answers } = openBench();
    const opened = session.refresh();
    answers[0]!(snapshotAt('', 1));
    await opened;
    const sent = session.send('And again', [], 'followUp');
    const failure = { title: 'The model is not available', detail: 'Nothing was sent.', actions: [] };
    session.apply(numbered(2, { type: 'failure', failure }));
    (answers[1] as unknown as (answer: unknown) => void)({ queued: false, itemId: 'new' });
    expect(await sent).toBe(true);
    expect(session.live.getState().failure).toEqual(failure);
  });
});

describe('CM1: a message that was on its way when an earlier window ended', () => {
  it('is no draft again if it waits in the queue or is an entry, also one that can’t be read', async () => {
    const ids = ['0000000a', '0000000b', '0000000c'];
    const local = createMemoryStore();
    const sent = ids.map((itemId) => ({ itemId, text: itemId, fileIds: [] }));
    await local.putDraft(ID, { text: '', attachments: [], sent });
    const client = {
      request: async (name: string, params: { ids: string[] }) => {
        if (name === 'session.open') return { ...snapshotAt('', 1), queue: [{ id: ids[0] }] };
        return { lines: params.ids[0] === ids[1] ? [{ seq: 1, id: '', line: '{' }] : [] };
      },
    } as unknown as Client;
    const draft = createDraftStore(ID, local);
    const session = createOpenSession(ID, { client, local, draft, newId: () => 'new' });
    await session.refresh();
    await expect.poll(() => draft.state.getState().text).toBe('0000000c');
    await draft.flush();
    expect(await local.getDraft(ID)).toEqual({ text: '0000000c', attachments: [] });
  });
});

describe('EV9: older rows', () => {
  const row = (seq: number): Row => ({ id: `e${seq}`, parentId: null, seq, kind: 'unknown', time: 0, tokens: 0 });
  const rowsFrom = (from: number): Row[] => Array.from({ length: 500 }, (_, n) => row(from + n));

  it('of a long path are added a share of it at a time, all of them and in order', async () => {
    const count = 100_000;
    let chunk: (part: { rows: Row[] }) => void = () => undefined;
    let finish = (): void => undefined;
    const { session, answers } = openBench(({ onChunk, done }) => {
      chunk = onChunk;
      finish = done;
    });
    const opened = session.refresh();
    answers[0]!({ ...snapshotAt('', 1), rows: rowsFrom(count - 500), rowsBefore: count - 500 });
    await opened;
    let walked = 0;
    session.view.subscribe(({ rows }, before) => {
      if (rows !== before.rows) walked += rows.length;
    });
    const loaded = session.loadOlder();
    for (let from = count - 1_000; from >= 0; from -= 500) chunk({ rows: rowsFrom(from) });
    finish();
    await loaded;
    const { rows, rowsBefore } = session.view.getState();
    expect(rows.map(({ seq }) => seq)).toEqual(Array.from({ length: count }, (_, seq) => seq));
    expect(rowsBefore).toBe(0);
    // Each chunk by itself would walk a hundred times as many rows as there are.
    expect(walked).toBeLessThan(15 * count);
  });
});

it('E1: a body that was asked for of a file that another one replaced is not taken for one of that', async () => {
  const { session, answers } = openBench();
  const opened = session.refresh();
  answers.shift()?.(snapshotAt('', 1));
  await opened;
  const loading = session.loadEntries(['a']);
  await new Promise(setImmediate);
  const ofEntries = answers.shift() as unknown as (answer: object) => void;
  const reloaded = session.reload();
  answers.shift()?.(snapshotAt('', 2));
  await reloaded;
  const line = JSON.stringify({
    type: 'message',
    id: 'a',
    parentId: null,
    timestamp: '',
    message: { role: 'user', content: 'old' },
  });
  ofEntries({ lines: [{ seq: 1, id: 'a', line }] });
  await loading;
  expect(session.entry('a')).toBeUndefined();
});
