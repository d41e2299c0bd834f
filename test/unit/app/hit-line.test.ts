import { describe, expect, it } from 'vitest';
import { fromMark } from '../../../src/renderer/features/graph/hit-line';

describe('the line of a hit', () => {
  const found = (text: string, words: string) => {
    const at = text.indexOf(words);
    return fromMark({ text, marks: [[at, at + words.length]] });
  };

  it('GR19: begins with a word shortly before what was found, and marks the same words', () => {
    const line = found('The writers of one tenant deadlock, so it needs a retry budget that is small', 'retry budget');
    expect(line.text).toBe('…so it needs a retry budget that is small');
    const [start, end] = line.marks[0] ?? [0, 0];
    expect(line.text.slice(start, end)).toBe('retry budget');
  });

  it('GR19: stays as it is where that is near its beginning, and where nothing is marked', () => {
    expect(found('Set a retry budget', 'retry').text).toBe('Set a retry budget');
    expect(fromMark({ text: 'a'.repeat(90), marks: [] }).text).toBe('a'.repeat(90));
  });

  it('GR19: parts no letter: of a word that is too long only what was found is left', () => {
    expect(found(`${'😀'.repeat(30)}needle in it`, 'needle').text).toBe('…needle in it');
  });
});
