import { memo, useMemo, useState } from 'react';
import { Button, VisibleBlock } from '../../ui';
import { affordable, affordableParts, Paced, textCost } from '../markdown';
import { plural } from '../../state/format';
import { parseAnsi, type AnsiSpan } from './ansi';
import { useTranscript } from './context';
import { CutNote } from './cut-note';
import { cutToLines } from './output-lines';
import styles from './transcript.module.css';

/** Nanoseconds of text from which on a chunk of lines is full. */
const CHUNK_NS = 6_000_000;
const NS_SPAN = 8_000;
const NS_LINE = 5_000;
const LINE_HEIGHT = 19;

const ansiClass = {
  red: styles.ansiRed,
  green: styles.ansiGreen,
  yellow: styles.ansiYellow,
  blue: styles.ansiBlue,
  magenta: styles.ansiMagenta,
  cyan: styles.ansiCyan,
  grey: styles.ansiGrey,
} as const;

/** Terminal text with its colours, in visible form: what a program prints must not pretend to be something else. */
export const TerminalText = memo(function TerminalText({ text }: { text: string }) {
  const chunks = useMemo(() => chunksOf(parseAnsi(text)), [text]);
  return <Chunks chunks={chunks} />;
});

/** Text that no terminal has drawn, every character of it (C1): what a terminal hides would run all the same. */
const PlainText = memo(function PlainText({ text }: { text: string }) {
  const chunks = useMemo(() => chunksOf([{ text, colour: null, bold: false }]), [text]);
  return <Chunks chunks={chunks} />;
});

function Chunks({ chunks }: { chunks: readonly Chunk[] }) {
  return chunks.map((chunk, index) => (
    <Paced key={index} ns={chunk.ns} height={chunk.lines * LINE_HEIGHT}>
      {() => <ChunkView spans={chunk.spans} />}
    </Paced>
  ));
}

const ChunkView = memo(function ChunkView({ spans }: { spans: readonly AnsiSpan[] }) {
  return (
    <span className={styles.chunk}>
      {spans.map((span, index) =>
        span.colour || span.bold ? (
          <span
            key={index}
            className={[span.colour && ansiClass[span.colour], span.bold && styles.bold].filter(Boolean).join(' ')}
          >
            <VisibleBlock text={span.text} />
          </span>
        ) : (
          <VisibleBlock key={index} text={span.text} />
        ),
      )}
    </span>
  );
});

/** What is laid out together: whole lines, where one of them is not too dear itself. */
interface Chunk {
  spans: AnsiSpan[];
  lines: number;
  ns: number;
}

function chunksOf(spans: readonly AnsiSpan[]): Chunk[] {
  const chunks: Chunk[] = [];
  let chunk: Chunk | undefined;
  for (const span of spans) {
    let isNew = true;
    const add = (text: string, ns: number): void => {
      if (!chunk) chunks.push((chunk = { spans: [], lines: 1, ns: 0 }));
      const last = isNew ? undefined : chunk.spans.at(-1);
      if (last) last.text += text;
      else chunk.spans.push({ ...span, text });
      chunk.ns += ns + (last ? 0 : NS_SPAN);
      isNew = false;
    };
    const finish = (): void => {
      chunk = undefined;
      isNew = true;
    };
    for (const [index, line] of span.text.split('\n').entries()) {
      if (index > 0 && chunk) {
        // A chunk is a block: the line end between two of them is none of the text.
        if (chunk.ns >= CHUNK_NS) finish();
        else {
          add('\n', NS_LINE);
          chunk.lines += 1;
        }
      }
      for (const part of affordableParts(line, CHUNK_NS)) {
        if (chunk && chunk.ns >= CHUNK_NS) finish();
        add(part, textCost(part));
      }
    }
  }
  return chunks;
}

/** The end of a text, as many whole lines as cost no more than one chunk. */
export function affordableTail(text: string): string {
  let ns = 0;
  for (let end = text.length; end > 0;) {
    const start = text.lastIndexOf('\n', end - 1) + 1;
    ns += textCost(text.slice(start, end)) + NS_LINE;
    if (ns > CHUNK_NS) {
      const line = text.slice(start, end);
      return end === text.length
        ? line.slice(-affordable([...line].reverse().join(''), 0, CHUNK_NS))
        : text.slice(end + 1);
    }
    end = start - 1;
  }
  return text;
}

/** What a tool gave, as it is, the last lines first in view; the rest one press away. */
export function OutputText({ text, label }: { text: string; label: string }) {
  const { renderWhole } = useTranscript();
  const [extent, setExtent] = useState<'end' | 'lines' | 'whole'>('end');
  const { shown, hidden, cut } = useMemo(() => cutToLines(text, extent !== 'end'), [text, extent]);
  if (extent === 'whole') return renderWhole(text, { label, isCall: false });
  return (
    <>
      {hidden + cut > 0 && (
        <div className={styles.more}>
          {hidden > 0 && (
            <Button tone="link" data-unfold onClick={() => setExtent('lines')}>
              Show {plural(hidden, 'earlier line')}
            </Button>
          )}
          <CutNote cut={cut} onShowAll={() => setExtent('whole')} />
        </div>
      )}
      <pre className={styles.output} tabIndex={0} aria-label={label}>
        <PlainText text={shown} />
      </pre>
    </>
  );
}
