import { setImmediate as breathe } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { PathHead } from '@shared/ipc/tree-types';
import type { Row } from '@shared/session-state/state';
import { readPath } from '../../../src/main/session/branches/read-path';
import { pathRowOf } from '../../../src/main/session/machine/rows';
import { branchySession } from '../../support/branchy-session';
import { MemoryLog } from '../../support/memory-log';

/** The path to an entry as main streams it, against what the tree says of it. */

const SHAPE = { turns: 14, branches: 2, branchLength: 3, compactions: 1, labels: 1 };

function logOf(lines: readonly string[]): MemoryLog {
  const log = new MemoryLog('tree');
  for (const line of lines.slice(1)) log.addLine(line);
  log.tree.settleLeafAfterLoad();
  return log;
}

interface Read {
  head: PathHead;
  page: Row[];
  rows: Row[];
}

async function read(
  log: MemoryLog,
  entryId: string,
  meanwhile: () => Promise<void> = async () => undefined,
  endId?: string,
): Promise<Read> {
  let head: PathHead | undefined;
  let page: Row[] = [];
  let rows: Row[] = [];
  for await (const chunk of readPath(log, entryId, endId)) {
    if (chunk.head) [head, page, rows] = [chunk.head, chunk.rows, chunk.rows];
    else rows = chunk.isNewer ? [...rows, ...chunk.rows] : [...chunk.rows, ...rows];
    await meanwhile();
  }
  if (!head) throw new Error('It has no head');
  return { head, page, rows };
}

const message = (id: string, parentId: string | null, role: 'user' | 'assistant'): string =>
  JSON.stringify({
    ...{ type: 'message', id, parentId, timestamp: '2026-01-02T03:04:05.000Z' },
    message:
      role === 'user'
        ? { role, content: [{ type: 'text', text: `Question ${id}` }], timestamp: 0 }
        : {
            ...{ role, content: [{ type: 'text', text: 'Yes.' }], provider: 'p', model: 'm', api: 'a', timestamp: 0 },
            ...{ stopReason: 'stop', usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2 } },
          },
  });

/** A straight trunk, and one branch of the same length that leaves it after some turns. */
function twoWays(turns: number, forkAt: number): { log: MemoryLog; aside: string[] } {
  const log = new MemoryLog('long');
  const aside: string[] = [];
  const id = (way: string, n: number): string => `${way}${n.toString(16).padStart(7, '0')}`;
  const walk = (way: string, from: string | null, count: number): string | null => {
    let parent = from;
    for (let n = 0; n < 2 * count; n++) {
      log.addLine(message(id(way, n), parent, n % 2 === 0 ? 'user' : 'assistant'));
      parent = id(way, n);
      if (way === 'b') aside.push(parent);
    }
    return parent;
  };
  walk('b', id('a', 2 * forkAt - 1), 0);
  const trunk = walk('a', null, turns);
  walk('b', id('a', 2 * forkAt - 1), turns);
  log.addLine(
    JSON.stringify({
      ...{ type: 'custom', customType: 'espalier.leaf', id: 'leaf0000', parentId: trunk },
      ...{ timestamp: '2026-01-02T03:04:06.000Z', data: { leafId: trunk, reason: 'navigate' } },
    }),
  );
  log.tree.settleLeafAfterLoad();
  return { log, aside };
}

describe('GR16: a row that stands for a branch', () => {
  it('is read to the end of that branch, whatever was said beside it since', async () => {
    const log = new MemoryLog('aside');
    const say = (id: string, parentId: string | null): unknown =>
      log.addLine(message(id, parentId, /[13579]$/.test(id) ? 'user' : 'assistant'));
    for (let n = 1; n <= 8; n += 1) say(`0000000${n}`, n === 1 ? null : `0000000${n - 1}`);
    // Out of its first turn, and later: what the branch was left at otherwise.
    say('a0000001', '00000002');
    say('a0000002', 'a0000001');
    // HEAD is elsewhere.
    say('b0000001', null);
    log.tree.settleLeafAfterLoad();
    const wait = async (): Promise<void> => undefined;
    expect((await read(log, '00000001')).head.leafId).toBe('a0000002');
    const { head, rows } = await read(log, '00000001', wait, '00000008');
    expect(head).toMatchObject({ entryId: '00000001', leafId: '00000008', turns: 4 });
    expect(rows.at(-1)?.id).toBe('00000008');
    // An end that stands elsewhere says nothing.
    expect((await read(log, 'a0000001', wait, '00000008')).head.leafId).toBe('a0000002');
  });
});

describe('the path to an entry (GR12)', () => {
  it('has every row of it, in order, whichever entry of the branch is asked for, and says what is shared', async () => {
    const { lines, trunk, branches } = branchySession(SHAPE);
    const log = logOf(lines);
    for (const branch of branches) {
      const path = log.tree.pathTo(branch.leafId).filter(({ facts }) => !facts.side);
      for (const entryId of [...branch.prompts, branch.leafId]) {
        const { head, rows } = await read(log, entryId);
        expect(rows).toEqual(path.map((node) => pathRowOf(log.tree, node)));
        expect(head).toMatchObject({
          entryId,
          leafId: branch.leafId,
          isHead: false,
          turns: 3,
          firstId: branch.prompts[0],
        });
        expect(head.sharedPromptId).toBe(branch.from);
        expect(rows[head.shared - 1]?.id).toBe(head.forkId);
        const own = rows.slice(head.shared);
        expect(head.tokens).toBe(own.reduce((sum, { tokens }) => sum + tokens, 0));
        expect(head.lines.map(({ id }) => id)).toContain(entryId);
      }
    }
    expect((await read(log, trunk[1] ?? '')).head).toMatchObject({ isHead: true, leafId: log.tree.leafId });
  });

  it('of HEAD’s own path says only that; an entry that is not there is refused', async () => {
    const { lines, trunk } = branchySession(SHAPE);
    const log = logOf(lines);
    const { head, rows } = await read(log, trunk[0] ?? '');
    expect([head.isHead, rows]).toEqual([true, []]);
    await expect(read(log, 'nothing')).rejects.toThrow();
  });

  it('a path that goes on while it is read has the rows that it had, and HEAD’s moves change none of it', async () => {
    const { log, aside } = twoWays(1_500, 700);
    let steps = 0;
    const { rows, head } = await read(log, aside[4] ?? '', async () => {
      steps += 1;
      if (steps === 2) await log.moveLeaf(aside[10] ?? '', 'navigate');
      if (steps === 3) await log.append([{ type: 'custom', customType: 'x', data: {} }]);
      await breathe();
    });
    expect(steps).toBeGreaterThan(4);
    expect(rows.map(({ id }) => id)).toEqual(log.tree.pathTo(head.leafId).map(({ id }) => id));
  });

  it('of a path of tens of thousands of entries it lets others have their turn many times before its first page', async () => {
    const { log, aside } = twoWays(12_000, 11_000);
    let [turns, isOver] = [0, false];
    const others = async (): Promise<void> => {
      while (!isOver) {
        await breathe();
        turns += 1;
      }
    };
    const counted = others();
    const { value } = await readPath(log, aside[9_000] ?? '').next();
    isOver = true;
    await counted;
    expect(turns).toBeGreaterThan(20);
    expect((value as { rows: Row[] }).rows.length).toBe(200);
    expect((value as { rows: Row[] }).rows.some(({ id }) => id === aside[9_000])).toBe(true);
  });
});
