import { setImmediate as breathe } from 'node:timers/promises';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { coalesceEvents } from '@shared/ipc/event-batch';
import type { AppEvent } from '../../../src/shared/ipc/contract';
import type { ApprovalView } from '@shared/policy/approval';
import type { SessionEvent } from '../../../src/shared/session-state/events';
import { reduce } from '../../../src/shared/session-state/reduce';
import { PAGE_ROWS, type LiveSession, type Row } from '../../../src/shared/session-state/state';
import { openedGraph } from '../../support/opened-graph';
import type { BranchGraph } from '../../../src/shared/graph/branch-graph';
import { AgentSession } from '../../../src/main/session/host/agent-session';
import { graphRows } from '../../../src/main/session/machine/rows';
import type { SessionKeeper } from '../../../src/main/session/machine/session-keeper';
import { nextId, promptOf, startHarness, type Harness } from '../../support/agent-harness';
import { isSummary } from '../../support/compaction-talk';
import { MemoryLog } from '../../support/memory-log';
import { sentMessages, type CapturedRequest, type Reply } from '../../support/model-server';
import { SessionWindow } from '../../support/session-window';
import { shortOrLong } from '../../support/long-form';

/** Sequences of things that happen to a session, and how many ways each recorded one is cut. */
const RUNS = shortOrLong(6, 24);
const CUTS = shortOrLong(100, 300);
const STEPS = 24;
const WORDS = 'lorem ipsum dolor sit amet '.repeat(20);

let bench: Bench | null = null;
afterEach(async () => {
  await bench?.close();
  bench = null;
});

/** Main's state in an event's wake, as text, so that nothing that comes later can change it. */
interface Recorded {
  event: SessionEvent;
  state: string;
}

/** A real session with a real window on it; everything that is told is kept. */
class Bench {
  readonly recorded: Recorded[] = [];
  first = '';
  private isBusy = false;
  private summaries: Reply = '## Goal\nShip it.';

  private constructor(
    readonly harness: Harness,
    readonly log: MemoryLog,
    readonly window: SessionWindow,
    public session: AgentSession,
  ) {}

  static async start(random: () => number): Promise<Bench> {
    const harness = await startHarness({
      model: { contextWindow: 16_000 },
      settings: {
        'compaction.keepRecentTokens': 400,
        'pruning.protectTokens': 100,
        'pruning.minimumSavings': 50,
        'pruning.minimumTokens': 10,
      },
    });
    const log = new MemoryLog();
    const window = new SessionWindow(log, () => Math.floor(random() * 4));
    let record = (event: AppEvent): void => void event;
    const emit = (event: AppEvent): void => {
      window.channel.emit(event);
      record(event);
    };
    const { emit: hear } = harness.ports;
    Object.assign(harness.ports, {
      emit: (event: AppEvent): void => (emit(event), hear(event)),
      flushEvents: () => window.channel.flush(),
    });
    const session = await harness.reopen(log);
    const made = new Bench(harness, log, window, session);
    window.session = session;
    made.first = JSON.stringify(made.state);
    record = (event) => {
      if ('n' in event) made.recorded.push({ event, state: JSON.stringify(made.state) });
    };
    harness.server.script((request) => made.answer(request));
    await window.open.refresh();
    await Promise.all([window.open.loadOlder(), window.open.graph.open()]);
    return made;
  }

  get state(): LiveSession {
    return (this.session as unknown as { keeper: SessionKeeper }).keeper.state;
  }

  /** Every entry that can be gone to. */
  get ids(): string[] {
    return this.log.tree.entriesInOrder().flatMap(({ id, facts }) => (facts.side ? [] : [id]));
  }

  nextSummary(reply: Reply): void {
    this.summaries = reply;
  }

  async say(text: string): Promise<void> {
    await this.session.prompt(promptOf(text));
    await this.rest();
  }

  async rest(): Promise<void> {
    while (this.session.isRunning || !this.session.isQuiet) await breathe();
  }

