import { describe, expect, it, vi } from 'vitest';
import type { AppEvent, RequestName } from '../../../src/shared/ipc/contract';
import type { LeavePreview } from '../../../src/shared/ipc/tree-types';
import type { SessionSummary } from '../../../src/shared/types';
import { AppError, type Client } from '../../../src/renderer/bridge';
import { bringOver, bringVersion, goToFound } from '../../../src/renderer/actions/branches';
import { createApp } from '../../../src/renderer/state/app';
import type { App } from '../../../src/renderer/state/app-type';
import { act } from '../../../src/renderer/actions/menus';
import {
  abandonBranching,
  askAgain,
  branchFrom,
  editAndResend,
  editQueued,
  leaveWith,
  moveLeaf,
  navigate,
  stepThroughLeaves,
} from '../../../src/renderer/actions/moves';
import { showInGraph } from '../../../src/renderer/actions/reading';
import { left, NOWHERE, step } from '../../../src/renderer/state/branch-state';
import { asSentence } from '../../../src/renderer/state/format';
import type { Draft } from '../../../src/renderer/state/local-store';
import { createMemoryStore } from '../../support/memory-store';
import type { EntryAppended, SessionChange } from '../../../src/shared/session-state/events';
import { reduce } from '../../../src/shared/session-state/reduce';
import { NO_SESSION, type Row } from '../../../src/shared/session-state/state';
import { chain, entry } from '../shared/graph/support';

const ID = 'session';
const B = { sessionId: ID, targetId: 'b' };
const preview: LeavePreview = {
  messages: 2,
  tokens: 900,
  modifiedFiles: [],
  model: { provider: 'p', modelId: 'm' },
};

type Answers = Partial<Record<RequestName, unknown>>;

/** An app over a main that answers as told; `asked` is what it was asked, `session.open` and the like aside. */
function openApp(
  answers: Answers = {},
  /** Of the graph; null: they can't be read. */
  rows: Row[] | null = [],
  local = createMemoryStore(),
): {
  app: App;
  asked: [RequestName, unknown][];
  tell: (event: AppEvent) => void;
} {
  const asked: [RequestName, unknown][] = [];
  const given: Answers = { 'session.go': { kind: 'done', leafId: 'b', cancelled: false }, ...answers };
  const request = async (name: RequestName, params: unknown): Promise<unknown> => {
    if (name === 'session.open') return new Promise(() => undefined);
    asked.push([name, params]);
    const answer = given[name];
    return typeof answer === 'function' ? (answer as () => unknown)() : answer;
  };
  let tell: (event: AppEvent) => void = () => undefined;
  const onEvents: Client['onEvents'] = (listener) => ((tell = (event) => listener([event], 1)), () => undefined);
  const bulk: unknown = (_name: string, _params: object, onChunk: (part: { rows: Row[] }) => void) => (
    rows && onChunk({ rows }),
    {
      done: rows ? Promise.resolve() : Promise.reject(new Error('The file could not be read.')),
      cancel: () => undefined,
    }
  );
  const client = { request, onEvents, bulk } as unknown as Client;
  const app = createApp({ client, local, now: () => 0 });
  void app.start();
  asked.length = 0;
  const summary = { id: ID, title: 'A', state: 'idle' } as SessionSummary;
  app.sessions.setState({ byId: { [ID]: summary }, activeId: ID });
  at(app, 'leaf');
  return { app, asked, tell: (event) => tell(event) };
}

/** The leaf as main's events would set it. */
function at(app: App, leafId: string | null, rows: Row[] = []): void {
  const { live, view } = app.openSession(ID);
  live.setState({ leafId, rows });
  view.setState({ rows, status: 'ready' });
}

const moves = (asked: [RequestName, unknown][]): unknown[] =>
  asked.flatMap(([name, params]) => (name === 'session.go' ? [params] : []));

