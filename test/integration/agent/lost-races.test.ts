import { afterEach, describe, expect, it } from 'vitest';
import { DurableQueue } from '../../../src/main/agent/durable-queue';
import type { AgentSession } from '../../../src/main/session/host/agent-session';
import { promptOf, startHarness, type Harness } from '../../support/agent-harness';
import { CompactionTalk, WORDS } from '../../support/compaction-talk';
import { CONTINUE_TYPE } from '../../../src/shared/session/tree/turn-end';
import { StorageError } from '../../../src/main/own-files/storage-error';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/**
 * Each `await` is a place where something else may begin. These tests let it begin there: so many steps after an event, one step
 * further each time, until every gap was met.
 */
const STEPS = Array.from({ length: 12 }, (_, steps) => steps);
const call = (name: string, text: string) => ({ content: [{ type: 'toolCall' as const, name, arguments: { text } }] });
let talk: CompactionTalk;
let harness: Harness;
afterEach(() => harness?.close());

/** Acts once, so many microtasks after the first event of a type from now on. */
function actAfter(type: string, steps: number, act: () => Promise<unknown>): Promise<unknown> {
  const { emit } = harness.ports;
  const from = harness.events.length;
  return new Promise((resolve) => {
    let isDone = false;
    harness.ports.emit = emit;
    const seen = harness.events.push.bind(harness.events);
    harness.events.push = (...events) => {
      const length = seen(...events);
      if (isDone || harness.events.length <= from || !events.some((event) => event.type === type)) return length;
      isDone = true;
      let after = Promise.resolve();
      for (let step = 0; step < steps; step++) after = after.then(() => undefined);
      void after.then(() => resolve(act().catch((error: unknown) => error)));
      return length;
    };
  });
}

/** A compaction is asked for while a run is busy with a tool. */
async function startBusy(): Promise<AgentSession> {
  talk = await CompactionTalk.start(4);
  harness = talk.harness;
  let chats = 0;
  talk.answer(undefined, () => (chats++ === 0 ? call('slow', 'x') : WORDS));
  await harness.session.prompt(promptOf('Work'));
  await harness.until('tool_output');
  return harness.session;
}

async function atRest(session: AgentSession): Promise<void> {
  await expect.poll(() => session.isRunning, { timeout: 20_000 }).toBe(false);
}

describe('a compaction that waited for a run to end', () => {
  it.each(STEPS)(
    'a message %i steps after the run’s end waits for the compaction, or the compaction for nobody',
    async (steps) => {
      const session = await startBusy();
      const said = actAfter('settled', steps, () => session.prompt(promptOf('Meanwhile')));
      await session.compact().catch(() => undefined);
      expect(await said).toMatchObject({ itemId: expect.any(String) as string });
      await atRest(session);
      const started = harness.events.filter(({ type }) => type === 'compaction_start').length;
      expect(harness.events.filter(({ type }) => type === 'compaction_end')).toHaveLength(started > 0 ? 1 : 0);
      expect(harness.messages().filter((line) => line === 'user: Meanwhile')).toHaveLength(1);
      // A summary and a reply at the same time would be two operations.
      expect(overlaps()).toEqual([]);
    },
  );

  it.each(STEPS)('Retry %i steps after the run’s end starts no second run', async (steps) => {
    const session = await startBusy();
    const again = actAfter('settled', steps, () => session.retry());
    await session.compact().catch(() => undefined);
    await again;
    await atRest(session);
    expect(overlaps()).toEqual([]);
  });

  it.each(STEPS)(
    'going elsewhere %i steps after the run’s end is refused, or refuses the compaction',
    async (steps) => {
      const session = await startBusy();
      const target = session.log.tree
        .pathTo(session.log.tree.leafId)
        .find(({ facts }) => facts.role === 'assistant')!.id;
      const going = actAfter('settled', steps, () => session.branches.navigate({ targetId: target, summarize: false }));
      const compacted = session.compact().then(
        () => true,
        () => false,
      );
      const moved = await going;
      const hasCompacted = await compacted;
      await atRest(session);
      expect(moved instanceof Error || !hasCompacted).toBe(true);
      expect(overlaps()).toEqual([]);
    },
  );

  it('a session that is being closed meanwhile says so', async () => {
    const session = await startBusy();
    const compacting = session.compact();
    const closing = session.dispose();
    await expect(compacting).rejects.toThrow('The session is closing');
    await closing;
    expect(talk.ends).toEqual([]);
  });

  it('a reply that could not be saved is saved first', async () => {
    const session = await startBusy();
    harness.log.failures.push(
      new StorageError('full', 'the disk is full.'),
      new StorageError('full', 'the disk is full.'),
    );
    await expect(session.compact()).rejects.toThrow('isn’t saved yet');
    expect(talk.ends).toEqual([]);
  });
});

