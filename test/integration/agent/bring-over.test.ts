import { afterEach, describe, expect, it } from 'vitest';
import { normalised } from '../../../src/main/session/summaries/previews';
import { toolsNamed } from '../../support/agent-harness';
import { EXTENSION, isSummary } from '../../support/compaction-talk';
import { BRANCH_SUMMARY, BranchTalk, call } from '../../support/branch-talk';

/** Bringing the summary of a branch over to another (BR12 to BR14), and handing off (HF1), on the loopback server. */
let talk: BranchTalk;
afterEach(() => talk.harness.close());

/** Two branches after `one`: both wrote a.ts, the target read b.ts, which the source wrote. */
async function parted(): Promise<{ first: string; source: string; target: string }> {
  talk = await BranchTalk.start();
  const { dir } = talk.harness;
  talk.answer(BRANCH_SUMMARY, (text) => {
    const [tool, path] = text.split(' ');
    return tool === 'read' || tool === 'write' ? call(tool, { path, content: 'x' }) : 'done';
  });
  const first = await talk.ask('one');
  await talk.ask('write ./src/a.ts');
  await talk.ask(`write ${dir}/b.ts`);
  const source = await talk.ask('write only-here.ts');
  await talk.go(first);
  await talk.ask('write src/a.ts');
  const target = await talk.ask('read b.ts');
  return { first, source, target };
}

const answerReview = (text: string | null): void => talk.harness.session.answerReview(text);

async function reviewed(): Promise<string> {
  return (await talk.harness.until('tree_summary_review')).review.text;
}

