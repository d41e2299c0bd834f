import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  completed,
  offersOf,
  passes,
  QUERY_FILTERS,
  readGraphQuery,
  type TurnFacts,
  typingAt,
  valuesOf,
} from '@shared/graph/query';
import type { Row } from '@shared/session-state/state';
import { entry, graphOf } from './support';

const filtersOf = (text: string): string[] => readGraphQuery(text).filters.map(({ name, value }) => `${name}=${value}`);

describe('GR19: what is typed into the field of the graph', () => {
  it('is words and filters, whose values may have blanks', () => {
    const text = 'retry file:"my file.ts" budget tool:bash error:';
    expect(readGraphQuery(text).words).toBe('retry budget');
    expect(filtersOf(text)).toEqual(['file=my file.ts', 'tool=bash', 'error=']);
    expect(filtersOf('branch:"never closed at all')).toEqual(['branch=never closed at all']);
  });

  it('says what looks like a filter and is none, and searches it as words', () => {
    expect(readGraphQuery('path:src file:a')).toMatchObject({ words: 'path:src', unknown: ['path'] });
    for (const plain of ['http://x.org', 'std::vector', 'ERROR: deadlock', 'C:\\dir', 'note: this', 'a:b'])
      expect(readGraphQuery(plain)).toEqual({ words: plain, filters: [], unknown: [] });
  });

  it('loses nothing of what is typed but filters', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 80 }), (text) => {
        const { words, filters } = readGraphQuery(text);
        if (filters.length === 0) expect(words).toBe(text.trim().split(/\s+/).join(' '));
      }),
    );
  });

  it('is completed where the caret is: names, then values, quoted where they need it', () => {
    expect(typingAt('retry fi', 8)).toEqual({ name: null, typed: 'fi', from: 6, to: 8 });
    expect(typingAt('retry file:src/q', 16)).toEqual({ name: 'file', typed: 'src/q', from: 11, to: 16 });
    expect(typingAt('retry ', 6)).toBeNull();
    expect(typingAt('https://x', 9)).toBeNull();
    const text = 'a fi b';
    const named = completed(text, typingAt(text, 4)!, 'file');
    expect(named).toEqual({ text: 'a file: b', caret: 7 });
    expect(completed(named.text, typingAt(named.text, 7)!, 'my file.ts').text).toBe('a file:"my file.ts" b');
  });

  it('is the filter that was chosen, whatever value it has', () => {
    const name = fc.constantFrom(...QUERY_FILTERS);
    const value = fc
      .string({ minLength: 1, maxLength: 30 })
      .filter((text) => !text.includes('"') && text === text.trim());
    fc.assert(
      fc.property(name, value, fc.constantFrom('', 'word '), (filter, offer, before) => {
        const typed = `${before}${filter}:`;
        const { text, caret } = completed(typed, typingAt(typed, typed.length)!, offer);
        expect(readGraphQuery(text).filters).toEqual([{ name: filter, value: offer }]);
        expect(caret).toBe(text.length);
      }),
    );
  });
});

