/** What visible text had to write out, in words for the person who is asked (docs/specs/safety.md C1). */

import { nameOfCharacter, type EscapeClass } from './character-names';
import type { LookAlikePlace } from './look-alikes';

/** `3,000 spaces`. */
export function countOf(many: number, character: string): string {
  const unit = character === '\t' ? 'tab' : 'space';
  return `${many.toLocaleString('en')} ${unit}${many === 1 ? '' : 's'}`;
}

/** `U+202E`. */
export function codeOf(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

/** What becomes of a text that is shown, as the end of a sentence: a command runs, contents are written, a path names a file. */
const BECOMES: Record<LookAlikePlace, { order: string; counts: string; space: string }> = {
  command: { order: 'it runs', counts: 'counts when it runs', space: 'isn’t one to a shell' },
  content: { order: 'it is written', counts: 'is written', space: 'isn’t one' },
  path: { order: 'it stands there', counts: 'is part of the name', space: 'isn’t one' },
};

/** How each class of escape is told. `%` stands for the characters by name, `{…}` for what becomes of the text. */
const SENTENCES: Record<EscapeClass, string> = {
  direction: 'It holds %: without the escape, text would be shown in another order than {order}.',
  invisible: 'It holds %, which can’t be seen but {counts}.',
  break: 'It holds %, which some programs take for a new line and others don’t.',
  control: 'It holds %, which can hide or overwrite text on a screen.',
  space: 'It holds %, which looks like a space but {space}.',
  tag: 'It holds %, an alphabet that can’t be seen: text can be hidden in it.',
  unknown: 'It holds %, a character without a known shape.',
  damaged: 'It holds %: this text is damaged.',
  mark: 'It holds %: marks that can cover a character, lie on each other or be taken for part of a letter.',
};
/** Characters that one warning names. */
const MAX_NAMED = 3;
/** Empty lines in a row that are worth a warning, not only a mark. */
export const MANY_EMPTY_LINES = 20;

/** What was found in a text, by class; told in whole sentences. */
export class Findings {
  private readonly classes = new Map<EscapeClass, Map<string, number>>();
  private widest = '';
  private mostEmpty = 0;

  character(kind: EscapeClass, character: string, times = 1): void {
    const known = this.classes.get(kind) ?? new Map<string, number>();
    known.set(character, (known.get(character) ?? 0) + times);
    this.classes.set(kind, known);
  }

  blanks(blanks: string): void {
    if (blanks.length > this.widest.length) this.widest = blanks;
  }

  emptyLines(many: number): void {
    this.mostEmpty = Math.max(this.mostEmpty, many);
  }

  add(other: Findings): void {
    for (const [kind, characters] of other.classes) {
      const known = this.classes.get(kind) ?? new Map<string, number>();
      for (const [character, times] of characters) known.set(character, (known.get(character) ?? 0) + times);
      this.classes.set(kind, known);
    }
    this.blanks(other.widest);
    this.emptyLines(other.mostEmpty);
  }

  sentences(place: LookAlikePlace): string[] {
    const sentences: string[] = [];
    const { order, counts, space } = BECOMES[place];
    for (const [kind, characters] of this.classes) {
      const sentence = SENTENCES[kind].replace('{order}', order).replace('{counts}', counts).replace('{space}', space);
      sentences.push(sentence.replace('%', () => listOf(characters)));
    }
    if (this.widest !== '') {
      const width = countOf(this.widest.length, this.widest.charAt(0));
      sentences.push(`It holds ${width} in a row: what follows them could stand out of sight.`);
    }
    if (this.mostEmpty >= MANY_EMPTY_LINES) {
      const lines = this.mostEmpty.toLocaleString('en');
      sentences.push(`It holds ${lines} empty lines in a row: what follows them could stand out of sight.`);
    }
    return sentences;
  }
}

/** `a right-to-left override (U+202E, twice) and 2 others`. */
function listOf(characters: ReadonlyMap<string, number>): string {
  const named = [...characters].slice(0, MAX_NAMED).map(([character, times]) => {
    const often = times === 1 ? '' : `, ${times.toLocaleString('en')} times`;
    return `${nameOfCharacter(character).name} (${codeOf(character)}${often})`;
  });
  const rest = characters.size - named.length;
  if (rest > 0) named.push(rest === 1 ? 'one other' : `${rest.toLocaleString('en')} others`);
  const last = named.pop() ?? '';
  return named.length === 0 ? last : `${named.join(', ')} and ${last}`;
}
