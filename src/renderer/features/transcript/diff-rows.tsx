import { memo, useMemo } from 'react';
import type { DiffLine } from '@shared/policy/diff-lines';
import { visibleApart, type VisibleLine } from '@shared/policy/visible-text';
import { cx, goesOnClass, VisibleRuns, visibleClass } from '../../ui';
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
