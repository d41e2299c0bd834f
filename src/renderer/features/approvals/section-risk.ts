import { findRisks } from '@shared/policy/risk';
import { visibleParts, warningsOf } from '@shared/policy/visible-text';
import type { DiffLine } from '../transcript';

/** What a part of a long text is opened for: words that a script would be read for. Paths and hosts stand in every file. */
const GRAVE = new Set(['deletes', 'privilege', 'pipe', 'history']);

/** Whether a part of a long text holds risk words (in lines that would be there) or characters that hide. */
export function sectionIsRisky(lines: readonly DiffLine[]): boolean {
  const kept = lines.flatMap(({ kind, text }) => (kind === 'removed' || kind === 'gap' ? [] : [text]));
  if (warningsOf(visibleParts([lines.map((line) => line.text)], 'content')).length > 0) return true;
  return findRisks(kept.join('\n'), { cwd: '/', home: '/' }).some((risk) => GRAVE.has(risk.kind));
}
