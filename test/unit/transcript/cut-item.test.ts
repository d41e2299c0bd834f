import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { groupRows, type TranscriptItem } from '../../../src/renderer/state/group-rows';
import type { Row, RowKind } from '@shared/session-state/state';

const row = (kind: RowKind, id: string): Row => ({ id, parentId: null, seq: 0, kind, time: 0, tokens: 50 });
const shown = (items: readonly TranscriptItem[]): string[] =>
  items.map((item) => `${'covered' in item && item.covered ? '-' : ''}${item.key}`);

describe('TS7: the cut', () => {
  it('stands between the last message that was summarised and the first that was kept', () => {
    const rows = [
      row('user', 'u1'),
      row('assistant', 'a1'),
      row('user', 'u2'),
      row('compaction', 'c'),
      row('user', 'u3'),
    ];
    expect(shown(groupRows(rows, 'u2'))).toEqual(['-u1', '-a1', 'cut:c', 'u2', 'c', 'u3']);
  });

  it('stands right above its time where nothing was kept, and nowhere while what it covers is not loaded', () => {
    const rows = [row('user', 'u1'), row('compaction', 'c'), row('user', 'u2')];
    expect(shown(groupRows(rows, 'c'))).toEqual(['-u1', 'cut:c', 'c', 'u2']);
    expect(shown(groupRows(rows, 'before'))).toEqual(['u1', 'c', 'u2']);
    expect(shown(groupRows(rows, null))).toEqual(['u1', 'c', 'u2']);
  });

  it('PN4: of what is above it the model has the summary, and some messages word for word', () => {
    const notes = { ...row('modelChange', 'm'), tokens: 0 };
    const rows = [row('user', 'u1'), row('assistant', 'a1'), notes, row('user', 'u2'), row('compaction', 'c')];
    const memories = groupRows(rows, 'c', {}, ['u2', 'c']).map((item) => ('memory' in item ? item.memory : item.kind));
    expect(memories).toEqual(['summarised', 'summarised', 'changes', 'repeated', 'cut', null]);
  });

  it('is one, for the latest of several; a reply below it says again who speaks', () => {
    const rows = [
      ...[row('user', 'u1'), row('compaction', 'c1'), row('assistant', 'a1')],
      ...[row('assistant', 'a2'), row('compaction', 'c2')],
    ];
    const items = groupRows(rows, 'a2');
    expect(shown(items)).toEqual(['-u1', '-c1', '-a1', 'cut:c2', 'a2', 'c2']);
    expect(items[4]).toMatchObject({ head: true });
    expect(items[3]).toMatchObject({ earlier: [{ id: 'c1' }] });
  });

  it('whatever the rows are: one cut where a compaction is in force, all above it covered, nothing below', () => {
    const kinds: RowKind[] = ['user', 'assistant', 'toolResult', 'compaction', 'modelChange', 'silent', 'undone'];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...kinds), { maxLength: 20 }), fc.nat(), (all, at) => {
        const rows = all.map((kind, index) => row(kind, String(index)));
        const seenFrom = rows.length > 0 ? String(at % rows.length) : null;
        const items = groupRows(rows, seenFrom);
        const cuts = items.filter(({ kind }) => kind === 'cut');
        expect(cuts.length).toBeLessThanOrEqual(1);
        // TS7: it has the history of the one in force: every other compaction of the path, once, in order.
        const compactions = rows.filter(({ kind }) => kind === 'compaction').map(({ id }) => id);
        for (const item of cuts)
          if (item.kind === 'cut') expect([...item.earlier, item.row].map(({ id }) => id)).toEqual(compactions);
        const cut = items.findIndex(({ kind }) => kind === 'cut');
        for (const [index, item] of items.entries()) expect('covered' in item && item.covered).toBe(index < cut);
        expect(new Set(items.map(({ key }) => key)).size).toBe(items.length);
      }),
    );
  });
});
