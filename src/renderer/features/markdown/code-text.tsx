import { Fragment, memo, useEffect, useMemo, useReducer, useState, type ReactNode } from 'react';
import { Button } from '../../ui';
import { CodeChunks, type CodeChunk } from './code-chunks';
import { chargeFrame, hasRoom, inNextFrame } from './frame-room';
import type { HighlightSpan } from './highlight/protocol';
import { usePaid } from './paced';
import { renderSpans } from './spans';
import styles from './code.module.css';

const NS_SPAN = 4_000;

type Lines = readonly (readonly HighlightSpan[])[];

/** The text of a block of code, in chunks: of code that grows the last one is drawn again, of long code some at a time. */
export function CodeText({ code, lines }: { code: string; lines: Lines | null }) {
  const [pages, setPages] = useState(1);
  const chunks = usePaced(code, pages);
  return (
    <>
      {chunks.made.map((chunk) => (
        <ChunkView key={chunk.first} {...chunk} colours={lines} />
      ))}
      {chunks.isFull(pages) && (
        <span className={styles.more}>
          <Button tone="link" onClick={() => setPages(pages * 2)}>
            Show more lines
          </Button>
        </span>
      )}
    </>
  );
}

/** The chunks that there was room for so far; the others come in the next frames. */
function usePaced(code: string, pages: number): CodeChunks {
  const [, goOn] = useReducer((times: number) => times + 1, 0);
  const [chunks] = useState(() => new CodeChunks());
  // What stands stays, whatever else the frame has to do.
  const least = chunks.update(code);
  while (!chunks.isWhole(pages) && (chunks.made.length < least || hasRoom())) chargeFrame(chunks.next(pages));
  const isWhole = chunks.isWhole(pages);
  // oxlint-disable-next-line react/exhaustive-deps -- once more after each drawing, until all of it is drawn
  useEffect(() => (isWhole ? undefined : inNextFrame(goOn)));
  return chunks;
}

const ChunkView = memo(function ChunkView({ text, first, count, ns, colours }: CodeChunk & { colours: Lines | null }) {
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
