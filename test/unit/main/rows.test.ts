import { describe, expect, it } from 'vitest';
import { graphRows, newestPage, pathRowOf, rowNodesTo, sharedRows } from '../../../src/main/session/machine/rows';
import { searchEntries } from '../../../src/main/session/search-entries';
import type { SessionLog } from '../../../src/main/ports';
import type { SessionEntry } from '@shared/session/records/entry';
import { factsOf } from '@shared/session/records/facts';
import { decodeFacts, encodeFacts } from '@shared/session/records/facts-codec';
import { parseRecord } from '@shared/session/records/records';
import { SessionTree } from '@shared/session/tree/tree';
import { HEADER, timeOf } from '../shared/session/support';

const said = (id: string, parentId: string | null, n: number, text: string, role = 'user'): SessionEntry =>
  ({
    type: 'message',
    id,
    parentId,
    timestamp: timeOf(n),
    message: { role, content: [{ type: 'text', text }], timestamp: n },
  }) as SessionEntry;

function logOf(entries: readonly SessionEntry[]): SessionLog {
  const tree = new SessionTree(HEADER);
  entries.forEach((entry, at) => tree.addEntry(entry, at + 1));
  const linesOf = (ids: readonly string[]) =>
    Promise.resolve(
      ids.flatMap((id) => {
        const entry = entries.find((item) => item.id === id);
        return entry ? [{ seq: 0, id, line: JSON.stringify(entry) }] : [];
      }),
    );
  return { tree, linesOf } as unknown as SessionLog;
}

