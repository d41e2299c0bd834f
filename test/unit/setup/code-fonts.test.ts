import { expect, it } from 'vitest';
import { filesUnder } from '../../support/rule-ids';

it('TS11: whatever is drawn in the font of code has no ligatures', () => {
  const rules = filesUnder('src')
    .filter(({ path }) => path.endsWith('.css'))
    .flatMap(({ path, text }) =>
      [...text.replace(/\/\*[^]*?\*\//g, '').matchAll(/[^{}]*\{[^{}]*\}/g)].map((match) => ({ path, rule: match[0] })),
    );
  const code = rules.filter(({ rule }) => /\bfont(?:-family)?:[^;]*var\(--font-code\)/.test(rule));
  expect(code.length).toBeGreaterThan(15);
  // Behind the font: the shorthand turns them on again.
  const without = /var\(--font-code\);(?:[^{}](?!\bfont:))*\bfont-variant-ligatures: none( !important)?;/;
  expect(code.filter(({ rule }) => !without.test(rule))).toEqual([]);
});
