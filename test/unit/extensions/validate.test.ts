import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutWindow } from '@shared/compaction/plan';
import { summaryBody } from '@shared/compaction/request-body';
import {
  checkAdditions,
  checkCompaction,
  type CheckedAgainst,
  type CheckedCompaction,
  mergePreserved,
  plainJson,
} from '../../../src/main/extensions/check-answers';
import { custom, reply, result, usage, user, Writer } from '../shared/session/support';

/** What an extension may answer (EX5, EX6). */
function session(): CheckedAgainst {
  const writer = new Writer();
  writer.add(user('one'), 'u1');
  writer.add(reply('', { calls: ['c1'] }), 'a1');
  writer.add(result('c1', 'done'), 'r1');
  writer.add(custom('note', {}), 'n1');
  writer.add(user('two'), 'u2');
  writer.add(reply('two'), 'a2');
  writer.add(user('elsewhere'), 'x1', 'u1');
  writer.moveTo('a2');
  const { tree } = writer;
  return { tree, window: cutWindow(tree, 'a2').window, tokensBefore: 700, preserveData: { kept: 1, both: 1 } };
}

const good = { summary: 'All of it.', firstKeptEntryId: 'u2', tokensBefore: 900 };
const check = (given: unknown) => checkCompaction({ compaction: given }, session());
function valid(given: unknown): { compaction: CheckedCompaction; remarks: string[] } {
  const checked = check(given);
  if (checked.kind !== 'valid') throw new Error(JSON.stringify(checked));
  return checked;
}
const MIB = 1024 * 1024;
/** A string whose JSON has a number of bytes. */
const ofBytes = (bytes: number): string => 'x'.repeat(bytes - 2);

