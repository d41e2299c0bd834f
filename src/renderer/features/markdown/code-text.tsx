import { Fragment, memo, useEffect, useReducer, useState, type ReactNode } from 'react';
import { Button } from '../../ui';
import { chargeFrame, hasRoom, inNextFrame } from './frame-room';
import type { HighlightSpan } from './highlight/protocol';
import { renderSpans } from './spans';
import styles from './code.module.css';

/** Lines and characters that are made, coloured and laid out together. */
const CHUNK = { lines: 80, characters: 8_000 };
/** A longer line is cut for the eye: one line of a megabyte takes longer to lay out than a frame. Copy gives all of it. */
const MAX_LINE = 2_000;
/** Characters that are shown before “Show more lines”. */
const PAGE = 60_000;
const NS_SPAN = 4_000;

type Lines = readonly (readonly HighlightSpan[])[];

/** The text of a block of code, in chunks: of code that grows the last one is drawn anew, of long code some at a time. */
export function CodeText({ code, lines }: { code: string; lines: Lines | null }) {
  const [pages, setPages] = useState(1);
  const { chunks, isCut } = chunksOf(code, pages * PAGE);
  return (
    <>
      {chunks.map((chunk) => (
        <ChunkView key={chunk.first} text={chunk.text} first={chunk.first} count={chunk.count} colours={lines} />
      ))}
      {isCut && (
        <span className={styles.more}>
          <Button tone="link" onClick={() => setPages(pages * 2)}>
            Show more lines
          </Button>
        </span>
      )}
    </>
  );
}

interface Chunk {
  text: string;
  /** Of its lines, in the whole code. */
  first: number;
  /** Lines that have their colours; 0 where one of them is cut. */
  count: number;
}

const ChunkView = memo(function ChunkView({ text, first, count, colours }: Chunk & { colours: Lines | null }) {
  const [, goOn] = useReducer((times: number) => times + 1, 0);
  const [paid] = useState(() => ({ for: null as Lines | null }));
  const lines = colours && count > 0 ? colours.slice(first, first + count) : null;
  // Colours come when the frame has room for their elements.
  if (lines && paid.for !== colours && hasRoom()) {
    paid.for = colours;
    chargeFrame(lines.reduce((sum, line) => sum + line.length, 0) * NS_SPAN);
  }
  const isWaiting = lines !== null && paid.for !== colours;
  useEffect(() => (isWaiting ? inNextFrame(goOn) : undefined), [isWaiting]);
  return <span className={styles.chunk}>{lines && !isWaiting ? renderLines(lines) : text}</span>;
});

function renderLines(lines: Lines): ReactNode[] {
  return lines.map((line, index) => <Fragment key={index}>{[...renderSpans(line), '\n']}</Fragment>);
}

/** The first chunks of a code, each with its last line end, and whether more follow. O(what is returned). */
function chunksOf(code: string, most: number): { chunks: Chunk[]; isCut: boolean } {
  const chunks: Chunk[] = [];
  let at = 0;
  let line = 0;
  let made = 0;
  while (at < code.length && made < most) {
    const chunk: Chunk = { text: '', first: line, count: 0 };
    let isClipped = false;
    while (at < code.length && chunk.count < CHUNK.lines && chunk.text.length < CHUNK.characters) {
      const found = code.indexOf('\n', at);
      const end = found < 0 ? code.length : found;
      isClipped ||= end - at > MAX_LINE;
      chunk.text += `${clipLine(code, at, end)}\n`;
      chunk.count += 1;
      at = end + 1;
    }
    line += chunk.count;
    made += chunk.text.length;
    chunks.push(isClipped ? { ...chunk, count: 0 } : chunk);
  }
  return { chunks, isCut: at < code.length };
}

function clipLine(code: string, from: number, to: number): string {
  if (to - from <= MAX_LINE) return code.slice(from, to);
  return `${code.slice(from, from + MAX_LINE)} … ${(to - from - MAX_LINE).toLocaleString('en')} more characters`;
}
