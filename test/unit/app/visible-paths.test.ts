import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

/** docs/specs/safety.md C1: names of folders come from files and other people; none is drawn or spoken as it is. */

const root = join(import.meta.dirname, '../../../src/renderer');
const RAW = [
  /<(code|b|span)[^>]*>\s*\{[^{}]*\b(path|folder|cwd|workspace|formatPath)\b[^{}]*\}\s*<\//,
  /\b(title|aria-label|label|text)=\{(path\}|paths\.join|`[^`]*\$\{(path|folder|[a-z.]*workspace)\b[^`]*`)/,
];

it('C1: no screen draws a path but in visible form', () => {
  const sources = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.tsx'));
  expect(sources.length).toBeGreaterThan(50);
  const raw = sources.flatMap((file) => {
    const text = readFileSync(join(root, file), 'utf8').replace(/<Visible text=[^>]*>/g, '{}');
    return RAW.flatMap((pattern) => pattern.exec(text)?.[0].slice(0, 80) ?? []).map((found) => `${file}: ${found}`);
  });
  expect(raw).toEqual([]);
});