describe('visited leaves', () => {
  it('BR5: back and forward walk what was left; going elsewhere ends the way forward', () => {
    const visited = left(left(NOWHERE, 'a'), 'b');
    const back = step(visited, 'back', 'c')!;
    expect(back).toEqual({ to: 'b', after: { back: ['a'], forward: ['c'] } });
    expect(step(back.after, 'forward', 'b')).toEqual({ to: 'c', after: { back: ['a', 'b'], forward: [] } });
    expect(left(back.after, 'b').forward).toEqual([]);
    expect(step(NOWHERE, 'back', 'a')).toBeNull();
  });

  it('BR5: a step leads somewhere else, and the place before the first entry is a place', () => {
    expect(step({ back: [null, 'c', 'c'], forward: [] }, 'back', 'c')?.to).toBeNull();
    expect(step({ back: ['c'], forward: [] }, 'back', 'c')).toBeNull();
  });

  it('BR5: Back goes there without asking, and only a step that happened counts', async () => {
    const { app, asked } = openApp();
    await moveLeaf(app, { ...B, exact: false });
    at(app, 'b');
    await stepThroughLeaves(app, { id: ID }, 'back');
    expect(moves(asked)).toEqual([
      { sessionId: ID, targetId: 'b', exact: false, choice: { summarize: false } },
      { sessionId: ID, targetId: 'leaf', exact: true, choice: { summarize: false } },
    ]);
    expect(app.ui.getState().visited[ID]).toEqual({ back: [], forward: ['b'] });
  });
});

describe('labels and hidden branches', () => {
  const record = (said: Pick<EntryAppended, 'label' | 'archived'>): EntryAppended => ({
    ...{ type: 'entry_appended', crc: 0, crcBefore: 0, row: null, ...said },
    line: { seq: 1, id: 'x', line: '{}' },
  });
  const label = (targetId: string, text = '') => record({ label: { targetId, label: text } });
  const hide = (targetId: string, isHidden: boolean) => record({ archived: { targetId, isHidden, rows: [] } });

  it('TR11: the last in file order wins, empty clears, other records change nothing', () => {
    const records = [label('a', 'plan'), label('b', 'two'), label('a', 'plan v2'), label('b'), hide('a', true)];
    const state = [...records, record({})].reduce(reduce, NO_SESSION);
    expect([state.labels, state.archived]).toEqual([{ a: 'plan v2' }, ['a']]);
    expect(reduce(state, hide('a', false)).archived).toEqual([]);
    expect(reduce(state, record({}))).toBe(state);
  });

  it('EV2: a summary under way is in the state with its text, and gone at its end', () => {
    const step = { phase: 'plan', part: null, step: 0, steps: 0 } as const;
    const summary = { kind: 'leave', targetId: 'b', fromId: 'a', ...step, retry: null, review: null, startedAt: 1 } as const; // prettier-ignore
    const draft = { text: 'x', previousSummary: null, context: null };
    const progress = (textDelta: string): SessionChange => ({
      type: 'job_progress',
      kind: 'leave',
      ...step,
      textDelta,
    });
    const started = reduce(NO_SESSION, { type: 'job_start', job: summary });
    const written = [progress('The '), progress('Goal')].reduce(reduce, started);
    expect([written.job, written.summaryText]).toEqual([summary, 'The Goal']);
    const retry = { attempt: 1, maxAttempts: 3, until: 9, errorMessage: 'overloaded' };
    const waits = reduce(written, { type: 'job_retry', kind: 'leave', retry });
    expect([waits.job?.retry, waits.summaryText]).toEqual([retry, '']);
    expect(reduce(waits, progress('Goal')).job?.retry).toBeNull();
    const review = reduce(waits, { type: 'job_review', kind: 'leave', review: draft });
    expect(review.job?.review).toEqual(draft);
    const ended = reduce(review, { type: 'job_end', kind: 'leave', aborted: false });
    expect([ended.job, ended.summaryText]).toEqual([null, '']);
  });
});

