import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { SessionHost } from '../../../src/main/session/host/session-host';
import { contextAt } from '../../support/context-at';
import type { SessionEntry } from '@shared/session/records/entry';
import { promptOf, startHarness, type Harness } from '../../support/agent-harness';
import { EXTENSION, isSummary } from '../../support/compaction-talk';
import { openStoreBench, type StoreBench } from '../../support/journal';
import { sentMessages } from '../../support/model-server';

/** Sessions made of sessions, on the real store (HF1, HF3). */
let harness: Harness;
let bench: StoreBench;
let host: SessionHost;
let source: string;

beforeEach(async () => {
  harness = await startHarness({ settings: { 'compaction.keepRecentTokens': 60 } });
  bench = await openStoreBench();
  host = hostOn(bench);
  harness.server.script((request) =>
    isSummary(request) ? '## Goal\nGo on.' : `answer to ${sentMessages(request).at(-1)?.text ?? ''}`,
  );
  source = (await host.create({ workspace: harness.dir })).id;
});
afterEach(async () => {
  await host.dispose();
  await bench.dispose();
  await harness.close();
});

function hostOn({ store, dir }: StoreBench): SessionHost {
  return new SessionHost({ ...harness.ports, store, sessionsDir: dir, scratchDir: dir });
}

async function ask(sessionId: string, text: string): Promise<void> {
  const before = harness.events.filter(({ type }) => type === 'settled').length;
  await (await host.session(sessionId)).prompt(promptOf(text));
  await harness.settled(before + 1);
}

async function entriesOf(sessionId: string): Promise<SessionEntry[]> {
  const text = await readFile(bench.journal(sessionId), 'utf8');
  return text
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => JSON.parse(line) as SessionEntry);
}

/** Ids of the messages on the path. */
async function ids(sessionId: string): Promise<string[]> {
  const { tree } = await bench.store.open(sessionId);
  return tree
    .pathTo(tree.leafId)
    .filter(({ facts }) => facts.visible)
    .map(({ id }) => id);
}

async function contextOf(sessionId: string): Promise<string[]> {
  const log = await bench.store.open(sessionId);
  await log.loadContextBodies();
  return contextAt(log.tree, log.tree.leafId).messages.map((message) => JSON.stringify(message));
}

