const SECTION_TAG =
  /<(?=\s*(?:\/\s*)?(?:conversation|previous-summary|additional-context|summary|pinned|exact-facts|read-files|modified-files)(?![\w-]))/gi;

/**
 * Text that is put into a section of a prompt, unable to open or close one: the `<` of our section tags becomes `&lt;`
 * (SU12). O(length).
 */
export function escapeSectionTags(text: string): string {
  return text.replace(SECTION_TAG, '&lt;');
}
