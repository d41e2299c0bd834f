import { Fragment, memo, useEffect, useMemo, useReducer, useRef, useState, type ReactNode } from 'react';
import { Button } from '../../ui';
import { chargeFrame, hasRoom, inNextFrame } from './frame-room';
import type { HighlightSpan } from './highlight/protocol';
import { usePaid } from './paced';
import { renderSpans } from './spans';
import { affordable, textCost } from './text-cost';
import styles from './code.module.css';

/** Lines and characters that are made, coloured and laid out together. */
const CHUNK = { lines: 80, characters: 8_000 };
/** A longer line is cut for the eye: one line of a megabyte takes longer to lay out than a frame. Copy gives all of it. */
const MAX_LINE = 2_000;
/** Characters and nanoseconds of layout that are shown before “Show more lines”. */
const PAGE = { characters: 60_000, ns: 200_000_000 };
/** Nanoseconds that one line and one chunk may take to lay out. */
const MAX_NS = 8_000_000;
const NS_SPAN = 4_000;

type Lines = readonly (readonly HighlightSpan[])[];

/** The text of a block of code, in chunks: of code that grows the last one is drawn anew, of long code some at a time. */
export function CodeText({ code, lines }: { code: string; lines: Lines | null }) {
  const [pages, setPages] = useState(1);
  const { chunks, isCut } = useMemo(() => chunksOf(code, pages), [code, pages]);
  const count = usePaced(chunks);
  return (
    <>
      {chunks.slice(0, count).map((chunk) => (
        <ChunkView key={chunk.first} {...chunk} colours={lines} />
      ))}
      {isCut && count === chunks.length && (
        <span className={styles.more}>
          <Button tone="link" onClick={() => setPages(pages * 2)}>
            Show more lines
          </Button>
        </span>
      )}
    </>
  );
}

/** How many of the chunks there was room for so far; the others come in the next frames. */
function usePaced(chunks: readonly Chunk[]): number {
  const [, goOn] = useReducer((times: number) => times + 1, 0);
  const drawn = useRef(0);
  drawn.current = Math.min(drawn.current, chunks.length);
  while (drawn.current < chunks.length && hasRoom()) {
    chargeFrame(chunks[drawn.current]?.ns ?? 0);
    drawn.current += 1;
  }
  const isWhole = drawn.current === chunks.length;
  useEffect(() => (isWhole ? undefined : inNextFrame(goOn)));
  return drawn.current;
}

interface Chunk {
  text: string;
  /** Of its lines, in the whole code. */
  first: number;
  /** Lines that have their colours; 0 where one of them is cut. */
  count: number;
  /** Estimated, to lay it out. */
  ns: number;
}

const ChunkView = memo(function ChunkView({ text, first, count, ns, colours }: Chunk & { colours: Lines | null }) {
  const lines = useMemo(
    () => (colours && count > 0 ? colours.slice(first, first + count) : null),
    [colours, first, count],
  );
  // Colours come when the frame has room for their elements.
  const isPaid = usePaid(lines, lines ? ns + lines.reduce((sum, line) => sum + line.length, 0) * NS_SPAN : 0);
  return <span className={styles.chunk}>{lines && isPaid ? renderLines(lines) : text}</span>;
});

function renderLines(lines: Lines): ReactNode[] {
  return lines.map((line, index) => <Fragment key={index}>{[...renderSpans(line), '\n']}</Fragment>);
}

/** The first chunks of a code, each with its last line end, and whether more follow. O(what is returned). */
function chunksOf(code: string, pages: number): { chunks: Chunk[]; isCut: boolean } {
  const chunks: Chunk[] = [];
  let chunk: Chunk = { text: '', first: 0, count: 0, ns: 0 };
  let isClipped = false;
  let at = 0;
  let made = 0;
  let ns = 0;
  let line = 0;
  const finish = (): void => {
    if (line > chunk.first) chunks.push(isClipped ? { ...chunk, count: 0 } : chunk);
    chunk = { text: '', first: line, count: 0, ns: 0 };
    isClipped = false;
  };
  while (at < code.length && made < pages * PAGE.characters && ns < pages * PAGE.ns) {
    const found = code.indexOf('\n', at);
    const end = found < 0 ? code.length : found;
    const most = Math.min(end, at + MAX_LINE);
    const shown = affordable(code.slice(at, most), 0, MAX_NS);
    const text = clipLine(code, at, at + shown, end);
    const cost = textCost(text);
    const isFull = chunk.count >= CHUNK.lines || chunk.text.length >= CHUNK.characters || chunk.ns + cost > MAX_NS;
    if (chunk.count > 0 && isFull) finish();
    chunk.text += `${text}\n`;
    chunk.count += 1;
    chunk.ns += cost;
    isClipped ||= at + shown < end;
    line += 1;
    made += text.length + 1;
    ns += cost;
    at = end + 1;
  }
  finish();
  return { chunks, isCut: at < code.length };
}

function clipLine(code: string, from: number, to: number, end: number): string {
  const shown = code.slice(from, to);
  return to === end ? shown : `${shown} … ${(end - to).toLocaleString('en')} more characters`;
}
