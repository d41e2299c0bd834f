/**
 * A record's line with some of its fields set and everything else byte for byte: they are put behind the others, because of two
 * equal keys JSON takes the last. For records that can't be rewritten: nested too deeply, or not understood.
 * @param line one JSON object that has at least one field
 */
export function patchLine(line: string, fields: Readonly<Record<string, string | null>>): string {
  const end = line.lastIndexOf('}');
  return `${line.slice(0, end)},${JSON.stringify(fields).slice(1, -1)}${line.slice(end)}`;
}
