import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { SessionHost } from '../../../src/main/session/host/session-host';
import type { ContextHead, ContextPart } from '../../../src/shared/ipc/tree-types';
import type { SessionEntry } from '@shared/session/records/entry';
import { countTable } from '../../fixtures/record/counts';
import { promptOf, startHarness, type Harness } from '../../support/agent-harness';
import { openStoreBench, type StoreBench } from '../../support/journal';
import { sentMessages } from '../../support/model-server';

/** The session that was recorded in this repository (test/fixtures/recorded-session), through the store that the app opens it with. */
const folder = fileURLToPath(new URL('../../fixtures/recorded-session/', import.meta.url));
const file = join(folder, 'session.jsonl');
const bytes = readFileSync(file);
const lines = bytes.toString('utf8').trimEnd().split('\n');
const entries = lines.slice(1).map((line) => JSON.parse(line) as SessionEntry);
const compactions = entries.filter(({ type }) => type === 'compaction');

let harness: Harness;
let bench: StoreBench;
let host: SessionHost;
let id: string;

beforeAll(async () => {
  harness = await startHarness({ model: { id: 'loopback-large', contextWindow: 104_000, reasoning: true } });
  bench = await openStoreBench();
  host = new SessionHost({ ...harness.ports, store: bench.store, sessionsDir: bench.dir, scratchDir: bench.dir });
  ({ id } = await host.importFile(file));
});
afterAll(async () => {
  await host.dispose();
  await bench.dispose();
  await harness.close();
});

it('is imported and exported byte for byte, and nothing in it is damaged', async () => {
  expect((await readFile(bench.journal(id))).equals(bytes)).toBe(true);
  const log = await bench.store.open(id);
  expect(log.damage).toEqual([]);
  expect(log.tree.size).toBe(entries.length);
  for (const original of [true, false]) {
    const target = join(bench.home, `export-${original}.jsonl`);
    await bench.store.exportTo(id, target, original);
    expect((await readFile(target)).equals(bytes)).toBe(true);
  }
});

it('holds what its README says', () => {
  expect(readFileSync(join(folder, 'README.md'), 'utf8')).toContain(countTable(lines));
  expect(bytes.length).toBeLessThan(3 * 1024 * 1024);
  // A person's folders, and nothing of the computer that it was recorded on.
  expect(bytes.toString('utf8').match(/\/(?:tmp|root|Users|home\/(?!sam\b))[\w/.-]*/g)).toBeNull();
});

it('has its branches, the two compactions on the path and the summaries of what was left', async () => {
  const { tree } = await bench.store.open(id);
  // The main line, and five that were left.
  const leaves = entries.filter((entry) => {
    const node = tree.node(entry.id);
    return node?.facts.side === false && node.children.every(({ facts }) => facts.side);
  });
  expect(leaves).toHaveLength(6);
  const path = tree.pathTo(tree.leafId).map((node) => node.id);
  const summaries = entries.filter(({ type }) => type === 'branch_summary');
  expect(path).toEqual(expect.arrayContaining([...compactions, ...summaries].map((entry) => entry.id)));
});

it('can be compacted again: a cut, its files and its figures', async () => {
  const preview = await (await host.session(id)).compactPreview();
  expect(preview.nothing).toBeNull();
  expect(preview.items.some((item) => item.id === preview.suggested && item.isLegalCut)).toBe(true);
  expect(preview.previousFiles).toBeGreaterThan(20);
  expect(preview.tokensBefore).toBeGreaterThan(preview.limits.threshold! / 2);
});

it.each([
  ['IMAGE_UNITS', 4],
  ['never touch the journal format', 2],
  ['Mira', 3],
])('a search for "%s" finds it', async (words, least) => {
  const { entryIds, isPartial } = await host.search(id, words);
  expect(isPartial).toBe(false);
  expect(entryIds.length).toBeGreaterThanOrEqual(least);
});

it('the context at the leaf begins with the last summary and is what the next request sends', async () => {
  const parts: ContextPart[] = [];
  let head: ContextHead | undefined;
  for await (const chunk of host.context(id, null)) {
    head ??= chunk.head;
    parts.push(...chunk.parts);
  }
  expect(head).toMatchObject({ model: { modelId: 'loopback-large' }, thinkingLevel: 'low', messages: parts.length });
  expect(head?.systemPrompt).toContain('/home/sam/espalier');
  expect(parts[0]?.entryId).toBe(compactions[1]?.id);
  await (await host.session(id)).prompt(promptOf('And the journal folder?'));
  await harness.settled();
  const sent = sentMessages(harness.server.requests[0]!);
  expect(sent.at(-1)?.text).toBe('And the journal folder?');
  const calls = sent.flatMap(({ toolCalls = [] }) => toolCalls.map((call) => call.id));
  expect(calls.length).toBeGreaterThan(100);
  expect(sent.flatMap(({ toolCallId }) => toolCallId ?? [])).toEqual(calls);
});
