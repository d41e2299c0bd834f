import type { AutocompleteItem, AutocompleteProvider } from '@mariozechner/pi-tui';
import { isRecord } from '@shared/checks';
import type { ExtensionCompletion } from '@shared/extensions/ui';

type Factory = (current: AutocompleteProvider) => AutocompleteProvider;

/** Factories of one extension, and what is taken of one answer. */
const MAX_FACTORIES = 50;
const MAX_ITEMS = 20;
const MAX_BY = 10_000;

/** What an extension adds to what is completed in the composer (`ctx.ui.addAutocompleteProvider`): each wraps those before it. */
export class Completions {
  private readonly factories: Factory[] = [];

  get isEmpty(): boolean {
    return this.factories.length === 0;
  }

  add(factory: unknown): void {
    if (typeof factory !== 'function') throw new TypeError('ctx.ui.addAutocompleteProvider takes a function.');
    if (this.factories.length >= MAX_FACTORIES)
      throw new RangeError(`An extension may add ${MAX_FACTORIES} autocomplete providers.`);
    // Once for itself: what it throws is told where it is added.
    (factory as Factory)(NOTHING);
    this.factories.push(factory as Factory);
  }

  /** All of them, over another one. */
  over(base: AutocompleteProvider): AutocompleteProvider {
    return this.factories.reduce((current, factory) => factory(current), base);
  }

  /** What could stand at the cursor; null: nothing. Rejects with what a provider throws. */
  async at(text: string, caret: number, signal: AbortSignal): Promise<ExtensionCompletion[] | null> {
    if (this.isEmpty) return null;
    const provider = this.over(NOTHING);
    const { lines, line, column } = placeOf(text, caret);
    const found: unknown = await provider.getSuggestions(lines, line, column, { signal });
    if (!isRecord(found) || !Array.isArray(found.items) || typeof found.prefix !== 'string') return null;
    const { prefix } = found;
    const items = found.items.slice(0, MAX_ITEMS).filter(isItem);
    const choices = items.map((item) => {
      const after = provider.applyCompletion([...lines], line, column, item, prefix);
      return { ...changeOf(text, after.lines.join('\n')), ...wordsOf(item), caret: caretOf(after) };
    });
    const usable = choices.filter(({ by }) => by.length <= MAX_BY);
    return usable.length > 0 ? usable : null;
  }
}

/** Offers nothing, and puts what another one offers in the place of what was written of it. */
const NOTHING: AutocompleteProvider = {
  getSuggestions: () => Promise.resolve(null),
  applyCompletion(lines, cursorLine, cursorCol, { value }, prefix) {
    const line = lines[cursorLine] ?? '';
    const from = cursorCol - prefix.length;
    const after = [...lines];
    after[cursorLine] = line.slice(0, from) + value + line.slice(cursorCol);
    return { lines: after, cursorLine, cursorCol: from + value.length };
  },
  shouldTriggerFileCompletion: () => true,
};

function isItem(item: unknown): item is AutocompleteItem {
  return isRecord(item) && typeof item.value === 'string';
}

function wordsOf({ value, label, description }: AutocompleteItem): { label: string; description: string } {
  return { label: String(label ?? value), description: String(description ?? '') };
}

function placeOf(text: string, caret: number): { lines: string[]; line: number; column: number } {
  const before = text.slice(0, caret).split('\n');
  return { lines: text.split('\n'), line: before.length - 1, column: before.at(-1)?.length ?? 0 };
}

function caretOf({ lines, cursorLine, cursorCol }: { lines: string[]; cursorLine: number; cursorCol: number }): number {
  return lines.slice(0, cursorLine).reduce((sum, line) => sum + line.length + 1, 0) + cursorCol;
}

/** The one part in which two texts differ. O(length). */
function changeOf(before: string, after: string): { from: number; to: number; by: string } {
  const shorter = Math.min(before.length, after.length);
  let from = 0;
  while (from < shorter && before[from] === after[from]) from += 1;
  let end = 0;
  while (end < shorter - from && before[before.length - 1 - end] === after[after.length - 1 - end]) end += 1;
  return { from, to: before.length - end, by: after.slice(from, after.length - end) };
}
