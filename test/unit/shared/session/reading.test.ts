import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contextAt } from '../../../support/context-at';
import { NotASessionFileError, type SessionEntry } from '@shared/session/records/entry';
import { readSession } from '../../../support/read-session';
import { parseRecord, versionOf } from '@shared/session/records/records';
import { serializeEntry, serializeHeader } from '@shared/session/records/serialize-entry';
import { custom, HEADER, seededHex, texts, timeOf, treeOf, Writer } from './support';

const randomHex = seededHex(1);
const read = (lines: unknown[]): ReturnType<typeof readSession> =>
  readSession(
    lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))),
    { name: 'file.jsonl', randomHex },
  );
const entry = (id: string, parentId: string | null, more: object = {}): object => ({
  type: 'message',
  id,
  parentId,
  timestamp: timeOf(1),
  message: { role: 'user', content: id, timestamp: 0 },
  ...more,
});

describe('a file', () => {
  it('SF17: titles, blank and malformed lines may stand before the header, nothing else', () => {
    const { header, tree } = read([{ type: 'title', title: 't' }, '', '{"torn', HEADER, entry('a', null)]);
    expect([header.id, tree.size]).toEqual(['s1', 1]);
    for (const lines of [[], [entry('a', null), HEADER], [{ type: 'message', message: {} }, HEADER]])
      expect(() => read(lines)).toThrow(new NotASessionFileError('file.jsonl').message);
    expect(() => read([])).toThrow('Not a session file: file.jsonl');
    expect(() => read(['x'.repeat(1024 * 1024), HEADER])).toThrow(NotASessionFileError);
  });

  it('SF18: malformed lines are skipped and reported, of two equal ids the first counts', () => {
    const { tree, damage } = read([HEADER, entry('a', null), '{"torn', '', entry('a', null, { type: 'label' }), '[1]']);
    expect(tree.size).toBe(1);
    expect(damage).toEqual([
      { seq: 2, reason: 'not valid JSON' },
      { seq: 4, reason: 'duplicate id' },
      { seq: 5, reason: 'not a JSON object' },
    ]);
  });

  it('SF1: a BOM, a trailing CR and raw U+2028 are no damage', () => {
    const { tree, damage } = read([
      `\uFEFF${JSON.stringify(HEADER)}\r`,
      `${JSON.stringify(entry('a\u2028b', null))}\r`,
    ]);
    expect([tree.has('a\u2028b'), damage]).toEqual([true, []]);
  });

  it('SF17: any text is read without an error other than "not a session file"', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.string(), fc.json(), fc.constant(JSON.stringify(HEADER)))), (lines) => {
        for (const line of lines) parseRecord(line);
        try {
          contextAt(read(lines).tree);
        } catch (error) {
          expect(error).toBeInstanceOf(NotASessionFileError);
        }
      }),
      { numRuns: 200 },
    );
  });

  it('SF18: entries whose fields have any shape at all break nothing', () => {
    const type = fc.constantFrom('message', 'compaction', 'custom', 'label', 'model_change', 'context_edit', 'other');
    const shape = fc.record(
      {
        type,
        id: fc.constantFrom('a', 'b', 'c', 'd'),
        parentId: fc.constantFrom('a', 'b', 'c', null, 7),
        timestamp: fc.anything(),
        message: fc.oneof(
          fc.anything(),
          fc.record({ role: fc.constantFrom('user', 'assistant', 'toolResult'), content: fc.anything() }),
        ),
        summary: fc.anything(),
        firstKeptEntryId: fc.anything(),
        customType: fc.constantFrom('espalier.prune', 'espalier.rebase', 'espalier.leaf', 'espalier.pin', 3),
        data: fc.oneof(
          fc.anything(),
          fc.record({ items: fc.anything(), copies: fc.anything(), targetId: fc.anything() }),
        ),
        targetId: fc.anything(),
        replacement: fc.anything(),
        label: fc.anything(),
      },
      { requiredKeys: ['type', 'id'] },
    );
    fc.assert(
      fc.property(fc.array(shape, { maxLength: 6 }), (entries) => {
        const lines = entries.map((value) =>
          JSON.stringify(value, (_, inner: unknown) => (typeof inner === 'bigint' ? 1 : inner)),
        );
        const { tree } = read([HEADER, ...lines]);
        expect(contextAt(tree).messages.length).toBeLessThanOrEqual(2 * tree.size);
      }),
      { numRuns: 300 },
    );
  });
});