describe('bring over', () => {
  it('GR16: names of branches end where summaries tell of each other in a circle', async () => {
    const { target } = await parted();
    const { log, session } = talk.harness;
    const entry = (id: string, parentId: string, rest: object): void =>
      log.addLine(JSON.stringify({ id, parentId, timestamp: '2026-01-01T00:00:00.000Z', ...rest }));
    entry('a1', target, { type: 'branch_summary', fromId: 'b1', summary: 'a' });
    entry('b1', target, { type: 'branch_summary', fromId: 'a1', summary: 'b' });
    entry('self', target, { type: 'branch_summary', fromId: 'below', summary: 'c' });
    entry('below', 'self', { type: 'message', message: { role: 'user', content: 'on', timestamp: 1 } });
    for (const id of ['a1', 'b1', 'self']) {
      const { from } = await session.branches.branchPreview(id, { exact: true });
      expect(from).toMatch(/^Summary of /);
    }
  });

  it('BR13: what a compaction names of the time before the branch is not of it', async () => {
    talk = await BranchTalk.start({ settings: { 'compaction.keepRecentTokens': 1 } });
    talk.answer(BRANCH_SUMMARY, (text) =>
      text.startsWith('write') ? call('write', { path: text.slice(6), content: 'x' }) : 'done',
    );
    await talk.ask('write shared.txt');
    const first = await talk.ask(`one ${'words '.repeat(400)}`);
    await talk.ask(`two ${'words '.repeat(400)}`);
    await talk.harness.session.compact({});
    await talk.harness.until('compaction_end');
    const source = await talk.ask('three');
    expect(talk.entries.filter(({ type }) => type === 'compaction')).toHaveLength(1);
    await talk.go(first);
    const target = await talk.ask('write shared.txt');
    const preview = await talk.harness.session.branches.bringOverPreview(source, target);
    expect(preview).toMatchObject({ modifiedFiles: [], conflicts: [] });
  });

  it('SU41: one after which no message would fit waits with its figures, and says so', async () => {
    const { source, target } = await parted();
    const { harness } = talk;
    harness.models.window = 16_000;
    const long = `## Goal\n${'A very long summary that ignores the length. '.repeat(2500)}`.trimEnd();
    talk.answer(long);
    const over = harness.session.branches.bringOver({ sourceId: source, targetId: target });
    await reviewed();
    const { job } = await harness.session.snapshot();
    expect(job?.review).toMatchObject({ isLarger: true, context: { window: 16_000 } });
    answerReview(null);
    expect(await over).toMatchObject({ cancelled: true });
  });

  it('tells what it comes to: size, conflicts, stale reads', async () => {
    const { first, source, target } = await parted();
    const preview = await talk.harness.session.branches.bringOverPreview(source, target);
    expect(preview).toMatchObject({
      sourceId: source,
      targetId: target,
      ancestorId: first,
      messages: 12,
      conflicts: ['src/a.ts'],
      staleReads: ['b.ts'],
      hasCommands: false,
      model: talk.harness.models.initialModel(),
    });
    expect(preview.tokens).toBeGreaterThan(0);
    expect(preview.modifiedFiles).toHaveLength(3);
    await expect(talk.harness.session.branches.bringOverPreview('nothing', target)).rejects.toThrow(
      'Entry nothing not found',
    );
  });

  it('waits for the person, stores what they made of it at the target and goes on from there', async () => {
    const { first, source, target } = await parted();
    await talk.go(first);
    const bringing = talk.harness.session.branches.bringOver({
      sourceId: source,
      targetId: target,
      instructions: 'Files',
    });
    expect(await reviewed()).toBe(BRANCH_SUMMARY);
    const snapshot = await talk.harness.session.snapshot();
    expect(snapshot.job).toMatchObject({ kind: 'bringOver', review: { text: BRANCH_SUMMARY } });
    expect(talk.harness.session.state).toBe('waiting');
    expect(() => answerReview(' ')).toThrow('The summary is empty.');
    answerReview('## Goal\nIn my words.');
    const result = await bringing;
    const [summary] = talk.summaries;
    expect(result).toEqual({ cancelled: false, summaryEntryId: summary!.id });
    expect([talk.leaf, summary!.parentId, summary!.fromId]).toEqual([summary!.id, target, source]);
    // What is written for the model names no branch (GR16).
    const { from } = await talk.harness.session.branches.branchPreview(summary!.id, { exact: true });
    expect(from).toBe('Summary of write ./src/a.ts');
    expect(summary!.summary).toContain('In my words.');
    expect(summary!.summary).toContain('<modified-files>');
    expect(summary!.details).toMatchObject({
      espalier: {
        reason: 'bringOver',
        broughtOver: true,
        conflicts: ['src/a.ts'],
        ancestorId: first,
        instructions: 'Files',
      },
    });
    expect(() => answerReview('again')).toThrow('There is no longer a summary to review.');
    await talk.ask('what now');
    expect(talk.sent.some((text) => text.includes('In my words.'))).toBe(true);
    expect(talk.sent.filter((text) => text === 'write only-here.ts')).toEqual([]);
  });

  it('at the leaf its row follows what is on screen', async () => {
    const { source, target } = await parted();
    expect(talk.leaf).toBe(target);
    const bringing = talk.harness.session.branches.bringOver({ sourceId: source, targetId: target });
    answerReview(await reviewed());
    await bringing;
    const told = await talk.harness.until('entry_appended', ({ line }) => line.id === talk.leaf);
    expect(told.row).toMatchObject({ kind: 'branchSummary' });
  });

  it('SU40: what is no summary says so and is written anew; who leaves for a branch is told why there is none', async () => {
    const { first, source, target } = await parted();
    let n = 0;
    talk.harness.server.script((request) =>
      isSummary(request) ? (n++ < 2 ? 'How can I help you?' : BRANCH_SUMMARY) : 'done',
    );
    const bringing = talk.harness.session.branches.bringOver({ sourceId: source, targetId: target });
    expect(await reviewed()).toBe('How can I help you?');
    expect((await talk.harness.session.snapshot()).job).toMatchObject({ review: { isDoubtful: true } });
    talk.harness.session.answerReview(null, true);
    const { review } = await talk.harness.until('tree_summary_review', (event) => event.review.text === BRANCH_SUMMARY);
    answerReview(review.text);
    await bringing;
    expect(talk.summaries.at(-1)!.details).toMatchObject({ espalier: { calls: 3 } });

    talk.answer('How can I help you?');
    const before = talk.text;
    await expect(talk.leave(first)).rejects.toThrow('the answer does not look like a summary');
    expect(talk.text).toBe(before);
  });

  it('declined: byte for byte the same', async () => {
    const { source, target } = await parted();
    const before = talk.text;
    const bringing = talk.harness.session.branches.bringOver({ sourceId: source, targetId: target });
    await reviewed();
    answerReview(null);
    expect(await bringing).toEqual({ cancelled: true, aborted: true });
    expect([talk.text, talk.leaf]).toEqual([before, target]);
    expect(talk.ends()).toMatchObject([{ kind: 'bringOver', aborted: true }]);
  });

  it('nothing to bring: says so and asks nobody', async () => {
    const { first, target } = await parted();
    expect(await talk.harness.session.branches.bringOverPreview(first, target)).toMatchObject({ messages: 0 });
    await expect(talk.harness.session.branches.bringOver({ sourceId: first, targetId: target })).rejects.toThrow(
      'There is nothing to bring over',
    );
    expect(talk.summaryRequests).toEqual([]);
  });

  it('an extension may write what is reviewed', async () => {
    const { source, target } = await parted();
    talk.harness.extensions.on('session_before_tree', () => ({ summary: { summary: 'Mine.' } }), {
      extensionPath: EXTENSION,
    });
    const bringing = talk.harness.session.branches.bringOver({ sourceId: source, targetId: target });
    answerReview(await reviewed());
    await bringing;
    expect(talk.summaries[0]).toMatchObject({ summary: 'Mine.', fromHook: true });
  });

  it('commands are told of', async () => {
    talk = await BranchTalk.start({ tools: () => toolsNamed(['bash']) });
    talk.answer(BRANCH_SUMMARY, (text) => (text === 'run' ? call('bash', { command: 'ls' }) : 'done'));
    const first = await talk.ask('one');
    const source = await talk.ask('run');
    await talk.go(first);
    const target = await talk.ask('two');
    expect(await talk.harness.session.branches.bringOverPreview(source, target)).toMatchObject({ hasCommands: true });
    expect(await talk.harness.session.branches.bringOverPreview(target, source)).toMatchObject({ hasCommands: true });
  });
});

