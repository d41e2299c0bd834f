import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { groupRows, takeAttempts, type TranscriptItem } from '../../../src/renderer/state/group-rows';
import type { Row, RowKind } from '@shared/session-state/state';

let seq = 0;
const row = (kind: RowKind, id: string, more: Partial<Row> = {}): Row => ({
  ...{ id, parentId: null, seq: seq++, kind, time: 0, tokens: 1 },
  ...more,
});
const failed = (id: string): Row => row('assistant', id, { failed: true });
const stopped = (id: string): Row => row('assistant', id, { stopped: true });
const shown = (items: readonly TranscriptItem[]): string[] =>
  items.map((item) =>
    ('attempts' in item ? [...item.attempts.map(({ row: { id } }) => id), item.key] : [item.key]).join('<'),
  );

describe('TS6: attempts of one reply', () => {
  it('are one item with the last in front, under the name of who speaks', () => {
    const items = groupRows([
      row('user', 'u'),
      failed('a1'),
      stopped('a2'),
      row('assistant', 'a3'),
      row('assistant', 'a4'),
    ]);
    expect(shown(items)).toEqual(['u', 'a1<a2<a3', 'a4']);
    expect(items.map((item) => item.kind === 'row' && item.head)).toEqual([false, true, false]);
  });

  it('stay one item over another model, and over what is not drawn, and their results stay theirs', () => {
    const items = groupRows([
      failed('a1'),
      row('toolResult', 'r1', { callId: 'c' }),
      row('silent', 's'),
      row('modelChange', 'm'),
      row('assistant', 'a2'),
      row('toolResult', 'r2', { callId: 'c' }),
    ]);
    expect(shown(items)).toEqual(['s', 'm', 'a1<a2']);
    const last = items.at(-1);
    expect(last?.kind === 'row' && [last.attempts[0]?.results.get('c')?.id, last.results.get('c')?.id]).toEqual([
      'r1',
      'r2',
    ]);
  });

  it('of a request that was refused stay one item over what made room for it, which stands before them', () => {
    const items = groupRows([
      row('user', 'u'),
      failed('a1'),
      row('compaction', 'c'),
      failed('a2'),
      row('silent', 's'),
      row('prune', 'p'),
      failed('a3'),
    ]);
    expect(shown(items)).toEqual(['u', 'c', 's', 'p', 'a1<a2<a3']);
    expect(items.at(-1)).toMatchObject({ head: true });
  });

  it('end where somebody says something, at a compaction after one that was stopped, and at the cut', () => {
    const between = (kind: RowKind): Row[] => [failed('a1'), row(kind, 'x'), row('assistant', 'a2')];
    for (const kind of ['user', 'branchSummary', 'custom', 'bash'] as const)
      expect(shown(groupRows(between(kind)))).toEqual(['a1', 'x', 'a2']);
    const compacted = [stopped('a1'), row('compaction', 'x'), row('assistant', 'a2')];
    expect(shown(groupRows(compacted))).toEqual(['a1', 'x', 'a2']);
    // Its cut lies between them: the first is in the summary, the other one is not.
    expect(
      shown(groupRows([failed('a1'), row('assistant', 'a2'), row('compaction', 'c'), failed('a3')], 'a2')),
    ).toEqual(['a1', 'cut:c', 'a2', 'c', 'a3']);
    expect(shown(groupRows([failed('a1'), row('assistant', 'a2'), row('compaction', 'c')], 'a2'))).toEqual([
      'a1',
      'cut:c',
      'a2',
      'c',
    ]);
  });

  it('a failed reply that nobody asked for again stands as it is, and is an attempt of the one that streams', () => {
    const items = groupRows([row('user', 'u'), failed('a1')]);
    expect(shown(items)).toEqual(['u', 'a1']);
    const live = takeAttempts(items, false);
    expect(live).toMatchObject({ head: true, attempts: [{ row: { id: 'a1' } }] });
    expect(shown(items)).toEqual(['u']);
    expect(takeAttempts(items, true)).toEqual({ head: true, attempts: [] });
  });

  it('however many they are, the list of them is made once (copied at each, it would not end)', () => {
    const rows = Array.from({ length: 100_000 }, (_, at) => failed(`a${at}`));
    const [item] = groupRows(rows);
    expect(item?.kind === 'row' && item.attempts.map(({ row: { id } }) => id)).toEqual(
      rows.slice(0, -1).map(({ id }) => id),
    );
  }, 20_000);

  it('whatever the rows are: each stands in one place, in order, and only what failed or was stopped is folded', () => {
    const kinds: RowKind[] = [
      'user',
      'assistant',
      'assistant',
      'assistant',
      'toolResult',
      'modelChange',
      'silent',
      'compaction',
    ];
    const any = fc.tuple(
      fc.constantFrom(...kinds),
      fc.constantFrom({}, { failed: true }, { stopped: true }),
      fc.constantFrom('c', 'd'),
    );
    fc.assert(
      fc.property(fc.array(any, { maxLength: 25 }), (all) => {
        const rows = all.map(([kind, end, callId], at) =>
          row(kind, String(at), kind === 'assistant' ? end : kind === 'toolResult' ? { callId } : {}),
        );
        const items = groupRows(rows);
        const placed = items.flatMap((item): Row[] => {
          if ('rows' in item) return [...item.rows];
          if (item.kind !== 'row') return [];
          const replies = [...item.attempts, item];
          for (const attempt of item.attempts) expect(attempt.row.failed ?? attempt.row.stopped).toBe(true);
          return replies.flatMap((reply) => [reply.row, ...reply.results.values()]);
        });
        expect(placed.map(({ id }) => id).sort()).toEqual(rows.map(({ id }) => id).sort());
        const fronts = items.flatMap((item) => (item.kind === 'row' ? [item.row.seq] : []));
        expect(fronts).toEqual([...fronts].sort((a, b) => a - b));
        // None that could be folded is left.
        for (const [at, item] of items.entries()) {
          const next = items.slice(at + 1).find((later) => !('rows' in later));
          const isReply =
            item.kind === 'row' &&
            item.row.kind === 'assistant' &&
            next?.kind === 'row' &&
            next.row.kind === 'assistant';
          if (isReply && item.kind === 'row') expect(item.row.failed ?? item.row.stopped ?? false).toBe(false);
        }
      }),
    );
  });
});

describe('TS6: a prompt that nothing answered', () => {
  const isSaid = (rows: Row[]): boolean[] =>
    groupRows(rows).flatMap((item) => (item.kind === 'row' ? [item.isAfterSilence === true] : []));

  it('is named where the next one follows later, whatever was chosen in between', () => {
    expect(isSaid([row('user', 'a'), row('user', 'b', { time: 60_000 })])).toEqual([false, true]);
    expect(isSaid([row('user', 'a'), row('modelChange', 'm'), row('user', 'b', { time: 60_000 })])).toEqual([
      false,
      true,
    ]);
  });

  it('not where both were sent together, or where a reply stands, as a failed or stopped one', () => {
    expect(isSaid([row('user', 'a'), row('user', 'b', { time: 500 })])).toEqual([false, false]);
    for (const reply of [row('assistant', 'r'), failed('r'), stopped('r')])
      expect(isSaid([row('user', 'a'), reply, row('user', 'b', { time: 60_000 })])).toEqual([false, false, false]);
  });
});