  /** What main and window show is the same, and what the file alone gives. */
  async compare(): Promise<void> {
    await this.rest();
    await this.window.quiet();
    const { open } = this.window;
    const main = JSON.parse(JSON.stringify(this.state)) as LiveSession;
    expect(open.live.getState()).toEqual(main);
    const rows = [...[...this.session.rows(main.rowsBefore)].reverse().flat(), ...main.rows];
    expect(open.view.getState()).toMatchObject({ rowsBefore: 0, problem: null, status: 'ready' });
    expect(open.view.getState().rows).toEqual(JSON.parse(JSON.stringify(rows)));
    expect(shapeOf(open.graph.graph)).toEqual(shapeOf(graphOf(this.log, main)));
    const { queueFile } = this.harness.ports;
    const ports = { ...this.harness.ports, emit: () => undefined, queueFile: (id: string) => `${queueFile(id)}.other` };
    const again = await AgentSession.open(this.log.reopen(), ports, () => undefined);
    const fresh = await again.snapshot();
    expect(fromFile(main)).toEqual(JSON.parse(JSON.stringify(fromFile(fresh))));
    expect([...again.rows(Infinity)].reverse().flat()).toEqual(rows);
    await again.dispose();
  }

  async close(): Promise<void> {
    this.window.close();
    await this.harness.close();
  }

  private answer(request: CapturedRequest): Reply {
    if (isSummary(request)) return this.summaries;
    const sent = sentMessages(request);
    const said = sent.at(-1)?.text ?? '';
    const dump = sent.findLastIndex(({ text }) => text === 'dump');
    if (dump >= 0 && sent.length - dump < 16 && !said.startsWith('answer'))
      return { text: '', content: [{ type: 'toolCall', name: 'echo', arguments: { text: 'x'.repeat(4000) } }] };
    if (said.startsWith('tool'))
      return { text: '', content: [{ type: 'toolCall', name: 'echo', arguments: { text: WORDS } }] };
    if (said.startsWith('slow'))
      return { text: 'Look', content: [{ type: 'toolCall', name: 'slow', arguments: { text: 'x' } }] };
    if (said.startsWith('refused')) return { error: { status: 401, body: { error: { message: 'no' } } } };
    if (said.startsWith('busy') && (this.isBusy = !this.isBusy))
      return { error: { status: 503, body: { error: { message: 'overloaded' } } } };
    if (said.startsWith('too long') && !JSON.stringify(sentMessages(request)).includes('Ship it'))
      return { error: 'openai-overflow' };
    return `answer to ${said.slice(0, 20)} ${WORDS}`;
  }
}

/** What of the state the file tells. */
function fromFile({
  leafId,
  rows,
  rowsBefore,
  seenFrom,
  repeated,
  pruned,
  labels,
  pins,
  archived,
  model,
  thinkingLevel,
  usage,
}: LiveSession) {
  const path = { leafId, rows, rowsBefore, seenFrom, repeated, pruned };
  return { ...path, labels, pins, archived, model, thinkingLevel, usage };
}

function graphOf(log: MemoryLog, { leafId, seenFrom, labels, pins, archived }: LiveSession): BranchGraph {
  const graph = openedGraph([...graphRows(log.tree, 0)].flat());
  graph.setLabels(new Map(Object.entries(labels)));
  graph.setPins(pins);
  graph.setLeaf(leafId);
  graph.setKept(seenFrom);
  graph.setArchived(new Set(archived));
  return graph;
}

/** What a person sees of each turn, places aside. */
function shapeOf(graph: BranchGraph): unknown[] {
  return graph.turns.nodes.map((node) => {
    const { kind, contentId, tailId, entryCount, tokens, time, failed, changes, parent } = node;
    const shown = [
      graph.isActive(node),
      graph.regionOf(node),
      graph.labelOf(node),
      graph.isHidden(node),
      graph.pinsOf(node),
    ];
    return { kind, contentId, tailId, entryCount, tokens, time, failed, changes, parent: parent?.contentId, shown };
  });
}

type Step = (bench: Bench, pick: (count: number) => number) => Promise<unknown>;

async function compacted(bench: Bench, work: Promise<unknown>): Promise<void> {
  await work;
  await bench.rest();
}

const question: ApprovalView = {
  id: 'ask',
  sessionId: 's',
  toolCallId: 'c',
  tool: 'bash',
  title: 'Run a command',
  subject: { kind: 'call', text: 'x' },
  contentHash: 'h',
  createdAt: 0,
  choices: ['once'],
};

