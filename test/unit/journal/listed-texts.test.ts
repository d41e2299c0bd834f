import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { describeSession } from '../../../src/main/journal/meta/session-meta';
import type { SessionMeta } from '../../../src/main/ports';
import { SessionKeeper } from '../../../src/main/session/machine/session-keeper';
import { SummaryBook } from '../../../src/main/session/host/summary-book';
import type { EntryDraft } from '@shared/session/records/entry';
import type { SessionChange } from '../../../src/shared/session-state/events';
import { shownCallId } from '@shared/cut-text';
import { versionTitle } from '@shared/policy/session-title';
import { openStoreBench, user } from '../../support/journal';
import type { StoreBench } from '../../support/journal';
import { partsOfMessage } from '../../../src/renderer/features/transcript/message-text';
import { rowOf } from '../../../src/main/session/machine/rows';
import { MemoryLog } from '../../support/memory-log';

const TITLE_CHARS = 300;
const PATH_CHARS = 4096;

/** More than the texts of a session's line may be as JSON, which the window is sent at the start. */
const LINE_CHARS = 6000;

let bench: StoreBench;
beforeEach(async () => {
  bench = await openStoreBench();
});
afterEach(() => bench.dispose());

/** What the window is sent of all sessions at the start. */
const listed = () => new SummaryBook(bench.store, () => undefined, '/scratch', Date.now).list();

const sidecar = (id: string): string => join(bench.dir, `${id}.meta.json`);

const foreign = (id: string, rest: object, name: string): string =>
  [
    { type: 'session', version: 3, id, timestamp: '2026-01-01T00:00:00.000Z', cwd: '/w', ...rest },
    { type: 'session_info', id: 'a1', parentId: null, timestamp: '2026-01-01T00:00:01.000Z', name },
    {
      type: 'message',
      ...{ id: 'a2', parentId: null, timestamp: '2026-01-01T00:00:02.000Z' },
      message: { role: 'user', content: 'hello', timestamp: 1 },
    },
  ]
    .map((record) => `${JSON.stringify(record)}\n`)
    .join('');

/** Sessions whose sidecars are as `change` makes them. */
async function withSidecars(count: number, change: Record<string, unknown>): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < count; n++) {
    const log = await bench.store.create({ workspace: '/w' });
    await log.append([user('hello')]);
    ids.push(log.sessionId);
  }
  await bench.store.close();
  for (const id of ids) {
    const stored = JSON.parse(await readFile(sidecar(id), 'utf8')) as SessionMeta;
    await writeFile(sidecar(id), JSON.stringify({ ...stored, ...change }));
  }
  await bench.restart();
  return ids;
}

