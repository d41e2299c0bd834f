import { Fragment, memo, type ReactNode } from 'react';
import type { Mark } from '@shared/policy/shell-words';
import type { VisibleLine } from '@shared/policy/visible-line';
import type { VisibleRun } from '@shared/policy/visible-runs';
import { visibleText, type VisiblePlace } from '@shared/policy/visible-text';
import { cx } from './cx';
import styles from './visible.module.css';

/** Class of whatever holds visible text: from left to right, wrapped, nothing clipped, every character a glyph of its own. */
export const visibleClass: string = styles.visible ?? '';
/** What holds part of a line whose rest stands in the next block. */
export const goesOnClass: string = styles.goesOn ?? '';

/**
 * One line in visible form (docs/specs/safety.md C1). `marks` are underlined; they and `start` are offsets in the whole text, where
 * this line begins at `start`.
 */
export const VisibleRuns = memo(function VisibleRuns({
  line,
  marks = NO_MARKS,
  start = 0,
}: {
  line: VisibleLine;
  marks?: readonly Mark[];
  start?: number;
}) {
  let at = start;
  return (
    <>
      {line.runs.map((run, index) => {
        const from = at;
        at += run.source.length;
        return <Run key={index} run={run} from={from} marks={marks} />;
      })}
    </>
  );
});

const NO_MARKS: readonly Mark[] = [];

function Run({ run, from, marks }: { run: VisibleRun; from: number; marks: readonly Mark[] }) {
  const to = from + run.source.length;
  const inside = marks.filter((mark) => mark.from < to && mark.to > from);
  if (run.kind === 'text') return <Marked text={run.shown} from={from} marks={inside} />;
  const drawn = <span className={cx(styles[run.kind], inside.length > 0 && styles.marked)}>{run.shown}</span>;
  return drawn;
}

/** Plain text with its marked parts underlined. */
function Marked({ text, from, marks }: { text: string; from: number; marks: readonly Mark[] }) {
  if (marks.length === 0) return <>{text}</>;
  const parts: ReactNode[] = [];
  let at = 0;
  for (const mark of marks) {
    const start = Math.max(0, mark.from - from);
    const end = Math.min(text.length, mark.to - from);
    parts.push(text.slice(at, start), <u className={styles.marked}>{text.slice(start, end)}</u>);
    at = end;
  }
  parts.push(text.slice(at));
  return (
    <>
      {parts.map((part, index) => (
        <Fragment key={index}>{part}</Fragment>
      ))}
    </>
  );
}

/** A name or a path inside a sentence, in visible form. Line breaks are written out. */
export const Visible = memo(function Visible({ text, place = 'path' }: { text: string; place?: VisiblePlace }) {
  const { lines } = visibleText(text, place);
  return (
    <bdi dir="ltr" className={styles.inline}>
      {lines.map((line, index) => (
        <Fragment key={index}>
          {index > 0 && <span className={styles.escape}>⟨U+000A⟩</span>}
          <VisibleRuns line={line} />
        </Fragment>
      ))}
    </bdi>
  );
});

/** Text of several lines, such as a program's output, in visible form; the line breaks stay. */
export const VisibleBlock = memo(function VisibleBlock({ text }: { text: string }) {
  const { lines } = visibleText(text, 'content');
  return lines.map((line, index) => (
    <Fragment key={index}>
      {index > 0 && '\n'}
      <VisibleRuns line={line} />
    </Fragment>
  ));
});