const facts: TurnFacts = {
  fileName: (raw) => raw.replace(/^\/work\//, ''),
  label: (node) => (node.contentId === 'u2' ? 'Plan v2' : undefined),
  branchName: (node) => (node.contentId === 'u2' ? 'triggers' : 'trunk'),
  ...{ startOf: () => '', isOnPath: (node) => node.contentId !== 'u2' },
};
const row = (id: string, parentId: string | null, kind: Row['kind'], seq: number, more: Partial<Row> = {}): Row => ({
  ...entry(id, parentId, kind, seq),
  ...more,
});
const call = (at: number, more: Partial<Row>): Partial<Row> => ({ callId: `c${at}`, ...more });

/** A turn that edits and whose command fails, one that puts it right, one in which the person declined and stopped. */
const graph = graphOf(
  [
    row('u1', null, 'user', 1),
    row('a1', 'u1', 'assistant', 2, { mute: true }),
    row('t1', 'a1', 'toolResult', 3, call(1, { tool: 'edit', changed: true, file: '/work/src/a.ts' })),
    row('t2', 't1', 'toolResult', 4, call(2, { tool: 'bash', ended: { outcome: 'ran', note: 'exit 1' } })),
    row('u2', 't1', 'user', 5),
    row('a2', 'u2', 'assistant', 6),
    row('t3', 'a2', 'toolResult', 7, call(3, { tool: 'bash', ended: { outcome: 'ran', note: 'exit 2' } })),
    row('t4', 't3', 'toolResult', 8, call(4, { tool: 'bash' })),
    row('u3', 't2', 'user', 9),
    row('a3', 'u3', 'assistant', 10, { stopped: true }),
    row('t5', 'a3', 'toolResult', 11, call(5, { tool: 'write', ended: { outcome: 'declined', note: null } })),
    row('t6', 't5', 'toolResult', 12, call(6, { tool: 'bash', ended: { outcome: 'stopped', note: 'stopped' } })),
    row('b1', 't6', 'bash', 13, { ended: { outcome: 'ran', note: 'exit 3' } }),
  ],
  'b1',
);
const at = (id: string) => graph.turns.place(id)!.node;
const shownBy = (filter: Parameters<typeof graph.setFilter>[0], isOfFile?: Parameters<typeof graph.setFilter>[1]) => {
  graph.setFilter(filter, isOfFile);
  const shown = graph.turns.nodes.filter((node) => graph.layout.cellOf(node)).map(({ contentId }) => contentId);
  const hidden = graph.countFiltered();
  graph.setFilter('all');
  return { shown, hidden };
};

describe('GR20, TS4: how the calls of a turn ended', () => {
  it('is told of the last one that was not put right, in the words of its status', () => {
    expect(at('u1').ended).toEqual({ tool: 'bash', words: 'run · exit 1', isFailure: true });
    expect(at('u2').ended).toBeNull();
    expect(at('u3').ended).toEqual({ tool: 'bash', words: 'run · stopped', isFailure: false });
    expect(at('b1').ended?.words).toBe('run · exit 3');
  });

  it('“Errors” are failed tools and commands too; what the person stopped or declined is none', () => {
    // HEAD stays, whatever it is.
    graph.setLeaf('t6');
    expect(shownBy('errors').shown).toEqual(['u1', 'u2', 'u3', 'b1']);
    graph.setLeaf('t2');
    expect(shownBy('errors').shown).toEqual(['u1', 'u2', 'b1']);
    graph.setLeaf('b1');
  });

  it('“No tools” hides turns without words and commands, and knows how many', () => {
    graph.setLeaf('t4');
    expect(shownBy('noTools')).toEqual({ shown: ['u2', 'u3'], hidden: 2 });
    graph.setLeaf('b1');
  });

  it('“A changed file…” leaves the turns that changed that one', () => {
    const ofFile = (file: string) => shownBy('files', (node) => [...node.files].includes(file)).shown;
    expect(ofFile('/work/src/a.ts')).toEqual(['u1', 'b1']);
    expect(ofFile('/work/src/b.ts')).toEqual(['b1']);
  });
});

describe('GR19: filters', () => {
  const found = (text: string): string[] =>
    graph.turns.nodes.filter((node) => passes(node, readGraphQuery(text).filters, facts)).map((node) => node.contentId);

  it('ask for files, labels, errors, tools and branches, of one name any, of several all', () => {
    expect(found('file:SRC/A')).toEqual(['u1']);
    expect(found('label:plan')).toEqual(['u2']);
    expect(found('error:')).toEqual(['u1', 'u2', 'b1']);
    expect(found('error:"exit 1"')).toEqual(['u1']);
    expect(found('tool:edit tool:write')).toEqual(['u1', 'u3']);
    expect(found('tool:bash label:')).toEqual(['u2']);
    expect(found('branch:trig')).toEqual(['u2']);
    expect(found('branch:')).toEqual(['u2']);
  });

  it('offer what the session has, the most frequent first, of names those that begin as typed', () => {
    expect(offersOf(graph.turns.nodes, 'tool', '', facts, 9)).toEqual([
      ...[{ value: 'bash', count: 3 }, { value: 'edit', count: 1 }, { value: 'write', count: 1 }], // prettier-ignore
    ]);
    expect(offersOf(graph.turns.nodes, 'file', 'a.t', facts, 9)).toEqual([{ value: 'src/a.ts', count: 1 }]);
    expect(valuesOf(at('b1'), 'error', facts)).toEqual(['run · exit 3']);
  });
});
