import type { Asked } from '@shared/search/types';
import { readQuery } from '@shared/search/words';

/** A letter that is no word by itself: alone it finds nothing but itself (SE2). */
const ONE_LETTER = /^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{N}]$/u;

/** Why a question finds nothing, and what could be asked; null: there is just nothing like it. */
export function whyNone(asked: Asked): string | null {
  const text = asked.query.trim().normalize('NFC');
  if (text === '') return null;
  if (!readQuery(text, asked)) return 'Only letters and digits are searched';
  return ONE_LETTER.test(text) ? 'Type at least two letters' : null;
}
