import katex from 'katex';
import { describe, expect, it } from 'vitest';
import { isDrawable } from '../../../src/renderer/features/markdown/math';

/** About fifty milliseconds of layout. */
const MOST_ELEMENTS = 6_000;

function elementsOf(tex: string): number {
  const options = {
    displayMode: true,
    maxExpand: 500,
    maxSize: 20,
    strict: 'ignore',
    output: 'htmlAndMathml',
  } as const;
  return katex.renderToString(tex, { ...options, throwOnError: false }).match(/<[a-z]/g)?.length ?? 0;
}

describe('A2: which formulas are drawn', () => {
  it.each([
    'x',
    'x = \\frac{-b \\pm \\sqrt{b^2 - 4ac}}{2a}',
    '\\begin{pmatrix} 1 & 0 & 0 \\\\ 0 & 1 & 0 \\\\ 0 & 0 & 1 \\end{pmatrix}',
    '\\left( \\sum_{i=1}^{n} \\left( x_i - \\overline{x} \\right)^2 \\right)^{1/2}',
    `\\begin{aligned} ${'\\nabla \\times \\mathbf{E} &= -\\frac{\\partial \\mathbf{B}}{\\partial t} \\\\ '.repeat(8)} \\end{aligned}`,
    '100\\% \\text{ of } x',
    '\\definitely \\letter \\longrightarrow \\globally',
    'x'.repeat(1_000),
  ])('%s', (tex) => {
    expect(isDrawable(tex)).toBe(true);
  });

  it.each([
    ['nothing', ''],
    ['a long one', 'x'.repeat(1_501)],
    ['a macro that repeats itself', `\\def\\a{${'x'.repeat(200)}}\\def\\b{${'\\a'.repeat(60)}}${'\\b'.repeat(8)}`],
    ...[
      'def',
      'gdef',
      'edef',
      'xdef',
      'let',
      'futurelet',
      'newcommand',
      'renewcommand',
      'providecommand',
      'global',
      'long',
    ].map((name): [string, string] => [name, `\\${name}\\a{x}\\a`]),
    ['roots in roots', `${'\\sqrt{'.repeat(180)}x${'}'.repeat(180)}`],
    ['brackets in brackets', `${'\\left('.repeat(100)}x${'\\right)'.repeat(100)}`],
    ['matrices in matrices', `${'\\begin{matrix}'.repeat(40)}x${'\\end{matrix}'.repeat(40)}`],
    ['depth behind braces that are none', `\\verb|${'}'.repeat(240)}| ${'x^{'.repeat(240)}x${'}'.repeat(240)}`],
    ['depth behind a comment', `%${'}'.repeat(240)}\n${'x^{'.repeat(240)}x${'}'.repeat(240)}`],
    ['depth behind braces too many', `${'}'.repeat(200)}${'x^{'.repeat(200)}x`],
    ['a diagram of arrows', `\\begin{CD}${'@VVV'.repeat(240)}\\end{CD}`],
    ['a table of empty cells', `\\begin{matrix}${'&'.repeat(1_400)}\\end{matrix}`],
    ['hundreds of fractions', '\\frac11'.repeat(214)],
  ])('not %s', (_, tex) => {
    expect(isDrawable(tex)).toBe(false);
  });

  it('none becomes more elements than a task lays out', () => {
    const units = [
      'x',
      'é',
      '中',
      '\\frac11',
      '&',
      '\\\\',
      '\\sqrt{x}',
      'x^{1}',
      'x_1',
      '^2 x',
      '\\overbrace{x}',
      'a&=b\\\\',
    ];
    units.push(
      '\\underbrace{x}_{y}',
      '\\sum_1^2',
      '\\binom12',
      '\\boxed{x}',
      '\\cancel{x}',
      '\\overrightarrow{x}',
      '|',
      "'",
    );
    for (const unit of units)
      for (const [before, behind] of [
        ['', ''],
        ['\\begin{aligned}', '\\end{aligned}'],
        ['\\begin{matrix}', '\\end{matrix}'],
      ]) {
        const of = (count: number): string => `${before}${unit.repeat(count)}${behind}`;
        let count = Math.floor(1_460 / unit.length);
        while (!isDrawable(of(count))) count -= 1;
        expect([unit, elementsOf(of(count)) <= MOST_ELEMENTS]).toEqual([unit, true]);
      }
  });
});
