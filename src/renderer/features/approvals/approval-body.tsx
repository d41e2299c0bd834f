import { memo, useId, useLayoutEffect, useMemo, useReducer, useRef, useState } from 'react';
import { ChevronRight } from 'lucide-react';
import type { Mark } from '@shared/policy/shell-words';
import { plural } from '../../state/format';
import { Button, cx } from '../../ui';
import styles from './approvals.module.css';
import { CardText } from './card-text';
import { PacedRows, useDrawn, usePending } from './chunk-rows';
import { useReading } from './paced-text';
import type { Part, Reading } from './reading';
import { type BodyMode, bodyModeOf, plainSource, type Source } from './source';

/** The head of a part, in estimated nanoseconds. */
const NS_HEAD = 120_000;

interface BodyProps {
  source: Source;
  reading: Reading;
  mode: BodyMode;
  /** Parts with risk words are marked. */
  saysRisk?: boolean;
  onShowAll: () => void;
  /** See `usePending`. */
  onPending: (change: 1 | -1) => void;
}

/** The text of a question in visible form. */
export function ApprovalBody({ source, reading, mode, saysRisk = true, onShowAll, onPending }: BodyProps) {
  const { marks, parts, lines, first, firstLines } = reading;
  const all = useMemo(() => parts.flatMap((part) => part.chunks), [parts]);
  if (mode === 'sections') return <Sections {...{ source, reading, saysRisk, onPending }} />;
  if (mode === 'whole')
    return (
      <div className={styles.lines}>
        <PacedRows key="whole" {...{ source, marks, onPending }} chunks={all} atOnce={1} />
      </div>
    );
  return (
    <div className={styles.lines}>
      <PacedRows key="first" {...{ source, marks }} chunks={first} atOnce={1} />
      <p className={styles.more}>
        {firstLines.toLocaleString('en')} of {lines.toLocaleString('en')} {lines === 1 ? 'line' : 'lines'}
        <Button tone="link" onClick={onShowAll}>
          Show all
        </Button>
      </p>
    </div>
  );
}

/** Stands in the place of a text until it is read. */
export function ReadingNote({ characters }: { characters: number }) {
  return (
    <p className={styles.summary} role="status">
      Espalier is reading all of it: {plural(characters, 'character')}.
    </p>
  );
}

/** A text that is too long to read in one piece: its parts with their figures. Those with something in them are marked, the first open. */
function Sections({ source, reading, saysRisk, onPending }: Omit<BodyProps, 'mode' | 'onShowAll'>) {
  const { lines, parts, marks } = reading;
  const heads = useMemo(() => parts.map(() => ({ ns: NS_HEAD })), [parts]);
  const count = useDrawn(heads);
  usePending(count < heads.length, onPending);
  const risky = parts.filter((part) => part.isRisky).length;
  const open = parts.filter((part) => part.isOpen).length;
  return (
    <div className={styles.sections}>
      <p className={styles.summary}>
        {lines.toLocaleString('en')} {lines === 1 ? 'line' : 'lines'} in {parts.length.toLocaleString('en')}{' '}
        {parts.length === 1 ? 'part' : 'parts'}. {saysRisk && `${riskWords(risky, open)} `}Open what you want to read.
      </p>
      {parts.slice(0, count).map((part, index) => (
        <Section key={index} {...{ source, part, marks, saysRisk, onPending }} />
      ))}
    </div>
  );
}

function riskWords(risky: number, open: number): string {
  if (risky === 0) return 'None has a risk word in it.';
  const what = `${risky.toLocaleString('en')} with risk words or hidden characters`;
  if (open === risky) return `${what} ${risky === 1 ? 'stands' : 'stand'} open.`;
  const first = open === 0 ? '' : open === 1 ? ', the first one stands open' : `, the first ${open} stand open`;
  return `${what} ${risky === 1 ? 'is' : 'are'} marked${first}.`;
}

/** Which lines a part holds. Of an endless line the character that it begins with. */
function titleOf(part: Part, isDiff: boolean): string {
  const from = part.first.toLocaleString('en');
  const to = part.last.toLocaleString('en');
  const isOne = part.last === part.first;
  const of = isDiff ? ' of the change' : '';
  if (part.begun > 0) {
    const begun = `Line ${from}${of} from character ${(part.begun + 1).toLocaleString('en')}`;
    return isOne ? begun : `${begun}, to line ${to}`;
  }
  const many = part.rows > part.last - part.first + 1 ? ' (long lines)' : '';
  if (!isDiff) return (isOne ? `Line ${from}` : `Lines ${from}–${to}`) + many;
  const figures = `+${part.added.toLocaleString('en')} −${part.removed.toLocaleString('en')}`;
  return `${figures} · ${part.where !== '' ? part.where : `part from line ${from} of the change`}${many}`;
}

interface SectionProps {
  source: Source;
  part: Part;
  marks: readonly Mark[];
  saysRisk: boolean | undefined;
  onPending: (change: 1 | -1) => void;
}

const Section = memo(function Section({ source, part, marks, saysRisk, onPending }: SectionProps) {
  const [open, setOpen] = useState(part.isOpen);
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
        <span className={styles.partName}>{titleOf(part, source.isDiff)}</span>
        {saysRisk && part.isRisky && <span className={styles.partMark}>risk words or hidden characters</span>}
      </button>
      {open && (
        <div id={id} className={styles.lines}>
          <PacedRows chunks={part.chunks} {...{ source, marks, onPending }} />
        </div>
      )}
    </div>
  );
});

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
