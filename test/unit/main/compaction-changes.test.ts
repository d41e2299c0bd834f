import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contextAt } from '../../support/context-at';
import { undoneOn } from '@shared/session/tree/rebase';
import { estimateText } from '@shared/session/records/estimate';
import type { EntryDraft } from '@shared/session/records/entry';
import { editSummary, redoCompaction, undoCompaction } from '../../../src/main/session/summaries/compaction-changes';
import { restorePruned } from '../../../src/main/session/summaries/prune-changes';
import { MemoryLog } from '../../support/memory-log';

const user = (text: string): EntryDraft => ({
  type: 'message',
  message: { role: 'user', content: text, timestamp: 1 },
});
const note = (): EntryDraft => ({ type: 'thinking_level_change', thinkingLevel: 'low' });
const texts = (log: MemoryLog): string[] =>
  contextAt(log.tree, log.tree.leafId).messages.map((message) =>
    'summary' in message ? `summary: ${message.summary}` : String((message as { content: unknown }).content),
  );

async function compact(log: MemoryLog, summary: string, keep: number): Promise<string> {
  const kept = log.tree
    .pathTo(log.tree.leafId)
    .filter(({ facts }) => facts.visible && facts.type === 'message')
    .at(-keep);
  const [record] = await log.append([
    {
      type: 'compaction',
      summary,
      firstKeptEntryId: kept?.id ?? null,
      tokensBefore: 100,
      details: { espalier: { v: 1, tokensAfter: 50 } },
      fromHook: false,
    },
  ]);
  return record!.entry.id;
}

async function talked(...messages: string[]): Promise<MemoryLog> {
  const log = new MemoryLog();
  for (const text of messages) await log.append([user(text)]);
  return log;
}

