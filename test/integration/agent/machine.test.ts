import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as breathe } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Type } from 'typebox';
import type { ApprovalView } from '@shared/policy/approval';
import { answerTo, type SessionRequest, type Situation } from '../../../src/shared/session-state/phases';
import type { Phase } from '../../../src/shared/session-state/state';
import { StorageError } from '../../../src/main/own-files/storage-error';
import type { SessionScope } from '../../../src/main/session/machine/scope';
import type { QueueItem } from '../../../src/shared/types';
import { plainTools, promptOf, startHarness, type Harness } from '../../support/agent-harness';
import { isSummary, SUMMARY, WORDS } from '../../support/compaction-talk';
import type { Reply } from '../../support/model-server';
import { shortOrLong } from '../../support/long-form';

/** The table of JB2 against real runs over the loopback server: what it says is what happens (EV11). */
const RUNS = shortOrLong(8, 25);
const WALKS = shortOrLong(12, 40);
const REQUESTS = ['prompt', 'sendQueued', 'retry', 'stop', 'compact', 'navigate', 'handoff', 'chooseModel'] as const;

type Moment = 'idle' | 'reply' | 'approval' | 'wait' | 'auto' | 'manual' | 'leave' | 'move' | 'stopping' | 'unsaved' | 'closing'; // prettier-ignore

/** What each moment is to the table. */
const SITUATIONS: Record<Moment, { phase: Phase; job?: 'threshold' | 'manual'; isUnsaved?: true }> = {
  idle: { phase: 'idle' },
  reply: { phase: 'running' },
  approval: { phase: 'waiting' },
  wait: { phase: 'retrying' },
  auto: { phase: 'job', job: 'threshold' },
  manual: { phase: 'job', job: 'manual' },
  leave: { phase: 'rewriting' },
  move: { phase: 'rewriting' },
  stopping: { phase: 'stopping' },
  unsaved: { phase: 'idle', isUnsaved: true },
  closing: { phase: 'closing' },
};

function answerAt(request: SessionRequest, moment: Moment): ReturnType<typeof answerTo> {
  const { phase, job, isUnsaved = false } = SITUATIONS[moment];
  const live = job ? ({ kind: 'compaction', reason: job } as Situation['job']) : null;
  return answerTo(request, { phase, job: live, isUnsaved });
}

const question = { id: 'ask', sessionId: 's', toolCallId: 'c', tool: 'bash', title: 'Run' } as ApprovalView;

/** A session whose replies, summaries and writes wait where a moment is to last. */
class Bench {
  private next: Reply | null = null;
  private summary: Reply = SUMMARY;
  private open: (() => void) | null = null;
  private gate: Promise<void> = Promise.resolve();
  readonly accepted: string[] = [];
  private readonly last = new Map<string, Promise<unknown>>();

  private constructor(readonly harness: Harness) {}

  static async start(): Promise<Bench> {
    let bench: Bench | null = null;
    const harness = await startHarness({
      settings: { 'compaction.keepRecentTokens': 300, 'retry.baseDelayMs': 60_000, 'retry.maxDelayMs': 60_000 },
      tools: ({ onOutput }) => {
        const host = plainTools(({ toolCallId, chunk }) => onOutput({ toolCallId, chunk }));
        const stubborn = {
          ...{ name: 'stubborn', label: 'Stubborn', description: 'Does not hear a stop.' },
          ...{ parameters: Type.Object({ text: Type.String() }), executionMode: 'sequential' as const },
          execute: async () => (await bench?.gate, { content: [{ type: 'text' as const, text: 'done' }], details: {} }),
        };
        return { ...host, tools: [...host.tools, stubborn] };
      },
    });
    bench = new Bench(harness);
    harness.server.script((request) => bench.answer(isSummary(request)));
    await bench.grow();
    return bench;
  }

  get session(): Harness['session'] {
    return this.harness.session;
  }

  get scope(): SessionScope {
    return (this.session as unknown as { scope: SessionScope }).scope;
  }

  get phase(): Phase {
    return this.scope.slot.phase;
  }

  get situation(): Situation {
    const { isUnsaved } = (this.session as unknown as { runs: { isUnsaved: boolean } }).runs;
    const { slot, shown } = this.scope;
    return { phase: slot.phase, job: shown.job, isUnsaved: isUnsaved && !slot.isHeld };
  }

  async prompt(text = 'Go on', place: Pick<QueueItem, 'parentId' | 'summary'> = {}): Promise<{ queued: boolean }> {
    const params = { ...promptOf(text, 'followUp'), ...place };
    const answer = await this.session.prompt(params);
    this.accepted.push(params.itemId);
    return answer;
  }

