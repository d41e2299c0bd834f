import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { branchRegion, selectBranch } from '@shared/compaction/branch-selection';
import { addBranchFiles, addGroupFiles, addStoredFiles, noFileOps } from '@shared/compaction/file-activity';
import { planLastResort, planPrune } from '@shared/compaction/prune';
import { cutWindow } from '@shared/compaction/plan';
import { planCompaction } from '../../../support/plan-compaction';
import { buildPreview } from '@shared/compaction/preview';
import { groupMessages, serializeConversation } from '../../../support/serialize-conversation';
import { TurnTree } from '@shared/graph/turns';
import { describeToolCall } from '@shared/policy/describe';
import { breakdown } from '@shared/session/context/context-meter';
import { contextAt } from '../../../support/context-at';
import { ContextCursor } from '@shared/session/context/context-cursor';
import { planContext } from '@shared/session/context/context-plan';
import { destinationOf, newestLeafBelow, versionsAt } from '@shared/session/tree/destination';
import { isOpaque, type LlmMessage, type SessionEntry } from '@shared/session/records/entry';
import { factsOf } from '@shared/session/records/facts';
import { OWN_ENTRIES } from '@shared/session/records/own-entries';
import { areAdmitted, decodeFacts, encodeFacts } from '@shared/session/records/facts-codec';
import { planFork } from '@shared/session/tree/fork';
import { isRecord } from '@shared/checks';
import { overheadInForce } from '@shared/session/context/figure';
import { patchLine, serializeEntry } from '@shared/session/records/serialize-entry';
import { readSession } from '../../../support/read-session';
import { entriesAfter, planRebase, undoneOn } from '@shared/session/tree/rebase';
import { parseRecord } from '@shared/session/records/records';
import { toProviderParts } from '@shared/session/messages/sanitizer';
import { largestItems, sessionFigure } from '../../../support/oracle/figure';
import { toProviderMessages } from '../../../support/oracle/sanitize';
import { sentOf } from '../../../support/sent-of';
import { totalsOf } from '@shared/session/messages/plan-item';
import type { SessionTree } from '@shared/session/tree/tree';
import { toComposer } from '@shared/session/records/message-text';
import { graphRows, newestPage, olderRows, rowNodesTo } from '../../../../src/main/session/machine/rows';
import { previewOf, textOfMessage } from '../../../../src/main/session/machine/entry-words';
import { textOfNode } from '../../../../src/renderer/features/graph/words';
import { groupRows } from '../../../../src/renderer/state/group-rows';
import { partsOf } from '../../../../src/renderer/features/transcript/message-text';
import { viewTool } from '../../../../src/renderer/features/transcript/tool-state';
import { EntryCache } from '../../../../src/renderer/state/entry-cache';
import { hostileRecords, SOUND_RECORDS, soundLines, soundQuestion } from '../../../support/hostile-records';
import type { HostileRecord } from '../../../support/hostile-records';
import { seededHex } from './support';
import { everyNth } from '../../../support/long-form';

const randomHex = seededHex(3);
const FRAMES = { compactionFrame: 'Before: {{summary}}', branchFrame: 'Elsewhere: {{summary}}' };

/** Everything that reads a session, once. @throws whatever any of it throws */
function useAll(tree: SessionTree, { id, line }: HostileRecord): { sent: LlmMessage[]; tokens: number } {
  const { leafId } = tree;
  const { messages, projection } = contextAt(tree);
  const sent = sentOf(messages, FRAMES);
  toProviderParts(projection, FRAMES);
  serializeConversation(messages, { includeThinking: true });
  const plan = planContext(tree);
  const cursor = new ContextCursor(tree, FRAMES);
  const figure = cursor.figure();
  expect(figure).toEqual(sessionFigure(tree, plan));
  expect(cursor.messages()).toEqual(toProviderMessages(messages, FRAMES));
  const overhead = overheadInForce(tree, leafId);
  breakdown(totalsOf(plan.items), overhead, figure.tokens);
  expect(cursor.largest).toEqual(largestItems(plan));
  const settings = { keepRecentTokens: 1, keepUserMessageTokens: 10 };
  const options = { settings, tokensBefore: figure.tokens };
  planCompaction(tree, leafId, { ...options, isManual: true });
  const parts = { files: null, promptTokens: 1, models: [], traffic: null };
  structuredClone(buildPreview(cutWindow(tree, leafId), options, parts));
  planPrune(plan.items, tree.pins);
  planLastResort(plan.items, tree.pins, 1);
  selectBranch(branchRegion(tree, leafId, 'u1').items, 1000);
  const files = noFileOps(null);
  for (const group of groupMessages(messages)) addGroupFiles(files, group);
  addStoredFiles(files, tree.body(id));
  addBranchFiles(files, plan.items);
  useRows(tree, id);
  useCopies(tree, id, line);
  return { sent, tokens: figure.tokens };
}

function useRows(tree: SessionTree, id: string): void {
  const path = rowNodesTo(tree, tree.leafId, []);
  const { rows, rowsBefore } = structuredClone(newestPage(tree, path));
  groupRows([...[...olderRows(tree, path, rowsBefore)].reverse().flat(), ...rows]);
  const turns = new TurnTree();
  for (const chunk of graphRows(tree, 0)) for (const entry of chunk) turns.add(entry);
  for (const node of turns.nodes) textOfNode(node, (entryId) => tree.body(entryId));
  versionsAt(tree, id);
  newestLeafBelow(tree, tree.roots()[0] ?? tree.node(id)!);
  undoneOn(tree, tree.leafId);
  tree.siblings(id);
  tree.requestInForce(tree.leafId);
  destinationOf(tree, id);
  const body = tree.body(id) as SessionEntry;
  previewOf(body);
  textOfMessage(body, ['user', 'assistant', 'toolResult', 'custom']);
  toComposer(body);
  const { message } = body as { message?: unknown };
  const content = isRecord(message) ? message.content : (body as { content?: unknown }).content;
  partsOf(content);
  for (const block of Array.isArray(content) ? (content as unknown[]).filter(isRecord) : []) {
    if (block.type !== 'toolCall' || !isRecord(message) || message.role !== 'assistant') continue;
    describeToolCall(block.name as string, block.arguments);
    viewTool({ name: block.name as string, arguments: block.arguments as never }, message as never, 'loading');
  }
}