describe('the leaf after load', () => {
  const leaf = (...entries: object[]): string | null => read([HEADER, ...entries]).tree.leafId;
  const side = (id: string, parentId: string | null, customType = 'espalier.fact', data = {}): object => ({
    ...entry(id, parentId),
    type: 'custom',
    customType,
    data,
  });

  it('SF20: the last entry; while that is a side record, its parent', () => {
    expect(leaf(entry('a', null), entry('b', 'a'))).toBe('b');
    expect(leaf(entry('a', null), entry('b', 'a'), side('s', 'a'))).toBe('a');
    expect(leaf(entry('a', null), side('s', 'a'), side('t', 's'))).toBe('a');
    expect(leaf(entry('a', null), side('s', null))).toBeNull();
    expect(leaf(entry('a', null), side('s', 'missing'))).toBe('a');
    expect(leaf()).toBeNull();
  });

  it('SF20: a rebase that a crash cut off is undone, one that something follows is not', () => {
    const rebase = side('r', 'a', 'espalier.rebase', { copies: [['x', 'c1'], ['y', 'c2']] }); // prettier-ignore
    expect(leaf(entry('a', null), entry('b', 'a'), rebase, entry('c1', 'a'))).toBe('a');
    expect(leaf(entry('a', null), rebase, entry('c1', 'a'), side('l', 'c1', 'espalier.pin', { targetId: 'c1' }))).toBe(
      'a',
    );
    expect(leaf(entry('a', null), rebase, entry('c1', 'a'), entry('c2', 'c1'))).toBe('c2');
    expect(leaf(entry('a', null), rebase, entry('c1', 'a'), entry('other', 'c1'))).toBe('other');
  });
});

describe('versions', () => {
  it('SF15: absent is 1, above 3 is read as 3', () => {
    const version = (value: unknown): number => versionOf({ ...HEADER, version: value as number });
    expect([undefined, 1, 2, 3, 4, 99, 'x', 0].map(version)).toEqual([1, 1, 2, 3, 3, 3, 1, 1]);
  });

  it('SF15: version 1 becomes a chain with fresh ids; all else survives', () => {
    const { tree, header, migrated } = read([
      { type: 'session', id: 's', timestamp: 't', provider: 'p', modelId: 'm' },
      { type: 'message', timestamp: timeOf(1), message: { role: 'user', content: 'one' }, extra: 1 },
      { type: 'strange', timestamp: timeOf(2), keep: { me: true } },
      { type: 'message', timestamp: timeOf(3), message: { role: 'hookMessage', content: 'two' } },
    ]);
    expect([migrated, header]).toEqual([
      true,
      { type: 'session', version: 3, id: 's', timestamp: 't', provider: 'p', modelId: 'm' },
    ]);
    const bodies = tree.entriesInOrder().map((node) => node.body!);
    expect(bodies.map((body) => body.parentId)).toEqual([null, bodies[0]!.id, bodies[1]!.id]);
    expect(bodies[0]).toMatchObject({ extra: 1 });
    expect(bodies[1]).toMatchObject({ type: 'strange', keep: { me: true } });
    expect(bodies[2]).toMatchObject({ message: { role: 'custom' } });
    expect(texts(contextAt(tree).messages)).toEqual(['one', 'two']);
  });

  it('SF15: an index counts parsed lines with the header; the header, nothing or a later entry leaves no boundary', () => {
    const boundaryFor = (index: unknown): unknown => {
      const { tree } = read([
        { type: 'session', id: 's', timestamp: 't' },
        { type: 'message', message: { role: 'user', content: 'first' } },
        'malformed {',
        { type: 'message', message: { role: 'user', content: 'second' } },
        { type: 'compaction', summary: 's', firstKeptEntryIndex: index, tokensBefore: 1 },
        { type: 'message', message: { role: 'user', content: 'after' } },
      ]);
      const nodes = tree.entriesInOrder();
      expect(nodes[2]!.body).not.toHaveProperty('firstKeptEntryIndex');
      const { firstKeptEntryId } = nodes[2]!.body as { firstKeptEntryId: string | null };
      return nodes.findIndex((node) => node.id === firstKeptEntryId);
    };
    expect([1, 2].map(boundaryFor)).toEqual([0, 1]);
    expect([0, 3, 4, 9, -1].map(boundaryFor)).toEqual([-1, -1, -1, -1, -1]);
  });

  it('SF15: version 2 keeps ids and renames one role', () => {
    const lines = [
      { ...HEADER, version: 2 },
      entry('a', null, { message: { role: 'hookMessage', content: 'x' } }),
      entry('b', 'a'),
    ];
    const { tree, migrated } = read(lines);
    expect(migrated).toBe(true);
    expect(tree.entriesInOrder().map((node) => [node.id, node.facts.role])).toEqual([
      ['a', 'custom'],
      ['b', 'user'],
    ]);
  });

  it('SF15: a version 1 file of any records becomes one chain in file order', () => {
    const record = fc.record({
      type: fc.constantFrom('reset_boundary', 'session_info', 'new_thing'),
      value: fc.jsonValue(),
    });
    fc.assert(
      fc.property(fc.array(record, { maxLength: 12 }), (records) => {
        const { tree, damage } = read([{ type: 'session', id: 's' }, ...records]);
        const nodes = tree.entriesInOrder();
        expect([nodes.length, damage]).toEqual([records.length, []]);
        nodes.forEach((node, i) => {
          expect(node.parent?.id ?? null).toBe(i === 0 ? null : nodes[i - 1]!.id);
          expect(node.body).toMatchObject({ type: records[i]!.type });
          expect(JSON.stringify((node.body as { value?: unknown }).value)).toBe(JSON.stringify(records[i]!.value));
        });
      }),
      { numRuns: 100 },
    );
  });
});