  rest(): Promise<void> {
    return this.until(() => this.phase === 'idle' || this.phase === 'closing');
  }

  private answer(isSummaryCall: boolean): Reply {
    if (isSummaryCall) return this.summary;
    const { next } = this;
    this.next = null;
    return next ?? WORDS;
  }

  private hold(): { frame: number; until: Promise<void> } {
    this.gate = new Promise((resolve) => (this.open = resolve));
    return { frame: 1, until: this.gate };
  }

  /** A path with enough on it to summarize. */
  private async grow(): Promise<void> {
    await this.session.branches.clear();
    for (let turn = 0; turn < 3; turn++) {
      await this.prompt(`Question ${turn}: ${WORDS}`);
      await this.rest();
    }
  }

  private async until(isThere: () => unknown): Promise<void> {
    const since = Date.now();
    while (!isThere()) {
      await breathe();
      // Nothing is waited for so long: what hangs says where.
      if (Date.now() - since > 10_000) throw new Error(`Hangs in ${this.phase}, waiting for ${isThere.toString()}`);
    }
  }

  /** From rest to a moment, which lasts until `release`. */
  async bring(moment: Moment): Promise<void> {
    const { session, harness, scope } = this;
    const call = { text: '', content: [{ type: 'toolCall' as const, name: 'stubborn', arguments: { text: 'x' } }] };
    if (['auto', 'manual', 'leave', 'move'].includes(moment)) await this.grow();
    const holdAt = this.hold();
    const background = (work: Promise<unknown>): void =>
      void this.last.set(
        moment,
        work.catch(() => undefined),
      );
    switch (moment) {
      case 'reply':
      case 'approval':
        this.next = { text: 'Slowly.', holdAt };
        await this.prompt();
        await this.until(() => scope.shown.reply);
        if (moment === 'approval') session.tellApproval({ type: 'approval_requested', request: question });
        return;
      case 'wait':
        this.next = { error: { status: 503, body: 'busy' } };
        await this.prompt();
        return this.until(() => scope.shown.retry);
      case 'auto':
        this.summary = { text: SUMMARY, holdAt };
        harness.settings['compaction.thresholdTokens'] = 2200;
        await this.prompt();
        return this.until(() => scope.shown.job?.part === 'history');
      case 'manual':
        this.summary = { text: SUMMARY, holdAt };
        await session.compact();
        return this.until(() => scope.shown.job?.part === 'history');
      case 'leave':
        this.summary = { text: SUMMARY, holdAt };
        background(session.branches.navigate({ targetId: this.firstReply(), exact: true, summarize: true }));
        return this.until(() => scope.shown.job);
      case 'move': {
        let isHeld = false;
        harness.log.beforeAppend = () => ((isHeld = true), this.gate);
        background(session.branches.navigate({ targetId: this.firstReply(), exact: true, summarize: false }));
        return this.until(() => isHeld);
      }
      case 'stopping':
      case 'closing':
        this.next = call;
        await this.prompt();
        await this.until(() => scope.shown.tools.length > 0);
        background(moment === 'closing' ? session.dispose() : session.stop());
        return;
      case 'unsaved':
        harness.log.beforeAppend = (drafts) => {
          const isReply = drafts.some(
            (draft) => (draft as { message?: { role: string } }).message?.role === 'assistant',
          );
          if (isReply) harness.log.failures.push(new StorageError('full', 'full.'));
        };
        await this.prompt();
        await this.rest();
        harness.log.beforeAppend = null;
        return;
      case 'idle':
    }
  }

  firstReply(): string {
    const { tree } = this.harness.log;
    return tree.pathTo(tree.leafId).find(({ facts }) => facts.role === 'assistant')?.id ?? '';
  }

  /** Lets go of what a moment was held with, and waits until the session rests. */
  async release(): Promise<void> {
    const { harness, session, scope } = this;
    this.summary = SUMMARY;
    harness.settings['compaction.thresholdTokens'] = null;
    harness.log.beforeAppend = null;
    this.open?.();
    if (scope.shown.approvals.length > 0)
      session.tellApproval({ type: 'approval_resolved', approvalId: 'ask', decision: 'once' });
    if (this.phase === 'retrying') session.skipRetryWait();
    await Promise.all([...this.last.values()]);
    await this.rest();
  }

  /** What a request of the table is asked with. */
  request(request: SessionRequest): Promise<unknown> {
    const { session } = this;
    switch (request) {
      case 'prompt':
        return this.prompt();
      case 'navigate':
        return session.branches.navigate({ targetId: this.harness.log.tree.leafId, exact: true, summarize: false });
      case 'handoff':
        return session.branches.draftHandoff(' ');
      case 'chooseModel':
        return session.setThinking(['low', 'high'][this.accepted.length % 2] ?? 'low');
      default:
        return session[request]();
    }
  }

