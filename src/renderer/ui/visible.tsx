import { Fragment, memo, type ReactNode } from 'react';
import { twinsIn, type LookAlikePlace } from '@shared/policy/look-alikes';
import type { Mark } from '@shared/policy/shell-words';
import { type VisibleLine, type VisiblePlace, visibleText } from '@shared/policy/visible-text';
import type { VisibleRun } from '@shared/policy/visible-runs';
import { cx } from './cx';
import styles from './visible.module.css';

/** Class of whatever holds visible text: from left to right, wrapped, nothing clipped, every character a glyph of its own. */
export const visibleClass: string = styles.visible ?? '';
/** What holds part of a line whose rest stands in the next block. */
export const goesOnClass: string = styles.goesOn ?? '';

/** What holds a whole line that another one follows, where both could run: its end is no wrap. */
export const lineEndClass: string = styles.lineEnd ?? '';

/**
 * One line in visible form (docs/specs/safety.md C1). `marks` are underlined; they and `start` are offsets in the whole text, where
 * this line begins at `start`. With a `place`, characters that look like others are set off as escapes are; the text stays as it is.
 */
export const VisibleRuns = memo(function VisibleRuns({
  line,
  marks = NO_MARKS,
  start = 0,
  place,
}: {
  line: VisibleLine;
  marks?: readonly Mark[];
  start?: number;
  place?: LookAlikePlace;
}) {
  let at = start;
  return (
    <>
      {line.runs.map((run, index) => {
        const from = at;
        at += run.source.length;
        return <Run key={index} run={run} from={from} marks={marks} place={place} />;
      })}
    </>
  );
});

const NO_MARKS: readonly Mark[] = [];

interface RunProps {
  run: VisibleRun;
  from: number;
  marks: readonly Mark[];
  place: LookAlikePlace | undefined;
}

function Run({ run, from, marks, place }: RunProps) {
  const to = from + run.source.length;
  const inside = marks.filter((mark) => mark.from < to && mark.to > from);
  if (run.kind === 'text') return <Marked text={run.shown} from={from} marks={inside} place={place} />;
  const drawn = <span className={cx(styles[run.kind], inside.length > 0 && styles.marked)}>{run.shown}</span>;
  return drawn;
}

/** Plain text with its marked parts underlined. */
function Marked({ text, from, marks, place }: Omit<RunProps, 'run'> & { text: string }) {
  const twins = place === undefined ? NO_MARKS : twinsIn(text, place);
  const plain = (start: number, end: number): ReactNode => withTwins(text, start, end, twins);
  if (marks.length === 0) return <>{plain(0, text.length)}</>;
  const parts: ReactNode[] = [];
  let at = 0;
  for (const mark of marks) {
    const start = Math.max(0, mark.from - from);
    const end = Math.min(text.length, mark.to - from);
    parts.push(plain(at, start), <u className={styles.marked}>{plain(start, end)}</u>);
    at = end;
  }
  parts.push(plain(at, text.length));
  return (
    <>
      {parts.map((part, index) => (
        <Fragment key={index}>{part}</Fragment>
      ))}
    </>
  );
}

/** Part of a text, with the characters set off that look like others. */
function withTwins(text: string, from: number, to: number, twins: readonly Mark[]): ReactNode {
  const parts: ReactNode[] = [];
  let at = from;
  for (const twin of twins) {
    const start = Math.max(from, twin.from);
    const end = Math.min(to, twin.to);
    if (start >= end) continue;
    parts.push(
      text.slice(at, start),
      <span key={start} className={styles.escape} data-twin>
        {text.slice(start, end)}
      </span>,
    );
    at = end;
  }
  return parts.length === 0 ? text.slice(from, to) : [...parts, text.slice(at, to)];
}

/** A name or a path inside a sentence, in visible form. Line breaks are written out. */
export const Visible = memo(function Visible({ text, place = 'path' }: { text: string; place?: VisiblePlace }) {
  const { lines } = visibleText(text, place);
  return (
    <bdi dir="ltr" className={styles.inline}>
      {lines.map((line, index) => (
        <Fragment key={index}>
          {index > 0 && <span className={styles.escape}>⟨U+000A⟩</span>}
          <VisibleRuns line={line} place={place === 'command' ? place : undefined} />
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
