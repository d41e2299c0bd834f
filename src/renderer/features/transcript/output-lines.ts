import { affordable } from '../markdown/text-cost';
import { plural } from '../../state/format';

/** Lines drawn before "Show earlier". */
const SHOWN_LINES = 40;
/** More characters than this are not drawn even then: the file has them. */
const MAX_CHARS = 200_000;
/** A longer or dearer line is cut for the eye. */
const MAX_LINE = 4_000;
const MAX_LINE_NS = 6_000_000;

/** The last lines of an output, or all that are drawn of it, and how many stand before them. */
export function cutToLines(text: string, all: boolean): { shown: string; hidden: number } {
  const source = text.length > MAX_CHARS ? text.slice(-MAX_CHARS) : text;
  const lines = source.replace(/\n$/, '').split('\n');
  const hidden = all ? 0 : Math.max(0, lines.length - SHOWN_LINES);
  return { shown: lines.slice(hidden).map(clipLine).join('\n'), hidden };
}

function clipLine(line: string): string {
  const shown = affordable(line.slice(0, MAX_LINE), 0, MAX_LINE_NS);
  if (shown === line.length) return line;
  return `${line.slice(0, shown)} … ${plural(line.length - shown, 'more character')}`;
}
