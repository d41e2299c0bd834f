import { expect, it } from 'vitest';
import { formatAgo, formatAgoInWords, formatMoment, fullMoment } from '../../../src/renderer/state/format';

const at = (day: number, hour: number, minute: number): number => new Date(2026, 10, day, hour, minute).getTime();

it('TS12: a moment is told to the minute, with its day unless that is today', () => {
  const now = at(26, 14, 0);
  expect(formatMoment(at(26, 9, 5), now)).toBe('09:05');
  expect(formatMoment(at(24, 13, 31), now)).toBe('Tue 13:31');
  expect(formatMoment(at(2, 13, 31), now)).toBe('2 Nov 13:31');
  expect(formatMoment(new Date(2024, 10, 2, 0, 0).getTime(), now)).toBe('2 Nov 2024 00:00');
  // A clock that went wrong.
  expect(formatMoment(new Date(2027, 0, 2, 3, 4).getTime(), now)).toBe('2 Jan 2027 03:04');
  expect(fullMoment(at(26, 9, 5))).toMatch(/^Thursday,? 26 November 2026 at 09:05$/);
});

it('TS12: what is no time is left out', () => {
  for (const none of [Number.NaN, Infinity, 1e300, -1e300]) expect([formatMoment(none, 0), fullMoment(none)]).toEqual(['', '']); // prettier-ignore
});

it.each([
  [at(26, 14, 0), 'now', 'just now'],
  [at(26, 13, 58), '2 min', '2 min ago'],
  [at(26, 11, 0), '3 h', '3 h ago'],
  [at(24, 11, 0), 'Tue', 'on Tue'],
  [at(2, 11, 0), '2 Nov', 'on 2 Nov'],
])('WN24: how long ago something was stands in a sentence as in a list: %#', (then, short, inWords) => {
  const now = at(26, 14, 0);
  expect([formatAgo(then, now), formatAgoInWords(then, now)]).toEqual([short, inWords]);
});
