import { describe, expect, it } from 'vitest';
import { FailingFs } from '../../support/failing-fs';
import { textsOf, user } from '../../support/journal';
import {
  afterManyTurns,
  FAULT_KINDS,
  moveWithFault,
  SHARES,
  storeIn,
  writeWithFault,
} from '../../support/journal-faults';
import type { Place } from '../../support/journal-faults';
import { MemoryFs } from '../../support/memory-fs';

const inMemory = (): Place => ({ fs: new MemoryFs(), home: '/home', late: afterManyTurns });
const unharmed = { lost: 0, duplicated: 0, hung: 0, unexplained: [], notShownAsFull: [] };

describe('QR4: a file system that fails at call k (every k: `npm run faults`)', () => {
  it.each(FAULT_KINDS)(
    'JN17: writing with $kind (stays: $stays): nothing acknowledged is lost, everything settles and is explained',
    async (fault) => {
      const { calls, acknowledged } = await writeWithFault(inMemory(), null);
      expect(acknowledged).toBe(8);
      for (let at = 1; at <= calls; at++) {
        // All shares at every call: `npm run faults`.
        const share = SHARES[at % SHARES.length];
        const outcome = await writeWithFault(inMemory(), { at, ...fault }, share);
        expect({ at, share, ...outcome }).toMatchObject(unharmed);
      }
    },
  );

  it.each([
    { step: 3, ...FAULT_KINDS[0]! },
    { step: 7, ...FAULT_KINDS[3]! },
  ])(
    'JN18: importing, exporting, deleting, bringing back and rebuilding with $kind (stays: $stays) loses no session',
    async ({ step, ...fault }) => {
      const { calls } = await moveWithFault(inMemory(), null);
      expect(calls).toBeGreaterThan(50);
      for (let at = 1; at <= calls; at += step) {
        const outcome = await moveWithFault(inMemory(), { at, ...fault });
        expect({ at, ...outcome }).toMatchObject(unharmed);
      }
    },
  );

  it('JN17: after a failed write file, tree and leaf are as before, and the next append succeeds', async () => {
    let failures = 0;
    for (let at = 1; at < 60; at++) {
      const inner = new MemoryFs();
      const store = await storeIn('/home', new FailingFs({ at, kind: 'short' }, inner)).catch(() => null);
      if (!store) continue;
      const log = await store.create({ workspace: '/w' });
      const saved: string[] = [];
      for (const text of ['a', 'b', 'c', 'd', 'e', 'f']) {
        const before = { leafId: log.tree.leafId, size: log.tree.size, mark: log.mark() };
        const isSaved = await log.append([user(text)]).then(
          () => true,
          () => false,
        );
        if (isSaved) saved.push(text);
        else expect({ leafId: log.tree.leafId, size: log.tree.size, mark: log.mark() }).toEqual(before);
      }
      failures += 6 - saved.length;
      expect(saved.length).toBeGreaterThanOrEqual(5);
      expect(await textsOf(log).catch(() => textsOf(log))).toEqual(saved);
      await store.close();
      const again = await (await storeIn('/home', inner)).open(log.sessionId);
      expect({ at, texts: await textsOf(again), damage: again.damage }).toEqual({ at, texts: saved, damage: [] });
    }
    expect(failures).toBeGreaterThan(10);
  });
});
