/** What cannot be drawn as what it is: records of unknown types, and rows that failed. */
import { type ReactNode, useMemo } from 'react';
import { beginningOf } from '@shared/cut-text';
import { escapeInvisible } from '@shared/policy/url';
import { plural } from '../../state/format';
import { useApp } from '../../state/hooks';
import { Button, cx, ErrorBoundary, type Fault } from '../../ui';
import faultsStyles from '../faults/faults.module.css';
import { ReportButton } from '../faults/pane-boundary';
import { CopyButton } from '../markdown/environment';
import { Fold } from './fold';
import { cutName, jsonLines, MOST_UNKNOWN } from './message-text';
import styles from './transcript.module.css';

/** Characters of a record, or of what a row is drawn from, that are shown; Copy gives all of it. */
const MOST_SHOWN = 4_000;

/** Characters of a type that stand in the row's label, as they are seen; its text has all of it. */
const MOST_OF_TYPE = 60;

function typeLabel(type: string): string {
  let seen = '';
  for (const character of cutName(type)) {
    const piece = escapeInvisible(character);
    if (seen.length + piece.length > MOST_OF_TYPE) return `${seen}…`;
    seen += piece;
  }
  return seen;
}

/** What another program wrote in a form that Espalier does not know (docs/specs/transcript.md TS16). */
export function UnknownRow({
  what,
  type,
  source,
}: {
  what: 'Entry' | 'Message' | 'Part';
  type: string;
  source: object;
}) {
  // Made when it is wanted: a message may hold a million of them.
  return (
    <Fold
      className={styles.note}
      label={`${what} of unknown type “${typeLabel(type)}”`}
      aside={<CopyButton text={() => JSON.stringify(source)} label="Copy its text" />}
    >
      {() => <SourceText source={source} />}
    </Fold>
  );
}

function SourceText({ source }: { source: object }) {
  const line = useMemo(() => JSON.stringify(source), [source]);
  return <RecordText line={line} />;
}

/** A row for each of the first parts of a message that are not known, one for the others. */
export function UnknownParts({ parts }: { parts: readonly { type: string }[] }) {
  return (
    <>
      {parts.slice(0, MOST_UNKNOWN).map((part, index) => (
        <UnknownRow key={index} what="Part" type={part.type} source={part} />
      ))}
      {parts.length > MOST_UNKNOWN && <MoreUnknown parts={parts.slice(MOST_UNKNOWN)} />}
    </>
  );
}

/** Unknown parts without a row of their own: how many there are, and their text, each in a line. */
export function MoreUnknown({ parts }: { parts: readonly { type: string }[] }) {
  return (
    <div className={cx(styles.note, styles.foldHead)} role="note">
      {parts.length.toLocaleString('en')} more of unknown types
      <CopyButton text={() => jsonLines(parts)} label="Copy their text" />
    </div>
  );
}

/** The beginning of a record. */
export function RecordText({ line }: { line: string }) {
  const shown = beginningOf(line, MOST_SHOWN);
  const left = line.length - shown.length;
  return (
    <pre className={styles.record} tabIndex={0} aria-label="Text of the record">
      {escapeInvisible(shown)}
      {left > 0 && `\n… ${plural(left, 'more character')}`}
    </pre>
  );
}

interface RowBoundaryProps {
  /** What the row is drawn from: another of these deserves another try. */
  inputs: readonly unknown[];
  /** What it is made of, for the text that stands in its place. */
  source: () => readonly unknown[];
  children: ReactNode;
}

/** Keeps a failure to its row: what it was made of is shown as text. */
export function RowBoundary({ inputs, source, children }: RowBoundaryProps) {
  const { reportFault } = useApp();
  return (
    <ErrorBoundary
      inputs={inputs}
      onFault={(error, stack) => reportFault('A row', error, stack)}
      fallback={(fault) => <RowFault source={source} fault={fault} />}
    >
      {children}
    </ErrorBoundary>
  );
}

function RowFault({ source, fault }: { source: () => readonly unknown[]; fault: Fault }) {
  const app = useApp();
  const text = source().map(asText).join('\n');
  const left = text.length - MOST_SHOWN;
  const copy = (): void =>
    void navigator.clipboard.writeText(text).then(
      () => app.toast({ level: 'success', text: 'Copied.' }),
      () => app.toast({ level: 'error', text: 'It could not be copied.' }),
    );
  return (
    <div className={faultsStyles.row} role="group" aria-label="This could not be drawn" data-fault>
      <div className={faultsStyles.rowHead}>
        <span>This could not be drawn. It is saved unchanged.</span>
        <Button size="small" onClick={copy}>
          Copy
        </Button>
        <ReportButton where="A row" error={fault.error} />
      </div>
      <pre className={faultsStyles.source} tabIndex={0} aria-label="Source">
        {escapeLines(text.slice(0, MOST_SHOWN))}
        {left > 0 && `\n… ${plural(left, 'more character')}`}
      </pre>
    </div>
  );
}

/** Never throws. */
function asText(value: unknown): string {
  try {
    return JSON.stringify(value, null, 2) ?? String(value);
  } catch {
    return '(no text can be made of it)';
  }
}

function escapeLines(text: string): string {
  return text.split('\n').map(escapeInvisible).join('\n');
}
