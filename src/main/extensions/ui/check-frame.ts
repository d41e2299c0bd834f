import { isRecord } from '@shared/checks';
import { TERMINAL, type TerminalFrame, type TerminalPiece } from '@shared/extensions/terminal';
import { colouredLine } from './clean-text';

/** Characters that a cell may hold on the average, with its colours. */
const PER_CELL = 60;
/** What changes the direction of text, or is not seen: none of it stands in a grid. The joiner holds emoji together. */
const FORMAT = /(?!\u200d)[\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/** A frame as it may be shown; null: it is none. O(characters), within the bounds of `TERMINAL`. */
export function checkFrame(given: unknown): TerminalFrame | null {
  if (!isRecord(given) || !Array.isArray(given.pieces)) return null;
  const { columns, rows, isOverlay, pieces, cursor, hearsRelease } = given;
  if (!isIn(columns, 1, TERMINAL.maxColumns) || !isIn(rows, 1, TERMINAL.maxFrameRows)) return null;
  let chars = 0;
  const shown: TerminalPiece[] = [];
  for (const piece of pieces.slice(0, TERMINAL.maxPieces) as unknown[]) {
    const checked = checkPiece(piece, columns, rows);
    chars += checked?.text.length ?? 0;
    if (chars > TERMINAL.maxChars) break;
    if (checked) shown.push(checked);
  }
  return {
    ...{ columns, rows, isOverlay: isOverlay === true, pieces: shown, hearsRelease: hearsRelease === true },
    cursor:
      isRecord(cursor) && isIn(cursor.row, 0, rows - 1) && isIn(cursor.at, 0, columns - 1)
        ? { row: cursor.row, at: cursor.at }
        : null,
  };
}

function checkPiece(given: unknown, columns: number, rows: number): TerminalPiece | null {
  if (!isRecord(given)) return null;
  const { row, at, width, text } = given;
  if (!isIn(row, 0, rows - 1) || !isIn(at, 0, columns - 1) || !isIn(width, 1, columns - at)) return null;
  return { row, at, width, text: colouredLine(text, width * PER_CELL).replace(FORMAT, '') };
}

function isIn(value: unknown, least: number, most: number): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most;
}
