import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DurableQueue } from '../../../src/main/agent/durable-queue';
import { nextId, promptOf, startHarness, type Harness } from '../../support/agent-harness';
import { sentMessages, type Reply } from '../../support/model-server';
import { BRANCH_SUMMARY } from '../../support/branch-talk';
import { isSummary } from '../../support/compaction-talk';
import { shortOrLong } from '../../support/long-form';

/** Messages that begin a branch: at once where the session rests, prepared while the agent works (BR4, GR13, QU1). */
let harness: Harness;
/** What a summary is answered with, and what the next other requests are. */
let summary: Reply;
let next: Reply[];
async function begin(): Promise<void> {
  harness = await startHarness({ settings: { 'retry.maxRetries': 0 } });
  [summary, next] = [BRANCH_SUMMARY, []];
  harness.server.script((request) => {
    if (isSummary(request)) return summary;
    return next.shift() ?? `answer to ${sentMessages(request).at(-1)?.text ?? ''}`;
  });
}
beforeEach(begin);
afterEach(() => harness.close());

const AT = { extensionPath: '/ext.ts' };
const leaf = (): string | null => harness.log.tree.leafId;
const sent = (): string[] => sentMessages(harness.server.requests.at(-1)!).map(({ text }) => text);
const settledSoFar = (): number => harness.events.filter(({ type }) => type === 'settled').length;
const branchOf = (text: string, parentId: string | null, summarized?: { instructions?: string }) => ({
  ...promptOf(text),
  parentId,
  ...(summarized ? { summary: summarized } : {}),
});
const queued = async () => (await harness.session.snapshot()).queue;
const stored = (): { items: Record<string, unknown>[] } | null => {
  try {
    return JSON.parse(readFileSync(harness.ports.queueFile(harness.session.sessionId), 'utf8')) as never;
  } catch {
    return null;
  }
};
/** Paths from the start to each message of the person, in words. */
const paths = (): string[] =>
  harness.log.tree.entriesInOrder().flatMap(({ id, facts }) => {
    if (facts.role !== 'user') return [];
    const above = harness.log.tree.pathTo(id).filter((node) => node.facts.visible);
    return [above.map((node) => wordsOf(node.id)).join(' > ')];
  });
const wordsOf = (id: string): string => {
  const body = harness.log.tree.body(id) as { summary?: string; message?: { content: { text?: string }[] | string } };
  if (body.summary !== undefined) return 'SUMMARY';
  const { content = '' } = body.message ?? {};
  return typeof content === 'string' ? content : content.map(({ text }) => text ?? '').join('');
};

async function ask(text: string): Promise<void> {
  const before = settledSoFar();
  await harness.session.prompt(promptOf(text));
  await harness.settled(before + 1);
}

/** Two turns; the entry behind which a branch begins is the first answer. */
async function twoTurns(): Promise<{ first: string; last: string }> {
  await ask('one');
  const first = leaf()!;
  await ask('two');
  return { first, last: leaf()! };
}

/** A run whose reply waits for `open`. */
async function slowRun(text: string): Promise<() => void> {
  let open = (): void => undefined;
  const until = new Promise<void>((resolve) => (open = resolve));
  next.push({ text: `answer to ${text}`, holdAt: { frame: 1, until } });
  const { length } = harness.server.requests;
  await harness.session.prompt(promptOf(text));
  await harness.server.received(length + 1);
  return open;
}

