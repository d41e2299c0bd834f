import { describe, expect, it } from 'vitest';
import { compareCopies, lineFacts } from '../../../src/main/journal/copies/compare-copies';

/** Messages as `id<parent`, in the order of a file. */
const copy = (...entries: string[]) =>
  ['{"type":"session","version":3,"id":"s"}', ...entries.map(message)].map((line) => lineFacts(line));

function message(entry: string): string {
  const [id = '', parentId] = entry.split('<');
  return JSON.stringify({ type: 'message', id, parentId: parentId ?? null, message: { role: 'user', content: id } });
}

describe('a database that lacks records of the journal', () => {
  it('has lost rows, where what follows hangs at them: nobody else wrote here', () => {
    const journal = copy('a', 'b<a', 'c<b', 'd<c', 'e<d');
    for (const database of [
      copy('a', 'c<b', 'd<c', 'e<d'),
      copy('b<a', 'c<b', 'd<c', 'e<d'),
      copy('a', 'b<a', 'c<b'),
      copy('a', 'c<b', 'e<d'),
    ])
      expect(compareCopies(journal, database)).toEqual({ kind: 'journal', merged: 0 });
  });

  it('is another computer’s, where its own records stand between them', () => {
    const journal = copy('a', 'x<a', 'b<a', 'y<x', 'c<b');
    expect(compareCopies(journal, copy('a', 'b<a', 'c<b'))).toEqual({ kind: 'journal', merged: 2 });
  });

  it('SY9: a line that is not a record makes no difference', () => {
    const journal = copy('a', 'b<a', 'c<b');
    journal.splice(2, 0, lineFacts('<<<<<<<'));
    expect(compareCopies(journal, copy('a', 'b<a'))).toEqual({ kind: 'journal', merged: 0 });
  });
});
