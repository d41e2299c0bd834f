import { mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { randomHex } from '../../../src/main/random-hex';
import { createSessionStore, type JournalStore } from '../../../src/main/journal/session-store';
import { SessionHost } from '../../../src/main/session/host/session-host';
import { SyncService } from '../../../src/main/sync/sync-service';
import type { StoredLine } from '../../../src/shared/types';
import { promptOf, startHarness, type Harness } from '../../support/agent-harness';
import { shortOrLong } from '../../support/long-form';

/**
 * A journal is written anew, or its file is brought in order, while the session is in use (docs/specs/safety.md, E1 and E2): what was
 * accepted, seen or done is there once.
 */

let dir: string;
let harness: Harness;
let store: JournalStore;
let host: SessionHost;
let sync: SyncService;
/** Of the moments at which something is said meanwhile. */
const STRIDE = shortOrLong(4, 1);
/** Ends as soon as it is so. */
const SOON = { timeout: 60_000 };
const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
const journal = (id: string): string => join(dir, 'sessions', `${id}.jsonl`);

/** As the app puts them together (`app/parts.ts`). */
async function start(): Promise<void> {
  store = await createSessionStore({
    dir: join(dir, 'sessions'),
    trashDir: join(dir, 'trash'),
    clock: Date.now,
    randomHex,
    log: silent,
    onApart: (sessionId) => host.wentApart(sessionId),
    whileLetGo: (sessionId, work) => host.whileLetGo(sessionId, work),
  });
  const { ports } = harness;
  host = new SessionHost({
    ...ports,
    store,
    sessionsDir: join(dir, 'sessions'),
    scratchDir: dir,
    onApart: (sessionId) => sync.wentApart(sessionId),
  });
  sync = new SyncService(
    store,
    (log, from) => host.reload(log, from),
    silent,
    () => undefined,
    ports.emit,
  );
}

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'espalier-reload-'));
  harness = await startHarness();
  await start();
});
afterEach(async () => {
  await host.dispose();
  await store.close();
  await harness.close();
  await rm(dir, { recursive: true, force: true });
});

/** A session of one turn, whole in the database, with a record that the disk has spoiled. */
async function damaged(): Promise<{ id: string; copy: StoredLine[] }> {
  harness.server.script(['First answer.']);
  const { id } = await host.create({});
  await host.rename(id, 'Garden');
  await (await host.session(id)).prompt(promptOf('First'));
  await harness.settled();
  const copy: StoredLine[] = [];
  for await (const { lines } of store.lines(id, 0)) copy.push(...lines);
  await host.dispose();
  await store.close();
  const text = await readFile(journal(id), 'utf8');
  await writeFile(journal(id), text.replace('"First"', '"F\u0001rst"'));
  await start();
  return { id, copy };
}

interface Stored {
  type: string;
  id: string;
  parentId: string | null;
  message?: { role: string; content: string | { type: string; text?: string; name?: string }[]; stopReason?: string };
}

async function stored(id: string): Promise<Stored[]> {
  const lines = (await readFile(journal(id), 'utf8')).trimEnd().split('\n').slice(1);
  return lines.map((line) => JSON.parse(line) as Stored);
}
const said = ({ message }: Stored): string => {
  const { content = '' } = message ?? {};
  const text = typeof content === 'string' ? content : content.map((block) => block.text ?? `[${block.name}]`).join('');
  return `${message?.role}: ${text}`;
};
const messages = async (id: string): Promise<string[]> =>
  (await stored(id)).filter(({ type }) => type === 'message').map(said);

/** Every entry once, and each on one that stands before it. */
async function expectOneTree(id: string): Promise<void> {
  const entries = await stored(id);
  const seen = new Set<string | null>([null]);
  for (const entry of entries) {
    expect(seen.has(entry.id)).toBe(false);
    expect(seen.has(entry.parentId)).toBe(true);
    seen.add(entry.id);
  }
}

