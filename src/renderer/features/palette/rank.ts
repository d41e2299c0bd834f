import { foldText } from '../../state/session-groups';

/** What a text that is not the name of its item counts beside one that is. */
const ASIDE = 0.5;

/**
 * How well an item of the palette fits what was typed: 0 not at all, 1 is its name. `names`: by which it is called; `asides`: what else is
 * said of it. Never by its id, which nobody sees (WN8).
 */
export function rankOf(typed: string, names: readonly string[], asides: readonly string[] = []): number {
  const query = foldText(typed);
  if (query === '') return 1;
  const best = (texts: readonly string[]): number => Math.max(0, ...texts.map((text) => fit(foldText(text), query)));
  return Math.max(best(names), best(asides) * ASIDE);
}

function fit(text: string, query: string): number {
  if (text === query) return 1;
  if (text.startsWith(query)) return 0.9;
  const words = text.match(/[\p{L}\p{N}]+/gu) ?? [];
  const asked = query.split(' ');
  if (asked.every((part) => words.some((word) => word.startsWith(part)))) return 0.8;
  if (
    query.length > 1 &&
    words
      .map(([first]) => first)
      .join('')
      .startsWith(query)
  )
    return 0.7;
  return text.includes(query) ? 0.4 : 0;
}