describe('leaving a branch', () => {
  it('BR3: visible work is asked about, each time with the answer that the setting offers', async () => {
    const { app, asked } = openApp({ 'session.go': { kind: 'question', preview } });
    const to = { sessionId: ID, targetId: 'b', exact: true };
    await leaveWith(app, to, { choice: 'instructions', instructions: ' the parser ', isAlways: false });
    expect(moves(asked)).toEqual([{ ...to, choice: { summarize: true, instructions: 'the parser' } }]);
    await navigate(app, to);
    expect(app.ui.getState().branchDialog).toMatchObject({ kind: 'leave', to, preview, choice: 'none' });
    const { settings } = app.settings.getState();
    app.settings.setState({ settings: { ...settings, 'branchSummary.enabled': true } });
    await navigate(app, to);
    expect(app.ui.getState().branchDialog).toMatchObject({ kind: 'leave', to, preview, choice: 'summarise' });
    expect(moves(asked).slice(1)).toEqual([to, to]);
    expect(app.ui.getState().visited[ID]?.back ?? []).toHaveLength(1);
  });

  it('BR3: what was found on another branch comes into view once HEAD is there, and not where the question is taken back', async () => {
    const found = { sessionId: ID, entryId: 'b' };
    const versions = { 'session.versions': { versions: [{ entryId: 'b', leafId: 'b' }] } };
    const asking = openApp({ ...versions, 'session.go': { kind: 'question', preview } });
    await goToFound(asking.app, found);
    expect(asking.app.ui.getState()).toMatchObject({ arrival: null, branchDialog: { kind: 'leave', shows: 'b' } });
    const { app } = openApp(versions);
    await leaveWith(app, { ...B, exact: true }, { choice: 'none', isAlways: false }, 'b');
    expect(app.ui.getState().arrival).toEqual(found);
    const unasked = openApp(versions);
    await goToFound(unasked.app, found);
    expect(unasked.app.ui.getState().arrival).toEqual(found);
  });

  it('BR3: where HEAD came there by itself while it was asked, what was found comes into view', async () => {
    const { app } = openApp({ 'session.go': { kind: 'here' } });
    const asked = {
      kind: 'leave' as const,
      to: { ...B, exact: true },
      leafId: 'leaf',
      preview,
      choice: 'none' as const,
    };
    app.ui.setState({ branchDialog: asked });
    await askAgain(app, asked);
    expect(app.ui.getState()).toMatchObject({ arrival: null, branchDialog: null });
    await askAgain(app, { ...asked, shows: 'b' });
    expect(app.ui.getState().arrival).toMatchObject({ entryId: 'b' });
  });

  it('BR3: where main has no question one request goes there, and the way back is remembered', async () => {
    const { app, asked } = openApp();
    await navigate(app, { ...B, exact: false });
    expect(asked).toEqual([['session.go', { sessionId: ID, targetId: 'b', exact: false }]]);
    expect([app.ui.getState().branchDialog, app.ui.getState().visited[ID]?.back]).toEqual([null, ['leaf']]);
    const here = openApp({ 'session.go': { kind: 'here' } });
    await navigate(here.app, { ...B, exact: false }, { asks: true });
    expect(moves(here.asked)).toEqual([{ sessionId: ID, targetId: 'b', exact: false, asks: true }]);
    expect(here.app.ui.getState().visited).toEqual({});
  });

  it('BR3, SU35: a summary that nobody could write unasked comes back as the question, with who was asked', async () => {
    const tried = [{ provider: 'p', modelId: 'm' }];
    const { app } = openApp({ 'session.go': { kind: 'question', preview, problem: { text: 'It failed', tried } } });
    await navigate(app, { ...B, exact: false });
    const problem = { text: 'It failed.', tried };
    expect(app.ui.getState().branchDialog).toMatchObject({ kind: 'leave', choice: 'summarise', problem });
  });

  it('JB2: while the agent works nothing is asked of main, and the person is told why', async () => {
    const { app, asked } = openApp();
    app.openSession(ID).live.setState({ phase: 'running' });
    const entry = { sessionId: ID, id: 'b' };
    for (const id of ['entry.again', 'entry.bring'] as const) act(app, id, entry);
    for (const id of ['branch.back', 'branch.clear'] as const) act(app, id, { id: ID });
    expect(asked).toEqual([]);
    const { toasts, visited } = app.ui.getState();
    expect(toasts.map(({ text }) => text)).toEqual([
      expect.stringContaining('Wait for the current response to finish'),
    ]);
    expect(visited).toEqual({});
    // What moves HEAD at sending alone is prepared (GR13).
    act(app, 'entry.branch', entry);
    expect(app.draftOf(ID).state.getState().branch).toMatchObject({ parentId: 'b' });
    expect(app.ui.getState().toasts).toHaveLength(1);
  });

  it('BR2: a cancelled summary and a refusal say so, and nothing is remembered of a leaf that was not left', async () => {
    const answer = { choice: 'summarise', instructions: '', isAlways: true } as const;
    const to = { sessionId: ID, targetId: 'b', exact: true };
    const { app, asked } = openApp({ 'session.go': { kind: 'done', leafId: 'leaf', cancelled: true, aborted: true } });
    expect(await leaveWith(app, to, answer)).toEqual({ text: 'You cancelled the summary.', tried: null });
    expect(app.ui.getState().visited[ID]).toBeUndefined();
    expect(asked.filter(([name]) => name === 'settings.set')).toEqual([]);
  });

  it('BR3: an answer is remembered where it was one: not where an extension kept HEAD, nor with instructions', async () => {
    const remembered = async (
      choice: 'none' | 'summarise' | 'instructions',
      cancelled: boolean,
    ): Promise<unknown[]> => {
      const { app, asked } = openApp({ 'session.go': { kind: 'done', leafId: 'b', cancelled } });
      await leaveWith(app, { sessionId: ID, targetId: 'b', exact: true }, { choice, isAlways: true });
      return asked.filter(([name]) => name === 'settings.set').map(([, asks]) => asks);
    };
    expect(await remembered('summarise', false)).toEqual([
      { key: 'branchSummary.enabled', value: true },
      { key: 'branchSummary.skipPrompt', value: true },
    ]);
    expect(await remembered('none', true)).toEqual([]);
    // The box was ticked, then another choice taken, beside which it does not stand.
    expect(await remembered('instructions', false)).toEqual([]);
  });
});

