import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { describeSession } from '../../../src/main/journal/meta/session-meta';
import type { SessionEntry } from '@shared/session/records/entry';
import { MemoryLog } from '../../support/memory-log';

const NOW = 1_800_000_000_000;
const ROLES = ['user', 'assistant', 'toolResult', 'custom'] as const;

function message(at: number, parent: number | null, role: string): SessionEntry {
  const time = NOW + at;
  const content = [{ type: 'text', text: `said ${at}` }];
  return {
    type: 'message',
    id: `e${at}`,
    parentId: parent === null ? null : `e${parent}`,
    timestamp: new Date(time).toISOString(),
    message: { role, content, timestamp: time },
  };
}

function logOf(entries: readonly SessionEntry[]): MemoryLog {
  const log = new MemoryLog();
  for (const entry of entries) log.addLine(JSON.stringify(entry));
  log.tree.settleLeafAfterLoad();
  return log;
}

describe('the description of a session', () => {
  it('names the first prompt of its path and the newest prompt or reply, in any tree', async () => {
    const node = fc.record({ up: fc.nat({ max: 4 }), role: fc.constantFrom(...ROLES) });
    await fc.assert(
      fc.asyncProperty(fc.array(node, { minLength: 1, maxLength: 40 }), async (nodes) => {
        const entries = nodes.map(({ up, role }, at) => message(at, at === 0 || up >= at ? null : at - 1 - up, role));
        const log = logOf(entries);
        const path = log.tree.pathTo(log.tree.leafId).map(({ facts }) => facts);
        const first = path.find(({ role }) => role === 'user');
        const newest = path.filter(({ role }) => role === 'user' || role === 'assistant').at(-1);
        const said = (id: string | undefined) => (id === undefined ? '' : `said ${id.slice(1)}`);
        const { title, preview } = await describeSession(log, NOW);
        expect({ title, preview }).toEqual({ title: said(first?.id), preview: said(newest?.id) });
      }),
    );
  });

  it('dates it by what was last said or done, not by its name', async () => {
    const named = {
      ...{ type: 'session_info', id: 'named', parentId: 'e0', name: 'Mine' },
      timestamp: new Date(NOW + 5_000).toISOString(),
    } as SessionEntry;
    const described = await describeSession(logOf([message(0, null, 'user'), named]), NOW + 9_000);
    expect(described).toMatchObject({ title: 'Mine', updatedAt: NOW });
  });

  it('gives way while it walks a long path, and leaves nothing of it to be worked out', async () => {
    const count = 100_000;
    const log = logOf(Array.from({ length: count }, (_, at) => message(at, at === 0 ? null : at - 1, 'user')));
    let turns = 0;
    let isDone = false;
    const turn = (): void => {
      turns += 1;
      if (!isDone) setImmediate(turn);
    };
    setImmediate(turn);
    expect((await describeSession(log, NOW)).title).toBe('said 0');
    isDone = true;
    // Twenty steps of 10,000 entries: ten up the path, ten down.
    expect(turns).toBeGreaterThanOrEqual(20);
    expect(log.tree.entriesInOrder().filter((node) => !node.state)).toEqual([]);
  });
});