describe('BR4: a branch is begun at once', () => {
  it('moves HEAD and says the message in one operation; the hooks fire once, then', async () => {
    const { first, last } = await twoTurns();
    const heard: string[] = [];
    const note = (name: string) => (): void => void heard.push(`${name} ${harness.session.isRunning}`);
    harness.extensions.on('session_before_tree', note('session_before_tree'), AT);
    harness.extensions.on('session_tree', note('session_tree'), AT);
    expect(heard).toEqual([]);
    const prompt = branchOf('other', first);
    expect(await harness.session.prompt(prompt)).toEqual({ queued: false, itemId: prompt.itemId });
    await harness.settled(3);
    expect(heard).toEqual(['session_before_tree true', 'session_tree true']);
    expect(sent()).toEqual(['one', 'answer to one', 'other']);
    const phases = harness.events.flatMap((event) => (event.type === 'leaf_changed' ? [event] : []));
    expect(phases).toMatchObject([{ oldLeafId: last, newLeafId: first, reason: 'branch' }]);
    expect([await queued(), stored()]).toEqual([[], null]);
  });

  it('asks the model that was chosen since something was said, else that of the place where it begins', async () => {
    const { first } = await twoTurns();
    const models = (): string[] => harness.server.requests.map(({ wire }) => wire);
    const say = async (prompt: ReturnType<typeof branchOf>): Promise<void> => {
      const before = settledSoFar();
      await harness.session.prompt(prompt);
      await harness.settled(before + 1);
    };
    const other = { provider: 'loopback-anthropic', modelId: 'loopback' };
    await harness.session.setModel(other);
    await say(branchOf('chosen for this one', first));
    expect(models().at(-1)).toBe('messages');
    expect((await harness.session.snapshot()).model).toEqual(other);
    // It was said with that model there; what begins where another was asked asks the other.
    await say(branchOf('nothing chosen', first));
    expect(models().at(-1)).toBe('completions');
  });

  it('GR5: a record in front of the message says that it is a branch of its own, or a version of the beginning of one', async () => {
    const { first } = await twoTurns();
    const begun = (): unknown[] => [...harness.session.graph(0)].flat().flatMap(({ id, branchId }) => (branchId === undefined ? [] : [[wordsOf(id), wordsOf(branchId)]])); // prettier-ignore
    const say = async (prompt: ReturnType<typeof branchOf> & { versionOf?: string }): Promise<string> => {
      const before = settledSoFar();
      await harness.session.prompt(prompt);
      await harness.settled(before + 1);
      return prompt.itemId;
    };
    const two = harness.log.tree.entriesInOrder().find(({ id }) => wordsOf(id) === 'two')!.id;
    await say({ ...branchOf('two, edited', first), versionOf: two });
    expect(begun()).toEqual([]);
    const a = await say(branchOf('idea A', first));
    const b = await say({ ...branchOf('idea A, edited', first), versionOf: a });
    await say({ ...branchOf('idea A, edited twice', first), versionOf: b });
    await say(branchOf('idea B', first));
    // What only goes on where nothing did before is no branch beside another.
    await say(branchOf('more', leaf()));
    const expected = [['idea A', 'idea A'], ['idea A, edited', 'idea A'], ['idea A, edited twice', 'idea A'], ['idea B', 'idea B']]; // prettier-ignore
    expect(begun()).toEqual(expected);
    const rows = harness.events.flatMap((event) => (event.type === 'entry_appended' && event.row ? [event.row] : []));
    expect(rows.flatMap(({ id, branchId }) => (branchId === undefined ? [] : [wordsOf(id)]))).toEqual(
      expected.map(([words]) => words),
    );
    const records = harness.log.tree.entriesInOrder().filter(({ facts }) => facts.customType === 'espalier.branch');
    expect(records.map(({ facts, seq }) => [facts.side, harness.log.tree.entriesInOrder().find((node) => node.seq === seq + 1)?.facts.role])).toEqual(records.map(() => [true, 'user'])); // prettier-ignore
  });

  it('with a summary, which the message follows; it is shown and can be cancelled', async () => {
    const { first, last } = await twoTurns();
    await harness.session.prompt(branchOf('other', first, { instructions: 'the parser' }));
    await harness.settled(3);
    expect(paths().at(-1)).toBe('one > answer to one > SUMMARY > other');
    expect(sent().join(' ')).toContain('Another branch of this session');
    const [request] = harness.server.requests.filter((one) => isSummary(one));
    expect(JSON.stringify(request!.body)).toContain('Additional focus: the parser');
    const ends = harness.events.filter(({ type }) => type === 'tree_summary_end');
    expect(ends).toMatchObject([{ aborted: false }]);
    expect(last).not.toBe(leaf());
  });

  it('before the first message: null begins anew', async () => {
    await twoTurns();
    await harness.session.prompt(branchOf('anew', null));
    await harness.settled(3);
    expect(sent()).toEqual(['anew']);
  });

  it('cancelled: nothing has changed, and the message is kept as unsent until the window has it', async () => {
    const { first, last } = await twoTurns();
    let open = (): void => undefined;
    const until = new Promise<void>((resolve) => (open = resolve));
    summary = { text: BRANCH_SUMMARY, chunkChars: 4, holdAt: { frame: 3, until } };
    const before = harness.log.stored.length;
    const prompt = branchOf('other', first, {});
    const going = harness.session.prompt(prompt);
    await harness.until('tree_summary_progress');
    // It is on its way: taking it back would be too late, cancelling is not.
    expect(await harness.session.removeQueued(prompt.itemId)).toBe(false);
    expect(stored()?.items).toMatchObject([{ id: prompt.itemId, parentId: first, summary: {} }]);
    harness.session.cancelJob();
    await expect(going).rejects.toThrow('You cancelled the summary. Nothing was changed.');
    open();
    expect([leaf(), harness.log.stored.length]).toEqual([last, before]);
    expect(await queued()).toMatchObject([{ id: prompt.itemId, held: true, parentId: first }]);
    expect(await harness.session.removeQueued(prompt.itemId)).toBe(true);
    expect(stored()).toBeNull();
  });

  it.each([
    ['a summary that nobody can write', async () => void (summary = { error: { status: 400, body: 'no' } }), /failed/],
    ['an extension', async () => void harness.extensions.on('session_before_tree', () => ({ cancel: true }), AT), 'An extension kept the session where it was.'], // prettier-ignore
    ['a full disk', async () => void harness.log.failures.push(new Error('Could not save: the disk is full')), 'Could not save'], // prettier-ignore
  ])('%s: nothing has changed, and it says why', async (name, fail, why) => {
    const { first, last } = await twoTurns();
    await fail();
    const prompt = branchOf('other', first, name.includes('summary') ? {} : undefined);
    await expect(harness.session.prompt(prompt)).rejects.toThrow(why);
    expect(leaf()).toBe(last);
    expect(await queued()).toMatchObject([{ held: true, parentId: first }]);
    expect((await harness.session.snapshot()).phase).toBe('idle');
  });

  it('a target that is not there is refused before anything is accepted', async () => {
    await twoTurns();
    await expect(harness.session.prompt(branchOf('other', 'gone'))).rejects.toThrow('is no longer in the session');
    expect(await queued()).toEqual([]);
  });

  it('what a branch would leave behind is known before, also while the agent works', async () => {
    const { first } = await twoTurns();
    const preview = (target: string | null) => harness.session.branches.branchPreview(target, { exact: true });
    expect(await preview(first)).toMatchObject({ leafId: first, from: 'one', turns: 1, model: harness.models.initialModel() }); // prettier-ignore
    expect(await preview(null)).toMatchObject({ leafId: null, from: null, turns: 2 });
    // GR21: at an end a message only goes on.
    expect(await preview(leaf())).toMatchObject({ turns: 0, tokens: 0, begins: false });
    expect([(await preview(first)).begins, (await preview(null)).begins]).toEqual([true, true]);
    await harness.session.branches.label(first, 'the plan');
    expect((await preview(first)).from).toBe('the plan');
    const open = await slowRun('three');
    expect(await preview(first)).toMatchObject({ turns: 2 });
    open();
    await harness.settled(3);
    await expect(preview('gone')).rejects.toThrow('is no longer in the session');
  });
});