async function expectUsable(id: string): Promise<void> {
  harness.server.script(['Still here.']);
  const before = harness.events.filter(({ type }) => type === 'settled').length;
  const { queued } = await (await host.session(id)).prompt(promptOf('Are you there?'));
  expect(queued).toBe(false);
  await harness.settled(before + 1);
  expect((await messages(id)).slice(-2)).toEqual(['user: Are you there?', 'assistant: Still here.']);
  await expectOneTree(id);
}

const held = (): { until: Promise<unknown>; go: () => void } => {
  let go = (): void => undefined;
  const until = new Promise<void>((resolve) => (go = resolve));
  return { until, go };
};

/** What the window was told of replies. */
const streamed = (): string =>
  harness.events.map((event) => (event.type === 'stream_delta' ? event.delta : '')).join('');

describe('E1: a journal is written anew while a run is on', () => {
  it('in a reply: what came of it is kept once, what was queued waits, and the session goes on', async () => {
    const { id, copy } = await damaged();
    const gate = held();
    harness.server.script([{ text: 'Half of an answer that goes on and on', holdAt: { frame: 3, until: gate.until } }]);
    await (await host.session(id)).prompt(promptOf('Second'));
    await expect.poll(() => streamed().includes('Half'), SOON).toBe(true);
    const queued = promptOf('Third', 'followUp');
    expect(await (await host.session(id)).prompt(queued)).toMatchObject({ queued: true });
    const reloads = harness.events.filter(({ type }) => type === 'session_reloaded').length;
    expect(await sync.upload(id, copy, true, true)).toEqual({ then: 'nothing' });
    gate.go();
    const [first, answer, second, half, ...rest] = await messages(id);
    expect([first, answer, second, rest]).toEqual(['user: First', 'assistant: First answer.', 'user: Second', []]);
    expect(half).toMatch(/^assistant: Half/);
    expect(harness.events.filter(({ type }) => type === 'session_reloaded')).toHaveLength(reloads + 1);
    const { queue } = await (await host.session(id)).snapshot();
    expect(queue.map(({ text, held: waits }) => ({ text, waits }))).toEqual([{ text: 'Third', waits: true }]);
    expect(host.summary(id)).toMatchObject({ title: 'Garden', state: 'idle' });
    await (await host.session(id)).removeQueued(queued.itemId);
    await expectUsable(id);
  });

  it('in a tool: its call has a result, and runs once', async () => {
    const { id, copy } = await damaged();
    harness.server.script([{ content: [{ type: 'toolCall', name: 'slow', arguments: { text: 'x' } }] }, 'Not asked.']);
    await (await host.session(id)).prompt(promptOf('Second'));
    await harness.until('tool_output');
    await sync.upload(id, copy, true, true);
    const [, , second, call, result, ...rest] = await messages(id);
    expect([second, call, rest]).toEqual(['user: Second', 'assistant: [slow]', []]);
    expect(result).toMatch(/^toolResult: /);
    expect(harness.events.filter(({ type }) => type === 'tool_output')).toHaveLength(1);
    await expectUsable(id);
  });

  it('and what is said meanwhile is accepted and there once, or refused and not there', async () => {
    for (let steps = 0; steps < 24; steps += STRIDE) {
      const { id, copy } = await damaged();
      const gate = held();
      harness.server.script([{ text: 'Half of an answer', holdAt: { frame: 3, until: gate.until } }, ...Array.from({ length: 8 }, () => 'Yes.')]); // prettier-ignore
      const begun = harness.events.length;
      await (await host.session(id)).prompt(promptOf('Second'));
      await expect.poll(() => harness.events.slice(begun).some(({ type }) => type === 'stream_delta'), SOON).toBe(true);
      const uploading = sync.upload(id, copy, true, true);
      for (let step = 0; step < steps; step += 1) await new Promise((resolve) => setImmediate(resolve));
      const late = promptOf('Late');
      const accepted = await (await host.session(id)).prompt(late).then(
        () => true,
        () => false,
      );
      await uploading;
      gate.go();
      await expect.poll(() => host.running(), SOON).toEqual([]);
      const inFile = (await stored(id)).filter((entry) => entry.id === late.itemId).length;
      const waiting = (await (await host.session(id)).snapshot()).queue.filter(
        (item) => item.id === late.itemId,
      ).length;
      expect(inFile + waiting, `after ${steps} steps`).toBe(accepted ? 1 : 0);
      expect((await messages(id)).filter((line) => line === 'user: Second')).toHaveLength(1);
      for (const { id: waits } of (await (await host.session(id)).snapshot()).queue)
        await (await host.session(id)).removeQueued(waits);
      await expectUsable(id);
      await host.remove(id);
    }
  });
});

