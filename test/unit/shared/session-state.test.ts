import { describe, expect, it } from 'vitest';
import type { SessionChange } from '@shared/session-state/events';
import { reduce } from '@shared/session-state/reduce';
import {
  beyondPage,
  coveredRows,
  NO_SESSION,
  PAGE_ROWS,
  type LiveSession,
  type Row,
} from '@shared/session-state/state';

/** 256 KB. */
const PAGE_CHARS = 256 * 1024;
const row = (n: number, more: Partial<Row> = {}): Row => ({
  ...{ id: `e${n}`, parentId: n > 0 ? `e${n - 1}` : null, seq: n, kind: 'user', time: n, tokens: 1, ...more },
});
const rows = (count: number, more: Partial<Row> = {}): Row[] => Array.from({ length: count }, (_, n) => row(n, more));
const appended = (next: Row): SessionChange => ({
  ...{ type: 'entry_appended', line: { seq: next.seq, id: next.id, line: '{}' }, crc: 0, crcBefore: 0, row: next },
});

describe('EV9: the page', () => {
  it('holds so many rows and characters, and the last row whatever its size', () => {
    expect(beyondPage(rows(PAGE_ROWS))).toBe(0);
    expect(beyondPage(rows(PAGE_ROWS + 3))).toBe(3);
    const long = { callId: 'c'.repeat(PAGE_CHARS / 10) };
    const from = beyondPage(rows(40, long));
    expect(JSON.stringify(rows(40, long).slice(from)).length).toBeLessThanOrEqual(PAGE_CHARS);
    expect(from).toBe(31);
    expect(beyondPage([row(0), row(1, { callId: 'c'.repeat(2 * PAGE_CHARS) })])).toBe(1);
  });

  it('moves on with what is appended; what leaves it is counted', () => {
    let state: LiveSession = NO_SESSION;
    for (const next of rows(PAGE_ROWS + 50)) state = reduce(state, appended(next));
    expect([state.rows.length, state.rowsBefore, state.leafId]).toEqual([PAGE_ROWS, 50, `e${PAGE_ROWS + 49}`]);
    expect(reduce(state, { ...appended(row(1000)), elsewhere: true } as SessionChange)).toBe(state);
  });

  it('tells by one row what the model no longer sees', () => {
    expect(coveredRows(rows(10), null)).toBe(0);
    expect(coveredRows(rows(10), 'e4')).toBe(4);
    // It is further up than what is loaded.
    expect(coveredRows(rows(10), 'older')).toBe(0);
  });
});

describe('EV8: the question that is asked beside the page', () => {
  const asked = (...ids: string[]): LiveSession =>
    ids.reduce<LiveSession>(
      (state, id) => reduce(state, { type: 'approval_requested', request: { id } as never }),
      NO_SESSION,
    );
  const asking = (approvalId: string, isAsking = true): SessionChange => ({ type: 'approval_asking', approvalId, isAsking }); // prettier-ignore

  it('is one that is open: what is told of one that is gone changes nothing', () => {
    const state = asked('a', 'b');
    expect(reduce(state, asking('gone'))).toBe(state);
    const beside = reduce(state, asking('a'));
    expect(beside.askedBeside).toBe('a');
    expect(reduce(beside, asking('gone'))).toBe(beside);
    expect(reduce(beside, asking('b', false))).toBe(beside);
    expect(reduce(beside, asking('a', false)).askedBeside).toBeNull();
  });

  it('is none once it was answered, or once nothing is open', () => {
    const beside = reduce(asked('a', 'b'), asking('a'));
    const resolved = (approvalId: string): SessionChange => ({ type: 'approval_resolved', approvalId }) as SessionChange; // prettier-ignore
    expect(reduce(beside, resolved('a'))).toMatchObject({ askedBeside: null, approvals: [{ id: 'b' }] });
    expect(reduce(beside, resolved('b'))).toMatchObject({ askedBeside: 'a', approvals: [{ id: 'a' }] });
    expect(reduce(beside, { type: 'settled' } as SessionChange)).toMatchObject({ askedBeside: null, approvals: [] });
  });

  it('keeps its place in the queue when it is edited', () => {
    const state = reduce(asked('a', 'b'), { type: 'approval_requested', request: { id: 'a', edited: {} } as never });
    expect(state.approvals.map(({ id }) => id)).toEqual(['a', 'b']);
  });
});

describe('EV8: a delta', () => {
  it('changes its block and nothing else, also one that leaves blocks out, and none that no server can mean', () => {
    const live = { streamId: 's', provider: 'p', model: 'm', startedAt: 0, blocks: [] };
    const before = reduce({ ...NO_SESSION, rows: rows(9) }, { type: 'stream_start', live });
    const delta = (index: number, text: string): SessionChange => ({
      ...{ type: 'stream_delta', streamId: 's', index, kind: 'thinking', delta: text },
    });
    const after = [delta(1, 'a'), delta(1, 'b'), delta(0, 'c')].reduce(reduce, before);
    expect(after.reply?.blocks).toEqual([
      { kind: 'text', text: 'c' },
      { kind: 'thinking', text: 'ab' },
    ]);
    expect({ ...after, reply: null }).toEqual({ ...before, reply: null });
    expect(after.rows).toBe(before.rows);
    for (const index of [-1, 0.5, 1e9, Number.NaN])
      expect(reduce(after, delta(index, 'x')).reply?.blocks).toEqual(after.reply?.blocks);
    expect(reduce(after, { ...delta(0, 'x'), streamId: 'other' } as SessionChange)).toBe(after);
  });
});