describe('a compaction that has ended', () => {
  it.each(STEPS)('going elsewhere %i steps after it: the stopped run is not gone on with there', async (steps) => {
    const session = await startBusy();
    const target = session.log.tree.pathTo(session.log.tree.leafId).find(({ facts }) => facts.role === 'assistant')!.id;
    let isMoving = false;
    let begun = 0;
    const going = actAfter('compaction_end', steps, async () => {
      isMoving = true;
      await session.branches.navigate({ targetId: target, summarize: false }).finally(() => (isMoving = false));
    });
    const { beforeAppend } = harness.log;
    harness.log.beforeAppend = async (drafts) => {
      await beforeAppend?.(drafts);
      // What tells the model to go on may be on its way already, on the path that is left (TG20).
      const isUnderWay = drafts.every((draft) => 'customType' in draft && draft.customType === CONTINUE_TYPE);
      const isLeft = session.log.tree.leafId !== target;
      if (isMoving && session.state === 'streaming' && !(isUnderWay && isLeft)) begun++;
    };
    await session.compact();
    await going;
    await atRest(session);
    expect(begun).toBe(0);
  });
});

describe('a reply that waits for the disk', () => {
  it('is stored once, before what is said next, however many ask for it', async () => {
    harness = await startHarness();
    harness.server.script([call('echo', 'one'), 'Done.', 'Done again.']);
    harness.log.beforeAppend = (drafts) => {
      const isReply = drafts.some((draft) => (draft as { message?: { role: string } }).message?.role === 'assistant');
      if (isReply && harness.server.requests.length === 1) harness.log.failures.push(new StorageError('full', 'full.'));
    };
    await harness.session.prompt(promptOf('Go'));
    await harness.settled();
    harness.log.beforeAppend = null;
    expect((await harness.session.snapshot()).failure?.title).toBe('Not saved');
    await Promise.all([harness.session.retry(), harness.session.retry(), harness.session.prompt(promptOf('Next'))]);
    await atRest(harness.session);
    expect(harness.messages().filter((line) => line === 'assistant(toolUse): [echo]')).toHaveLength(1);
    expect(harness.messages().indexOf('assistant(toolUse): [echo]')).toBe(1);
    expect(overlaps()).toEqual([]);
  });
});

it('a message accepted while another one could not be taken back stays in the queue', async () => {
  const dir = mkdtempSync(path.join(tmpdir(), 'espalier-queue-'));
  const file = path.join(dir, 'sub', 'q.json');
  const item = (id: string) => ({ ...promptOf(id, 'steer', id), createdAt: 1, held: false, id });
  const { queue } = await DurableQueue.open(
    file,
    () => false,
    () => undefined,
  );
  await queue.add(item('aaaaaaaa'));
  await queue.add(item('bbbbbbbb'));
  // The folder gives way to a file: what is written now fails.
  rmSync(path.join(dir, 'sub'), { recursive: true });
  const { writeFileSync } = await import('node:fs');
  writeFileSync(path.join(dir, 'sub'), '');
  const removing = queue.remove('aaaaaaaa');
  const adding = queue.add(item('cccccccc'));
  rmSync(path.join(dir, 'sub'));
  const [removed, added] = await Promise.allSettled([removing, adding]);
  const expected = ['aaaaaaaa', 'bbbbbbbb', 'cccccccc'].filter(
    (id) =>
      !(id === 'aaaaaaaa' && removed.status === 'fulfilled') && !(id === 'cccccccc' && added.status === 'rejected'),
  );
  expect(queue.list().map(({ id }) => id)).toEqual(expected);
  rmSync(dir, { recursive: true });
});

/** Requests that were under way at the same time. */
function overlaps(): string[] {
  let open = 0;
  const found: string[] = [];
  for (const event of harness.events) {
    if (event.type === 'stream_start') open++;
    if (event.type === 'stream_end') open--;
    if (event.type === 'compaction_progress' && event.phase !== 'plan' && open > 0) found.push('summary in a reply');
    if (open > 1) found.push('two replies');
  }
  return found;
}
