/** What an extension draws in a terminal view (EX24). Plain JSON. */

/** Neighbouring cells of one row, drawn at a fixed place: nothing of it reaches another cell. */
export interface TerminalPiece {
  row: number;
  /** The column that it begins in. */
  at: number;
  /** Columns that it takes. */
  width: number;
  /** Colours of a terminal (SGR) and no other sequence. */
  text: string;
}

/** All that a view shows now; what no piece covers is empty, and over a transcript it is seen through. */
export interface TerminalFrame {
  columns: number;
  rows: number;
  /** Over the transcript; otherwise in the place of the composer. */
  isOverlay: boolean;
  pieces: readonly TerminalPiece[];
  /** Where text is put in, for the windows of input methods. */
  cursor: { row: number; at: number } | null;
  /** It wants to hear of keys that are let go of. */
  hearsRelease: boolean;
}

/** How large a terminal may be, and what one frame or key may hold. */
export const TERMINAL = {
  minColumns: 20,
  maxColumns: 400,
  minRows: 5,
  /** Rows that a person sees at once. */
  maxRows: 150,
  /** Rows of a frame: what is longer is scrolled. */
  maxFrameRows: 400,
  maxPieces: 12_000,
  /** Characters of all pieces. */
  maxChars: 400_000,
  /** Characters of one input: a paste is the longest. */
  maxInput: 100_000,
  /** Milliseconds between two frames. */
  frameMs: 34,
} as const;
