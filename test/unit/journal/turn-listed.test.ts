import fc from 'fast-check';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { labelDraft, nameDraft } from '@shared/session/tree/drafts';
import type { EntryDraft } from '@shared/session/records/entry';
import { turnEnd } from '@shared/session/tree/turn-end';
import { runStateOf } from '@shared/session-state/attention';
import { SummaryBook } from '../../../src/main/session/host/summary-book';
import { assistant, modelChange, openStoreBench, user, type StoreBench } from '../../support/journal';
import { shortOrLong } from '../../support/long-form';

/** How the turn of a session ended that nobody opened since the start (NT1). */

let bench: StoreBench;
beforeEach(async () => {
  bench = await openStoreBench();
});
afterEach(() => bench.dispose());

type Reply = { message: { content: unknown[]; stopReason: string } };
const replyWith = (change: (reply: Reply['message']) => void): EntryDraft => {
  const draft = assistant('so far') as unknown as Reply;
  change(draft.message);
  return draft as unknown as EntryDraft;
};
const stopped = replyWith((reply) => void (reply.stopReason = 'aborted'));
const failed = replyWith((reply) => void (reply.stopReason = 'error'));
const calling = replyWith((reply) => {
  reply.content = [{ type: 'toolCall', id: 'call', name: 'bash', arguments: { command: 'true' } }];
  reply.stopReason = 'toolUse';
});
const result: EntryDraft = {
  type: 'message',
  message: {
    ...{ role: 'toolResult', toolCallId: 'call', toolName: 'bash', isError: false, timestamp: 1 },
    content: [{ type: 'text', text: 'ran' }],
  },
};

/** Without a title it would be opened to be named. */
async function close(sessionId: string): Promise<void> {
  await bench.store.setMeta(sessionId, { title: 'T', preview: 'p' });
  await bench.restart();
}

/** Writes one session, lets go of it, and gives its line in the list with what opening it would say. */
async function listedAfter(drafts: readonly EntryDraft[]) {
  const log = await bench.store.create({ workspace: '/w' });
  for (const draft of drafts) await log.append([draft]);
  await close(log.sessionId);
  const list = await new SummaryBook(bench.store, () => undefined, '/scratch', Date.now).list();
  const summary = list.find(({ id }) => id === log.sessionId)!;
  return { id: log.sessionId, summary, run: runStateOf(summary) };
}

it.each([
  ['finished', [user('a'), assistant('b')], 'done'],
  ['a call that never ran', [user('a'), calling], 'stoppedEarly'],
  ['a result that nobody read', [user('a'), calling, result], 'stoppedEarly'],
  ['a question without a reply', [user('a'), assistant('b'), user('c')], 'stoppedEarly'],
  ['stopped', [user('a'), stopped], 'stoppedEarly'],
  ['failed', [user('a'), failed], 'stoppedEarly'],
  ['gone on with', [user('a'), failed, assistant('b')], 'done'],
  [
    'named and another model chosen since',
    [user('a'), stopped, modelChange, nameDraft('N'), modelChange],
    'stoppedEarly',
  ],
] as const)('NT1: %s', async (_name, drafts, run) => {
  const listed = await listedAfter(drafts);
  expect(listed.run).toBe(run);
  expect(turnEnd((await bench.store.open(listed.id)).tree)).toBe(listed.summary.turn);
});

it('NT1: one that failed looks as it does once it is opened', async () => {
  const { summary } = await listedAfter([user('a'), failed]);
  expect(summary).toMatchObject({ state: 'error', turn: 'failed' });
  expect(summary.waiting).toBeUndefined();
});

it('NT1: without an index the file itself tells', async () => {
  const { id } = await listedAfter([user('a'), stopped]);
  const { rm } = await import('node:fs/promises');
  await rm(bench.index(id));
  await bench.restart();
  expect(await bench.store.list()).toMatchObject([{ sessionId: id, turn: 'stopped' }]);
});

it('NT1: what stands beyond the end that is looked at marks nothing until the session is opened', async () => {
  const log = await bench.store.create({ workspace: '/w' });
  await log.append([user('a'), stopped]);
  await log.append(Array.from({ length: 2000 }, () => modelChange));
  await close(log.sessionId);
  expect(await bench.store.list()).toMatchObject([{ turn: 'none' }]);
  expect(turnEnd((await bench.store.open(log.sessionId)).tree)).toBe('stopped');
});

const STEPS = ['user', 'reply', 'stopped', 'failed', 'calling', 'result', 'model', 'label', 'name', 'move'] as const;

it('NT1: after whatever was said and done, the list says of a closed session what its tree says', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.constantFrom(...STEPS), fc.nat()), { minLength: 1, maxLength: 25 }),
      async (steps) => {
        const log = await bench.store.create({ workspace: '/w' });
        await log.append([user('begin')]);
        const drafts = { user: user('u'), reply: assistant('r'), stopped, failed, calling, result, model: modelChange };
        for (const [step, at] of steps) {
          const order = log.tree.entriesInOrder().filter(({ facts }) => !facts.side);
          const target = order[at % order.length]!.id;
          if (step === 'move') await log.moveLeaf(target, 'test');
          else if (step === 'label') await log.append([labelDraft(log.tree, target, `L${at}`)]);
          else if (step === 'name') await log.append([nameDraft(`N${at}`)]);
          else await log.append([drafts[step]]);
        }
        await close(log.sessionId);
        const listed = (await bench.store.list()).find(({ sessionId }) => sessionId === log.sessionId)!;
        expect(listed.turn).toBe(turnEnd((await bench.store.open(log.sessionId)).tree));
      },
    ),
    { numRuns: shortOrLong(20, 60) },
  );
}, 60_000);
