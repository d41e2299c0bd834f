/** The lazily loaded half of formulas: KaTeX itself. */
import katex from 'katex';

const MAX_EXPANSIONS = 500; // macro expansions: a formula is not a program
const MAX_SIZE_EM = 20; // \rule and friends

/**
 * Draws a formula into an element as DOM nodes, never as an HTML string. Commands that name addresses or attributes are
 * off (`trust: false`). Throws KaTeX's ParseError for a formula that it does not understand.
 */
export function drawFormula(tex: string, display: boolean, into: HTMLElement): void {
  katex.render(tex, into, {
    displayMode: display,
    throwOnError: true,
    trust: false,
    strict: 'ignore',
    maxExpand: MAX_EXPANSIONS,
    maxSize: MAX_SIZE_EM,
    output: 'htmlAndMathml',
  });
}
