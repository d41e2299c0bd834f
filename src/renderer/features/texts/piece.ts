/** A part of what a person sees of a message: words, or an element with what it holds. Plain data, so that it is tested without a page. */
export type Piece = string | ElementPiece;

export interface ElementPiece {
  /** In lower case. `raw`: drawn from a source that is known, such as a formula, a diagram, a reference. */
  tag: string;
  /** What the Markdown of the element needs beyond its words. */
  link?: string;
  /** Of what is raw: its Markdown. Of code: its language. */
  source?: string;
  /** Of what is raw: it is a block. Of a check box: checked. */
  is?: boolean;
  /** Of an ordered list: its first number. Of a heading: its level. */
  number?: number;
  children: Piece[];
}

/** How deep elements are followed; what is deeper gives its words alone. */
export const MAX_DEPTH = 80;

/** The words of a piece, as they stand. */
export function wordsOf(piece: Piece): string {
  if (typeof piece === 'string') return piece;
  if (piece.tag === 'br') return '\n';
  if (piece.tag === 'raw') return piece.source ?? '';
  return piece.children.map(wordsOf).join('');
}