describe('writing', () => {
  it('SF6, SF3, SF4: keys in the order of the table, unknown ones behind; absent fields left out', () => {
    const writer = new Writer();
    const id = writer.add({ message: { role: 'user', content: 'x', timestamp: 0 }, type: 'message' }, 'a');
    expect(Object.keys(writer.entries[0]!)).toEqual(['type', 'id', 'parentId', 'timestamp', 'message']);
    writer.add(custom('k', { x: 1 }));
    expect(Object.keys(writer.entries[1]!)).toEqual(['type', 'customType', 'data', 'id', 'parentId', 'timestamp']);
    writer.add({ later: 1, display: true, content: 'c', customType: 'k', type: 'custom_message' } as never);
    expect(Object.keys(writer.entries[2]!).join()).toBe('type,customType,content,display,id,parentId,timestamp,later');
    writer.add({ type: 'session_info', name: undefined });
    expect(serializeEntry(writer.entries[3]!)).not.toContain('name');
    expect(id).toBe('a');
    expect(
      serializeHeader({ cwd: '', extra: 1, ...HEADER }).startsWith('{"type":"session","version":3,"id":"s1"'),
    ).toBe(true);
  });

  it('SF6: whatever an entry holds comes back as it was, `__proto__` and unknown types included', () => {
    const fields = fc.dictionary(fc.string(), fc.jsonValue());
    fc.assert(
      fc.property(fields, fc.string({ minLength: 1 }), (extra, type) => {
        const line = `{"type":${JSON.stringify(type)},"id":"i","__proto__":{"x":1},${JSON.stringify({ ...extra, type, id: 'i' }).slice(1)}`;
        const before = JSON.parse(line) as SessionEntry;
        expect(JSON.parse(serializeEntry(before))).toEqual(before);
        expect(Object.keys(JSON.parse(serializeEntry(before)) as object)).toContain('__proto__');
      }),
      { numRuns: 200 },
    );
  });

  it('SF6: an entry of an unknown type is on the path, becomes the leaf and yields no message', () => {
    const tree = treeOf([
      entry('a', null) as SessionEntry,
      { ...entry('b', 'a'), type: 'from_the_future', message: undefined } as unknown as SessionEntry,
    ]);
    expect([tree.leafId, contextAt(tree).messages.length]).toEqual(['b', 1]);
    const writer = new Writer();
    const unknown = writer.add({ type: 'from_the_future', any: 1 } as never);
    expect(writer.tree.leafId).toBe(unknown);
  });
});
