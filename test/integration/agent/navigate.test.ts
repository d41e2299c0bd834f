import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { promptOf, startHarness, type Harness } from '../../support/agent-harness';
import { sentMessages } from '../../support/model-server';

/** Going to other points of the tree without a summary (JB2, BR1). */
let harness: Harness;
beforeEach(async () => {
  harness = await startHarness();
  harness.server.script((request) => `answer to ${sentMessages(request).at(-1)?.text ?? ''}`);
});
afterEach(() => harness.close());

const go = (targetId: string | null, more: { exact?: boolean; label?: string } = {}) =>
  harness.session.branches.navigate({ targetId, summarize: false, ...more });
const ids = (): string[] =>
  harness.log.tree
    .pathTo(harness.log.tree.leafId)
    .filter(({ facts }) => facts.visible)
    .map(({ id }) => id);
const sent = (): string[] => sentMessages(harness.server.requests.at(-1)!).map(({ text }) => text);
const leaf = (): string | null => harness.log.tree.leafId;

async function ask(text: string): Promise<void> {
  const before = harness.events.filter(({ type }) => type === 'settled').length;
  await harness.session.prompt(promptOf(text));
  await harness.settled(before + 1);
}

async function twoTurns(): Promise<string[]> {
  await ask('one');
  await ask('two');
  return ids();
}

