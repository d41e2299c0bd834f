import { escapeInvisible } from '@shared/policy/url';
import { CopyButton } from '../markdown/copy-button';
import { Fold } from './fold';
import { shortName } from './message-text';
import styles from './transcript.module.css';

/** Characters of a record that are shown; Copy gives all of it. */
const MOST_SHOWN = 4_000;

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
  const line = JSON.stringify(source);
  return (
    <Fold
      className={styles.note}
      label={`${what} of unknown type “${escapeInvisible(shortName(type))}”`}
      aside={<CopyButton text={line} label="Copy its text" />}
    >
      {() => <RecordText line={line} />}
    </Fold>
  );
}

/** A row for each part of a message that is not known. */
export function UnknownParts({ parts }: { parts: readonly { type: string }[] }) {
  return parts.map((part, index) => <UnknownRow key={index} what="Part" type={part.type} source={part} />);
}

/** The beginning of a record, as it stands in the file. */
export function RecordText({ line }: { line: string }) {
  const left = line.length - MOST_SHOWN;
  return (
    <pre className={styles.record} tabIndex={0} aria-label="Text of the record">
      {escapeInvisible(line.slice(0, MOST_SHOWN))}
      {left > 0 && `\n… ${left.toLocaleString('en')} more characters`}
    </pre>
  );
}
