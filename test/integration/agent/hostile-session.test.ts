import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { decodeFacts } from '@shared/session/records/facts-codec';
import { type IndexRow, IndexWriter, readIndex } from '../../../src/main/journal/file/index-file';
import { nodeFs } from '../../../src/main/journal/file/fs';
import { SessionHost } from '../../../src/main/session/host/session-host';
import { nextId, startHarness, type Harness } from '../../support/agent-harness';
import { hostileRecords, soundLines, soundQuestion, type HostileRecord } from '../../support/hostile-records';
import { openStoreBench, type StoreBench } from '../../support/journal';

/** A journal full of records that are wrong, through everything that main does with a session: docs/specs/safety.md A3. */

let bench: StoreBench;
let harness: Harness;
beforeEach(async () => {
  bench = await openStoreBench();
  harness = await startHarness();
});
afterEach(async () => {
  await harness.close();
  await bench.dispose();
});

/** One record of each kind and wrongness would be a large file: every seventh, each hanging at the one before. */
function someRecords(): HostileRecord[] {
  const all = [...hostileRecords({ longText: 2000, levels: 20_000 })].filter((_, at) => at % 7 === 0);
  return all.filter(({ name }) => !/parentId|reset_boundary|espalier\.(leaf|rebase)/.test(name));
}

