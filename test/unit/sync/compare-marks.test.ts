import { describe, expect, it } from 'vitest';
import { compareMarks, type JournalView } from '../../../src/main/sync/sync-service';

function journal(marks: [string, number, number][], more: Partial<JournalView> = {}): JournalView {
  return {
    marks: marks.map(([sessionId, seq, crc]) => ({ sessionId, seq, crc })),
    trashed: new Set(),
    crcAt: (_id, seq) => Promise.resolve(seq * 10),
    trashedCrcAt: (_id, seq) => Promise.resolve(seq * 10),
    ...more,
  };
}
const mark = (sessionId: string, seq: number, crc: number) => ({ sessionId, seq, crc });
const nothing = { fetch: [], upload: [], drop: [] };

describe('SY1, SY8: comparing the two copies', () => {
  it('finds nothing to do when they agree', async () => {
    expect(await compareMarks([mark('a', 5, 50)], journal([['a', 5, 50]]))).toEqual(nothing);
  });
  it('fills an empty or reset database from the journals', async () => {
    expect(
      await compareMarks(
        [],
        journal([
          ['a', 5, 50],
          ['b', 0, 0],
        ]),
      ),
    ).toEqual({
      ...nothing,
      fetch: [
        { sessionId: 'a', fromSeq: 0 },
        { sessionId: 'b', fromSeq: 0 },
      ],
    });
  });
  it('sends what the database lacks', async () => {
    expect(await compareMarks([mark('a', 3, 30)], journal([['a', 5, 50]]))).toEqual({
      ...nothing,
      fetch: [{ sessionId: 'a', fromSeq: 4 }],
    });
  });
  it('compares line by line what the figures cannot tell, whichever has more', async () => {
    for (const other of [mark('a', 3, 31), mark('a', 5, 51), mark('a', 7, 70)])
      expect(await compareMarks([other], journal([['a', 5, 50]]))).toEqual({ ...nothing, upload: ['a'] });
  });
  it('asks for the lines of a journal that was lost', async () => {
    expect(await compareMarks([mark('a', 5, 50)], journal([]))).toEqual({ ...nothing, upload: ['a'] });
  });
  it('lets the database forget what was deleted', async () => {
    expect(await compareMarks([mark('a', 5, 50)], journal([], { trashed: new Set(['a']) }))).toEqual({
      ...nothing,
      drop: ['a'],
    });
  });
  it('forgets no session of which the trash has another course', async () => {
    expect(await compareMarks([mark('a', 5, 51)], journal([], { trashed: new Set(['a']) }))).toEqual({
      ...nothing,
      upload: ['a'],
    });
  });
});
