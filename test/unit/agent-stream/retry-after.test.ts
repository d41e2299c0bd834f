import { describe, expect, it } from 'vitest';
import { readRetryAfterMs } from '../../../src/main/agent/stream/response';

describe('readRetryAfterMs', () => {
  const now = Date.parse('2026-11-21T12:00:00Z');
  it.each<[Record<string, string>, number | null]>([
    [{}, null],
    [{ 'retry-after': '3600' }, 3_600_000],
    [{ 'retry-after': '0.5' }, 500],
    [{ 'retry-after': '0' }, 0],
    [{ 'retry-after': 'Sat, 21 Nov 2026 12:01:30 GMT' }, 90_000],
    [{ 'retry-after': 'Sat, 21 Nov 2026 11:00:00 GMT' }, 0],
    [{ 'retry-after': 'soon' }, null],
    [{ 'retry-after': '-5x' }, null],
    [{ 'retry-after-ms': '1250', 'retry-after': '2' }, 1_250],
    [{ 'retry-after-ms': 'x', 'retry-after': '2' }, 2_000],
  ])('%j is %s ms', (headers, expected) => {
    expect(readRetryAfterMs(new Headers(headers), now)).toBe(expected);
  });
});
