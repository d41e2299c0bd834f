import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SessionHost } from '../../../src/main/session/host/session-host';
import { SyncService } from '../../../src/main/sync/sync-service';
import type { Notice } from '../../../src/shared/types';
import { startHarness, type Harness } from '../../support/agent-harness';
import { exchange, header } from '../../support/e2e/session-files';
import { openStoreBench, type StoreBench } from '../../support/journal';

/** More sessions come at once than stay loaded: their logs are let go of while the second copy is still being made. */
let harness: Harness;
let bench: StoreBench;
let host: SessionHost;
let folder: string;
const notices: Notice[] = [];
const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

beforeEach(async () => {
  harness = await startHarness();
  bench = await openStoreBench();
  folder = await mkdtemp(join(tmpdir(), 'espalier-imports-'));
  host = new SessionHost({ ...harness.ports, store: bench.store, sessionsDir: bench.dir, scratchDir: bench.dir });
});
afterEach(async () => {
  await host.dispose();
  await bench.dispose();
  await harness.close();
  await rm(folder, { recursive: true, force: true });
});

async function sessionFile(n: number, exchanges: number): Promise<string> {
  const path = join(folder, `${n}.jsonl`);
  const lines = [header(3, `import-${n}`)];
  let parent: string | null = null;
  for (let at = 0; at < exchanges; at++) {
    const { lines: more, leafId } = exchange(at, parent, 60);
    lines.push(...more);
    parent = leafId;
  }
  await writeFile(path, `${lines.join('\n')}\n`);
  return path;
}

describe('many files imported at once', () => {
  it.each([12, 30])('SY3: %i: every line reaches the second copy, and nobody is told of a disk', async (count) => {
    const sync = new SyncService(
      bench.store,
      () => Promise.resolve(),
      silent,
      (notice) => notices.push(notice),
    );
    const copies = new Map<string, number>();
    const copying: Promise<void>[] = [];
    let allAreThere = (): void => undefined;
    const imported = new Promise<void>((resolve) => (allAreThere = resolve));
    // As the window does, only slower: the next chunk is asked for when the last was stored.
    const copy = async (sessionId: string): Promise<void> => {
      for await (const { lines } of sync.lines(sessionId, 0)) {
        copies.set(sessionId, (copies.get(sessionId) ?? 0) + lines.length);
        await imported;
      }
    };
    for (let n = 0; n < count; n++) {
      const { id } = await host.importFile(await sessionFile(n, 200));
      copying.push(copy(id));
    }
    allAreThere();
    await Promise.all(copying);
    expect([...copies.values()]).toEqual(Array.from({ length: count }, () => 401));
    expect(notices).toEqual([]);
  });

  it('what the model saw can be read to its end, though the session was let go of', async () => {
    const { id } = await host.importFile(await sessionFile(100, 400));
    const chunks = host.context(id, null);
    const first = await chunks.next();
    for (let n = 0; n < 9; n++) await host.importFile(await sessionFile(n, 1));
    let parts = first.done ? 0 : first.value.parts.length;
    for await (const chunk of chunks) parts += chunk.parts.length;
    expect(parts).toBe(800);
  });
});