describe('BR14: a branch that is brought over', () => {
  const branches = { sessionId: ID, sourceId: 'a', targetId: 'b' };
  const failing = (): Promise<never> =>
    Promise.reject(new AppError({ code: 'storage', message: 'Could not save: the disk is full' }));

  it('what fails after its review was put aside is told, with the way back to it', async () => {
    const { app } = openApp({ 'session.bringOver': failing });
    const problem = { text: 'Could not save: the disk is full.', tried: null };
    expect(await bringOver(app, branches, {}, () => false)).toEqual(problem);
    const { toasts } = app.ui.getState();
    expect(toasts.map(({ level, text }) => [level, text])).toEqual([
      ['error', 'Could not save: the disk is full. Nothing was brought over.'],
    ]);
    toasts[0]!.action!.onSelect();
    expect(app.ui.getState().branchDialog).toEqual({ kind: 'bringOver', ...branches });
  });

  it('an open sheet says it itself, and a cancelled one is no news', async () => {
    const { app } = openApp({ 'session.bringOver': failing });
    expect(await bringOver(app, branches, {}, () => true)).not.toBeNull();
    expect(app.ui.getState().toasts).toEqual([]);
    const cancelled = openApp({ 'session.bringOver': { cancelled: true, aborted: true } });
    await bringOver(cancelled.app, branches, {}, () => false);
    expect(cancelled.app.ui.getState().toasts).toEqual([]);
  });
});

describe('BR6: the summary of the other side of a fork', () => {
  const versions = ['a', 'b', 'c'].map((id) => ({ entryId: id, leafId: `${id}-leaf` }));
  const answers = { 'session.versions': { versions } };
  it('is offered at HEAD: of the version that was left last, else of the newest other one', async () => {
    const { app } = openApp(answers);
    await bringVersion(app, { sessionId: ID, id: 'c' });
    const at = { kind: 'bringOver', sessionId: ID, targetId: 'leaf' };
    expect(app.ui.getState().branchDialog).toEqual({ ...at, sourceId: 'b-leaf' });
    app.ui.setState({ visited: { [ID]: { back: ['a-leaf', 'elsewhere'], forward: [] } } });
    await bringVersion(app, { sessionId: ID, id: 'c' });
    expect(app.ui.getState().branchDialog).toEqual({ ...at, sourceId: 'a-leaf' });
  });
});