  /** Every message that was accepted is in the file once, when all is over (QU2). */
  async close(): Promise<void> {
    if (this.phase !== 'closing') {
      await this.release();
      if (this.situation.isUnsaved) await this.session.retry();
      await this.session.sendQueued();
      await this.rest();
      expect(this.scope.queue.list()).toEqual([]);
      const ids = this.harness.log.tree.entriesInOrder().map(({ id }) => id);
      expect(ids.filter((id) => this.accepted.includes(id)).sort()).toEqual([...this.accepted].sort());
      expect([this.phase, this.scope.slot.isHeld, this.scope.shown.phase]).toEqual(['idle', false, 'idle']);
    } else this.open?.();
    expect(overlaps(this.harness)).toEqual([]);
    await this.harness.close();
  }
}

/** Requests that were under way at the same time. */
function overlaps({ events }: Harness): string[] {
  let [reply, summary] = [0, 0];
  return events.flatMap((event) => {
    if (event.type === 'stream_start') reply++;
    if (event.type === 'stream_end') reply--;
    if (event.type === 'tree_summary_start') summary++;
    if (event.type === 'tree_summary_end') summary--;
    const isWritten = event.type === 'compaction_progress' && event.phase !== 'plan';
    return reply > 1 || summary > 1 || (reply > 0 && (summary > 0 || isWritten)) ? [event.type] : [];
  });
}

/** Asks, and sees to it that what comes of it is what the table says. Gives what the session is doing afterwards. */
async function asks(bench: Bench, request: SessionRequest, expected: ReturnType<typeof answerTo>): Promise<'same' | 'goesOn'> {
  const { scope, harness } = bench;
  const { phase } = bench;
  const lines = harness.log.stored.length;
  const work = bench.request(request);
  if (typeof expected === 'object') {
    expect(await work.then(() => 'taken', (error: Error) => error.message)).toBe(expected.text); // prettier-ignore
    expect([bench.phase, harness.log.stored.length]).toEqual([phase, lines]);
    return 'same';
  }
  switch (expected) {
    case 'skip':
      await work;
      expect([bench.phase, harness.log.stored.length]).toEqual([phase, lines]);
      return 'same';
    case 'queue':
      if (request === 'prompt') expect(await work).toMatchObject({ queued: true });
      else await work;
      if (phase === 'stopping') return 'same';
      // What an earlier stop held stays held until it is sent; what is said now goes on from here.
      for (const { id, held } of scope.queue.list())
        if (request !== 'prompt' || id === bench.accepted.at(-1)) expect(held).toBe(false);
      return 'same';
    case 'join':
      await work;
      return phase === 'retrying' ? 'goesOn' : 'same';
    case 'stop-first':
      expect(bench.phase).toBe('stopping');
      await Promise.all([work, bench.release()]);
      return 'goesOn';
    case 'save-first':
      await work;
      expect(bench.situation.isUnsaved).toBe(false);
      return 'goesOn';
    case 'allow':
      if (request === 'handoff') {
        await expect(work).rejects.toThrow('Handoff needs a goal');
        return 'same';
      }
      if (request === 'stop') {
        expect(bench.phase).toBe('stopping');
        await Promise.all([work, bench.release()]);
        return 'goesOn';
      }
      if (request === 'prompt') expect(await work).toMatchObject({ queued: false });
      else await work;
      return request === 'chooseModel' || request === 'navigate' ? 'same' : 'goesOn';
  }
} // prettier-ignore

type Model = { at: Moment };

class Bring implements fc.AsyncCommand<Model, Bench> {
  constructor(private readonly moment: Moment) {}
  check = ({ at }: Model): boolean => at === 'idle';
  async run(model: Model, bench: Bench): Promise<void> {
    await bench.bring(this.moment);
    model.at = this.moment;
    expect(bench.phase).toBe(SITUATIONS[model.at].phase);
  }
  toString = (): string => `to ${this.moment}`;
}

class Release implements fc.AsyncCommand<Model, Bench> {
  check = ({ at }: Model): boolean => !['idle', 'unsaved', 'closing'].includes(at);
  async run(model: Model, bench: Bench): Promise<void> {
    await bench.release();
    model.at = 'idle';
    expect(bench.phase).toBe('idle');
  }
  toString = (): string => 'release';
}

class Ask implements fc.AsyncCommand<Model, Bench> {
  constructor(private readonly request: SessionRequest) {}
  check = (): boolean => true;
  async run(model: Model, bench: Bench): Promise<void> {
    if ((await asks(bench, this.request, answerAt(this.request, model.at))) === 'goesOn') {
      await bench.release();
      model.at = 'idle';
    }
    expect(bench.phase).toBe(SITUATIONS[model.at].phase);
  }
  toString = (): string => `${this.request}?`;
}

