import { useMemo, useRef, useState, type ReactNode, type Ref } from 'react';
import { plural } from '../../state/format';
import { Button, cx } from '../../ui';
import { useTranscript } from './context';
import { affordableTail, CutNote, cutToLines, TerminalText } from './terminal';
import styles from './command-output.module.css';

interface TailProps {
  label: string;
  /** It was on screen while the command ran, and stays as tall as it was. */
  isWatched: boolean;
  /** What leads to the lines above the first one. */
  above?: ReactNode;
  ref?: Ref<HTMLDivElement>;
  children: ReactNode;
}

/** A box that stands at its end without a script: what is drawn later, above or below, leaves the last lines where they are. */
function Tail({ label, isWatched, above, ref, children }: TailProps) {
  return (
    <div
      ref={ref}
      className={cx(styles.tail, isWatched && styles.watched)}
      role="group"
      aria-label={label}
      tabIndex={0}
    >
      <div className={styles.content}>
        {above && <div className={styles.above}>{above}</div>}
        <pre className={styles.text}>{children}</pre>
      </div>
    </div>
  );
}

/** The last lines of a running command, in a box that six of them fill. */
export function LiveTail({ text }: { text: string }) {
  return (
    <Tail label="Live output" isWatched>
      <TerminalText text={affordableTail(text.slice(-8_000))} />
    </Tail>
  );
}

interface CommandOutputProps {
  text: string;
  label: string;
  isWatched: boolean;
  /** Leads to all of it, where this is not all. */
  full: ReactNode;
}

/** What a finished command printed, its last lines in view (TS11). Above them is what leads to the rest, so that it adds no height. */
export function CommandOutput({ text, label, isWatched, full }: CommandOutputProps) {
  const { renderWhole } = useTranscript();
  const [extent, setExtent] = useState<'end' | 'lines' | 'whole'>('end');
  const box = useRef<HTMLDivElement>(null);
  const { shown, hidden, cut } = useMemo(() => cutToLines(text, extent !== 'end'), [text, extent]);
  const showLines = (): void => {
    setExtent('lines');
    // The button goes: the keyboard stays in the box.
    box.current?.focus({ preventScroll: true });
  };
  if (extent === 'whole') return renderWhole(text, { label, isCall: false });
  const above = (hidden + cut > 0 || full) && (
    <>
      {hidden > 0 && (
        <Button tone="link" data-unfold onClick={showLines}>
          Show {plural(hidden, 'earlier line')}
        </Button>
      )}
      <CutNote cut={cut} onShowAll={() => setExtent('whole')} />
      {full}
    </>
  );
  return (
    <Tail ref={box} label={label} isWatched={isWatched} above={above}>
      <TerminalText text={shown} />
    </Tail>
  );
}