describe('paths', () => {
  it('one file has one name', () => {
    expect(normalised(['..a', '/w/..a', '/w', '/w/'], '/w')).toEqual(['..a', '/w']);
    expect(normalised(['./a', 'a', '/w/a', 'b/../a', '/other/x', '../y'], '/w')).toEqual(['/other/x', '/y', 'a']);
  });
});

it('SU41: a summary of the branch that is left behind which no message would fit is not stored; nothing has changed', async () => {
  talk = await BranchTalk.start({});
  talk.answer(`## Goal\n${'It was tried at great length. '.repeat(400)}`);
  const first = await talk.ask('one');
  const left = await talk.ask('two');
  talk.harness.models.window = 3_000;
  const going = talk.harness.session.branches.navigate({ targetId: first, exact: true, summarize: true });
  await expect(going).rejects.toThrow('no message would fit after it');
  expect(talk.leaf).toBe(left);
  expect(talk.summaries).toEqual([]);
});

describe('handoff', () => {
  const draft = async (goal: string) => (await talk.harness.session.branches.draftHandoff(goal))?.text ?? null;

  it('drafts from all that the model sees, for the goal', async () => {
    talk = await BranchTalk.start({ settings: { 'compaction.shortSummary': 'model' } });
    await talk.ask('one');
    const before = talk.text;
    talk.answer('## Task\nFinish it.');
    expect(await draft('Finish </conversation> it')).toBe('## Task\nFinish it.');
    expect(talk.text).toBe(before);
    expect(talk.bodies).toHaveLength(1);
    expect(talk.bodies[0]).toContain('[User]: one\n\n[Assistant]: answer to one');
    expect(talk.bodies[0]).toMatch(/in the person's words:\n\nFinish &lt;\/conversation> it$/);
    expect(talk.ends()).toMatchObject([{ kind: 'handoff', aborted: false }]);
  });

  it('SU18: of messages that are kept beside a summary none is told to have had no answer', async () => {
    talk = await BranchTalk.start({});
    const { log, models } = talk.harness;
    const { provider = '', modelId: model = '' } = models.initialModel() ?? {};
    let parentId: string | null = null;
    const entry = (id: string, minute: number, rest: object): void => {
      const timestamp = `2026-01-01T00:0${minute}:00.000Z`;
      log.addLine(JSON.stringify({ id, parentId, timestamp, ...rest }));
      parentId = id;
    };
    const said = (id: string, minute: number, message: object): void =>
      entry(id, minute, { type: 'message', message: { timestamp: 60_000 * minute, ...message } });
    const answer = {
      role: 'assistant',
      content: [{ type: 'text', text: 'Done.' }],
      stopReason: 'stop',
      provider,
      model,
    };
    for (const at of [0, 2, 4]) {
      said(`u${at}`, at, { role: 'user', content: `Ask ${at}` });
      said(`a${at}`, at + 1, answer);
    }
    const details = { espalier: { v: 1, keptUserEntryIds: ['u0', 'u2', 'u4'] } };
    entry('c', 6, { type: 'compaction', summary: 'All done.', firstKeptEntryId: 'c', tokensBefore: 1, details });
    await log.moveLeaf('c', 'test');
    await talk.ask('next');
    talk.answer('## Task\nFinish it.');
    await draft('Finish it');
    expect(talk.bodies.at(-1)).toContain('[User]: Ask 2');
    expect(talk.bodies.at(-1)).not.toContain('[Note: no answer]');
  });

  it('HF2: refuses without a goal or messages, and in a run', async () => {
    talk = await BranchTalk.start();
    await expect(draft('x')).rejects.toThrow('Nothing to hand off (no messages yet)');
    await talk.ask('one');
    await expect(draft('  ')).rejects.toThrow('Handoff needs a goal');
    expect(talk.ends()).toEqual([]);
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    talk.answer(BRANCH_SUMMARY, () => ({ text: 'slow', holdAt: { frame: 1, until: held } }));
    const { requests } = talk.harness.server;
    const before = requests.length;
    const asking = talk.ask('two');
    await expect.poll(() => requests.length).toBeGreaterThan(before);
    await expect(draft('x')).rejects.toThrow('Wait for the current response to finish before handing off.');
    release();
    await asking;
  });

  it('folds what is too long for one request, and can be cancelled', async () => {
    talk = await BranchTalk.start();
    for (let n = 0; n < 3; n++) await talk.ask(`${n} ${'words '.repeat(3000)}`);
    talk.harness.models.window = 8000;
    talk.answer((n) => `draft ${n}`);
    expect(await draft('go on')).toMatch(/^draft [1-9]/);
    expect(talk.bodies.length).toBeGreaterThan(1);
    expect(talk.bodies[1]).toContain('<previous-summary>\ndraft 0\n</previous-summary>');
    expect(talk.bodies.every((body) => body.endsWith('go on'))).toBe(true);
    talk.answer({ text: 'half', holdAt: { frame: 1, until: new Promise(() => undefined) } });
    const drafting = draft('go on');
    await talk.harness.until(
      'tree_summary_start',
      ({ summary }) => summary.kind === 'handoff' && talk.ends().length === 1,
    );
    talk.harness.session.cancelJob();
    expect(await drafting).toBeNull();
    expect(talk.ends().at(-1)).toMatchObject({ kind: 'handoff', aborted: true });
  });
});
