import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FailingFs } from '../../support/failing-fs';
import type { FaultKind } from '../../support/failing-fs';
import { openStoreBench, textsOf, user } from '../../support/journal';
import { runWithFault } from '../../support/journal-faults';

let scratch = '';
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'espalier-faults-'));
});
afterAll(() => rm(scratch, { recursive: true, force: true }));

const KINDS: { kind: FaultKind; stays?: boolean }[] = [
  { kind: 'ENOSPC' },
  { kind: 'EIO' },
  { kind: 'short' },
  { kind: 'ENOSPC', stays: true },
];

describe('J17: a file system that fails at call k, for every k', () => {
  it.each(KINDS)(
    '$kind (stays: $stays): nothing acknowledged is lost, everything settles and is explained',
    async (fault) => {
      const { calls, acknowledged } = await runWithFault(scratch, null);
      expect(acknowledged).toBe(8);
      for (let at = 1; at <= calls; at++) {
        for (const share of [0, 0.5, 1]) {
          const outcome = await runWithFault(scratch, { at, ...fault }, share);
          expect({ at, share, ...outcome }).toMatchObject({ lost: 0, duplicated: 0, hung: 0, unexplained: [] });
        }
      }
    },
  );

  it('J17: after a failed write file, tree and leaf are as before, and the next append succeeds', async () => {
    for (let at = 1; at < 60; at++) {
      const fs = new FailingFs({ at, kind: 'short' });
      const bench = await openStoreBench({ fs }).catch(() => null);
      if (!bench) continue;
      const log = await bench.store.create({ workspace: '/w' });
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
      expect(saved.length).toBeGreaterThanOrEqual(5);
      expect(await textsOf(log).catch(() => textsOf(log))).toEqual(saved);
      const store = await bench.restart();
      const again = await store.open(log.sessionId);
      expect({ at, texts: await textsOf(again), damage: again.damage }).toEqual({ at, texts: saved, damage: [] });
      await bench.dispose();
    }
  });
});