describe('fork', () => {
  it('HF4: is written at once, over a label and a compaction, and goes on as the source would', async () => {
    for (const text of ['one', 'two', 'three', 'four']) await ask(source, `${text} ${'word '.repeat(30)}`);
    const branches = (await host.session(source)).branches;
    const [, answer, , second] = await ids(source);
    await branches.label(second!, 'checkpoint');
    await (await host.session(source)).compact({});
    await harness.until('compaction_end');
    await ask(source, 'five');
    await branches.label(answer!, 'first answer');
    const before = await readFile(bench.journal(source), 'utf8');

    const { summary, editorText } = await host.fork(source);
    expect(editorText).toBe('');
    expect(await readFile(bench.journal(source), 'utf8')).toBe(before);
    const header = JSON.parse((await readFile(bench.journal(summary.id), 'utf8')).split('\n')[0]!) as object;
    expect(header).toMatchObject({ type: 'session', id: summary.id, parentSession: source, cwd: harness.dir });
    expect(await contextOf(summary.id)).toEqual(await contextOf(source));
    const entries = await entriesOf(summary.id);
    expect(entries.filter(({ type }) => type === 'compaction')).toHaveLength(1);
    expect(entries.filter(({ type }) => type === 'label')).toMatchObject([
      { targetId: second, label: 'checkpoint' },
      { targetId: answer, label: 'first answer' },
    ]);
    expect(summary).toMatchObject({
      title: `${host.summary(source).title} (fork)`,
      workspace: harness.dir,
      compactions: 1,
    });

    await ask(summary.id, 'six');
    const sent = sentMessages(harness.server.requests.at(-1)!).map(({ text }) => text);
    expect(sent[0]).toContain('Go on.');
    expect(sent.at(-1)).toBe('six');
    const seen = await contextOf(summary.id);
    await host.dispose();
    await bench.restart();
    host = hostOn(bench);
    expect((await (await host.session(summary.id)).snapshot()).labels).toEqual({
      [second!]: 'checkpoint',
      [answer!]: 'first answer',
    });
    expect(await contextOf(summary.id)).toEqual(seen);
  });

  it('at a question ends before it and gives its text back; at the first the session is empty', async () => {
    await ask(source, 'one');
    await ask(source, 'two');
    const [first, answer, question] = await ids(source);
    const { summary, editorText } = await host.fork(source, question);
    expect([editorText, await ids(summary.id)]).toEqual(['two', [first, answer]]);
    const empty = await host.fork(source, first);
    expect(empty).toMatchObject({ editorText: 'one', summary: { entryCount: 1, title: '' } });
    expect((await entriesOf(empty.summary.id)).map(({ type }) => type)).toEqual(['model_change']);
    await ask(empty.summary.id, 'other');
    expect(await contextOf(empty.summary.id)).toHaveLength(2);
    await expect(host.fork(source, 'nothing')).rejects.toThrow('Entry nothing not found');
  });

  it('names a session of a server on this computer by its words: it is asked for nothing that nobody asked for', async () => {
    harness.server.script('answer');
    for (const kind of ['local', 'custom'] as const) {
      harness.models.kind = kind;
      const made = await host.create({ workspace: harness.dir });
      await ask(made.id, 'How do I sort a list?');
      const meta = join(bench.dir, `${made.id}.meta.json`);
      const named = { title: 'How do I sort a list?', titleSource: 'auto' };
      await vi.waitFor(async () => expect(JSON.parse(await readFile(meta, 'utf8'))).toMatchObject(named));
    }
    expect(harness.server.requests).toHaveLength(2);
  });

  it('A2: an answer that is no title names nothing, however long it is', { timeout: 20_000 }, async () => {
    harness.models.kind = 'builtin';
    let isAsked = false;
    harness.server.script((request) => {
      if (!sentMessages(request).at(-1)?.text.startsWith('<excerpt>')) return 'answer';
      isAsked = true;
      return `a${'"'.repeat(400_000)}a`;
    });
    await ask(source, 'How do I sort a list?');
    await vi.waitFor(() => expect(isAsked).toBe(true));
    // The next one waits for a title under way.
    await ask(source, 'And a map?');
    const { summary } = await host.fork(source);
    expect(summary.title).toBe(`${host.summary(source).title} (fork)`);
    expect(summary.title.length).toBeLessThanOrEqual(87);
  });

  it('carries on the title that is being written at that moment, and so does a handoff', async () => {
    harness.models.kind = 'builtin';
    let giveTitle = (): void => undefined;
    const mayName = new Promise<void>((resolve) => (giveTitle = resolve));
    harness.server.script(async (request) => {
      if (!sentMessages(request).at(-1)?.text.startsWith('<excerpt>')) return 'answer';
      await mayName;
      return 'Lists and sorting';
    });
    await ask(source, 'How do I sort a list?');
    const forking = host.fork(source);
    const handing = host.handoff(source, 'Finish it');
    await vi.waitFor(() => expect(harness.server.requests.length).toBeGreaterThan(2));
    giveTitle();
    const { summary } = await forking;
    expect([summary.title, host.summary(source).title]).toEqual(['Lists and sorting (fork)', 'Lists and sorting']);
    const meta = JSON.parse(await readFile(join(bench.dir, `${summary.id}.meta.json`), 'utf8')) as object;
    expect(meta).toMatchObject({ title: 'Lists and sorting (fork)' });
    const made = await entriesOf((await handing)!.summary.id);
    expect(made.find((entry) => 'data' in entry)).toMatchObject({ data: { title: 'Lists and sorting' } });
  });

  it('a source that cannot be read to the end gives no fork', async () => {
    await ask(source, 'one');
    const log = await bench.store.open(source);
    log.linesOf = async () => [];
    const before = (await host.list()).length;
    await expect(host.fork(source)).rejects.toThrow('Nothing was forked');
    expect(await host.list()).toHaveLength(before);
  });

  it('an extension may keep it from being made, and hears of one that was', async () => {
    await ask(source, 'one');
    const told: unknown[] = [];
    const off = harness.extensions.on('session_before_fork', () => ({ cancel: true }), { extensionPath: EXTENSION });
    harness.extensions.on('session_fork', (payload) => void told.push(payload), { extensionPath: EXTENSION });
    await expect(host.fork(source)).rejects.toThrow('An extension');
    off();
    await host.fork(source);
    const previousSessionFile = bench.journal(source);
    await vi.waitFor(() => expect(told).toEqual([{ type: 'session_fork', reason: 'fork', previousSessionFile }]));
  });
});

