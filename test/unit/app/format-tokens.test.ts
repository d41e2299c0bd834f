import { expect, it } from 'vitest';
import { formatTokens } from '../../../src/renderer/state/format';

it.each([
  [850, '850'],
  [85_600, '85.6k'],
  [1_200_000, '1.2M'],
  [1e15, '?'],
  [1e308, '?'],
  [Number.POSITIVE_INFINITY, '?'],
  [Number.NaN, '?'],
])('%d tokens are shown as %s', (tokens, shown) => {
  expect(formatTokens(tokens)).toBe(shown);
});
