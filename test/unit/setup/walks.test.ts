import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

/** The walks of docs/architecture.md: each stop is there, and the first is short enough to be walked. */
const ROOT = join(import.meta.dirname, '../../..');
const MOST_STOPS = 20;

const section =
  readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8').split('## Three walks')[1]?.split('\n## ')[0] ?? '';
const walks = section.split(/:\n\n(?=1\. )/).slice(1).map((walk) => [...walk.matchAll(/^\d+\. `([^`]+)`: `([^`]+)`$/gm)]); // prettier-ignore

/** Whether a file declares a name: as a function, a method, a constant, or a key. */
function declares(code: string, name: string): boolean {
  const word = name.replaceAll('.', '\\.');
  return new RegExp(
    `function ${word}\\b|const ${word}\\b|'${word}':|^\\s+(?:private |readonly |async |static )*${word}(?:<[^(]*>)?\\(|readonly ${word}:|^\\s+${word}: \\(`,
    'm',
  ).test(code);
}

describe('docs/architecture.md', () => {
  it('walks a prompt, a drag and the instructions of a compaction', () => {
    expect(walks.map((stops) => stops.length > 5)).toEqual([true, true, true]);
    expect(walks[0]?.length).toBeLessThanOrEqual(MOST_STOPS);
  });

  it('each stop is there', () => {
    const missing = walks.flat().flatMap(([, file = '', name = '']) => {
      const code = readFileSync(join(ROOT, 'src', file), 'utf8');
      return declares(code, name) ? [] : [`${file}: ${name}`];
    });
    expect(missing).toEqual([]);
  });
});
