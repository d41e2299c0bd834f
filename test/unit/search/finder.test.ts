import { expect, it } from 'vitest';
import { Finder } from '../../../src/main/search/finder';
import { ROWS_A_SESSION } from '../../../src/main/search/search-db';

it('SE1: however many hits there are, the walk begins at the newest; what is left out is the oldest', () => {
  const count = 12_000;
  const read = { no: 1, sessionId: 's', places: new Uint8Array(), forks: new Uint32Array(), modifiedMs: 0, size: 1 };
  const db = {
    find: () => Array.from({ length: count }, (_, at) => ROWS_A_SESSION + count - 1 - at),
    line: (row: number) => ({ entryId: `e${row - ROWS_A_SESSION}`, offset: 0, length: 1 }),
  };
  const progress = { unread: () => 0, isUnread: () => false, isGone: () => false, touch: () => undefined };
  const finder = new Finder(db as never, new Map([['s', read]]) as never, {} as never, progress);
  const { path, isPartial } = finder.inSession('s', { query: 'the', exact: false, matchCase: false });
  expect([path[0]?.entryId, path.at(-1)?.entryId, path.length]).toEqual(['e2000', 'e11999', 10_000]);
  expect(isPartial).toBe(true);
});
