import { isRecord } from '@shared/checks';
import type { ExtensionCompletion } from '@shared/extensions/ui';
import { BOUNDS } from './bounds';
import { plain, plainLine } from './clean-text';

/** What an extension would write in the composer, as far as it can be shown; null: nothing. */
export function checkCompletions(given: unknown, text: string): ExtensionCompletion[] | null {
  if (!Array.isArray(given)) return null;
  const usable = given.slice(0, BOUNDS.completions).flatMap((each) => checkOne(each, text.length) ?? []);
  return usable.length > 0 ? usable : null;
}

function checkOne(given: unknown, length: number): ExtensionCompletion | null {
  if (!isRecord(given)) return null;
  const { label, description, from, to, by, caret } = given;
  if (!isPlace(from, length) || !isPlace(to, length) || from > to) return null;
  const written = plain(by, BOUNDS.completion);
  const shown = plainLine(label, BOUNDS.option);
  if (written !== by || shown === '') return null;
  const end = length - (to - from) + written.length;
  return {
    ...{ label: shown, description: plainLine(description, BOUNDS.option), from, to, by: written },
    caret: isPlace(caret, end) ? caret : from + written.length,
  };
}

function isPlace(value: unknown, most: number): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= most;
}
