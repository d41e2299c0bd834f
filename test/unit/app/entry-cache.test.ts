import { describe, expect, it } from 'vitest';
import { EntryCache } from '../../../src/renderer/state/entry-cache';

const line = (id: string, length: number) => ({
  seq: 0,
  id,
  line: JSON.stringify({ type: 'x', id, text: 'x'.repeat(length) }),
});

describe('EntryCache', () => {
  it('lets go of what was used longest ago once there is too much', () => {
    const cache = new EntryCache(400, 1);
    for (const id of ['a', 'b', 'c']) cache.put([line(id, 100)]);
    expect(cache.get('a')).toMatchObject({ id: 'a' });
    cache.put([line('d', 100)]);
    expect(['a', 'b', 'c', 'd'].filter((id) => cache.has(id))).toEqual(['a', 'c', 'd']);
    expect(cache.size).toBeLessThanOrEqual(400);
  });

  it('holds a screenful however large it is', () => {
    const cache = new EntryCache(400, 3);
    for (const id of ['a', 'b', 'c', 'd']) cache.put([line(id, 1_000)]);
    expect(['a', 'b', 'c', 'd'].filter((id) => cache.has(id))).toEqual(['b', 'c', 'd']);
  });

  it('counts a body that is replaced once, and names what could not be read', () => {
    const cache = new EntryCache();
    cache.put([line('a', 100)]);
    const { size } = cache;
    expect(cache.put([line('a', 100), { seq: 1, id: 'b', line: '{"torn' }])).toEqual(['b']);
    expect(cache.size).toBe(size);
    cache.clear();
    expect([cache.size, cache.has('a')]).toEqual([0, false]);
  });

  it('A3: keeps the text of what is opaque, and a second record with an id beside the first', () => {
    const cache = new EntryCache();
    const [first, other] = [line('a', 10), line('a', 11)];
    const wrong = { seq: 2, id: 'w', line: '{"type":"message","id":"w","message":5}' };
    cache.put([first, { ...other, id: 'second' }, wrong]);
    expect(cache.get('a')).toMatchObject({ type: 'x', text: 'x'.repeat(10) });
    expect(cache.get('second')).toMatchObject({
      type: 'espalier.opaque',
      id: 'second',
      second: 'a',
      line: other.line,
    });
    expect(cache.get('w')).toMatchObject({ type: 'espalier.opaque', line: wrong.line });
  });
});
