import { useEffect, useMemo, useReducer } from 'react';
import type { Mark } from '@shared/policy/shell-words';
import { chargeFrame, hasRoom, inNextFrame } from '../markdown/frame-room';
import { PacedRows } from './chunk-rows';
import { type Reading, readSource } from './reading';
import { plainSource, type Source } from './source';

/** Of a frame: rows that wait for their turn come beside it. */
const SHARE = 0.5;
/** A text of so many characters is read in one go. */
const SHORT = 2_000;

/** A text that is being read: as far as the frames have room. */
class Job {
  result: Reading | null = null;
  private readonly steps;

  constructor(source: Source) {
    this.steps = readSource(source);
    if (source.text.length <= SHORT) while (!this.result) this.step();
  }

  /** Reads on in this frame. */
  goOn(): void {
    while (!this.result && hasRoom(SHARE)) this.step();
  }

  private step(): void {
    const step = this.steps.next();
    if (step.done) this.result = step.value;
    else chargeFrame(step.value);
  }
}

/** What was read stays with its source: a card that scrolled out of the list and back has it. */
const jobs = new WeakMap<Source, Job>();

function jobOf(source: Source): Job {
  const known = jobs.get(source);
  if (known) return known;
  const job = new Job(source);
  jobs.set(source, job);
  return job;
}

/** What was found out about a text; null while it is being read. */
export function useReading(source: Source): Reading | null {
  const [, tell] = useReducer((times: number) => times + 1, 0);
  const job = jobOf(source);
  useEffect(() => {
    if (job.result) return;
    let forget = (): void => undefined;
    const goOn = (): void => {
      job.goOn();
      if (job.result) tell();
      else forget = inNextFrame(goOn);
    };
    forget = inNextFrame(goOn);
    return () => forget();
  }, [job]);
  return job.result;
}

interface PacedTextProps {
  text: string;
  onlyWarned?: boolean;
  /** In place of those of its risk words. */
  marks?: readonly Mark[];
}

/** A command beside the one that is asked about, in visible form, as far as the frames have room. */
export function PacedText({ text, onlyWarned = false, marks }: PacedTextProps) {
  const source = useMemo(() => plainSource(text), [text]);
  const reading = useReading(source);
  const chunks = useMemo(() => reading?.parts.flatMap((part) => part.chunks) ?? [], [reading]);
  if (!reading || (onlyWarned && reading.warnings.length === 0)) return null;
  return <PacedRows key={text} source={source} chunks={chunks} marks={marks ?? reading.marks} atOnce={1} />;
}
