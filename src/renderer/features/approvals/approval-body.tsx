import { useId, useMemo, useState, type ReactNode } from 'react';
import { ChevronRight } from 'lucide-react';
import type { ApprovalSubject } from '@shared/ipc/types';
import type { Mark } from '@shared/policy/risk';
import { visibleText, type VisiblePlace } from '@shared/policy/visible-text';
import { Button, cx, VisibleRuns, visibleClass } from '../../ui';
import { countChanges, DiffRows, type DiffLine } from '../transcript';
import { countRows, FIRST_ROWS, firstRows, rowsOf, sections, type BodyMode } from './measure';
import styles from './approvals.module.css';

export interface BodyText {
  /** Lines of a command, a path, arguments; of a change. */
  lines: readonly DiffLine[];
  rows: number;
  isDiff: boolean;
}

/** The text of a question as lines: what is measured and drawn. */
export function textOf(subject: ApprovalSubject, parse: (diff: string) => DiffLine[]): BodyText {
  if (subject.kind === 'diff') {
    const lines = parse(subject.diff);
    return { lines, rows: countRows(lines), isDiff: true };
  }
  const text = subject.kind === 'command' ? subject.command : subject.kind === 'path' ? subject.path : subject.text;
  const lines = text.split('\n').map((line): DiffLine => ({ kind: 'context', text: line }));
  return { lines, rows: countRows(lines), isDiff: false };
}

interface BodyProps {
  text: BodyText;
  mode: BodyMode;
  place: VisiblePlace;
  marks: readonly Mark[];
  onShowAll: () => void;
  /** Whether a part of a long text is shown open from the start. */
  isRisky: (lines: readonly DiffLine[]) => boolean;
}

/** The text of a question in visible form. */
export function ApprovalBody({ text, mode, place, marks, onShowAll, isRisky }: BodyProps) {
  const draw = (lines: readonly DiffLine[], from: number): ReactNode =>
    text.isDiff ? <DiffRows lines={lines} /> : <PlainRows lines={lines} place={place} marks={marks} from={from} />;
  const first = useMemo(() => firstRows(text.lines, FIRST_ROWS), [text]);
  if (mode === 'sections') return <Sections text={text} draw={draw} isRisky={isRisky} />;
  if (mode === 'whole') return <div className={styles.lines}>{draw(text.lines, 0)}</div>;
  return (
    <div className={styles.lines}>
      {draw(first, 0)}
      <p className={styles.more}>
        {first.length.toLocaleString('en')} of {text.lines.length.toLocaleString('en')}{' '}
        {text.lines.length === 1 ? 'line' : 'lines'}
        <Button tone="link" onClick={onShowAll}>
          Show all
        </Button>
      </p>
    </div>
  );
}

/** A command, a path or arguments. `from` is where the first line begins in the whole text, which the marks count in. */
function PlainRows({
  lines,
  place,
  marks,
  from,
}: {
  lines: readonly DiffLine[];
  place: VisiblePlace;
  marks: readonly Mark[];
  from: number;
}) {
  const drawn = useMemo(() => {
    const { lines: visible } = visibleText(lines.map((line) => line.text).join('\n'), place);
    let at = from;
    return visible.map((line) => {
      const start = at;
      at += line.runs.reduce((sum, run) => sum + run.source.length, 0) + 1;
      return { line, start };
    });
  }, [lines, place, from]);
  return drawn.map(({ line, start }, index) => (
    <div key={index} className={cx(styles.line, visibleClass)} data-visible>
      <VisibleRuns line={line} marks={marks} start={start} />
    </div>
  ));
}

interface SectionsProps {
  text: BodyText;
  draw: (lines: readonly DiffLine[], from: number) => ReactNode;
  isRisky: (lines: readonly DiffLine[]) => boolean;
}

/** A text that is too long to read in one piece: its parts with their figures, those with something in them open. */
function Sections({ text, draw, isRisky }: SectionsProps) {
  const parts = useMemo(() => {
    const found = sections(text.lines, (line) => line.kind === 'gap');
    let from = 0;
    let number = 1;
    return found.map((lines) => {
      const part = { lines, from, first: number, isRisky: isRisky(lines) };
      from += lines.reduce((sum, line) => sum + line.text.length + 1, 0);
      number += lines.length;
      return part;
    });
  }, [text, isRisky]);
  const risky = parts.filter((part) => part.isRisky).length;
  return (
    <div className={styles.sections}>
      <p className={styles.summary}>
        {text.lines.length.toLocaleString('en')} lines in {parts.length.toLocaleString('en')} parts.{' '}
        {risky === 0
          ? 'None has a risk word in it.'
          : `${risky.toLocaleString('en')} with risk words or hidden characters stand open.`}{' '}
        Open what you want to read.
      </p>
      {parts.map((part) => (
        <Section key={part.first} title={titleOf(part.lines, part.first, text.isDiff)} isRisky={part.isRisky}>
          {() => draw(part.lines, part.from)}
        </Section>
      ))}
    </div>
  );
}

function titleOf(lines: readonly DiffLine[], first: number, isDiff: boolean): string {
  const many = lines.reduce((sum, line) => sum + rowsOf(line), 0) > lines.length ? ' (long lines)' : '';
  if (!isDiff) return `Lines ${first.toLocaleString('en')}–${(first + lines.length - 1).toLocaleString('en')}${many}`;
  const { added, removed } = countChanges(lines);
  const [head] = lines;
  const where =
    head?.kind === 'gap' && head.text !== '' ? head.text : `part from line ${first.toLocaleString('en')} of the change`;
  return `+${added.toLocaleString('en')} −${removed.toLocaleString('en')} · ${where}${many}`;
}

function Section({ title, isRisky, children }: { title: string; isRisky: boolean; children: () => ReactNode }) {
  const [open, setOpen] = useState(isRisky);
  const id = useId();
  return (
    <div>
      <button
        type="button"
        className={styles.section}
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        onClick={() => setOpen(!open)}
      >
        <ChevronRight size={13} className={cx(styles.chevron, open && styles.turned)} aria-hidden />
        {title}
      </button>
      {open && (
        <div id={id} className={styles.lines}>
          {children()}
        </div>
      )}
    </div>
  );
}