/** What writes the entry again: forks, rebases, the index, the window's stores. */
function useCopies(tree: SessionTree, id: string, line: string): void {
  planFork(tree, 'q', { header: tree.header, randomHex });
  const bodies = entriesAfter(tree, 'u1').map((node) => node.body!);
  const { drafts } = planRebase(tree, 'u1', bodies, { op: 'undo', compactionId: 'x' }, randomHex);
  for (const draft of drafts) serializeEntry({ id: 'n', parentId: null, timestamp: '', ...draft } as SessionEntry);
  const facts = tree.node(id)!.facts;
  const row: unknown = JSON.parse(JSON.stringify(encodeFacts(facts)));
  expect(areAdmitted(row)).toBe(true);
  expect(decodeFacts(row)).toEqual({ ...facts });
  const cache = new EntryCache();
  expect(cache.put([{ seq: 4, id, line }])).toEqual([]);
  expect(factsOf(cache.get(id)!).type).toBe(facts.type);
  const moved = parseRecord(patchLine(line, { parentId: 'elsewhere' }));
  expect(moved.kind === 'entry' && moved.entry.parentId).toBe('elsewhere');
}

/** True for what every provider's code can take: known blocks that hold what they say. */
function isSendable({ role, content }: LlmMessage): boolean {
  if (typeof content === 'string') return role === 'user';
  return content.every((block) => {
    if (block.type === 'text') return typeof block.text === 'string';
    if (block.type === 'image') return role !== 'assistant' && typeof block.mimeType === 'string';
    if (role !== 'assistant') return false;
    if (block.type === 'thinking') return typeof block.thinking === 'string';
    return typeof block.name === 'string' && typeof block.id === 'string' && isRecord(block.arguments);
  });
}

describe('safety A3: a record that is wrong in one place', () => {
  const read = (line: string, id: string): SessionTree => {
    const { tree, damage } = readSession([...soundLines(), line, soundQuestion('q', id)], { randomHex });
    expect(damage).toEqual([]);
    return tree;
  };

  it.each(Object.keys(SOUND_RECORDS))('%s', (kind) => {
    const problems: string[] = [];
    // Of 24 wrong values a place: with every fifth all of them are met, each in another place.
    for (const record of everyNth(hostileRecords({ kinds: [kind], longText: 10_000, levels: 20_000 }), 5)) {
      try {
        const tree = read(record.line, record.id);
        const node = tree.node(record.id)!;
        expect([tree.size, tree.leafId, node.facts.id]).toEqual([5, 'q', record.id]);
        const { sent, tokens } = useAll(tree, record);
        expect(sent.filter((message) => !isSendable(message))).toEqual([]);
        expect(Number.isSafeInteger(tokens) && tokens >= 0).toBe(true);
        if (!isOpaque(node.body!)) continue;
        expect([node.facts.visible, node.facts.turnStart, node.facts.raw]).toEqual([false, false, 0]);
        expect(node.body.flaw.length).toBeLessThan(200);
      } catch (error) {
        problems.push(`${record.name}: ${String(error).slice(0, 300)}`);
      }
    }
    expect(problems).toEqual([]);
  });

  it('keeps its place among the entries, whatever is wrong with it', () => {
    const line = JSON.stringify({ type: 'message', id: 'x', parentId: 'r1', message: { role: {}, content: 'c' } });
    const tree = read(line, 'x');
    expect(tree.pathTo('q').map(({ id }) => id)).toEqual(['u1', 'a1', 'r1', 'x', 'q']);
    expect(tree.body('x')).toMatchObject({ type: 'espalier.opaque', flaw: '`message.role` is an object' });
    const side = JSON.stringify({ type: 'label', id: 's', parentId: 'q', targetId: 5 });
    const again = readSession([...soundLines(), line, soundQuestion('q', 'x'), side], { randomHex }).tree;
    expect([again.leafId, again.node('s')?.facts.side]).toEqual(['q', true]);
  });

  it('SF11: every entry of ours in the table is known with its class, and has a sound record that is spoilt here', () => {
    const law = readFileSync(join(process.cwd(), 'docs/specs/session-file.md'), 'utf8');
    const table = [...law.matchAll(/^\| `(espalier\.\w+)` +\| (side|path) /gm)].map(([, name, kind]) => [name, kind]);
    // Not written yet (docs/specs/not-yet.md).
    const rows = table.filter(([name]) => name !== 'espalier.sent').sort();
    expect([...OWN_ENTRIES].map(([name, { isSide }]) => [name, isSide ? 'side' : 'path']).sort()).toEqual(rows);
    expect(rows.filter(([name = '']) => !(name in SOUND_RECORDS))).toEqual([]);
  });

  it.each(Object.entries(SOUND_RECORDS))('SF13: %s is read as it is while nothing is wrong with it', (_kind, sound) => {
    const whole = { ...sound, id: 'x', parentId: 'r1', timestamp: '2026-01-01T00:00:00.000Z' };
    expect(parseRecord(JSON.stringify(whole))).toEqual({ kind: 'entry', entry: whole });
  });
});
