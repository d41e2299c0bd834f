import { memo, useMemo, useState } from 'react';
import { type AnsiSpan, parseAnsi } from '../../parts/ansi';
import { ansiClass } from '../../parts/ansi-text';
import { plural } from '../../state/format';
import { Button, VisibleBlock } from '../../ui';
import { Paced } from '../markdown/frame-room';
import { affordable, affordableParts, textCost } from '../markdown/text-cost';
import { useTranscript } from './context';
import styles from './transcript.module.css';

/** Lines drawn before "Show earlier". */
const SHOWN_LINES = 40;
/** Characters of the end that are drawn as lines; a longer text is read in parts. */
const MAX_CHARS = 200_000;
/** A longer or dearer line is cut for the eye. */
const MAX_LINE = 4_000;
const MAX_LINE_NS = 6_000_000;

interface CutText {
  shown: string;
  /** Lines that stand before those. */
  hidden: number;
  /** Characters that more lines do not bring: of lines that are cut, and before the last 200,000. */
  cut: number;
}

/** The last lines of an output, or all that are drawn as lines, and how much of it that leaves out. */
export function cutToLines(text: string, all: boolean): CutText {
  const before = Math.max(0, text.length - MAX_CHARS);
  const lines = text.slice(before).replace(/\n$/, '').split('\n');
  const hidden = all ? 0 : Math.max(0, lines.length - SHOWN_LINES);
  let cut = before;
  const shown = lines.slice(hidden).map((line) => {
    const end = affordable(line.slice(0, MAX_LINE), 0, MAX_LINE_NS);
    cut += line.length - end;
    return end === line.length ? line : `${line.slice(0, end)} … ${plural(line.length - end, 'more character')}`;
  });
  return { shown: shown.join('\n'), hidden, cut };
}

/** How much of a text its lines leave out, and what leads to all of it; nothing where they are all of it. */
export function CutNote({ cut, onShowAll }: { cut: number; onShowAll: () => void }) {
  if (cut === 0) return null;
  return (
    <span>
      {plural(cut, 'character')} left out{' '}
      <Button tone="link" data-unfold onClick={onShowAll}>
        Show all
      </Button>
    </span>
  );
}

/** Nanoseconds of text from which on a chunk of lines is full. */
const CHUNK_NS = 6_000_000;
const NS_SPAN = 8_000;
const NS_LINE = 5_000;
const LINE_HEIGHT = 19;

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
          <span key={index} className={ansiClass(span)}>
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
