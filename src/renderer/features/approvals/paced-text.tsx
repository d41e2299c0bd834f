import { useMemo } from 'react';
import { PacedRows } from './chunk-rows';
import { plainSource } from './source';
import { useReading } from './use-reading';

/** A command beside the one that is asked about, in visible form, as far as the frames have room. */
export function PacedText({ text, onlyWarned = false }: { text: string; onlyWarned?: boolean }) {
  const source = useMemo(() => plainSource(text), [text]);
  const reading = useReading(source);
  const chunks = useMemo(() => reading?.parts.flatMap((part) => part.chunks) ?? [], [reading]);
  if (!reading || (onlyWarned && reading.warnings.length === 0)) return null;
  return <PacedRows key={text} source={source} chunks={chunks} marks={reading.marks} atOnce={1} />;
}
