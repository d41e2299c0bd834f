import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const ROWS = readFileSync('docs/first-hour.md', 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| ') && !/^\| (?:What|-)/.test(line))
  .map((line) => line.split(' | ').map((cell) => cell.replace(/^\| | *\|$/g, '').trim()));

it.each(ROWS)('%s is shown by tests that are there', (_what, rule = '', shown = '') => {
  expect(rule).toMatch(/^[A-Z]{2}\d+$/);
  if (/^(?:missing|looked at)/.test(shown)) return;
  const tests = [...shown.matchAll(/`([^`]+)`: (.+?)(?= · `|$)/g)];
  expect(tests.length).toBeGreaterThan(0);
  for (const [, file = '', title = ''] of tests) {
    expect(existsSync(`test/${file}`), file).toBe(true);
    expect(readFileSync(`test/${file}`, 'utf8'), file).toContain(title);
  }
});

it('there are as many findings as the first hour had', () => expect(ROWS.length).toBeGreaterThan(35));