describe('navigate', () => {
  it('goes to a reply: the next question hangs there and the model sees that branch alone', async () => {
    const [, answer, , last] = await twoTurns();
    expect(await go(answer!)).toEqual({ cancelled: false });
    expect(leaf()).toBe(answer);
    const events = harness.events.filter(({ type }) => type === 'leaf_changed' || type === 'model_changed').slice(-2);
    expect(events).toMatchObject([
      { type: 'leaf_changed', oldLeafId: last, newLeafId: answer, reason: 'navigate' },
      { type: 'model_changed' },
    ]);
    expect(harness.events.at(-1)?.type).toBe('context_usage');
    await ask('other');
    expect(sent()).toEqual(['one', 'answer to one', 'other']);
    expect(harness.session.branches.versions(ids()[2]!)).toHaveLength(2);
  });

  it('goes to a question: its text and files return, the leaf is before it', async () => {
    await ask('one');
    const image = { kind: 'image' as const, name: 'a.png', mimeType: 'image/png', data: 'AAAA' };
    const file = { kind: 'text' as const, name: 'a "b".md', mimeType: 'text/plain', data: 'x\ny' };
    await harness.session.prompt({ ...promptOf('two'), attachments: [image, file] });
    await harness.settled(2);
    const [, answer, question] = ids();
    expect(await go(question!)).toEqual({
      cancelled: false,
      editorText: 'two',
      editorAttachments: [file, { ...image, name: 'image 2.png' }],
    });
    expect(leaf()).toBe(answer);
  });

  it('BR1: a question that is the leaf, because nobody answered it, is taken back as well; exactly there it is nowhere to go', async () => {
    const [, answer, question] = await twoTurns();
    await harness.log.append([{ type: 'message', message: { role: 'user', content: 'three', timestamp: 3 } }]);
    const three = leaf();
    expect(await go(three, { exact: true })).toEqual({ cancelled: false });
    expect(leaf()).toBe(three);
    expect(await go(three)).toEqual({ cancelled: false });
    expect(leaf()).toBe(three);
    const taken = await harness.session.branches.go({ targetId: three, choice: { summarize: false } });
    expect(taken).toMatchObject({ kind: 'done', cancelled: false, editorText: 'three' });
    expect(leaf()).toBe(ids()[3]);
    expect(ids().slice(0, 3)).toEqual([ids()[0], answer, question]);
    await ask('three, in other words');
    expect(sent().slice(-3)).toEqual(['two', 'answer to two', 'three, in other words']);
    expect(harness.session.branches.versions(three!)).toHaveLength(2);
  });

  it('back at a message that nobody answered it is told that the turn has no answer, as it is at a start', async () => {
    const [, answer, question] = await twoTurns();
    await harness.log.append([{ type: 'message', message: { role: 'user', content: 'three', timestamp: 3 } }]);
    const three = leaf();
    await go(question!, { exact: true });
    await go(three, { exact: true });
    expect((await harness.session.snapshot()).interrupted).toBe(true);
    // Where an answer came after it there is none to be told of.
    await go(question!, { exact: true });
    expect((await harness.session.snapshot()).interrupted).toBe(false);
    await go(answer!);
    expect((await harness.session.snapshot()).interrupted).toBe(false);
  });

  it('exact: the question itself becomes the leaf and nothing returns', async () => {
    const [, , question] = await twoTurns();
    expect(await go(question!, { exact: true })).toEqual({ cancelled: false });
    expect(leaf()).toBe(question);
  });

  it('goes before the first entry with null, and with /clear; the tree stays', async () => {
    const [, , , last] = await twoTurns();
    const size = harness.log.tree.size;
    await go(null);
    expect(leaf()).toBeNull();
    await ask('anew');
    expect(sent()).toEqual(['anew']);
    await go(last!);
    await harness.session.branches.clear();
    expect(leaf()).toBeNull();
    expect(harness.log.tree.size).toBeGreaterThan(size);
  });

  it('stays where it is: no event, no entry', async () => {
    const [, , , last] = await twoTurns();
    const [stored, events] = [harness.log.stored.length, harness.events.length];
    expect(await go(last!)).toEqual({ cancelled: false });
    expect(harness.log.stored).toHaveLength(stored);
    expect(harness.events.slice(events).filter(({ type }) => type === 'leaf_changed')).toEqual([]);
  });

  it('refuses what is not there', async () => {
    await twoTurns();
    const before = leaf();
    await expect(go('12345678')).rejects.toThrow('Entry 12345678 not found');
    expect(leaf()).toBe(before);
  });

  it('restores model and thinking level of the destination', async () => {
    await ask('one');
    const first = leaf();
    const { provider, id } = harness.models.all[1]!;
    await harness.session.setModel({ provider, modelId: id });
    await harness.session.setThinking('high');
    await ask('two');
    await go(first);
    expect(harness.session.model).toEqual(harness.models.initialModel());
    const told = harness.events.filter((event) => event.type === 'model_changed').at(-1);
    expect(told).toMatchObject({ model: harness.models.initialModel(), thinkingLevel: 'off' });
  });

  it('labels the target in the same write', async () => {
    const [, answer] = await twoTurns();
    const before = harness.log.stored.length;
    await go(answer!, { label: ' checkpoint ' });
    expect(harness.log.tree.label(answer!)).toBe('checkpoint');
    expect(harness.log.stored).toHaveLength(before + 2);
  });

  it('JB1: is refused in a run, and not begun', async () => {
    await ask('one');
    const first = leaf();
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    harness.log.beforeAppend = async (drafts) => {
      if (drafts.some((draft) => draft.type === 'message' && draft.message.role === 'assistant')) await held;
    };
    await harness.session.prompt(promptOf('two'));
    await expect(go(first)).rejects.toThrow(
      'Wait for the current response to finish before navigating the session tree.',
    );
    release();
    await harness.settled(2);
  });

  it('QU5: queues what is said meanwhile and sends it from the new leaf', async () => {
    const [, answer] = await twoTurns();
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    harness.log.beforeAppend = () => held;
    const going = go(answer!);
    await expect(go(null)).rejects.toThrow('Wait for the current compaction or tree navigation to finish');
    await expect(harness.session.compact()).rejects.toThrow('Wait for the current tree navigation to finish.');
    expect(await harness.session.prompt(promptOf('meanwhile'))).toMatchObject({ queued: true });
    harness.log.beforeAppend = null;
    release();
    await going;
    await harness.settled(3);
    expect(sent()).toEqual(['one', 'answer to one', 'meanwhile']);
  });

  it('a failed write leaves everything as it was', async () => {
    const [, answer, , last] = await twoTurns();
    harness.log.failures.push(new Error('Could not save: the disk is full'));
    await expect(go(answer!)).rejects.toThrow('Could not save');
    expect(leaf()).toBe(last);
    expect(await go(answer!)).toEqual({ cancelled: false });
  });

  it('waits for a reply that is not saved yet, and shows the failed turn that it comes back to', async () => {
    await ask('one');
    const first = leaf();
    harness.log.beforeAppend = (drafts) => {
      const isReply = drafts.some((draft) => draft.type === 'message' && draft.message.role === 'assistant');
      if (isReply) throw new Error('Could not save: the disk is full');
    };
    await ask('two');
    await expect(go(first)).rejects.toThrow('The last reply isn’t saved yet.');
    harness.log.beforeAppend = null;
    await harness.session.retry();
    await go(first);
    harness.server.script({ error: { status: 400, body: { error: { message: 'no such thing' } } } });
    await ask('three');
    const failed = leaf();
    await go(first);
    expect(harness.session.state).toBe('idle');
    await go(failed);
    expect(harness.session.state).toBe('error');
  });

  it('survives a restart', async () => {
    const [, answer] = await twoTurns();
    await go(answer!);
    await harness.reopen();
    expect(harness.log.reopen().tree.leafId).toBe(answer);
  });
});