describe('handoff', () => {
  it('makes a session that names its source, with the draft for its composer', async () => {
    await ask(source, 'one');
    const { provider, id } = harness.models.all[1]!;
    await (await host.session(source)).setModel({ provider, modelId: id });
    const before = await readFile(bench.journal(source), 'utf8');
    const costBefore = (await host.session(source)).log.tree.cost;
    const made = await host.handoff(source, 'Finish it');
    // GR17: the draft was paid for the new session, which says so; the source has nothing of it.
    const { tree } = (await host.session(made!.summary.id)).log;
    expect(tree.cost).toBeGreaterThan(0);
    expect((await host.session(source)).log.tree.cost).toBe(costBefore);
    expect(await readFile(bench.journal(source), 'utf8')).toBe(before);
    expect(made?.editorText).toBe('## Goal\nGo on.');
    const snapshot = await (await host.session(made!.summary.id)).snapshot();
    expect(snapshot).toMatchObject({ model: { provider, modelId: id }, thinkingLevel: 'off' });
    await ask(made!.summary.id, made!.editorText);
    const entries = await entriesOf(made!.summary.id);
    expect(entries.find((entry) => 'customType' in entry && entry.customType === 'espalier.reference')).toMatchObject({
      data: { v: 1, sessionId: source, title: host.summary(source).title },
    });
    expect(entries.filter((entry) => 'customType' in entry && entry.customType === 'espalier.cost')).toMatchObject([
      { data: { v: 1, kind: 'handoff', model: `${provider}/${id}` } },
    ]);
    const header = JSON.parse((await readFile(bench.journal(made!.summary.id), 'utf8')).split('\n')[0]!) as object;
    expect(header).toMatchObject({ parentSession: source });
    expect(await contextOf(made!.summary.id)).toHaveLength(2);
  });

  it('GR17: knows what its draft cost, though a branch with a summary begins as soon as the session is free', async () => {
    await ask(source, 'one');
    const session = await host.session(source);
    const first = session.log.tree.leafId;
    await ask(source, 'two');
    let write = (): void => undefined;
    const until = new Promise<void>((resolve) => (write = resolve));
    const asked = harness.server.requests.length;
    harness.server.script(() => ({ text: '## Goal\nGo on.', holdAt: { frame: 1, until } }));
    const handing = host.handoff(source, 'Finish it');
    await harness.server.received(asked + 1);
    await session.prompt({ ...promptOf('another way'), parentId: first, summary: {} });
    write();
    const made = await handing;
    const { tree } = (await host.session(made!.summary.id)).log;
    expect(tree.cost).toBeGreaterThan(0);
    await harness.server.received(asked + 3);
  });
});

describe('entries.find', () => {
  it('looks here, then in the other sessions', async () => {
    await ask(source, 'one');
    const [question] = await ids(source);
    const other = (await host.create({})).id;
    await ask(other, 'elsewhere');
    expect(await host.findEntry(source, question!)).toMatchObject({
      sessionId: source,
      entryId: question,
      kind: 'user',
      preview: 'one',
      isOnPath: true,
    });
    expect(await host.findEntry(other, question!)).toMatchObject({ sessionId: source, preview: 'one' });
    await (await host.session(source)).branches.clear();
    expect(await host.findEntry(other, question!)).toMatchObject({ isOnPath: false });
    expect(await host.findEntry(other, 'ffffffff')).toBeNull();
  });

  it('finds an id that lies across two pieces of a file', async () => {
    await ask(source, 'one');
    await host.dispose();
    const path = bench.journal(source);
    const text = await readFile(path, 'utf8');
    const line = (size: number, id: string): string =>
      JSON.stringify({ type: 'custom', customType: 'x', data: 'x'.repeat(size), id, parentId: null, timestamp: '' });
    const bare = Buffer.byteLength(
      `${text}${line(0, 'aaaaaaaa')}\n{"type":"custom","customType":"x","data":"","id":"bb`,
    );
    await writeFile(path, `${text}${line(1024 * 1024 - bare, 'aaaaaaaa')}\n${line(0, 'bbbbbbbb')}\n`);
    expect(await bench.store.findEntry('bbbbbbbb', [])).toBe(source);
    expect(await bench.store.findEntry('bbbbbbbb', [source])).toBeNull();
  });
});