describe('JB2, EV11: the machine', () => {
  it('answers as the table says, in every phase, and is free afterwards', async () => {
    const moments = Object.keys(SITUATIONS).filter((moment) => moment !== 'idle') as Moment[];
    const commands = [
      ...moments.map((moment) => fc.constant(new Bring(moment))),
      fc.constant(new Release()),
      ...REQUESTS.map((request) => fc.constant(new Ask(request))),
    ];
    await fc.assert(
      fc.asyncProperty(fc.commands(commands, { size: 'large', maxCommands: 25 }), async (list) => {
        const bench = await Bench.start();
        await fc.asyncModelRun(() => ({ model: { at: 'idle' as Moment }, real: bench }), list);
        await bench.close();
      }),
      { numRuns: RUNS },
    );
  }, 300_000);

  it.each(Object.keys(SITUATIONS) as Moment[])('takes or refuses each request: %s', async (moment) => {
    for (const request of REQUESTS) {
      const bench = await Bench.start();
      const model: Model = { at: 'idle' };
      await new Bring(moment).run(model, bench);
      await new Ask(request).run(model, bench);
      await bench.close();
    }
  });

  it('answers by the phase of the very step in which it is asked', async () => {
    const step = fc.record({ request: fc.constantFrom(...REQUESTS), after: fc.nat(60), turns: fc.nat(3) });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), async (steps) => {
        const bench = await Bench.start();
        const told: Promise<void>[] = [];
        for (const { request, after, turns } of steps) {
          for (let turn = 0; turn < turns; turn++) await breathe();
          for (let tick = 0; tick < after; tick++) await Promise.resolve();
          const expected = answerTo(request, bench.situation);
          const work = bench.request(request).then(
            (value) => ({ value }),
            (error: Error) => ({ error: error.message }),
          );
          told.push(
            work.then((result) => {
              const refusal = typeof expected === 'object' ? expected.text : null;
              if (refusal !== null) expect(result).toEqual({ error: refusal });
              if (request === 'prompt' && expected === 'queue')
                expect(result).toMatchObject({ value: { queued: true } });
              if (request === 'prompt' && expected === 'allow')
                expect(result).toMatchObject({ value: { queued: false } });
            }),
          );
        }
        await bench.rest();
        await Promise.all(told);
        await bench.close();
      }),
      { numRuns: WALKS },
    );
  }, 300_000);

  it('QU8: branches that are sent among all else are begun once each, and leave the session free', async () => {
    const step = fc.record({
      request: fc.constantFrom(...REQUESTS.filter((request) => request !== 'navigate'), ...(['branch', 'branch', 'cancel'] as const)),
      after: fc.nat(60),
      turns: fc.nat(3),
      isAnew: fc.boolean(),
      isSummarized: fc.boolean(),
    }); // prettier-ignore
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), async (steps) => {
        const bench = await Bench.start();
        const works: Promise<unknown>[] = [];
        for (const { request, after, turns, isAnew, isSummarized } of steps) {
          for (let turn = 0; turn < turns; turn++) await breathe();
          for (let tick = 0; tick < after; tick++) await Promise.resolve();
          const place = { parentId: isAnew ? null : bench.firstReply(), ...(isSummarized ? { summary: {} } : {}) };
          if (request === 'cancel') bench.session.cancelJob();
          else {
            const work = request === 'branch' ? bench.prompt('Another way', place) : bench.request(request);
            // A refusal is an answer too.
            works.push(work.catch(() => undefined));
          }
        }
        await Promise.all(works);
        await bench.rest();
        // What was cancelled or stopped waits, and is begun when it is sent.
        await bench.close();
      }),
      { numRuns: WALKS },
    );
  }, 300_000);

  it('is the table of the law', () => {
    const law = readFileSync(join(import.meta.dirname, '../../../docs/specs/jobs.md'), 'utf8');
    const rows = law.split('\n').flatMap((line) => (/^\| `/.test(line) ? [cellsOf(line)] : []));
    const columns = ['idle', 'unsaved', 'reply', 'auto', 'manual', 'move', 'stopping', 'closing'] as const;
    expect(rows).toEqual(
      REQUESTS.map((request) => [
        request,
        ...columns.map((column) => {
          const answer = answerAt(request, column as Moment);
          return typeof answer === 'object' ? answer.text : answer;
        }),
      ]),
    );
  });
});

/** The cells of a row of Markdown, without the marks of code. */
function cellsOf(line: string): string[] {
  return line.split('|').slice(1, -1).map((cell) => cell.trim().replaceAll('`', '')); // prettier-ignore
}
