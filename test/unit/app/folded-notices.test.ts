import { describe, expect, it } from 'vitest';
import { type Headline, mostImportant } from '../../../src/renderer/features/notices/app-notices';

describe('WN9: the line that stands for several notices', () => {
  const of = (...levels: Headline['level'][]) => levels.map((level, at) => ({ level, text: `${at}` }));

  it('is the most serious one, of equals the first', () => {
    expect(mostImportant(of('info', 'warning', 'error', 'warning'))?.text).toBe('2');
    expect(mostImportant(of('info', 'warning', 'warning'))?.text).toBe('1');
    expect(mostImportant(of('success', 'info'))?.text).toBe('0');
    expect(mostImportant([])).toBeNull();
  });
});
