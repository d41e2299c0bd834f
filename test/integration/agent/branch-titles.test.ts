import { readFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { SessionHost } from '../../../src/main/session/host/session-host';
import { promptOf, startHarness, type Harness } from '../../support/agent-harness';
import { openStoreBench, type StoreBench } from '../../support/journal';
import { sentMessages } from '../../support/model-server';

/** Titles of sessions and of branches that were left behind, on the real store (SF25, GR16). */
let harness: Harness;
let bench: StoreBench;
let host: SessionHost;
let id: string;
/** What was asked for a title: the excerpts, in order. */
let asked: string[];
let answer: string;

const isTitle = (request: Parameters<typeof sentMessages>[0]): boolean =>
  sentMessages(request).some(({ text }) => text.includes('<excerpt>'));

beforeEach(async () => {
  harness = await startHarness({ model: { cost: { input: 1000, output: 1000, cacheRead: 0, cacheWrite: 0 } } });
  harness.models.kind = 'builtin';
  bench = await openStoreBench();
  asked = [];
  answer = '';
  harness.server.script((request) => {
    const text = sentMessages(request).at(-1)?.text ?? '';
    if (!isTitle(request)) return `answer to ${text}`;
    asked.push(text);
    return answer || `Title ${asked.length}`;
  });
  host = new SessionHost({ ...harness.ports, store: bench.store, sessionsDir: bench.dir, scratchDir: bench.dir });
  id = (await host.create({ workspace: harness.dir })).id;
});
afterEach(async () => {
  await host.dispose();
  await bench.dispose();
  await harness.close();
});

async function say(text: string): Promise<void> {
  const before = harness.events.filter(({ type }) => type === 'settled').length;
  await (await host.session(id)).prompt(promptOf(text));
  await harness.settled(before + 1);
}

/** Waits until so many titles are recorded. */
async function titled(count: number): Promise<void> {
  await vi.waitFor(async () => expect(await titleRecords()).toHaveLength(count), { timeout: 10_000 });
}

async function idOf(text: string): Promise<string> {
  const { log } = await host.session(id);
  const users = log.tree.entriesInOrder().filter(({ facts }) => facts.role === 'user');
  const bodies = await log.loadBodies(users.map((node) => node.id));
  const found = bodies.find((body) => JSON.stringify(body).includes(`"${text}"`));
  return found?.id ?? '';
}

async function goBefore(text: string): Promise<void> {
  await (await host.session(id)).branches.navigate({ targetId: await idOf(text), summarize: false });
}

async function titleRecords(): Promise<{ data: Record<string, unknown> }[]> {
  const lines = (await readFile(bench.journal(id), 'utf8')).trim().split('\n');
  return lines
    .map((line) => JSON.parse(line) as { customType?: string; data: Record<string, unknown> })
    .filter(({ customType }) => customType === 'espalier.title');
}

describe('titles', () => {
  it('SF25: what the title of a session cost is recorded and counted once', async () => {
    await say('one');
    await titled(1);
    const { tree } = (await host.session(id)).log;
    const [record] = await titleRecords();
    expect(record?.data).toMatchObject({ v: 1, title: 'Title 1', model: expect.stringContaining('/') as string });
    expect(record?.data).not.toHaveProperty('targetId');
    const replies = tree.entriesInOrder().reduce((sum, { facts }) => sum + (facts.reply?.cost ?? 0), 0);
    const cost = record?.data.cost as number;
    expect(cost).toBeGreaterThan(0);
    expect(tree.cost).toBeCloseTo(replies + cost, 10);
    await vi.waitFor(() => expect(host.summary(id).title).toBe('Title 1'));
  });

  it('GR16: a branch that was gone on with and left behind gets one title, kept with the entry that it begins with', async () => {
    await say('root');
    await say('first way');
    await say('further on it');
    await titled(1);
    await goBefore('first way');
    await say('second way');
    await titled(2);
    expect(asked[1]).toContain('first way');
    const first = await idOf('first way');
    expect((await titleRecords()).map(({ data }) => data.targetId)).toEqual([undefined, first]);
    const { names, labels } = await (await host.session(id)).snapshot();
    expect([names, labels]).toEqual([{ [first]: 'Title 2' }, {}]);
    // That one is not asked for again, and a variant without turns of its own is no branch.
    await goBefore('second way');
    await say('third way');
    await goBefore('third way');
    await say('fourth way');
    await say('further on the fourth');
    await goBefore('fourth way');
    await say('fifth way');
    await titled(3);
    expect(asked[2]).toContain('fourth way');
  });

  it('GR16: a label is a name, and a model that writes no title is not asked again', async () => {
    await say('root');
    await say('first way');
    await say('further on it');
    await titled(1);
    await (await host.session(id)).branches.label(await idOf('first way'), 'mine');
    await goBefore('first way');
    await say('second way');
    await say('further on that');
    answer = 'x'.repeat(400);
    await goBefore('second way');
    await say('third way');
    await titled(2);
    expect(asked[1]).toContain('second way');
    expect((await (await host.session(id)).snapshot()).names).toEqual({});
    answer = '';
    await say('further on the third');
    await goBefore('third way');
    await say('fourth way');
    await titled(3);
    expect(asked[2]).toContain('third way');
  });

  it('GR16: a local server is never asked for a title, of a session or of a branch', async () => {
    harness.models.kind = 'local';
    await say('root');
    await say('first way');
    await say('further on it');
    await goBefore('first way');
    await say('second way');
    expect([asked, await titleRecords(), host.summary(id).title]).toEqual([[], [], 'root']);
    harness.models.kind = 'builtin';
    await say('further on that');
    await titled(1);
    expect(asked).toHaveLength(1);
  });

  it('GR18: a fork says so in its title, knows where it comes from, and keeps names without their cost', async () => {
    await say('root');
    await say('first way');
    await say('further on it');
    await titled(1);
    await goBefore('first way');
    await say('second way');
    await titled(2);
    await (await host.session(id)).branches.navigate({ targetId: await idOf('further on it'), summarize: false });
    const { leafId, titles } = (await host.session(id)).log.tree;
    const { summary } = await host.fork(id);
    expect(summary).toMatchObject({ title: 'Title 1 (fork)', fork: { of: id, at: leafId, title: 'Title 1' } });
    const { tree } = (await host.session(summary.id)).log;
    expect([...tree.titles]).toEqual([...titles]);
    const replies = tree.entriesInOrder().reduce((sum, { facts }) => sum + (facts.reply?.cost ?? 0), 0);
    expect(tree.cost).toBeCloseTo(replies, 10);
    expect((await host.fork(summary.id)).summary.title).toBe('Title 1 (fork)');
    expect(host.summary(id)).not.toHaveProperty('fork');
  });
});