/** What happens to a session. What is not possible now is refused; that changes nothing either. */
const STEPS_BY_NAME: Record<string, Step> = {
  say: (at) => at.say('one'),
  sayMuch: (at) => at.say(`much ${WORDS.repeat(6)}`),
  tool: (at) => at.say('tool'),
  refused: (at) => at.say('refused'),
  busy: (at) => at.say('busy'),
  overflow: (at) => at.say('too long'),
  retry: (at) => at.session.retry(),
  dismiss: async ({ session }) => session.dismissFailure(),
  stop: async (at) => {
    await at.session.prompt(promptOf('slow'));
    while (at.state.tools.length === 0 && at.session.isRunning) await breathe();
    const queued = promptOf('later', 'followUp');
    await at.session.prompt(queued);
    await at.session.stop();
    if (at.state.queue.length > 1) await at.session.removeQueued(queued.itemId);
  },
  sendQueued: ({ session }) => session.sendQueued(),
  ask: async ({ session }) => {
    session.tellApproval({ type: 'approval_requested', request: question });
    session.tellApproval({ type: 'approval_requested', request: { ...question, title: 'Edited' } });
    session.tellApproval({ type: 'approval_asking', approvalId: 'ask', isAsking: true });
  },
  answer: async ({ session }) =>
    session.tellApproval({ type: 'approval_resolved', approvalId: 'ask', decision: 'once' }),
  compact: (at) => compacted(at, at.session.compact()),
  compactFails: async (at) => {
    at.nextSummary({ error: { status: 401, body: { error: { message: 'no' } } } });
    await compacted(at, at.session.compact()).finally(() => at.nextSummary('## Goal\nShip it.'));
  },
  forgetFailure: async ({ session }) => session.dismissFailure('summary'),
  review: async (at, pick) => {
    await at.session.compact({ review: true });
    while (at.state.job && at.state.job.phase !== 'review') await breathe();
    if (at.state.job) at.session.answerReview(pick(2) ? 'Mine' : null);
  },
  again: async (at) => compacted(at, at.session.compactAgain(await compactionIn(at), { instructions: 'shorter' })),
  undo: async (at) => at.session.rewriter.undo(await compactionIn(at)),
  redo: async (at) => {
    const undone = (): string | undefined => at.state.rows.findLast(({ kind }) => kind === 'undone')?.id;
    if (!undone()) await at.session.rewriter.undo(await compactionIn(at));
    return at.session.rewriter.redo(undone() ?? '');
  },
  edit: async (at) => at.session.rewriter.editSummary(await compactionIn(at), `Edited ${nextId()}`),
  prune: async (at) => {
    at.harness.models.window = 8000;
    await at.session.branches.clear();
    await at.say('dump');
  },
  restore: async (at) => {
    if (at.state.pruned.length === 0) await STEPS_BY_NAME.prune?.(at, () => 0);
    const prune = at.state.rows.findLast(({ kind }) => kind === 'prune');
    return at.session.rewriter.restorePruned(prune?.id ?? '');
  },
  go: (at, pick) => {
    const { ids } = at;
    const targetId = ids[pick(ids.length)] ?? null;
    return at.session.branches.navigate({ targetId, exact: pick(2) === 0, summarize: false });
  },
  leave: (at, pick) => {
    const { ids } = at;
    return at.session.branches.navigate({ targetId: ids[pick(ids.length)] ?? null, summarize: true, label: 'left' });
  },
  bringOver: async (at, pick) => {
    await at.say('one');
    const [sourceId, targetId = ''] = [at.state.leafId ?? '', at.ids[0]];
    if (pick(2)) await at.session.branches.navigate({ targetId, exact: true, summarize: false });
    const brought = at.session.branches.bringOver({ sourceId, targetId });
    const over = brought.then(
      () => true,
      () => true,
    );
    while (!at.state.job?.review && !(await Promise.race([over, breathe(false)]))) await breathe();
    if (at.state.job?.review) at.session.answerReview(pick(3) ? 'What it found' : null);
    return brought;
  },
  clear: ({ session }) => session.branches.clear(),
  label: (at, pick) =>
    at.session.branches.label(at.ids[pick(at.ids.length)] ?? '', ['', ' plan ', 'two'][pick(3)] ?? ''),
  pin: (at, pick) => at.session.pins.set([at.ids[pick(at.ids.length)] ?? ''], pick(4) > 0),
  unpin: ({ state, session }, pick) => session.pins.set([state.pins[pick(state.pins.length)] ?? ''], false),
  hide: (at, pick) => at.session.branches.setArchived(at.ids[pick(at.ids.length)] ?? '', pick(2) === 0),
  think: (at, pick) => at.session.setThinking(['off', 'low', 'high'][pick(3)] ?? 'off'),
  model: (at, pick) => {
    const { provider, id: modelId } = at.harness.models.all[pick(3)] ?? { provider: '', id: '' };
    return at.session.setModel({ provider, modelId });
  },
  settings: async (at, pick) => {
    at.harness.models.window = pick(2) ? 3000 : null;
    at.session.limitsChanged();
  },
  reload: ({ window }) => window.reload().then(() => Promise.all([window.open.loadOlder(), window.open.graph.open()])),
};