describe('what the list of sessions is sent (JN46)', () => {
  const long = { title: 'T'.repeat(200_000), preview: 'P'.repeat(200_000), workspace: `/${'w'.repeat(200_000)}` };

  it('is bounded for each session, and the sidecar stays as it is', async () => {
    const ids = await withSidecars(100, { ...long, titleSource: 'person', suggestion: long.workspace });
    const before = await readFile(sidecar(ids[0]!), 'utf8');
    const sessions = await listed();
    expect(sessions).toHaveLength(100);
    expect(JSON.stringify(sessions).length).toBeLessThan(100 * LINE_CHARS);
    expect(sessions[0]!.title).toBe('T'.repeat(TITLE_CHARS));
    expect(await readFile(sidecar(ids[0]!), 'utf8')).toBe(before);
  });

  it('also of a sidecar that is not whole, and of a conflict that it names', async () => {
    const [broken] = await withSidecars(1, { ...long, pinned: 'yes' });
    expect(bench.store.problems).toHaveLength(1);
    expect(JSON.stringify(await listed()).length).toBeLessThan(LINE_CHARS);
    expect((await listed())[0]!.title).toBe('T'.repeat(TITLE_CHARS));
    const conflict = { with: 'x'.repeat(200_000), there: 1, here: 1, since: null, isRead: false };
    const [named] = await withSidecars(1, { conflict });
    expect(bench.store.meta(named!)).toMatchObject({ preview: '' });
    expect(bench.store.meta(named!)?.conflict).toBeUndefined();
    expect(bench.store.meta(broken!)?.title).toBe('T'.repeat(TITLE_CHARS));
  });

  it('has times that are dates, whatever number a sidecar has', async () => {
    for (const updatedAt of [-1e308, -1, 8.64e15 + 1, 1e308]) {
      const [id] = await withSidecars(1, { updatedAt });
      const session = (await listed()).find((one) => one.id === id)!;
      expect(() => new Date(session.updatedAt).toISOString()).not.toThrow();
      expect(session.updatedAt).toBe(updatedAt < 0 ? 0 : 8.64e15);
    }
    const [usual] = await withSidecars(1, { updatedAt: 1_767_225_600_000.5 });
    expect((await listed()).find(({ id }) => id === usual)!.updatedAt).toBe(1_767_225_600_000.5);
  });

  it('a folder that no system can name is none: a part of its path would be another folder', async () => {
    const path = `/${'w'.repeat(PATH_CHARS - 1)}`;
    const [id] = await withSidecars(1, { workspace: path, suggestion: path });
    expect(bench.store.meta(id!)).toMatchObject({ workspace: path, suggestion: path });
    const [other] = await withSidecars(1, { workspace: `${path}w`, suggestion: `${path}w` });
    expect(bench.store.meta(other!)).toMatchObject({ workspace: '', suggestion: undefined });
    expect((await listed()).find((session) => session.id === other)!.workspace).toBe('/scratch');
  });

  it('TS14: has no Markdown, but for titles that a person typed; the sidecar stays as it is', async () => {
    const texts = { title: '**A** [title](https://a.b)', preview: '## Done\n\n- `one`' };
    const [made] = await withSidecars(1, { ...texts, titleSource: 'auto' });
    const before = await readFile(sidecar(made!), 'utf8');
    expect(await listed()).toMatchObject([{ title: 'A title', preview: 'Done one' }]);
    expect(await readFile(sidecar(made!), 'utf8')).toBe(before);
    const [typed] = await withSidecars(1, { ...texts, titleSource: 'person' });
    expect(await listed()).toContainEqual(
      expect.objectContaining({ id: typed, title: texts.title, preview: 'Done one' }),
    );
  });

  it('a title is not cut within a character', async () => {
    await withSidecars(1, { title: `${'T'.repeat(TITLE_CHARS - 1)}😀` });
    expect((await listed())[0]!.title).toBe('T'.repeat(TITLE_CHARS - 1));
  });

  it('of a journal without a sidecar as well, whose lines stay as they are', async () => {
    const text = foreign('named', { cwd: `/${'w'.repeat(PATH_CHARS)}` }, 'N'.repeat(5_000_000));
    await writeFile(bench.journal('named'), text);
    await writeFile(bench.journal('headed'), foreign('headed', { title: 'H'.repeat(50_000) }, ''));
    await bench.restart();
    const sessions = await listed();
    expect(sessions.map(({ title }) => title).sort()).toEqual(['H'.repeat(TITLE_CHARS), 'N'.repeat(TITLE_CHARS)]);
    expect(bench.store.meta('named')?.suggestion).toBeUndefined();
    expect(await readFile(bench.journal('named'), 'utf8')).toBe(text);
  });

  it('of a file that is imported', async () => {
    const path = join(bench.home, 'picked.jsonl');
    await writeFile(path, foreign('picked', {}, 'N'.repeat(5_000_000)));
    const { sessionId } = await bench.store.importFile(path);
    expect(bench.store.meta(sessionId)?.title).toBe('N'.repeat(TITLE_CHARS));
  });

  it('of a version of a session, whose title still tells which it is', async () => {
    const first = versionTitle('N'.repeat(5_000_000), 0, new Set());
    const second = versionTitle(first, 0, new Set([first]));
    for (const title of [first, second]) {
      expect(title).toHaveLength(TITLE_CHARS);
      expect(title).toMatch(/^N+ \(version( 2)? of \d+ \w+, \d\d:\d\d\)$/);
    }
    expect(second).not.toBe(first);
    const [id] = await withSidecars(1, { title: `${'N'.repeat(TITLE_CHARS)} (version of 5 May, 10:00)` });
    expect(bench.store.meta(id!)?.title).toMatch(/^N{200,} \(version of 5 May, 10:00\)$/);
    expect(bench.store.meta(id!)?.title).toHaveLength(TITLE_CHARS);
  });

  it('a file whose title ends as if it told a version is cut all the same', async () => {
    const log = new MemoryLog();
    log.addLine(
      JSON.stringify({
        ...{ type: 'session_info', id: 'a1', parentId: null, timestamp: '2026-01-01T00:00:01.000Z' },
        name: `N (version ${'1'.repeat(5000)} of 5 ${'M'.repeat(5000)}, 10:00)`,
      }),
    );
    expect((await describeSession(log, 0)).title).toHaveLength(TITLE_CHARS);
  });
});

