import { affordable } from '../markdown/text-cost';
import { plural } from '../../state/format';

/** Lines drawn before "Show earlier". */
const SHOWN_LINES = 40;
/** Characters of the end that are drawn as lines; a longer text is read in parts. */
const MAX_CHARS = 200_000;
/** A longer or dearer line is cut for the eye. */
const MAX_LINE = 4_000;
const MAX_LINE_NS = 6_000_000;

interface CutText {
  shown: string;
  /** Lines that stand before those. */
  hidden: number;
  /** Characters that more lines do not bring: of lines that are cut, and before the last 200,000. */
  cut: number;
}

/** The last lines of an output, or all that are drawn as lines, and how much of it that leaves out. */
export function cutToLines(text: string, all: boolean): CutText {
  const before = Math.max(0, text.length - MAX_CHARS);
  const lines = text.slice(before).replace(/\n$/, '').split('\n');
  const hidden = all ? 0 : Math.max(0, lines.length - SHOWN_LINES);
  let cut = before;
  const shown = lines.slice(hidden).map((line) => {
    const end = affordable(line.slice(0, MAX_LINE), 0, MAX_LINE_NS);
    cut += line.length - end;
    return end === line.length ? line : `${line.slice(0, end)} … ${plural(line.length - end, 'more character')}`;
  });
  return { shown: shown.join('\n'), hidden, cut };
}
