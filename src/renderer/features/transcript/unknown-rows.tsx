import { useMemo } from 'react';
import { beginningOf } from '@shared/cut-text';
import { escapeInvisible } from '@shared/policy/url';
import { cx } from '../../ui';
import { CopyButton } from '../markdown/copy-button';
import { plural } from '../../state/format';
import { Fold } from './fold';
import { jsonLines, MOST_UNKNOWN, cutName } from './message-text';
import styles from './transcript.module.css';

/** Characters of a record that are shown; Copy gives all of it. */
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