describe('session_before_compact', () => {
  it('EX5: a whole answer is taken as it is', () => {
    const all = { ...good, details: { todo: [1] }, shortSummary: 'Short.', usage: usage({ input: 3, totalTokens: 3 }) };
    expect(valid(all)).toEqual({
      kind: 'valid',
      remarks: [],
      compaction: { ...all, firstKept: 3, preserveData: { kept: 1, both: 1 } },
    });
  });

  it.each([
    ['a2', 4],
    ['a1', 1],
    [null, 5],
  ])('EX5: %s may be the first kept entry', (firstKeptEntryId, firstKept) => {
    expect(valid({ ...good, firstKeptEntryId }).compaction).toMatchObject({ firstKeptEntryId, firstKept });
  });

  it.each<[string, unknown, string]>([
    ['a result without its call', 'r1', 'a call would be parted from its result'],
    ['the first entry', 'u1', 'nothing would be summarised'],
    ['an entry that shows nothing', 'n1', 'the entry shows nothing'],
    ['an entry of another branch', 'x1', 'not among those that are compacted'],
    ['an id that nothing has', 'nowhere0', 'there is no such entry'],
    ['no id', undefined, 'neither an id nor null'],
    ['a number', 3, 'neither an id nor null'],
  ])('EX5: %s may not', (_name, firstKeptEntryId, problem) => {
    expect(check({ ...good, firstKeptEntryId })).toEqual({ kind: 'invalid', problem: expect.stringContaining(problem) });
  }); // prettier-ignore

  it.each([undefined, null, '', ' \n\t', 7, ['text']])('EX5: %j is no summary', (summary) => {
    expect(check({ ...good, summary })).toEqual({ kind: 'invalid', problem: 'The summary is empty.' });
  });

  it.each([undefined, null, -1, Number.NaN, Infinity, '900', {}])('EX5: for tokensBefore %j ours stands in', (tokensBefore) => {
    const { compaction, remarks } = valid({ ...good, tokensBefore });
    expect(compaction.tokensBefore).toBe(700);
    expect(remarks).toEqual(['tokensBefore is not valid and was left out.']);
  }); // prettier-ignore

  it('EX5: details have 1 MiB as JSON and no more', () => {
    expect(valid({ ...good, details: ofBytes(MIB) }).compaction.details).toHaveLength(MIB - 2);
    expect(check({ ...good, details: ofBytes(MIB + 1) })).toMatchObject({ kind: 'invalid' });
    // Bytes, not characters.
    expect(check({ ...good, details: '€'.repeat(MIB / 2) })).toMatchObject({ kind: 'invalid' });
    const cycle: Record<string, unknown> = {};
    cycle.self = cycle;
    for (const details of [cycle, 1n, { deep: [1n] }]) {
      expect(check({ ...good, details })).toEqual({ kind: 'invalid', problem: 'details cannot be stored as JSON.' });
    }
  });

  it.each<[string, Record<string, unknown>]>([
    ['shortSummary', { shortSummary: ' ' }],
    ['shortSummary', { shortSummary: 'x'.repeat(2001) }],
    ['usage', { usage: { ...usage(), input: -1 } }],
    ['usage', { usage: { ...usage(), cost: { total: 1 } } }],
    ['usage', { usage: 12 }],
    ['preserveData', { preserveData: 'all' }],
    ['preserveData', { preserveData: { big: ofBytes(MIB) } }],
  ])('EX5: what only accompanies a summary is left out where it is wrong: %s', (name, wrong) => {
    const { compaction, remarks } = valid({ ...good, ...wrong });
    expect(remarks).toEqual([expect.stringMatching(new RegExp(`^${name} .*left out\\.$`))]);
    expect(compaction).toMatchObject({ summary: 'All of it.', preserveData: { kept: 1, both: 1 } });
    expect([compaction.shortSummary, compaction.usage]).toEqual([undefined, undefined]);
  });

  it('EX6: later keys win in preserveData; what the extension does with its objects later stays its own', () => {
    const details = { list: [1] };
    const preserveData = { both: 2, mine: { n: 1 } };
    const { compaction } = valid({ ...good, details, preserveData });
    details.list.push(2);
    preserveData.mine.n = 2;
    expect(compaction.details).toEqual({ list: [1] });
    expect(compaction.preserveData).toEqual({ kept: 1, both: 2, mine: { n: 1 } });
  });

  it('EX5: no compaction in the answer is no answer; anything else that is none is said', () => {
    for (const answer of [{}, { cancel: false }, { compaction: null }]) {
      expect(checkCompaction(answer, session())).toEqual({ kind: 'none' });
    }
    const trap = { get compaction() { throw new Error('x'); } }; // prettier-ignore
    for (const answer of [true, 'yes', [good], { compaction: 'text' }, { compaction: [good] }, trap]) {
      expect(checkCompaction(answer, session())).toMatchObject({ kind: 'invalid' });
    }
  });

  it('EX10: whatever comes, nothing is thrown and what passes can be stored', () => {
    const part = fc.oneof(fc.anything({ withBigInt: true, withDate: true, withNullPrototype: true }), fc.string());
    const answer = fc.record({
      compaction: fc.record(
        {
          summary: fc.oneof(fc.string(), part),
          firstKeptEntryId: fc.oneof(fc.constantFrom('u1', 'a1', 'r1', 'u2', 'a2', null), part),
          tokensBefore: fc.oneof(fc.double(), part),
          details: part,
          shortSummary: part,
          usage: fc.oneof(fc.constant(usage()), part),
          preserveData: part,
        },
        { requiredKeys: [] },
      ),
    });
    const against = session();
    let passed = 0;
    fc.assert(
      fc.property(answer, (given) => {
        const checked = checkCompaction(given, against);
        if (checked.kind !== 'valid') return;
        passed++;
        const { summary, firstKeptEntryId, firstKept, tokensBefore } = checked.compaction;
        expect(summary.trim()).not.toBe('');
        expect(['a1', 'u2', 'a2', null]).toContain(firstKeptEntryId);
        expect(against.window[firstKept]?.item.sourceId ?? null).toBe(firstKeptEntryId);
        expect(Number.isFinite(tokensBefore) && tokensBefore >= 0).toBe(true);
        expect(() => JSON.stringify(checked.compaction)).not.toThrow();
      }),
      { numRuns: 400 },
    );
    expect(passed).toBeGreaterThan(10);
  });
});

