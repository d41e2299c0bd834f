import { memo, useMemo, useState } from 'react';
import type { DiffLine } from '@shared/policy/diff-lines';
import { visibleString } from '@shared/policy/visible-text';
import { Button } from '../../ui';
import { affordable, Paced, textCost } from '../markdown';
import { plural } from '../../state/format';
import { DiffRows } from './diff-rows';
import styles from './transcript.module.css';

/** Lines drawn before "Show more": a page of a diff. */
const SHOWN_LINES = 24;
const MAX_LINES = 3_000;
/** Lines that one press adds: more at once would stop the window. */
const PAGE_LINES = 300;
/** A longer or dearer line is cut for the eye. Approvals cut none: they draw the rows themselves. */
const MAX_LINE = 1_000;
const MAX_LINE_NS = 4_000_000;
/** Nanoseconds of lines that are drawn at once. */
const CHUNK_NS = 6_000_000;
const NS_ROW = 40_000;
const ROW_HEIGHT = 19;

/** A diff, its first lines at once. */
export const DiffView = memo(function DiffView({
  lines,
  path,
  first = SHOWN_LINES,
  most = MAX_LINES,
}: {
  lines: readonly DiffLine[];
  path: string;
  /** Lines drawn before "Show more". */
  first?: number;
  /** Lines drawn at most. */
  most?: number;
}) {
  const [count, setCount] = useState(first);
  const chunks = useMemo(() => chunksOf(lines.slice(0, count)), [lines, count]);
  const hidden = Math.max(0, lines.length - count);
  const next = Math.min(hidden, PAGE_LINES);
  return (
    <>
      <div className={styles.diff} role="group" aria-label={`Changes in ${visibleString(path)}`} tabIndex={0}>
        {chunks.map((chunk, index) => (
          <Paced key={index} ns={chunk.ns} height={chunk.lines.length * ROW_HEIGHT}>
            {() => <DiffRows lines={chunk.lines} />}
          </Paced>
        ))}
      </div>
      {hidden > 0 && (
        <div className={styles.more}>
          {count >= most ? (
            `${plural(hidden, 'more line')} ${hidden === 1 ? 'is' : 'are'} not drawn.`
          ) : (
            <Button tone="link" data-unfold onClick={() => setCount(Math.min(most, count + PAGE_LINES))}>
              Show {next.toLocaleString('en')} more {next === 1 ? 'line' : 'lines'}
            </Button>
          )}
        </div>
      )}
    </>
  );
});

interface Chunk {
  lines: DiffLine[];
  ns: number;
}

function chunksOf(lines: readonly DiffLine[]): Chunk[] {
  const chunks: Chunk[] = [];
  for (const line of lines) {
    const clipped = clipLine(line);
    const ns = NS_ROW + textCost(clipped.text);
    const last = chunks.at(-1);
    if (last && last.ns + ns <= CHUNK_NS) {
      last.lines.push(clipped);
      last.ns += ns;
    } else chunks.push({ lines: [clipped], ns });
  }
  return chunks;
}

function clipLine(line: DiffLine): DiffLine {
  const shown = affordable(line.text.slice(0, MAX_LINE), 0, MAX_LINE_NS);
  if (shown === line.text.length) return line;
  const left = line.text.length - shown;
  return { ...line, text: `${line.text.slice(0, shown)} … ${plural(left, 'more character')}` };
}