describe('QU8, GR13: a branch is prepared while the agent works', () => {
  it('what is said at HEAD goes first, then the branches in order, each moving HEAD; one end is told', async () => {
    const { first } = await twoTurns();
    const open = await slowRun('three');
    const texts = ['branch a', 'steer', 'branch b', 'later'];
    for (const text of texts) {
      const prompt = text.startsWith('branch') ? branchOf(text, first) : promptOf(text, 'followUp');
      expect(await harness.session.prompt(prompt)).toMatchObject({ queued: true });
    }
    expect((await queued()).map(({ text, parentId }) => [text, parentId])).toEqual([
      ['branch a', first],
      ['steer', undefined],
      ['branch b', first],
      ['later', undefined],
    ]);
    open();
    await harness.settled(3);
    expect(paths().slice(2)).toEqual([
      'one > answer to one > two > answer to two > three',
      'one > answer to one > two > answer to two > three > answer to three > steer',
      'one > answer to one > two > answer to two > three > answer to three > steer > answer to steer > later',
      'one > answer to one > branch a',
      'one > answer to one > branch b',
    ]);
    expect([settledSoFar(), await queued(), stored()]).toEqual([3, [], null]);
  });

  it('it waits for a retry and for the continuation of a compaction', async () => {
    const { first } = await twoTurns();
    harness.settings['retry.maxRetries'] = 3;
    const open = await slowRun('three');
    next.push({ error: { status: 503, body: 'busy' } });
    await harness.session.prompt(promptOf('four', 'followUp'));
    await harness.session.prompt(branchOf('branch', first));
    open();
    await harness.settled(3);
    expect(paths().at(-1)).toBe('one > answer to one > branch');
    const answers = harness.messages().filter((text) => text.startsWith('assistant(stop)'));
    expect(answers.slice(-2)).toEqual(['assistant(stop): answer to four', 'assistant(stop): answer to branch']);
  });

  it('a branch that could not be begun stays as unsent and says why; the next one goes on', async () => {
    const { first } = await twoTurns();
    const open = await slowRun('three');
    summary = { error: { status: 400, body: 'no such model' } };
    await harness.session.prompt(branchOf('with a summary', first, {}));
    await harness.session.prompt(branchOf('without', first));
    open();
    await harness.settled(3);
    expect(paths().at(-1)).toBe('one > answer to one > without');
    const [left] = await queued();
    expect(left).toMatchObject({
      text: 'with a summary',
      held: true,
      problem: expect.stringContaining('no such model'),
    });
    expect(stored()?.items).toEqual([expect.not.objectContaining({ problem: expect.anything() })]);
    summary = BRANCH_SUMMARY;
    await harness.session.sendQueued(left!.id);
    await harness.settled(4);
    expect(paths().at(-1)).toBe('one > answer to one > SUMMARY > with a summary');
  });

  it('QU6: after Stop it stands unsent with its target; each is sent or removed by itself', async () => {
    const { first } = await twoTurns();
    const open = await slowRun('three');
    const [a, b] = [branchOf('a', first), branchOf('b', null)];
    await harness.session.prompt(a);
    await harness.session.prompt(b);
    await harness.session.prompt(promptOf('at HEAD', 'followUp'));
    await harness.session.stop();
    open();
    expect((await queued()).map(({ text, held }) => [text, held])).toEqual([
      ['a', true],
      ['b', true],
      ['at HEAD', true],
    ]);
    const before = settledSoFar();
    await harness.session.sendQueued(b.itemId);
    await harness.settled(before + 1);
    expect(paths().at(-1)).toBe('b');
    expect((await queued()).map(({ text, held }) => [text, held])).toEqual([
      ['a', true],
      ['at HEAD', true],
    ]);
    expect(await harness.session.removeQueued(a.itemId)).toBe(true);
    await harness.session.sendQueued();
    await harness.settled(before + 2);
    expect(paths().at(-1)).toBe('b > answer to b > at HEAD');
  });

  it('a session that was compacted meanwhile: the branch begins where it was to', async () => {
    const { first } = await twoTurns();
    harness.settings['compaction.keepRecentTokens'] = 1;
    summary = '## Goal\nAll of it.';
    const open = await slowRun('three');
    await harness.session.prompt(branchOf('branch', first));
    const compacting = harness.session.compact();
    open();
    await compacting;
    await harness.until('compaction_end');
    await harness.settled(4).catch(() => undefined);
    expect(paths().at(-1)).toBe('one > answer to one > branch');
  });
});