describe('undo and redo (UN2, UN3)', () => {
  it('UN2: undo of the only compaction gives the messages as without it; redo those after it; both keep what came since', async () => {
    const log = await talked('a', 'b', 'c');
    const id = await compact(log, 'ab', 1);
    await log.append([user('d')]);
    await undoCompaction(log, id);
    expect(texts(log)).toEqual(['a', 'b', 'c', 'd']);
    expect(undoneOn(log.tree, log.tree.leafId).map(({ compaction }) => compaction.id)).toEqual([id]);
    await log.append([user('e')]);
    await redoCompaction(log, id);
    expect(texts(log)).toEqual(['summary: ab', 'c', 'd', 'e']);
    expect(undoneOn(log.tree, log.tree.leafId)).toEqual([]);
    expect(log.reopen().tree.leafId).toBe(log.tree.leafId);
  });

  it('UN3: with nothing since, redo only moves the leaf back', async () => {
    const log = await talked('a', 'b');
    const id = await compact(log, 'a', 1);
    await log.append([user('c'), note()]);
    const before = log.tree.leafId;
    await undoCompaction(log, id);
    await redoCompaction(log, id);
    expect(log.tree.leafId).toBe(before);
    await expect(redoCompaction(log, id)).rejects.toThrow('has not been undone');
  });

  it('UN3: who left the copies in the middle goes on from the original of that entry', async () => {
    const log = await talked('a', 'b');
    const id = await compact(log, 'a', 1);
    await log.append([user('c')]);
    await log.append([user('d')]);
    await undoCompaction(log, id);
    const copyOfC = log.tree.node(log.tree.leafId!)!.parent!.id;
    await log.moveLeaf(copyOfC, 'test');
    await log.append([user('x')]);
    await redoCompaction(log, id);
    expect(texts(log)).toEqual(['summary: a', 'b', 'c', 'x']);
  });

  it('UN3: an undone compaction is not offered any more after the next one', async () => {
    const log = await talked('a', 'b', 'c');
    const first = await compact(log, 'a', 2);
    await undoCompaction(log, first);
    await compact(log, 'ab', 1);
    expect(undoneOn(log.tree, log.tree.leafId)).toEqual([]);
    await expect(redoCompaction(log, first)).rejects.toThrow('has not been undone');
  });

  it('UN2: undoing the earlier of two takes the later one with it; both branches stay', async () => {
    const log = await talked('a', 'b', 'c');
    const first = await compact(log, 'a', 2);
    await log.append([user('d')]);
    const second = await compact(log, 'abc', 1);
    await log.append([user('e')]);
    await undoCompaction(log, first);
    expect(texts(log)).toEqual(['a', 'b', 'c', 'd', 'e']);
    await redoCompaction(log, first);
    expect(texts(log)).toEqual(['summary: abc', 'd', 'e']);
    await undoCompaction(log, second);
    expect(texts(log)).toEqual(['summary: a', 'b', 'c', 'd', 'e']);
  });

  it('UN5, UN6: an edited summary stands in the place of the old one, which stays; an earlier one cannot be edited', async () => {
    const log = await talked('a', 'b', 'c');
    const first = await compact(log, 'a', 2);
    await log.append([user('d')]);
    const before = log.tree.leafId;
    await editSummary(log, first, 'A, in other words', { fileListLimit: 20, ratio: 2 });
    expect(texts(log)).toEqual(['summary: A, in other words', 'b', 'c', 'd']);
    const [edited] = log.tree.pathTo(log.tree.leafId).filter(({ facts }) => facts.type === 'compaction');
    expect(edited!.body).toMatchObject({ details: { espalier: { replaces: first } } });
    // Calibrated, as the figure that it changes.
    const figureOf = (body: unknown): number =>
      (body as { details: { espalier: { tokensAfter: number } } }).details.espalier.tokensAfter;
    const grown = estimateText('A, in other words') - estimateText('a');
    expect(figureOf(edited!.body) - figureOf(log.tree.body(first))).toBe(2 * grown);
    await expect(editSummary(log, edited!.id, '  ', { fileListLimit: 20, ratio: 2 })).rejects.toThrow('empty');
    await expect(editSummary(log, first, 'again', { fileListLimit: 20, ratio: 2 })).rejects.toThrow(
      'not on the current branch',
    );
    const second = await compact(log, 'all', 1);
    await expect(editSummary(log, edited!.id, 'again', { fileListLimit: 20, ratio: 2 })).rejects.toThrow(
      'later compaction',
    );
    await undoCompaction(log, second);
    await log.moveLeaf(before, 'test');
    expect(texts(log)).toEqual(['summary: a', 'b', 'c', 'd']);
  });

  it('IN15: undo then redo gives the same messages, whatever was said and compacted', async () => {
    const step = fc.constantFrom('say', 'note', 'compact');
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 14 }), fc.nat(), async (steps, pick) => {
        const log = await talked('first', 'second');
        const ids: string[] = [];
        for (const [n, what] of steps.entries()) {
          if (what === 'say') await log.append([user(`message ${n}`)]);
          else if (what === 'note') await log.append([note()]);
          else ids.push(await compact(log, `summary ${n}`, 1));
        }
        const id = ids[pick % Math.max(1, ids.length)];
        if (id === undefined) return;
        const before = texts(log);
        const isFirst = id === ids[0];
        await undoCompaction(log, id);
        if (isFirst) expect(texts(log).some((text) => text.startsWith('summary'))).toBe(false);
        expect(texts(log).filter((text) => !text.startsWith('summary'))).toEqual(
          expect.arrayContaining(before.filter((text) => !text.startsWith('summary'))),
        );
        await redoCompaction(log, id);
        expect(texts(log)).toEqual(before);
        expect(log.reopen().tree.leafId).toBe(log.tree.leafId);
      }),
      { numRuns: 300 },
    );
  });
});

describe('restore (PR5)', () => {
  it('IN16: prune then restore gives the identical context; what was restored is not restored again', async () => {
    const log = await talked('go');
    const reply = (id: string): EntryDraft => ({
      type: 'message',
      message: {
        role: 'assistant',
        content: [{ type: 'toolCall', id, name: 'bash', arguments: {} }],
        timestamp: 2,
      } as never,
    });
    const result = (id: string): EntryDraft => ({
      type: 'message',
      message: { role: 'toolResult', toolCallId: id, toolName: 'bash', content: [{ type: 'text', text: 'x'.repeat(900) }], isError: false, timestamp: 3 } as never,
    }); // prettier-ignore
    for (const id of ['one', 'two']) await log.append([reply(id), result(id)]);
    const before = JSON.stringify(contextAt(log.tree, log.tree.leafId).messages);
    const targets = log.tree.pathTo(log.tree.leafId).filter(({ facts }) => facts.answers !== undefined);
    const items = targets.map(({ id }) => ({ targetId: id, mode: 'elide', tokens: 225 }));
    const [prune] = await log.append([
      { type: 'custom', customType: 'espalier.prune', data: { v: 1, action: 'prune', items } },
    ]);
    expect(JSON.stringify(contextAt(log.tree, log.tree.leafId).messages)).not.toBe(before);
    await restorePruned(log, prune!.entry.id);
    expect(JSON.stringify(contextAt(log.tree, log.tree.leafId).messages)).toBe(before);
    const size = log.stored.length;
    await restorePruned(log, prune!.entry.id);
    expect(log.stored).toHaveLength(size);
    await expect(restorePruned(log, targets[0]!.id)).rejects.toThrow('not hidden');
  });
});
