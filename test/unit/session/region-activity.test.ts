import { afterEach, beforeEach, expect, it } from 'vitest';
import { branchRegion } from '../../../src/shared/compaction/branch-selection';
import type { SourceLine } from '../../../src/main/compaction/conversation';
import { eachToldBatch, regionActivity } from '../../../src/main/compaction/read-lines';
import type { SessionLog } from '../../../src/main/ports';
import type { EntryDraft } from '@shared/session/records/entry';
import { inlineSerializer } from '../../support/inline-serializer';
import { openStoreBench, user, type StoreBench } from '../../support/journal';
import { DECLINED } from '@shared/policy/approval';
import { replyMessage, result } from '../shared/session/support';

/** What is read of a branch, from a real journal, for who asks about files and for who tells of it. */

let bench: StoreBench;
let log: SessionLog;
beforeEach(async () => {
  bench = await openStoreBench();
  log = await bench.store.create({ workspace: '/w' });
  await log.append([user('Go')]);
});
afterEach(() => bench.dispose());

const writes = (id: string): EntryDraft => {
  const call = { type: 'toolCall', id, name: 'write', arguments: { path: `/w/${id}` } };
  return { type: 'message', message: { ...replyMessage('', { calls: [id] }), content: [call] } };
};

/** The log, and the ids of which it was asked for lines. */
function watched(): { log: SessionLog; read: string[] } {
  const read: string[] = [];
  const linesOf: SessionLog['linesOf'] = (ids) => {
    read.push(...ids);
    return log.linesOf(ids);
  };
  const get = (target: SessionLog, key: keyof SessionLog): unknown => {
    const value: unknown = key === 'linesOf' ? linesOf : Reflect.get(target, key);
    return typeof value === 'function' ? (value.bind(target) as unknown) : value;
  };
  return { log: new Proxy(log, { get: get as never }), read };
}

it('BR8: a look at the files of a branch reads its calls, and none of their results', async () => {
  const replies: string[] = [];
  for (let n = 0; n < 250; n++) {
    const [reply] = await log.append([writes(`c${n}`), result(`c${n}`, 'x'.repeat(1000))]);
    replies.push(reply!.entry.id);
  }
  const region = branchRegion(log.tree, log.tree.leafId, null);
  const serializer = inlineSerializer();
  const sent: SourceLine[] = [];
  const source = {
    ...{ workspaceDir: '/w', firstUnbegun: () => null, ...watched() },
    serializer: { ...serializer, activityOf: (lines: readonly SourceLine[]) => (sent.push(...lines), serializer.activityOf(lines)) }, // prettier-ignore
  };
  const { signal } = new AbortController();
  const { files } = await regionActivity(region, source, signal);
  expect(files.written.size).toBe(250);
  expect(source.read).toEqual(replies);
  expect(sent.every((line) => Object.keys(line).every((key) => ['line', 'timeMs', 'done'].includes(key)))).toBe(true);

  // Who tells of the same calls alone is handed their results, which stand elsewhere then.
  const told: SourceLine[] = [];
  const calling = region.items.filter(({ node }) => node.facts.calls);
  await eachToldBatch(source, calling, signal, async (lines) => void told.push(...lines));
  expect(source.read).toHaveLength(250 + 500);
  expect(told.map(({ ends }) => ends?.results?.length)).toEqual(replies.map(() => 1));
});

it('SU19, CX9: a reply goes with the ids of calls whose results are told with a later one', async () => {
  await log.append([writes('a'), writes('b'), result('a', 'late'), result('b', 'in time')]);
  const { items } = branchRegion(log.tree, log.tree.leafId, null);
  const told: SourceLine[] = [];
  const take = async (lines: SourceLine[]): Promise<void> => void told.push(...lines);
  await eachToldBatch({ log, firstUnbegun: () => null }, items, new AbortController().signal, take);
  expect(told.map(({ ends }) => ends)).toEqual([undefined, { late: ['a'] }, undefined, undefined, undefined]);
});

it('BR13: of commands on a branch those count that ran, or may have: none that was declined or cut off', async () => {
  const activity = (): Promise<{ hasCommands: boolean }> => {
    const region = branchRegion(log.tree, log.tree.leafId, null);
    const scope = { workspaceDir: '/w', firstUnbegun: () => null, log, serializer: inlineSerializer() };
    return regionActivity(region, scope, new AbortController().signal);
  };
  const runs = (id: string, more: object = {}): EntryDraft => {
    const call = { type: 'toolCall', id, name: 'bash', arguments: { command: 'make' } };
    return { type: 'message', message: { ...replyMessage('', { calls: [id] }), content: [call], ...more } };
  };
  const ended = (id: string, text: string, details: object): EntryDraft => {
    const content = [{ type: 'text', text }];
    return { type: 'message', message: { role: 'toolResult', toolCallId: id, toolName: 'bash', content, isError: true, details, timestamp: 0 } }; // prettier-ignore
  };
  await log.append([runs('a'), ended('a', DECLINED, { espalier: { outcome: 'declined' } })]);
  await log.append([runs('b', { stopReason: 'aborted' })]);
  expect((await activity()).hasCommands).toBe(false);
  await log.append([runs('c'), ended('c', 'x', { ending: 'exited', exitCode: 1 })]);
  expect((await activity()).hasCommands).toBe(true);
});

it('BR13: files that were changed before the branch began are none of its own, though its compaction tells of them', async () => {
  const details = { readFiles: [], modifiedFiles: ['shared.txt'] };
  await log.append([
    { type: 'compaction', summary: 's', firstKeptEntryId: null, tokensBefore: 1, details } as EntryDraft,
  ]);
  const region = branchRegion(log.tree, log.tree.leafId, null);
  const scope = { workspaceDir: '/w', firstUnbegun: () => null, log, serializer: inlineSerializer() };
  const { signal } = new AbortController();
  expect([...(await regionActivity(region, scope, signal)).files.edited]).toEqual(['/w/shared.txt']);
  expect([...(await regionActivity(region, scope, signal, { isOwn: true })).files.edited]).toEqual([]);
});

it('BR13: one whose result is not known may have run', async () => {
  const call = { type: 'toolCall', id: 'a', name: 'bash', arguments: { command: 'make' } };
  await log.append([{ type: 'message', message: { ...replyMessage('', { calls: ['a'] }), content: [call] } }]);
  const region = branchRegion(log.tree, log.tree.leafId, null);
  const scope = { workspaceDir: '/w', firstUnbegun: () => null, log, serializer: inlineSerializer() };
  expect((await regionActivity(region, scope, new AbortController().signal)).hasCommands).toBe(true);
});
