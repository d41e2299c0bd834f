import { describe, expect, it } from 'vitest';
import { parseRecord } from '@shared/session/records';
import { hostileRecords, SOUND_RECORDS, soundLines, soundQuestion } from '../../../support/hostile-records';

describe('hostile records', () => {
  it('are lines of JSON with an id and a type each, thousands of them', () => {
    const kinds = new Set<string>();
    const ids = new Set<string>();
    for (const { name, id, line } of hostileRecords({ longText: 1000 })) {
      kinds.add(name.split(':')[0] ?? '');
      ids.add(id);
      expect(parseRecord(line).kind).toBe('entry');
    }
    expect(kinds.size).toBeGreaterThan(Object.keys(SOUND_RECORDS).length - 2);
    expect(ids.size).toBeGreaterThan(3000);
    expect([...soundLines().slice(1), soundQuestion('q', 'r1')].map((line) => parseRecord(line).kind)).toEqual(
      Array(4).fill('entry'),
    );
  });
});