describe('what a session is shown with (JN46)', () => {
  const label = (id: string, targetId: string, text: string) => ({
    ...{ type: 'label', id, parentId: 'm', timestamp: '2026-01-01T00:00:00.000Z', targetId, label: text },
  });
  const hidden = (id: string, targetId: string) => ({
    ...{ type: 'custom', customType: 'espalier.archive', id, parentId: 'm', timestamp: '2026-01-01T00:00:00.000Z' },
    data: { v: 1, targetId, archived: true },
  });

  it('labels are cut, what can be the id of no entry is left out, and the file keeps both', async () => {
    const log = new MemoryLog();
    const message = { role: 'user', content: 'hello', timestamp: 1 };
    const nobody = 'x'.repeat(5000);
    const records = [
      { type: 'message', id: 'm', parentId: null, timestamp: '2026-01-01T00:00:00.000Z', message },
      ...[label('l1', 'm', 'L'.repeat(5000)), label('l2', nobody, 'none')],
      ...[hidden('h1', 'm'), hidden('h2', nobody)],
    ];
    for (const record of records) log.addLine(JSON.stringify(record));
    log.tree.settleLeafAfterLoad();
    const told: SessionChange[] = [];
    const emit = (event: unknown): void => void told.push(event as SessionChange);
    const keeper = new SessionKeeper(log, { emit }, () => ({ seenFrom: null, repeated: [], pruned: [], undone: [] }));
    const { model, thinkingLevel, usage, queue, failure, interrupted, neverBegan, edits, damage } = keeper.state;
    keeper.begin({ model, thinkingLevel, usage, queue, failure, interrupted, neverBegan, edits, damage });
    expect(keeper.state.labels).toEqual({ m: 'L'.repeat(TITLE_CHARS) });
    expect(keeper.state.archived).toEqual(['m']);
    expect(log.tree.label('m')).toHaveLength(5000);

    const drafts: EntryDraft[] = [
      { type: 'label', targetId: 'm', label: 'K'.repeat(5000) },
      { type: 'label', targetId: nobody, label: 'K' },
      { type: 'custom', customType: 'espalier.archive', data: { v: 1, targetId: nobody, archived: true } },
    ];
    keeper.tellAppended(await log.append(drafts));
    expect(keeper.state.labels).toEqual({ m: 'K'.repeat(TITLE_CHARS) });
    expect(keeper.state.archived).toEqual(['m']);
    expect(told).toHaveLength(3);
  });

  it('the model, the thinking level and ids of calls are bounded, and a result is still found by its call', () => {
    const log = new MemoryLog();
    const huge = 'x'.repeat(5_000_000);
    const at = { timestamp: '2026-01-01T00:00:00.000Z' };
    const call = { type: 'toolCall', id: huge, name: 'write', arguments: {} };
    const reply = { role: 'assistant', content: [call], provider: huge, model: huge, stopReason: 'toolUse' };
    const result = { role: 'toolResult', toolCallId: huge, toolName: 'write', content: [], isError: false };
    const records = [
      { type: 'model_change', id: 'a', parentId: null, ...at, provider: huge, modelId: huge },
      { type: 'thinking_level_change', id: 'b', parentId: 'a', ...at, thinkingLevel: huge },
      { type: 'message', id: 'c', parentId: 'b', ...at, message: { role: 'user', content: 'hello', timestamp: 1 } },
      { type: 'message', id: 'd', parentId: 'c', ...at, message: reply },
      { type: 'message', id: 'e', parentId: 'd', ...at, message: result },
      { type: 'model_change', id: 'f', parentId: 'e', ...at, model: `${huge}/${huge}` },
    ];
    for (const record of records) log.addLine(JSON.stringify(record));
    for (const { id } of records) {
      const node = log.tree.node(id)!;
      const { model, thinkingLevel } = log.tree.stateOf(node);
      expect(model).toEqual({ provider: huge.slice(0, TITLE_CHARS), modelId: huge.slice(0, TITLE_CHARS) });
      expect(thinkingLevel.length).toBeLessThanOrEqual(TITLE_CHARS);
      expect(JSON.stringify(rowOf(log.tree, node)).length).toBeLessThan(5000);
    }
    const [part] = partsOfMessage(reply as never);
    expect(part?.toolCallId).toBe(rowOf(log.tree, log.tree.node('e')!).callId);
    expect(shownCallId('x'.repeat(4096))).toHaveLength(4096);
    expect(shownCallId(`${huge}y`)).not.toBe(shownCallId(huge));
    expect(shownCallId(`${huge}y${huge}`)).not.toBe(shownCallId(`${huge}z${huge}`));
  });
});