describe('what is said of branches', () => {
  it('labels and hidden branches stand in the snapshot', async () => {
    const [, answer] = await twoTurns();
    await harness.session.branches.label(answer!, ' here ');
    await harness.session.branches.setArchived(answer!, true);
    const snapshot = await harness.session.snapshot();
    expect([snapshot.labels, snapshot.archived]).toEqual([{ [answer!]: 'here' }, [answer]]);
    const size = harness.log.tree.size;
    await harness.session.branches.label(answer!, 'here');
    await harness.session.branches.setArchived(answer!, true);
    expect(harness.log.tree.size).toBe(size);
    await harness.session.branches.label(answer!, '');
    await expect(harness.session.branches.label('nothing', 'x')).rejects.toThrow('Entry nothing not found');
    await expect(harness.session.branches.setArchived('nothing', false)).rejects.toThrow('Entry nothing not found');
    expect(harness.log.tree.labels.size).toBe(0);
  });

  it('versions: newest leaf of each, none for choices alone, none that is hidden', async () => {
    const [, answer, two] = await twoTurns();
    const second = leaf();
    await go(answer!);
    await ask('two again');
    const again = ids()[2]!;
    const third = leaf();
    const { provider, id } = harness.models.all[1]!;
    await go(answer!);
    await harness.session.setModel({ provider, modelId: id });
    const { versions } = harness.session.branches;
    const at = (entry: string) => versions.call(harness.session.branches, entry);
    expect(at(two!)).toEqual([
      { entryId: two, leafId: second },
      { entryId: again, leafId: third },
    ]);
    const snapshot = await harness.session.snapshot();
    expect(snapshot.rows.filter(({ siblingCount }) => siblingCount !== undefined)).toEqual([]);
    await harness.session.branches.setArchived(again, true);
    expect(at(two!)).toEqual([{ entryId: two, leafId: second }]);
    expect(at(again)).toHaveLength(2);
    expect(at('nothing')).toEqual([]);
  });

  it('a question that is asked anew with another model is a version of the first', async () => {
    const [, answer, two] = await twoTurns();
    await go(two!);
    const { provider, id } = harness.models.all[1]!;
    await harness.session.setModel({ provider, modelId: id });
    await ask('two again');
    const [, , again] = ids();
    expect(harness.session.branches.versions(again!).map(({ entryId }) => entryId)).toEqual([two, again]);
    const { rows } = await harness.session.snapshot();
    expect(rows.filter(({ siblingCount }) => siblingCount !== undefined)).toMatchObject([
      { id: again, siblingIndex: 1, siblingCount: 2 },
    ]);
    const told = harness.events.flatMap((event) =>
      event.type === 'entry_appended' && event.row?.id === again ? [event.row] : [],
    );
    expect(told).toMatchObject([{ siblingIndex: 1, siblingCount: 2 }]);
    expect(answer).toBe(ids()[1]);
  });
});