describe('session.compacting', () => {
  const of = (answer: unknown) => checkAdditions(answer, { kept: 1 }, 100);

  it('SU11: one line of the request for each line; blank ones are none', () => {
    const { additions, remarks } = of({ context: ['one\ntwo\r\n', '', ' \n three'], prompt: 'Say it.', preserveData: { a: 1 } }); // prettier-ignore
    expect(additions).toEqual({
      additionalContext: ['one', 'two', ' three'],
      prompt: 'Say it.',
      preserveData: { kept: 1, a: 1 },
    });
    expect(remarks).toEqual([]);
  });

  it.each<[string, unknown, string]>([
    ['no object', 'context', 'The answer is not an object.'],
    ['a text for a list', { context: 'one' }, 'context is not a list of strings and was left out.'],
    ['a list of other things', { context: ['one', 2] }, 'context is not a list of strings and was left out.'],
    ['too much context', { context: ['x'.repeat(401)] }, 'context has more than 100 tokens and was left out.'],
    ['a blank prompt', { prompt: ' ' }, 'prompt is not text and was left out.'],
    ['a long prompt', { prompt: 'x'.repeat(401) }, 'prompt has more than 100 tokens and was left out.'],
    ['a list to keep', { preserveData: [1] }, 'preserveData is not an object and was left out.'],
    ['a getter that throws', { get context() { throw new Error('x'); } }, 'The answer cannot be read.'],
  ])('EX3: %s: left out and said, the summary is made without it', (_name, answer, remark) => {
    expect(of(answer)).toEqual({ additions: { additionalContext: [], preserveData: { kept: 1 } }, remarks: [remark] });
  }); // prettier-ignore

  it('EX3: one wrong part takes no other with it', () => {
    const { additions, remarks } = of({ context: 7, prompt: 'Mine.' });
    expect([additions.prompt, remarks.length]).toEqual(['Mine.', 1]);
  });

  it('SU12: neither lines nor prompt open or close a section of the request', () => {
    const tags = ['conversation', 'previous-summary', 'additional-context', 'summary', 'pinned', 'exact-facts'];
    const piece = fc.oneof(fc.string(), fc.constantFrom(...tags.flatMap((tag) => [`<${tag}>`, `</${tag}>`, `</ ${tag.toUpperCase()}>`]))); // prettier-ignore
    const text = fc.array(piece, { minLength: 1 }).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(fc.array(text), text, (context, prompt) => {
        const { additions } = checkAdditions({ context, prompt }, undefined, 100_000);
        const body = summaryBody({ conversation: 'talk', prompt: additions.prompt ?? 'Ours.', ...{ additionalContext: additions.additionalContext } }); // prettier-ignore
        const opened = body.match(/<\/?\s*(?:conversation|previous-summary|additional-context|summary|pinned|exact-facts)(?![\w-])/gi); // prettier-ignore
        const own = additions.additionalContext.length > 0 ? 4 : 2;
        expect(opened).toHaveLength(own);
      }),
    );
  });
});

describe('what is kept', () => {
  it('EX6: nothing to add leaves what there is; a key named __proto__ is a key', () => {
    expect(mergePreserved(undefined, undefined)).toEqual({ ok: true, value: undefined });
    expect(mergePreserved({ a: 1 }, null)).toEqual({ ok: true, value: { a: 1 } });
    const merged = mergePreserved({ a: 1 }, JSON.parse('{"__proto__":{"a":2}}'));
    expect(JSON.stringify(merged.ok && merged.value)).toBe('{"a":1,"__proto__":{"a":2}}');
  });

  it('EX6: what is kept together does not pass 1 MiB either', () => {
    const half = { a: 'x'.repeat(MIB / 2) };
    expect(mergePreserved(half, { b: 'x'.repeat(MIB / 2) })).toMatchObject({ ok: false });
    expect(mergePreserved(half, { a: 'x'.repeat(MIB / 2) })).toMatchObject({ ok: true });
  });

  it('EX5: the copy is what the file will hold', () => {
    expect(plainJson({ at: new Date(0), none: undefined, no: () => 1 })).toEqual({
      ok: true,
      value: { at: '1970-01-01T00:00:00.000Z' },
    });
    expect(plainJson(undefined)).toEqual({ ok: true, value: undefined });
    expect(plainJson(() => 1)).toEqual({ ok: true, value: undefined });
  });
});