/** The newest compaction of the path; there is one afterwards, if there is anything to compact. */
async function compactionIn(at: Bench): Promise<string> {
  if (compactionOf(at) === '') await compacted(at, at.session.compact());
  return compactionOf(at);
}

function compactionOf(at: Bench): string {
  return at.state.rows.findLast(({ kind }) => kind === 'compaction')?.id ?? '';
}

/** What must have happened in the runs, or they prove little. */
const KINDS = [
  'leaf_changed',
  'stream_delta',
  'tool_start',
  'tool_runs',
  'tool_output',
  'queue_changed',
  'model_changed',
  'auto_retry_start',
  'job_start',
  'job_progress',
  'job_review',
  'job_end',
  'summary_failure_dismissed',
  'pruned',
  'failure',
  'approval_requested',
  'approval_asking',
  'approval_resolved',
  'settled',
] as const;

/** A random number generator that a seed decides. */
function randomOf(seed: number): () => number {
  let state = seed | 1;
  return () => {
    state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9;
    return ((state ^ (state >>> 13)) >>> 0) / 2 ** 32;
  };
}

describe('EV8: one state of a session', () => {
  const recordings: { first: string; recorded: readonly Recorded[] }[] = [];
  const names = Object.keys(STEPS_BY_NAME);

  it.each(Array.from({ length: RUNS }, (_, run) => run + 1))(
    'is in the window what it is in main, and what the file gives, whatever happens (%i)',
    async (seed) => {
      const random = randomOf(seed * 7919);
      const pick = (count: number): number => Math.floor(random() * count);
      bench = await Bench.start(randomOf(seed));
      for (let at = 0; at < STEPS; at++) {
        // Every second one in turn, so that each happens in some run.
        const turn = Math.floor((seed * STEPS + at) / 2) % names.length;
        const name = names[at < 3 ? 0 : at % 2 ? turn : pick(names.length)] ?? 'say';
        await STEPS_BY_NAME[name]?.(bench, pick).catch(() => undefined);
        await bench.compare();
      }
      recordings.push({ first: bench.first, recorded: bench.recorded });
    },
    60_000,
  );

  it('a snapshot at any event and the events after it give the state, however they are joined', () => {
    const seen = new Set(recordings.flatMap(({ recorded }) => recorded.map(({ event }) => event.type)));
    expect(KINDS.filter((type) => !seen.has(type))).toEqual([]);
    // Every place, one event after the other.
    for (const { first, recorded } of recordings) {
      let state = JSON.parse(first) as LiveSession;
      recorded.forEach(({ event, state: after }, at) => {
        const before = JSON.stringify(state);
        state = reduce(state, JSON.parse(JSON.stringify(event)) as SessionEvent);
        expect(JSON.stringify(state)).toBe(after);
        if (at > 0) expect(event.n).toBe((recorded[at - 1]?.event.n ?? 0) + 1);
        expect(before).toBe(at === 0 ? first : recorded[at - 1]?.state);
      });
    }
    const cut = fc.record({ which: fc.nat(RUNS - 1), from: fc.nat(), frames: fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 30 }) }); // prettier-ignore
    fc.assert(
      fc.property(cut, ({ which, from, frames }) => {
        const { first, recorded } = recordings[which] ?? { first: '', recorded: [] };
        const start = from % (recorded.length + 1);
        let state = JSON.parse(start === 0 ? first : (recorded[start - 1]?.state ?? '')) as LiveSession;
        let n = start === 0 ? (recorded[0]?.event.n ?? 1) - 1 : (recorded[start - 1]?.event.n ?? 0);
        let at = start;
        for (const size of frames) {
          for (const event of coalesceEvents(recorded.slice(at, at + size).map((item) => item.event))) {
            if (!('n' in event)) continue;
            expect(event.n - (event.over ?? 1)).toBe(n);
            state = reduce(state, JSON.parse(JSON.stringify(event)) as SessionEvent);
            n = event.n;
          }
          at = Math.min(recorded.length, at + size);
        }
        expect(state).toEqual(JSON.parse(at === 0 ? first : (recorded[at - 1]?.state ?? '')));
      }),
      { numRuns: CUTS },
    );
  });
});

