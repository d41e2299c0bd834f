import { useMemo } from 'react';
import type { Mark } from '@shared/policy/shell-words';
import { PacedRows } from './chunk-rows';
import { plainSource } from './source';
import { useReading } from './use-reading';

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