describe('session.graph', () => {
  it('streams path entries of all branches from a line on; side records are no nodes and no parents', () => {
    const { tree } = logOf([
      said('a', null, 1, 'one'),
      { type: 'label', id: 'l', parentId: 'a', timestamp: timeOf(2), targetId: 'a', label: 'x' } as SessionEntry,
      said('b', 'l', 3, 'below a label'),
      said('c', 'a', 4, 'beside it'),
    ]);
    const all = [...graphRows(tree, 0)].flat();
    expect(all.map(({ id, parentId, kind }) => [id, parentId, kind])).toEqual([
      ['a', null, 'user'],
      ['b', 'a', 'user'],
      ['c', 'a', 'user'],
    ]);
    expect([...graphRows(tree, 4)].flat().map(({ id }) => id)).toEqual(['c']);
  });

  it('tells a reply that failed from one that the person stopped', () => {
    const ended = (id: string, parentId: string, n: number, stopReason: string): SessionEntry => {
      const reply = said(id, parentId, n, 'so far', 'assistant') as Extract<SessionEntry, { type: 'message' }>;
      return { ...reply, message: { ...reply.message, stopReason } } as SessionEntry;
    };
    const { tree } = logOf([
      said('a', null, 1, 'one'),
      ended('e', 'a', 2, 'error'),
      ended('s', 'e', 3, 'aborted'),
      ended('o', 's', 4, 'stop'),
    ]);
    expect([...graphRows(tree, 0)].flat().map(({ failed, stopped }) => [failed, stopped])).toEqual([
      [undefined, undefined],
      [true, undefined],
      [undefined, true],
      [undefined, undefined],
    ]);
  });

  it('TS16: says of a custom message that the person is not shown it, also from an index', () => {
    const custom = (id: string, parentId: string, n: number, display?: boolean): SessionEntry =>
      ({ type: 'custom_message', id, parentId, timestamp: timeOf(n), customType: 'x', content: 'x', display }) as never;
    const entries = [
      said('a', null, 1, 'one'),
      custom('h', 'a', 2, false),
      custom('s', 'h', 3, true),
      custom('o', 's', 4),
    ];
    const { tree } = logOf(entries);
    const rows = [...graphRows(tree, 0)].flat().map(({ kind, silent }) => [kind, silent]);
    expect(rows).toEqual([
      ['user', undefined],
      ['custom', true],
      ['custom', undefined],
      ['custom', undefined],
    ]);
    for (const facts of entries.map(factsOf)) expect(decodeFacts(encodeFacts(facts))).toEqual(facts);
  });

  it('TS4, GR20: says which file was changed, by which tool, how a call ended, and which replies are mute, also from an index', () => {
    const message = (id: string, parentId: string, n: number, more: object): SessionEntry =>
      ({ type: 'message', id, parentId, timestamp: timeOf(n), message: { timestamp: n, ...more } }) as never;
    const call = (id: string, name: string, path: string) => ({ type: 'toolCall', id, name, arguments: { path } });
    const long = `/${'deep/'.repeat(200)}end.ts`;
    const result = (id: string, parentId: string, n: number, toolCallId: string, toolName: string, more = {}) =>
      message(id, parentId, n, {
        ...{
          role: 'toolResult',
          toolCallId,
          toolName,
          isError: false,
          content: [{ type: 'text', text: 'ok' }],
          ...more,
        },
      });
    const failed = { isError: true, content: [{ type: 'text', text: 'x' }] };
    const entries = [
      said('a', null, 1, 'one'),
      message('s', 'a', 2, {
        role: 'assistant',
        content: [
          call('1', 'edit', 'src/a.ts'),
          call('2', 'read', 'b.ts'),
          call('3', 'write', long),
          call('4', 'bash', ''),
        ],
      }),
      result('r1', 's', 3, '1', 'edit'),
      result('r2', 'r1', 4, '2', 'read'),
      result('r3', 'r2', 5, '3', 'write'),
      result('r4', 'r3', 6, '4', 'bash', { ...failed, details: { ending: 'exited', exitCode: 1 } }),
      message('t', 'r4', 7, {
        role: 'assistant',
        content: [{ type: 'text', text: 'Done.' }, call('1', 'edit', 'c.ts')],
      }),
      result('r5', 't', 8, '1', 'edit'),
      message('b', 'r5', 9, { role: 'bashExecution', command: 'x', output: '', exitCode: 2 }),
    ];
    const { tree } = logOf(entries);
    const rows = [...graphRows(tree, 0)].flat();
    expect(rows.map(({ file }) => file?.slice(-8))).toEqual([
      ...[
        undefined,
        undefined,
        'src/a.ts',
        undefined,
        '/end.ts'.padStart(8, 'p'),
        undefined,
        undefined,
        'c.ts',
        undefined,
      ],
    ]);
    expect(rows[4]?.file).toHaveLength(300);
    expect(
      rows
        .map(({ tool }) => tool ?? '')
        .join(' ')
        .trim(),
    ).toBe('edit read write bash  edit');
    expect(rows.map(({ ended }) => ended?.note).filter(Boolean)).toEqual(['exit 1', 'exit 2']);
    expect(rows.map(({ mute }) => mute)).toEqual([undefined, true, ...Array(7).fill(undefined)]);
    for (const { facts } of tree.entriesInOrder())
      expect(decodeFacts(JSON.parse(JSON.stringify(encodeFacts(facts))))).toEqual(facts);
  });

  it('says which results changed a file: of write and edit, and only where they did not fail', () => {
    const results = [
      ['read', false],
      ['write', false],
      ['edit', true],
      ['edit', false],
    ] as const;
    const { tree } = logOf([
      said('a', null, 1, 'one'),
      ...results.map(([toolName, isError], at) => {
        const entry = said(`r${at}`, at === 0 ? 'a' : `r${at - 1}`, at + 2, 'done', 'toolResult') as {
          message: object;
        };
        return { ...entry, message: { ...entry.message, toolCallId: `c${at}`, toolName, isError } } as SessionEntry;
      }),
    ]);
    const found = [...graphRows(tree, 0)].flat().filter((row) => row.changed);
    expect(found.map(({ id, callId }) => [id, callId])).toEqual([
      ['r1', 'c1'],
      ['r3', 'c3'],
    ]);
  });

  it('has no cycle where the file has one', () => {
    const { tree } = logOf([said('a', 'b', 1, 'one'), said('b', 'a', 2, 'two')]);
    const entries = [...graphRows(tree, 0)].flat();
    expect(entries.filter(({ parentId }) => parentId === null)).toHaveLength(1);
  });
});

describe('the rows of a path', () => {
  it('two paths share what both have as the same; a compaction that was taken back is another row', () => {
    const { tree } = logOf([
      said('a', null, 1, 'one'),
      {
        type: 'compaction',
        id: 'c',
        parentId: 'a',
        timestamp: timeOf(2),
        summary: 's',
        tokensBefore: 1,
      } as SessionEntry,
      said('b', 'c', 3, 'after it'),
      said('d', 'a', 4, 'beside it'),
    ]);
    const before = rowNodesTo(tree, 'b', []);
    const undone = rowNodesTo(tree, 'd', [tree.node('c')!]);
    expect([sharedRows(before, undone), sharedRows(before, before)]).toEqual([1, 3]);
    expect(newestPage(tree, undone).rows.map(({ id, kind }) => [id, kind])).toEqual([
      ['a', 'user'],
      ['c', 'undone'],
      ['d', 'user'],
    ]);
  });
});