describe('EV9: what the window asks for', () => {
  it('is the state once: nothing after a compaction, an undo, a move, a version, a branch brought over', async () => {
    const at = (bench = await Bench.start(() => 0));
    const { branches, rewriter } = at.session;
    for (let turn = 0; turn < 4; turn++) await at.say(`Question ${turn} ${WORDS}`);
    const [, answer = ''] = at.ids.filter((id) => at.log.tree.node(id)?.facts.visible);
    const asked = at.window.asked.length;
    await at.session.compact();
    await at.compare();
    expect(at.state.rows.some(({ kind }) => kind === 'compaction')).toBe(true);
    expect(at.state.seenFrom).not.toBeNull();
    await rewriter.undo(compactionOf(at));
    await at.compare();
    expect(at.state.rows.some(({ kind }) => kind === 'undone')).toBe(true);
    const tip = at.state.leafId ?? '';
    await branches.navigate({ targetId: answer, summarize: false });
    await at.compare();
    await at.say('Another way');
    await branches.navigate({ targetId: tip, exact: true, summarize: false });
    await at.compare();
    const over = branches.bringOver({ sourceId: tip, targetId: answer });
    while (!at.state.job?.review) await breathe();
    bench.session.answerReview('What it found');
    await over;
    await at.compare();
    expect(at.state.rows.at(-1)?.kind).toBe('branchSummary');
    expect(at.window.asked.slice(asked)).toEqual([]);
  });

  it('is told which rows of the page have other versions when a branch beside them is hidden', async () => {
    const at = (bench = await Bench.start(() => 0));
    const { branches } = at.session;
    await at.say('one');
    await at.say('two');
    const [, answer = '', two = ''] = at.ids.filter((id) => at.log.tree.node(id)?.facts.visible);
    await branches.navigate({ targetId: answer, summarize: false });
    await at.say('another two');
    const versions = (): unknown[] => at.state.rows.flatMap(({ siblingCount }) => siblingCount ?? []);
    expect(versions()).toEqual([2]);
    await branches.setArchived(two, true);
    await at.compare();
    expect(versions()).toEqual([]);
    await branches.setArchived(two, false);
    await at.compare();
    expect(versions()).toEqual([2]);
  });

  it('is one page of a long path; older rows are kept where both paths have them', async () => {
    const at = (bench = await Bench.start(() => 0));
    const said = (n: number) => ({
      type: 'message' as const,
      message: { role: 'user' as const, content: `${n}`, timestamp: n },
    });
    await at.log.append(Array.from({ length: 450 }, (_, n) => said(n)));
    await at.compare();
    expect([at.state.rows.length, at.state.rowsBefore]).toEqual([PAGE_ROWS, 450 - PAGE_ROWS]);
    await at.window.reload();
    expect(at.window.open.view.getState().rows).toHaveLength(PAGE_ROWS);
    await Promise.all([at.window.open.loadOlder(), at.window.open.graph.open()]);
    await at.compare();
    const asked = at.window.asked.length;
    const nearEnd = at.ids.at(-20) ?? '';
    await at.session.branches.navigate({ targetId: nearEnd, exact: true, summarize: false });
    await at.compare();
    const rows: readonly Row[] = at.window.open.view.getState().rows;
    expect(rows).toHaveLength(431);
    expect(at.window.asked.slice(asked)).toEqual([]);
    // Far back: the older rows of the page are others, and come by themselves.
    await at.session.branches.navigate({ targetId: at.ids[210] ?? '', exact: true, summarize: false });
    await at.compare();
    await at.session.branches.navigate({ targetId: at.ids.at(-1) ?? '', exact: true, summarize: false });
    await at.compare();
    expect(at.window.asked.slice(asked).filter((name) => name !== 'session.rows')).toEqual([]);
  });

  it('is the state again where events were lost, and where main keeps the session anew', async () => {
    const at = (bench = await Bench.start(() => 0));
    await at.say('one');
    await at.compare();
    const { asked, channel } = at.window;
    const opens = (): number => asked.filter((name) => name === 'session.open').length;
    channel.disconnect();
    await at.say('two');
    channel.connect((batch) => {
      for (const event of batch.events) if ('n' in event) at.window.open.apply(event);
    });
    await at.say('three');
    channel.flush();
    while (at.window.open.live.getState().leafId !== at.state.leafId) await breathe();
    await at.compare();
    expect(opens()).toBe(2);
    await at.session.dispose();
    at.session = at.window.session = await at.harness.reopen(at.log);
    await at.say('four');
    channel.flush();
    while (at.window.open.live.getState().leafId !== at.state.leafId) await breathe();
    await at.compare();
    expect(opens()).toBe(3);
  });
});
