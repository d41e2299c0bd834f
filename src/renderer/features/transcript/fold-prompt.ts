import { affordable } from '../markdown/text-cost';

/** A prompt of more lines is folded (TS12). */
const MAX_LINES = 40;
/** Lines that are shown of it. */
const SHOWN_LINES = 12;
/** Lines can be long: no more of them than about a screen. */
const SHOWN_CHARS = 1_200;
const SHOWN_NS = 6_000_000;

export interface FoldedPrompt {
  lines: number;
  /** Its first lines. */
  beginning: string;
}

/** How a prompt is folded; null: it is short. O(length), in one pass. */
export function foldPrompt(text: string): FoldedPrompt | null {
  const whole = text.trimEnd();
  let lines = 1;
  let shown = whole.length;
  for (let at = whole.indexOf('\n'); at >= 0; at = whole.indexOf('\n', at + 1)) {
    if (lines === SHOWN_LINES) shown = at;
    lines += 1;
  }
  return lines > MAX_LINES ? { lines, beginning: beginningOf(whole.slice(0, shown)) } : null;
}

/** Whole lines where the first one is not too long itself. */
function beginningOf(text: string): string {
  const end = affordable(text.slice(0, SHOWN_CHARS), 0, SHOWN_NS);
  if (end === text.length) return text;
  const line = text.lastIndexOf('\n', end);
  return line > 0 ? text.slice(0, line) : `${text.slice(0, end)} …`;
}