/** The lines of all session files that are there, each with its session. */
async function everywhere(): Promise<{ id: string; line: string }[]> {
  const names = (await readdir(join(dir, 'sessions'))).filter((name) => name.endsWith('.jsonl'));
  const texts = await Promise.all(names.map((name) => readFile(join(dir, 'sessions', name), 'utf8')));
  return texts.flatMap((text, at) =>
    text
      .trimEnd()
      .split('\n')
      .map((line) => ({ id: names[at]?.slice(0, -'.jsonl'.length) ?? '', line })),
  );
}

describe('E2: the file of a session is replaced while a run is on', () => {
  it('the reply is saved once, and what is said as it is brought in order is there once, or refused and not there', async () => {
    for (let steps = 0; steps < 24; steps += STRIDE) {
      harness.server.script(['First answer.']);
      const { id } = await host.create({});
      await host.rename(id, 'Garden');
      let settled = harness.events.filter(({ type }) => type === 'settled').length;
      await (await host.session(id)).prompt(promptOf('First'));
      await harness.settled(++settled);
      const before = await readFile(journal(id), 'utf8');
      const gate = held();
      harness.server.script([{ text: 'The second answer', holdAt: { frame: 2, until: gate.until } }, ...Array.from({ length: 8 }, () => 'Yes.')]); // prettier-ignore
      const second = promptOf('Second');
      await (await host.session(id)).prompt(second);
      // What another computer said after the first answer, under the same name.
      const leaf = JSON.parse(before.trimEnd().split('\n').at(-1) ?? '') as Stored;
      const theirs = { ...leaf, id: 'f0f0f0f0f0f0f0f0', parentId: leaf.id };
      await writeFile(`${journal(id)}.tmp`, `${before}${JSON.stringify(theirs)}\n`);
      await rename(`${journal(id)}.tmp`, journal(id));
      gate.go();
      await harness.settled(++settled);
      for (let step = 0; step < steps; step += 1) await new Promise((resolve) => setImmediate(resolve));
      const late = promptOf('Late');
      const accepted = await (await host.session(id)).prompt(late).then(
        () => true,
        () => false,
      );
      await expect.poll(async () => (await readdir(join(dir, 'sessions'))).some((name) => name.includes('.apart-')), SOON).toBe(false); // prettier-ignore
      await expect.poll(() => host.running(), SOON).toEqual([]);
      const lines = await everywhere();
      const holds = (entryId: string): string[] => lines.filter(({ line }) => (JSON.parse(line) as Stored).id === entryId).map((one) => one.id); // prettier-ignore
      expect(holds(late.itemId), `after ${steps} steps`).toHaveLength(accepted ? 1 : 0);
      expect(holds(theirs.id)).toEqual([id]);
      expect(holds(second.itemId)).toHaveLength(1);
      const [own = ''] = holds(second.itemId);
      expect(own).not.toBe(id);
      expect((await messages(own)).slice(0, 4)).toEqual(['user: First', 'assistant: First answer.', 'user: Second', 'assistant: The second answer']); // prettier-ignore
      for (const one of [id, own]) {
        await expectUsable(one);
        await host.remove(one);
      }
    }
  });
});
