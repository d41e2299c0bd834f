import { describe, expect, it } from 'vitest';
import { type EspalierDatabase, inTurn } from '../../../src/renderer/db/database';

describe('WN6: writes of the window’s database', () => {
  it('are never two at once, and none is held up by one that failed', async () => {
    const db = {} as EspalierDatabase;
    let running = 0;
    const order: number[] = [];
    const write = (n: number) => async (): Promise<number> => {
      running += 1;
      expect(running).toBe(1);
      await new Promise((done) => setTimeout(done, 5 - n));
      running -= 1;
      order.push(n);
      if (n === 1) throw new Error('No room.');
      return n;
    };
    const turns = await Promise.allSettled([0, 1, 2, 3].map((n) => inTurn(db, write(n))));
    expect(turns.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
    expect(order).toEqual([0, 1, 2, 3]);
    // Another database waits for nothing, and begins at once.
    let begun = false;
    void inTurn({} as EspalierDatabase, () => Promise.resolve((begun = true)));
    expect(begun).toBe(true);
  });
});