function chained(records: readonly HostileRecord[]): string[] {
  let parent = 'r1';
  return records.map(({ id, line }) => {
    const hung = line.replace('"parentId":"r1"', `"parentId":${JSON.stringify(parent)}`);
    if (!/"type":"(label|session_info)"|espalier\.(pin|archive|fact|request)"/.test(line)) parent = id;
    return hung;
  });
}

const hostOn = (store: StoreBench['store']): SessionHost =>
  new SessionHost({ ...harness.ports, store, sessionsDir: bench.dir, scratchDir: bench.home });

async function planted(): Promise<{ path: string; lines: string[]; lastId: string }> {
  const hostile = chained(someRecords());
  const parent = (JSON.parse(hostile.at(-1) ?? '') as { id: string }).id;
  const lines = [...soundLines('hostile', bench.home), ...hostile, soundQuestion('q', parent)];
  const path = join(bench.home, 'hostile.jsonl');
  await writeFile(path, `${lines.join('\n')}\n`);
  return { path, lines, lastId: 'q' };
}

describe('safety A3: a session of hostile records', () => {
  it('is imported, shown, gone on with, searched, compacted, forked and exported; its bytes stay', async () => {
    const { path, lines } = await planted();
    const host = hostOn(bench.store);
    const { id } = await host.importFile(path);
    const snapshot = await (await host.session(id)).snapshot();
    expect(snapshot.leafId).toBe('q');
    const opaque = snapshot.rows.filter(({ kind }) => kind === 'opaque');
    expect(opaque.length).toBeGreaterThan(100);
    expect(opaque.every(({ tokens }) => tokens === 0)).toBe(true);
    expect(snapshot.damage.join()).toMatch(/entries are malformed and not used \(lines 5,/);
    expect(await (await host.session(id)).entries(opaque.map((row) => row.id).slice(0, 50))).toHaveLength(50);
    for (const chunk of (await host.session(id)).graph(0)) structuredClone(chunk);
    await host.search(id, 'sound question');
    for await (const part of host.context(id, null)) structuredClone(part);
    await (await host.session(id)).compactPreview();

    harness.server.script({ text: 'still here' });
    // The last of the hostile choices names a model that nobody has.
    await (await host.session(id)).setModel(harness.models.initialModel());
    await (await host.session(id)).setThinking('off');
    const settled = harness.settled();
    await (await host.session(id)).prompt({ itemId: nextId(), text: 'and now?', attachments: [], mode: 'followUp' });
    await settled;
    expect(harness.events.filter(({ type }) => type === 'failure')).toEqual([]);
    const texts = JSON.stringify(harness.server.requests.at(-1)?.body);
    expect(texts).toContain('a sound question after it');

    const fork = await host.fork(id, 'q');
    expect((await (await host.session(fork.summary.id)).snapshot()).rows.length).toBeGreaterThan(100);
    const copy = join(bench.home, 'copy.jsonl');
    await bench.store.exportTo(id, copy, false);
    expect((await readFile(copy, 'utf8')).startsWith(`${lines.join('\n')}\n`)).toBe(true);
    await host.dispose();
  });

  it('JN33: a second record with an id is a row that the model never sees, and stays in the file', async () => {
    const [asked, answered] = [soundQuestion('q', 'r1'), soundQuestion('end', 'q')];
    const second = soundQuestion('q', 'r1').replace('a sound question', 'another question');
    const lines = [...soundLines('twice', bench.home), asked, second, answered];
    expect(second).not.toBe(asked);
    const path = join(bench.home, 'twice.jsonl');
    await writeFile(path, `${lines.join('\n')}\n`);
    const host = hostOn(bench.store);
    const { id } = await host.importFile(path);
    const session = await host.session(id);
    const snapshot = await session.snapshot();
    expect(snapshot.leafId).toBe('end');
    const at = snapshot.rows.findIndex(({ kind }) => kind === 'opaque');
    expect(snapshot.rows.slice(at - 1).map((row) => row.kind === 'opaque' || row.id)).toEqual(['q', true, 'end']);
    const key = snapshot.rows[at]!.id;
    expect(snapshot.lines.find((line) => line.id === key)?.line).toBe(second);
    expect((await session.entries([key])).map(({ line }) => line)).toEqual([second]);

    harness.server.script({ text: 'still here' });
    await session.setModel(harness.models.initialModel());
    await session.setThinking('off');
    const settled = harness.settled();
    await session.prompt({ itemId: nextId(), text: 'and now?', attachments: [], mode: 'followUp' });
    await settled;
    const sent = JSON.stringify(harness.server.requests.at(-1)?.body);
    expect(sent).toContain('a sound question after it');
    expect(sent).not.toContain('another question');
    await expect(host.fork(id, key)).rejects.toThrow();
    const fork = await host.fork(id, 'end');
    expect((await (await host.session(fork.summary.id)).snapshot()).damage).toEqual([]);
    const copy = join(bench.home, 'copy.jsonl');
    await bench.store.exportTo(id, copy, false);
    const exported = await readFile(copy, 'utf8');
    expect(exported.startsWith(`${lines.join('\n')}\n`)).toBe(true);
    expect(exported).not.toContain(key);
    await host.dispose();
  });

  it('reads the same from the index, from its tail and after a restart', async () => {
    const { path } = await planted();
    const first = await bench.store.importFile(path);
    const facts = first.tree.entriesInOrder().map((node) => ({ ...node.facts }));
    const id = first.sessionId;
    const store = await bench.restart();
    const again = await store.open(id);
    expect(again.tree.entriesInOrder().map((node) => ({ ...node.facts }))).toEqual(facts);
    expect(again.damage).toEqual(first.damage);
    const ids = facts.map((fact) => fact.id);
    const bodies = await again.loadBodies(ids);
    expect(bodies.map((body) => body.type)).toEqual(facts.map(({ type }) => type));
  });

  it.each(['con', 'NUL', 'aux', 'Com1', 'lpt9'])('an id that is a device on Windows names no file: %s', async (id) => {
    const path = join(bench.home, 'device.jsonl');
    await writeFile(path, `${[...soundLines(id), soundQuestion('q', 'r1')].join('\n')}\n`);
    const { sessionId } = await bench.store.importFile(path);
    expect(sessionId).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('an index that an earlier Espalier wrote gives no record back as something it is not', async () => {
    const record = { type: 'compaction', id: 'bad', parentId: 'r1', timestamp: '', summary: null, tokensBefore: 5 };
    const path = join(bench.home, 'old.jsonl');
    await writeFile(path, `${[...soundLines('old'), JSON.stringify(record), soundQuestion('q', 'bad')].join('\n')}\n`);
    const { sessionId } = await bench.store.importFile(path);
    await bench.store.close();
    const rows = await rowsOf(bench.index(sessionId));
    const asBefore = rows.map((row) => ({ ...row, text: asAnEarlierOneWrote(row) }));
    await rewrite(bench.index(sessionId), asBefore);

    const log = await (await bench.restart()).open(sessionId);
    expect(log.tree.node('bad')?.facts).toMatchObject({ type: 'espalier.opaque', visible: false });
    expect([log.tree.compactions, log.damage.length]).toEqual([0, 1]);
    await bench.store.close();
    expect(await rowsOf(bench.index(sessionId))).toEqual(rows);
  });
});

async function rowsOf(path: string): Promise<IndexRow[]> {
  const cursor = await readIndex(nodeFs, path);
  const rows: IndexRow[] = [];
  for (let row = cursor?.peek(); row; row = cursor?.peek()) {
    rows.push(row);
    cursor?.take();
  }
  return rows;
}

async function rewrite(path: string, rows: readonly IndexRow[]): Promise<void> {
  const writer = new IndexWriter(nodeFs, path, 0);
  await writer.append(rows);
  await writer.close();
}

/** Its facts: without the sign that a record passed the door, and of the type that the record claims. */
function asAnEarlierOneWrote({ kind, text }: IndexRow): string {
  if (kind !== 'entry') return text;
  const row = JSON.parse(text) as unknown[];
  row[4] = ((row[4] as number) & ~1024) | 16;
  if (row[2] === 'espalier.opaque') row[2] = 'compaction';
  expect(decodeFacts(row)).not.toBeNull();
  return JSON.stringify(row);
}
