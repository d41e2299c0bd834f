import { spread, UNSEEN } from './unseen';

const TAGS = ['conversation', 'previous-summary', 'additional-context', 'summary', 'pinned', 'exact-facts', 'read-files', 'modified-files']; // prettier-ignore
const SECTION_TAG = new RegExp(
  `<(?=${UNSEEN}(?:/${UNSEEN})?(?:${TAGS.map((tag) => spread(tag, UNSEEN)).join('|')})(?![\\w-]))`,
  'giu',
);

/**
 * Text that is put into a section of a prompt, unable to open or close one: the `<` of our section tags becomes `&lt;`
 * (SU12). O(length).
 */
export function escapeSectionTags(text: string): string {
  return text.includes('<') ? text.replace(SECTION_TAG, '&lt;') : text;
}
