import { memo, useMemo, useState } from 'react';
import type { DiffLine } from '@shared/policy/diff-lines';
import { visibleApart, type VisibleLine, visibleString } from '@shared/policy/visible-text';
import { plural } from '../../state/format';
import { Button, cx, goesOnClass, visibleClass, VisibleRuns } from '../../ui';
import { Paced } from '../markdown/frame-room';
import { affordable, textCost } from '../markdown/text-cost';
import styles from './transcript.module.css';

const signs = { added: '+', removed: '−', context: ' ' } as const;
const names = { added: 'added: ', removed: 'removed: ', context: undefined } as const;

/** The lines of a diff in visible form, gathered by kind: blank ones are counted within it, never across a change. */
function diffStretches(lines: readonly DiffLine[]): { kind: DiffLine['kind']; visible: VisibleLine[] }[] {
  const groups: { kind: DiffLine['kind']; texts: string[] }[] = [];
  for (const { kind, text } of lines) {
    const last = groups.at(-1);
    if (last?.kind === kind && kind !== 'gap' && kind !== 'note') last.texts.push(text);
    else groups.push({ kind, texts: [text] });
  }
  return groups.map(({ kind, texts }) => ({ kind, visible: visibleApart(texts) }));
}

/** The lines of a diff, in visible form, with signs: the colour never stands alone. */
export const DiffRows = memo(function DiffRows({ lines }: { lines: readonly DiffLine[] }) {
  const stretches = useMemo(() => diffStretches(lines), [lines]);
  return stretches.map(({ kind, visible }, index) =>
    visible.map((line, at) => (
      <div key={`${index}:${at}`} className={cx(styles.diffRow, styles[kind], visibleClass)} data-diff={kind}>
        {kind === 'gap' && line.runs.length === 0 ? (
          '⋯'
        ) : (
          <>
            {kind !== 'gap' && kind !== 'note' && (
              <span className={styles.sign} aria-label={names[kind]}>
                {signs[kind]}
              </span>
            )}
            <span className={styles.code} data-visible>
              <VisibleRuns line={line} />
            </span>
          </>
        )}
      </div>
    )),
  );
});

/** Part of a line that is too long to be drawn in one go. Behind it stands that it goes on: that is no end of a line. */
export function DiffPiece({ kind, line, isBegun, goesOn }: DiffPieceProps) {
  const sign = kind === 'gap' || kind === 'note' ? null : { text: signs[kind], name: names[kind] };
  return (
    <div className={cx(styles.diffRow, styles[kind], visibleClass)} data-diff={kind}>
      {sign && (
        <span className={styles.sign} aria-label={sign.name}>
          {isBegun ? '…' : sign.text}
        </span>
      )}
      <span className={cx(styles.code, goesOn && goesOnClass)} data-visible data-goes-on={goesOn || undefined}>
        <VisibleRuns line={line} />
      </span>
    </div>
  );
}

interface DiffPieceProps {
  kind: DiffLine['kind'];
  line: VisibleLine;
  /** The beginning of the line stands before it. */
  isBegun: boolean;
  goesOn: boolean;
}

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
