import type { VisibleText } from '@shared/policy/visible-text';

const TAB_SIGN = '→';

/** What is drawn for a visible text, as one string: for names that a screen reader says, and for `readBack`. */
export function shownText({ lines }: Pick<VisibleText, 'lines'>): string {
  return lines.map((line) => line.runs.map((run) => run.shown).join('')).join('\n');
}

/** The exact text that stands behind what is drawn. The inverse of `shownText(visibleText(text))` for every string. */
export function readBack(shown: string): string {
  return shown
    .replace(new RegExp(`${TAB_SIGN}\t`, 'gu'), '\t')
    .replace(/⟨([^⟩]*)⟩/gu, (_, mark: string) => readMark(mark));
}

function readMark(mark: string): string {
  if (mark === 'CR') return '\r';
  const character = /^U\+([0-9A-F]{4,6})(?: ×([\d,]+))?$/u.exec(mark);
  if (character) return String.fromCodePoint(parseInt(character[1] ?? '', 16)).repeat(count(character[2] ?? '1'));
  const blanks = /^([\d,]+) (spaces?|tabs?)$/u.exec(mark);
  if (blanks) return (blanks[2]?.startsWith('space') ? ' ' : '\t').repeat(count(blanks[1] ?? ''));
  const empty = /^([\d,]+) (?:empty )?lines?(?: of ([\d,]+) (spaces?|tabs?))?( with CR)?$/u.exec(mark);
  if (!empty) return mark;
  const [, lines = '', width = '0', unit = '', end] = empty;
  const line = (unit.startsWith('tab') ? '\t' : ' ').repeat(count(width)) + (end ? '\r' : '');
  return Array<string>(count(lines)).fill(line).join('\n');
}

function count(figure: string): number {
  return Number(figure.replaceAll(',', ''));
}
