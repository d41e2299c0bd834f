/**
 * Fetches the faces of nearly every formula, before anything is shown: when a face arrives, everything on the page is laid out again,
 * which takes a tenth of a second in the middle of a very long reply.
 */
export function fetchFormulaFaces({ fonts }: Document): void {
  for (const face of ['1em KaTeX_Main', 'italic 1em KaTeX_Math']) {
    // Without it formulas are drawn in the letters of the text.
    fonts.load(face).catch(() => undefined);
  }
}