describe('BR3: going somewhere is one request', () => {
  const request = (targetId: string | null, more: { asks?: boolean; exact?: boolean } = {}) =>
    harness.session.branches.go({ targetId, ...more });

  it('the question before leaving stands in the answer: messages, tokens, who would write; nothing has moved', async () => {
    const [, answer, , last] = await twoTurns();
    expect(await request(answer!)).toMatchObject({
      kind: 'question',
      preview: { messages: 2, modifiedFiles: [], model: harness.models.initialModel() },
    });
    expect(leaf()).toBe(last);
    expect(await request(last!)).toEqual({ kind: 'here' });
    await expect(request('nowhere')).rejects.toThrow('Entry nowhere not found');
    const done = await harness.session.branches.go({ targetId: answer!, choice: { summarize: false } });
    expect(done).toEqual({ kind: 'done', leafId: answer, cancelled: false });
  });

  it('a message that is the leaf is gone to as any other: its text returns', async () => {
    const [, answer] = await twoTurns();
    await go(answer!);
    await harness.log.append([{ type: 'message', message: { role: 'user', content: 'three', timestamp: 3 } }]);
    const three = leaf()!;
    expect(await request(three, { exact: true })).toEqual({ kind: 'here' });
    const done = await harness.session.branches.go({ targetId: three, choice: { summarize: false } });
    expect(done).toEqual({ kind: 'done', leafId: answer, cancelled: false, editorText: 'three' });
    expect(leaf()).toBe(answer);
  });

  it('where nothing visible is left it goes at once, and its page was sent before the answer', async () => {
    const [, answer, , last] = await twoTurns();
    await go(answer!);
    const sent: unknown[] = [];
    harness.ports.flushEvents = () => sent.push(harness.events.at(-1));
    expect(await request(last!)).toEqual({ kind: 'done', leafId: last, cancelled: false });
    expect(sent).toMatchObject([{ type: 'leaf_changed', newLeafId: last }]);
  });

  it('GR23: up one’s own path less than a turn is left unasked, a turn is asked about', async () => {
    harness.server.script([
      { content: [{ type: 'toolCall', name: 'echo', arguments: { text: 'x' } }] },
      'Done.',
      'answer to two',
    ]);
    await ask('one');
    const [, calls] = ids();
    const end = leaf();
    expect(await request(calls!)).toMatchObject({ kind: 'done', leafId: calls });
    await go(end);
    await ask('two');
    expect(await request(end)).toMatchObject({ kind: 'question', preview: { messages: 2 } });
    expect(await request(calls!)).toMatchObject({ kind: 'question' });
  });

  it('a question leads before itself, with its text', async () => {
    const [, answer, question] = await twoTurns();
    harness.settings['branchSummary.skipPrompt'] = true;
    expect(await request(question!)).toEqual({ kind: 'done', leafId: answer, cancelled: false, editorText: 'two' });
    expect(leaf()).toBe(answer);
  });

  it('the settings answer for the person, unless they are to be asked', async () => {
    const [, answer] = await twoTurns();
    Object.assign(harness.settings, { 'branchSummary.skipPrompt': true, 'branchSummary.enabled': true });
    expect(await request(answer!, { asks: true })).toMatchObject({ kind: 'question' });
    const done = await request(answer!);
    expect(done).toMatchObject({ kind: 'done', leafId: leaf(), summaryEntryId: leaf(), cancelled: false });
  });

  it('SU35: a summary that nobody could write unasked is asked about, with who was tried; nothing has moved', async () => {
    const [, answer, , last] = await twoTurns();
    Object.assign(harness.settings, {
      'branchSummary.skipPrompt': true,
      'branchSummary.enabled': true,
      'retry.maxRetries': 0,
    });
    harness.server.script(() => ({ error: { status: 400, body: { error: { message: 'no such thing' } } } }));
    expect(await request(answer!)).toMatchObject({
      kind: 'question',
      preview: { messages: 2 },
      problem: { text: expect.stringContaining('no such thing'), tried: [harness.models.initialModel()] },
    });
    expect(leaf()).toBe(last);
  });
});