describe('SF18: rows of records with a taken id', () => {
  const label = {
    type: 'label',
    id: 'l',
    parentId: 'b',
    timestamp: timeOf(5),
    targetId: 'a',
    label: 'x',
  } as SessionEntry;
  const { tree } = logOf([
    said('a', null, 1, 'one'),
    said('b', 'a', 2, 'two'),
    said('c', 'b', 3, 'three'),
    said('d', 'a', 4, 'beside two'),
    label,
  ]);
  const second = (id: string, parentId: string | null, seq: number): void =>
    tree.seconds.add(factsOf(said(id, parentId, seq, 'other')), seq);
  second('b', 'a', 10);
  second('a', 'c', 11);
  second('b', 'nobody', 12);
  second('l', 'b', 13);
  second('a', null, 14);
  const rowsTo = (leafId: string | null): [string, number][] =>
    newestPage(tree, rowNodesTo(tree, leafId, [])).rows.map(({ id, kind, seq }) => [kind === 'user' ? id : kind, seq]);

  it('stand beside the first, or behind what they follow where that is elsewhere', () => {
    expect(rowsTo('c')).toEqual([
      ['a', 1],
      ['opaque', 14],
      ['b', 2],
      ['opaque', 10],
      ['opaque', 12],
      ['opaque', 13],
      ['c', 3],
      ['opaque', 11],
    ]);
    expect(rowsTo('d')).toEqual([
      ['a', 1],
      ['opaque', 14],
      ['d', 4],
    ]);
  });

  it('are no entries: no version, no node of the graph, no leaf; a record with such a name is damage', () => {
    const [, row] = newestPage(tree, rowNodesTo(tree, 'c', [])).rows;
    expect(row).toMatchObject({ kind: 'opaque', tokens: 0 });
    expect(row).not.toHaveProperty('siblingCount');
    expect([...graphRows(tree, 0)].flat().map(({ id }) => id)).toEqual(['a', 'b', 'c', 'd']);
    expect(tree.siblings('b')).toMatchObject({ count: 2, ids: ['b', 'd'] });
    expect(tree.leafId).toBe('d');
    expect(parseRecord(JSON.stringify({ ...said('a', null, 1, ''), id: row!.id }))).toMatchObject({
      kind: 'malformed',
    });
  });
});

describe('rows of copies', () => {
  it('UN1: a copy of a copy was said when its original was', () => {
    const rebase = (id: string, n: number, copies: [string, string][]): SessionEntry =>
      ({
        type: 'custom',
        customType: 'espalier.rebase',
        id,
        parentId: null,
        timestamp: timeOf(n),
        data: { v: 1, op: 'undo', compactionId: 'c', fromLeafId: 'b', copies },
      }) as SessionEntry;
    const { tree } = logOf([
      said('a', null, 1, 'one'),
      said('b', 'a', 2, 'two'),
      rebase('r', 50, [['b', 'b2']]),
      said('b2', 'a', 50, 'two'),
      rebase('s', 60, [['b2', 'b3']]),
      said('b3', 'a', 60, 'two'),
      said('d', 'b3', 70, 'three'),
    ]);
    const times = ['b', 'b2', 'b3', 'd'].map((id) => pathRowOf(tree, tree.node(id)!).time);
    expect(times).toEqual([2, 2, 2, 70].map((n) => Date.parse(timeOf(n))));
  });
});

describe('session.search', () => {
  const log = logOf([
    said('a', null, 1, 'The Worker reads "jobs"\nwithout an index'),
    said('b', 'a', 2, 'jobs elsewhere'),
    said('c', 'a', 3, 'a worker of jobs on another branch'),
  ]);
  const find = async (query: string) => (await searchEntries(log, query, () => 0)).entryIds;

  it('finds entries of every branch that hold all words, newest first', async () => {
    expect(await find('worker JOBS')).toEqual(['c', 'a']);
  });

  it('looks at the text, not at how the file writes it', async () => {
    expect(await find('"jobs"')).toEqual(['a']);
    expect(await find('timestamp')).toEqual([]);
    expect(await find('   ')).toEqual([]);
  });

  it('says that there may be more when its time is over', async () => {
    const many = logOf(Array.from({ length: 500 }, (_, at) => said(`e${at}`, at ? `e${at - 1}` : null, at, 'word')));
    let clock = 0;
    const result = await searchEntries(many, 'word', () => (clock += 6000));
    expect(result).toMatchObject({ isPartial: true });
    expect(result.entryIds).toHaveLength(200);
  });
});