describe('QU1: a prepared branch outlives the process', () => {
  /** As after a kill: what the disk has is opened anew. */
  const after = async (log = harness.log.reopen()): Promise<Harness['session']> => {
    harness.log = log;
    return (harness.session = await harness.reopen(log));
  };

  it('a queue file without targets is one for HEAD; one with a target that is no id is set aside, never sent at HEAD', async () => {
    const { first } = await twoTurns();
    const file = harness.ports.queueFile(harness.session.sessionId);
    const item = (text: string) => ({ id: nextId(), text, attachments: [], mode: 'steer', createdAt: 1 });
    const { writeFileSync } = await import('node:fs');
    const items = [item('old'), { ...item('new'), parentId: first }, { ...item('bad'), parentId: 7 }];
    writeFileSync(file, JSON.stringify({ v: 1, items }));
    const session = await after();
    const { queue, damage } = await session.snapshot();
    expect(queue.map(({ text, parentId, held }) => [text, parentId, held])).toEqual([
      ['old', undefined, true],
      ['new', first, true],
    ]);
    expect(damage.join(' ')).toContain('one message');
  });

  it('a target that has gone by then: it stays, says so, and can be taken back', async () => {
    await twoTurns();
    const { queue } = await DurableQueue.open(
      harness.ports.queueFile(harness.session.sessionId),
      () => false,
      () => undefined,
    );
    const item = { id: nextId(), text: 'x', attachments: [], mode: 'followUp' as const, createdAt: 0, held: false };
    await queue.add({ ...item, parentId: 'of another file' });
    const session = await after();
    const leafBefore = leaf();
    await session.sendQueued();
    await expect
      .poll(async () => (await session.snapshot()).queue[0]?.problem)
      .toContain('is no longer in the session');
    expect([leaf(), (await session.snapshot()).phase]).toEqual([leafBefore, 'idle']);
    expect(await session.removeQueued(item.id)).toBe(true);
  });

  it('QU8: a kill at any write or request: nothing is lost, nothing is sent twice, no summary is made twice', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ isBranch: fc.boolean(), isSummarized: fc.boolean(), isAnew: fc.boolean() }), { minLength: 1, maxLength: 4 }), // prettier-ignore
        fc.nat(12),
        fc.boolean(),
        async (messages, killAt, afterWrite) => {
          await harness.close();
          await begin();
          await ask('one');
          const first = leaf()!;
          await ask('two');
          /** What the disk had when the process died. */
          let disk: { log: Harness['log']; queue: string | null } | null = null;
          const die = (): void => {
            const file = stored();
            disk ??= { log: harness.log.reopen(), queue: file && JSON.stringify(file) };
          };
          let writes = 0;
          harness.log.beforeAppend = () => {
            if (!afterWrite && writes === killAt) die();
            writes += 1;
          };
          harness.log.onAppended(() => {
            if (afterWrite && writes === killAt + 1) die();
          });
          const accepted: string[] = [];
          for (const { isBranch, isSummarized, isAnew } of messages) {
            const prompt = isBranch
              ? branchOf('b', isAnew ? null : first, isSummarized ? {} : undefined)
              : promptOf('h', 'followUp');
            // One that was accepted after the death was accepted by nobody.
            void harness.session.prompt(prompt).catch(() => undefined);
            await expect.poll(async () => (await queued()).some(({ id }) => id === prompt.itemId) || harness.log.tree.has(prompt.itemId)).toBe(true); // prettier-ignore
            if (disk === null) accepted.push(prompt.itemId);
          }
          await expect.poll(async () => (await harness.session.snapshot()).phase).toBe('idle');
          const died = disk as { log: Harness['log']; queue: string | null } | null;
          if (died) {
            const { writeFileSync, rmSync } = await import('node:fs');
            const file = harness.ports.queueFile(harness.session.sessionId);
            if (died.queue === null) rmSync(file, { force: true });
            else writeFileSync(file, died.queue);
            const session = await after(died.log);
            const known = (await session.snapshot()).queue;
            expect(known.every(({ held }) => held)).toBe(true);
            await session.sendQueued();
            await expect.poll(async () => (await session.snapshot()).phase).toBe('idle');
            expect((await session.snapshot()).queue).toEqual([]);
          }
          const entries = harness.log.tree.entriesInOrder();
          const all = entries.map(({ id }) => id);
          expect(all.filter((id) => accepted.includes(id)).sort()).toEqual([...accepted].sort());
          expect(new Set(all).size).toBe(all.length);
          const summaries = entries.filter(({ facts }) => facts.type === 'branch_summary');
          // Each is followed by a message: none stands there alone for a second one to be made.
          for (const { children } of summaries) expect(children.length).toBeGreaterThan(0);
        },
      ),
      { numRuns: shortOrLong(8, 25) },
    );
  }, 120_000);
});
