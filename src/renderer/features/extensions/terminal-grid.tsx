import { type CSSProperties, memo, useMemo } from 'react';
import type { TerminalFrame, TerminalPiece } from '@shared/extensions/terminal';
import { cx } from '../../ui';
import { cellStyle } from './terminal-colours';
import styles from './terminal.module.css';

const MARK_CLASSES = new Map([
  [1, styles.bold],
  [2, styles.dim],
  [3, styles.italic],
  [4, styles.underline],
  [9, styles.struck],
]);

/** Pieces of a terminal, each in its place: text alone, none of which reaches another cell (EX24). */
export const TerminalGrid = memo(function TerminalGrid({ frame }: { frame: TerminalFrame }) {
  const { columns, rows, pieces, isOverlay } = frame;
  const lines = useMemo(() => linesOf(pieces), [pieces]);
  const size = { '--columns': columns, '--rows': rows } as CSSProperties;
  return (
    <div className={cx(styles.grid, isOverlay && styles.over)} style={size} aria-hidden>
      {lines.map((line) => (
        <Line key={line.row} row={line.row} text={line.text} pieces={line.pieces} />
      ))}
    </div>
  );
});

interface LineProps {
  row: number;
  /** What it is drawn from: the same, and it is not drawn again. */
  text: string;
  pieces: readonly TerminalPiece[];
}

function linesOf(pieces: readonly TerminalPiece[]): LineProps[] {
  const rows = new Map<number, TerminalPiece[]>();
  for (const piece of pieces) {
    const known = rows.get(piece.row);
    if (known) known.push(piece);
    else rows.set(piece.row, [piece]);
  }
  return [...rows].map(([row, of]) => ({
    row,
    pieces: of,
    text: of.map(({ at, width, text }) => `${at} ${width} ${text}`).join('\n'),
  }));
}

const Line = memo(
  function Line({ row, pieces }: LineProps) {
    return (
      <div className={styles.line} style={{ '--row': row } as CSSProperties}>
        {pieces.map((piece) => (
          <span
            key={piece.at}
            className={styles.piece}
            style={{ '--at': piece.at, '--width': piece.width } as CSSProperties}
          >
            {runsOf(piece.text).map(({ code, text }, index) => (
              <Run key={index} code={code} text={text} />
            ))}
          </span>
        ))}
      </div>
    );
  },
  (before, after) => before.row === after.row && before.text === after.text,
);

function Run({ code, text }: { code: string; text: string }) {
  if (code === '') return text;
  const { marks, ink, ground } = cellStyle(code);
  const style = {
    ...(ink && { '--light': ink[0], '--dark': ink[1] }),
    ...(ground && { '--light-ground': ground[0], '--dark-ground': ground[1] }),
  } as CSSProperties;
  const classes = marks.map((mark) => MARK_CLASSES.get(mark));
  return (
    <span className={cx(ink !== null && styles.ink, ground !== null && styles.ground, ...classes)} style={style}>
      {text}
    </span>
  );
}

/** Text with the colours that come before it. */
export function runsOf(text: string): { code: string; text: string }[] {
  const runs: { code: string; text: string }[] = [];
  let code = '';
  let at = 0;
  for (const match of text.matchAll(/\u001b\[([0-9;:]*)m/g)) {
    if (match.index > at) runs.push({ code, text: text.slice(at, match.index) });
    code = match[1] ?? '';
    at = match.index + match[0].length;
  }
  if (at < text.length) runs.push({ code, text: text.slice(at) });
  // No control character is drawn, whatever came.
  return runs.map((run) => ({ ...run, text: run.text.replace(/\p{Cc}/gu, '') }));
}

/** The words of a frame, line by line, without colours. */
export function frameText({ pieces }: TerminalFrame): string {
  return linesOf(pieces)
    .map(({ pieces: of }) => {
      let end = 0;
      return of
        .map(({ at, width, text }) => {
          const gap = ' '.repeat(Math.max(0, at - end));
          end = at + width;
          return (
            gap +
            runsOf(text)
              .map((run) => run.text)
              .join('')
          );
        })
        .join('')
        .trimEnd();
    })
    .filter((line) => /[\p{L}\p{N}]/u.test(line))
    .join('\n');
}
