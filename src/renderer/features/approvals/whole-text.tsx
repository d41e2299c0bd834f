import { useLayoutEffect, useMemo, useReducer, useRef } from 'react';
import { ApprovalBody, ReadingNote } from './approval-body';
import { CardText } from './card-text';
import { bodyModeOf } from './measure';
import { plainSource } from './source';
import { useReading } from './use-reading';
import styles from './approvals.module.css';

interface WholeTextProps {
  text: string;
  label: string;
  /** It ran or may have run: parts with risk words are marked. */
  isCall: boolean;
}

/**
 * Every character of a text, of any length and with any characters, in visible form (docs/specs/safety.md C1): read and drawn as the
 * text of a question is, chunk by chunk as far as the frames have room (A2).
 */
export function WholeText({ text, label, isCall }: WholeTextProps) {
  const source = useMemo(() => plainSource(text), [text]);
  const reading = useReading(source);
  const [pending, onPending] = useReducer((count: number, change: 1 | -1) => count + change, 0);
  const place = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    // An output comes in the place of the button that was pressed: the keyboard goes on in it.
    if (!isCall) place.current?.querySelector<HTMLElement>('[role="region"]')?.focus({ preventScroll: true });
  }, [isCall]);
  return (
    <div ref={place} className={styles.wholeText}>
      <CardText label={label} isBusy={!reading || pending > 0} onStart={noop}>
        {reading ? (
          <ApprovalBody
            {...{ source, reading, onPending }}
            mode={bodyModeOf(reading.rows, true)}
            saysRisk={isCall}
            onShowAll={noop}
          />
        ) : (
          <ReadingNote characters={text.length} />
        )}
      </CardText>
    </div>
  );
}

const noop = (): void => undefined;