describe('the composer', () => {
  it('BR1: text of a message that was gone to fills an empty composer; a draft there is never lost', async () => {
    const answers = { 'session.go': { kind: 'done', leafId: 'b', cancelled: false, editorText: 'Question 1' } };
    const { app } = openApp(answers);
    const { draft } = app.openSession(ID);
    await moveLeaf(app, { ...B, exact: false });
    expect(draft.state.getState().text).toBe('Question 1');
    draft.set({ text: 'half a thought' });
    await moveLeaf(app, { ...B, exact: false });
    expect(draft.state.getState().text).toBe('half a thought');
    const offer = app.ui.getState().toasts.at(-1)?.action;
    offer?.onSelect();
    expect([offer?.label, draft.state.getState().text]).toEqual(['Use its text', 'Question 1']);
  });

  const message = (id: string, content: string, parentId: string | null = 'a1') => ({
    ...{ seq: 1, id },
    line: JSON.stringify({ type: 'message', id, parentId, message: { role: 'user', content } }),
  });

  it('HF7, BR4: nothing moves while a branch is thought of; given up it takes its text along, a changed one stays', async () => {
    const { app, asked } = openApp({ 'session.entries': { lines: [message('q1', 'Question 1')] } });
    const { draft } = app.openSession(ID);
    const state = () => draft.state.getState();
    await editAndResend(app, { sessionId: ID, id: 'q1' });
    expect(state()).toMatchObject({ text: 'Question 1', branch: { kind: 'edit', target: 'q1', parentId: 'a1', oldLeaf: 'leaf' } }); // prettier-ignore
    abandonBranching(app, { id: ID });
    expect([state().text, state().branch, state().aside]).toEqual(['', null, []]);
    await editAndResend(app, { sessionId: ID, id: 'q1' });
    draft.set({ text: 'Question 1, but shorter' });
    abandonBranching(app, { id: ID });
    expect([state().text, state().branch]).toEqual(['Question 1, but shorter', null]);
    expect(moves(asked)).toEqual([]);
    expect(app.ui.getState().visited).toEqual({});
  });

  it('BR4: HEAD’s draft is kept beside that of a branch, and both come back', () => {
    const { app } = openApp();
    const { draft } = app.openSession(ID);
    const state = () => draft.state.getState();
    draft.set({ text: 'for HEAD' });
    void branchFrom(app, { sessionId: ID, id: 'b' });
    expect(state()).toMatchObject({ text: '', branch: { kind: 'branch', parentId: 'b', summary: null } });
    draft.set({ text: 'for the branch' });
    void branchFrom(app, { sessionId: ID, id: 'c' });
    expect(state()).toMatchObject({ text: '', aside: ['for the branch'], branch: { parentId: 'c' } });
    draft.useAside('for the branch');
    abandonBranching(app, { id: ID });
    expect(state()).toMatchObject({ text: 'for HEAD', aside: ['for the branch'], branch: null });
  });

  it('GR21: at HEAD another way is its last message, edited, because behind it nothing would branch', async () => {
    const row = (id: string, kind: Row['kind'], parentId: string | null) => ({ id, kind, parentId }) as Row;
    const { app } = openApp({ 'session.entries': { lines: [message('q1', 'Question 1', 'a0')] } });
    const draft = app.draftOf(ID).state;
    const edited = { text: 'Question 1', branch: { kind: 'edit', target: 'q1', parentId: 'a0' } };
    at(app, 'leaf', [row('a0', 'assistant', null), row('q1', 'user', 'a0'), row('leaf', 'assistant', 'q1')]);
    void branchFrom(app, { sessionId: ID, id: 'leaf' });
    await vi.waitFor(() => expect(draft.getState()).toMatchObject(edited));
    abandonBranching(app, { id: ID });
    // A model chosen since is no turn: going back before it would lose the choice.
    const rows = [row('a0', 'assistant', null), row('q1', 'user', 'a0'), row('a1', 'assistant', 'q1')];
    at(app, 'm', [...rows, row('m', 'modelChange', 'a1')]);
    void branchFrom(app, { sessionId: ID, id: 'a1' });
    await vi.waitFor(() => expect(draft.getState()).toMatchObject(edited));
  });

  it('GR21: whether something was said after HEAD elsewhere is known before the graph was ever shown', async () => {
    const row = (id: string, kind: Row['kind'], parentId: string | null, seq: number): Row => ({
      ...{ id, kind, parentId, seq, time: seq, tokens: 1 },
    });
    const path = [row('q0', 'user', null, 1), row('leaf', 'assistant', 'q0', 2)];
    const { app } = openApp({}, [...path, row('q1', 'user', 'leaf', 3)]);
    at(app, 'leaf', path);
    await branchFrom(app, { sessionId: ID, id: 'leaf' });
    expect(app.draftOf(ID).state.getState()).toMatchObject({ text: '', branch: { kind: 'branch', parentId: 'leaf' } });
  });

  it('GR29: a branch is hidden whole, from wherever in it that is asked for; not what HEAD’s path has of it', async () => {
    const ids = ['q0', 'a0', 'q1', 'a1'];
    const path = ids.map((id, seq) => ({ id, kind: id.startsWith('q') ? 'user' : 'assistant', parentId: ids[seq - 1] ?? null, seq, time: seq, tokens: 1 }) as Row); // prettier-ignore
    const off = ['x', 'y', 'z'].map((id, at) => ({ id, kind: 'user', parentId: ['a0', 'x', 'y'][at], seq: 4 + at, time: 4, tokens: 1, branchId: id }) as Row); // prettier-ignore
    const { app, asked } = openApp({}, [...path, ...off]);
    at(app, 'a1', path);
    await app.openSession(ID).graph.open();
    const hidden = (): unknown[] => asked.flatMap(([name, params]) => (name === 'session.setBranchArchived' ? [(params as { entryId: string }).entryId] : [])); // prettier-ignore
    act(app, 'entry.hide', { sessionId: ID, id: 'z' });
    await vi.waitFor(() => expect(hidden()).toEqual(['x']));
    act(app, 'entry.hide', { sessionId: ID, id: 'q1' });
    expect(app.ui.getState().toasts.some(({ text }) => text.startsWith('HEAD is in this branch'))).toBe(true);
    // HEAD in the middle of its branch: what follows is put away from where it leaves HEAD's path.
    at(app, 'a0', path.slice(0, 2));
    await vi.waitFor(() => expect(app.openSession(ID).graph.graph.leafId).toBe('a0'));
    act(app, 'entry.hide', { sessionId: ID, id: 'a1' });
    await vi.waitFor(() => expect(hidden()).toEqual(['x', 'q1']));
  });

  it('GR29: a branch whose first prompt was answered again is hidden and shown with all of its answers', async () => {
    const row = (id: string, kind: Row['kind'], parentId: string | null, seq: number, more = {}): Row =>
      ({ ...{ id, kind, parentId, seq, time: seq, tokens: 1 }, ...more }) as Row;
    const path = [row('q0', 'user', null, 0), row('a0', 'assistant', 'q0', 1), row('q1', 'user', 'a0', 2)];
    const off = [
      row('x', 'user', 'a0', 3, { branchId: 'x' }),
      row('r1', 'assistant', 'x', 4),
      row('r2', 'assistant', 'x', 5),
    ];
    const { app, asked } = openApp({}, [...path, ...off]);
    at(app, 'q1', path);
    const session = app.openSession(ID);
    await session.graph.open();
    const { graph } = session.graph;
    const told = (is: boolean): string[] =>
      asked.flatMap(([name, params]) => {
        const { entryId, archived } = params as { entryId: string; archived: boolean };
        return name === 'session.setBranchArchived' && archived === is ? [entryId] : [];
      });
    const first = graph.order.variants.frontOf(graph.turns.place('r1')!.node);
    const members = graph.stackOf(first)?.members ?? [];
    expect(members.length).toBe(2);
    act(app, 'entry.hide', { sessionId: ID, id: first.contentId });
    await vi.waitFor(() => expect(told(true).sort()).toEqual(members.map(({ contentId }) => contentId).sort()));
    graph.setArchived(new Set(told(true)));
    expect(members.some((node) => graph.isShown(node))).toBe(false);
    const hiddenAt = graph.hiddenAt(first);
    act(app, 'entry.hide', { sessionId: ID, id: first.contentId, hiddenAt });
    await vi.waitFor(() => expect(told(false).sort()).toEqual(told(true).sort()));
  });

  it('GR29: also where that answer was gone on with, and before the graph was ever shown', async () => {
    const own = (id: string, parentId: string, seq: number): Row => ({ ...entry(id, parentId, 'user', seq), branchId: id }); // prettier-ignore
    const again = [entry('r1', 'x', 'assistant', 21), entry('r2', 'x', 'assistant', 22)];
    const on = [entry('y', 'r2', 'user', 23), entry('z', 'y', 'assistant', 24)];
    const path = chain(4);
    const { app, asked } = openApp({}, [...path, own('x', 'a1', 20), ...again, ...on]);
    at(app, 'a3', path);
    act(app, 'entry.hide', { sessionId: ID, id: 'z' });
    const ids = (): string[] =>
      asked.flatMap(([name, params]) =>
        name === 'session.setBranchArchived' ? [(params as { entryId: string }).entryId] : [],
      );
    await vi.waitFor(() => expect(ids().sort()).toEqual(['r2', 'x']));
    const { graph } = app.openSession(ID).graph;
    graph.setArchived(new Set(ids()));
    expect(['x', 'r1', 'r2', 'y', 'z'].filter((id) => graph.isShown(graph.turns.place(id)!.node))).toEqual([]);
    expect(graph.rail.rows.filter(({ lane }) => lane > 0)).toEqual([]);
  });

  it('GR29: nothing is hidden where it is not known where its branch begins', async () => {
    const { app, asked } = openApp({}, null);
    act(app, 'entry.hide', { sessionId: ID, id: 'z' });
    await vi.waitFor(() => expect(app.ui.getState().toasts.at(-1)?.text).toContain('could not be read'));
    expect(asked.map(([name]) => name)).not.toContain('session.setBranchArchived');
  });

  it('GR11: “Show in graph” brings the node into view also where the list of branches stands in its place', async () => {
    const path = chain(4);
    const { app } = openApp({}, path);
    at(app, 'a3', path);
    const { graph } = app.openSession(ID);
    await graph.open();
    graph.showList(true);
    await showInGraph(app, { sessionId: ID, id: 'elsewhere' });
    expect(graph.state.getState()).toMatchObject({ wanted: null, showsList: true });
    await showInGraph(app, { sessionId: ID, id: 'a1' });
    expect(graph.state.getState()).toMatchObject({ wanted: { contentId: 'u1' }, showsList: false });
  });

  it('BR4: the setting says whether a summary is offered', () => {
    const { app } = openApp();
    const { settings } = app.settings.getState();
    app.settings.setState({ settings: { ...settings, 'branchSummary.enabled': true } });
    void branchFrom(app, { sessionId: ID, id: 'b' });
    expect(app.draftOf(ID).state.getState().branch?.summary).toEqual({ instructions: '' });
  });

  it('BR4: one request sends it; refused, it is in the composer again with where it goes, and main no longer holds it', async () => {
    let answer: () => unknown = () => Promise.reject(new AppError({ code: 'refused', message: 'You cancelled it.' }));
    const { app, asked } = openApp({ 'session.prompt': () => answer(), 'queue.remove': true });
    const session = app.openSession(ID);
    const { draft } = session;
    draft.set({ text: 'for HEAD' });
    void branchFrom(app, { sessionId: ID, id: 'b' });
    draft.setBranch({ summary: { instructions: 'the parser' } });
    draft.set({ text: 'other' });
    expect(await session.submit('steer')).toBe(false);
    expect(draft.state.getState()).toMatchObject({ text: 'other', problem: 'You cancelled it.', branch: { parentId: 'b', head: { text: 'for HEAD' } } }); // prettier-ignore
    const [, params] = asked.find(([name]) => name === 'session.prompt')!;
    expect(params).toMatchObject({ text: 'other', parentId: 'b', summary: { instructions: 'the parser' } });
    const { itemId } = params as { itemId: string };
    await expect.poll(() => asked.at(-1)).toEqual(['queue.remove', { sessionId: ID, itemId }]);
    answer = () => ({ queued: true, itemId });
    expect(await session.submit('steer')).toBe(true);
    expect(draft.state.getState()).toMatchObject({ text: 'for HEAD', branch: null });
  });

  it('GR13: a prepared branch is put back into the composer with where it goes', async () => {
    const { app } = openApp({ 'queue.remove': true });
    const { live, draft } = app.openSession(ID);
    const item = { id: 'i', text: 'other', attachments: [], mode: 'steer', createdAt: 0, held: true } as const;
    live.setState({ queue: [{ ...item, attachments: [], parentId: null, summary: { instructions: 'x' } }] });
    draft.set({ text: 'for HEAD' });
    await editQueued(app, { sessionId: ID, itemId: 'i' });
    expect(draft.state.getState()).toMatchObject({ text: 'other', branch: { parentId: null, summary: { instructions: 'x' }, head: { text: 'for HEAD' } } }); // prettier-ignore
    await editQueued(app, { sessionId: ID, itemId: 'gone' });
    expect(app.ui.getState().toasts.at(-1)?.text).toContain('no longer waiting');
  });

  it('GR13: it is stored with the composer before it is off the queue; what is being said already is none of it', async () => {
    const seen: unknown[] = [];
    const local = createMemoryStore();
    let isThere = true;
    const remove = async (): Promise<boolean> => (seen.push((await local.getDraft(ID) as Draft | undefined)?.text), isThere); // prettier-ignore
    const { app } = openApp({ 'queue.remove': remove }, [], local);
    const { live, draft } = app.openSession(ID);
    const item = { id: 'i', text: 'other', attachments: [], mode: 'steer', createdAt: 0, held: true } as const;
    live.setState({ queue: [{ ...item, attachments: [], parentId: null }] });
    draft.set({ text: 'for HEAD' });
    // Pressed twice it comes once.
    await Promise.all([1, 2].map(() => editQueued(app, { sessionId: ID, itemId: 'i' })));
    expect([seen, draft.state.getState().aside]).toEqual([['other'], []]);
    draft.set({ text: '' });
    draft.toHead();
    isThere = false;
    await editQueued(app, { sessionId: ID, itemId: 'i' });
    expect(draft.state.getState()).toMatchObject({ text: 'for HEAD', branch: null, aside: [] });
    expect(app.ui.getState().toasts.at(-1)?.text).toContain('no longer waiting');
  });

  it('BR5: Back leads from a branch that was begun, however long it waited', () => {
    const { app, tell } = openApp();
    const path = { leafId: 'b', rows: [], rowsBefore: 0, seenFrom: null, repeated: [], pruned: [], shared: 0 };
    const moved = { type: 'leaf_changed', oldLeafId: 'leaf', newLeafId: 'b', path, sessionId: ID, n: 1 } as const;
    tell({ ...moved, reason: 'branch' });
    tell({ ...moved, reason: 'navigate' });
    expect(app.ui.getState().visited[ID]?.back).toEqual(['leaf']);
  });

  it('CM7: a message that the field would not take is not put into it, and nothing moves', async () => {
    const entry = (id: string, length: number) => message(id, 'x'.repeat(length), null);
    const { app, asked } = openApp({ 'session.entries': { lines: [entry('long', 50_001), entry('short', 50_000)] } });
    await editAndResend(app, { sessionId: ID, id: 'long' });
    expect(app.ui.getState().toasts.at(-1)?.text).toContain('longer than the 50,000 characters');
    expect(moves(asked)).toEqual([]);
    await editAndResend(app, { sessionId: ID, id: 'short' });
    expect(app.draftOf(ID).state.getState().branch).toMatchObject({ target: 'short', parentId: null });
  });

  it('WN24: what main says can be followed by a sentence', () => {
    const said = ['refused', 'Refused.', 'Really?', 'It said “no.”', ' 400 '];
    expect(said.map(asSentence)).toEqual(['refused.', 'Refused.', 'Really?', 'It said “no.”', '400.']);
  });
});
