import { escapeSectionTags } from './escape-tags';
import { LINE_BREAKS, spread, UNSEEN_IN_LINE } from './unseen';

/** How our marks of roles, results, images and cuts begin; `not` is that of notes as well. */
const WORDS = ['user', 'assistant', 'tool', 'summary', 'not', 'image'].map((word) => spread(word, UNSEEN_IN_LINE));
const DOTS = Array(3)
  .fill(String.raw`\.`)
  .join(UNSEEN_IN_LINE);
const MARK = new RegExp(
  `(^|[${LINE_BREAKS}])(${UNSEEN_IN_LINE})([[\uFF3B])(?=${UNSEEN_IN_LINE}(?:${[...WORDS, DOTS].join('|')}))`,
  'giu',
);

/**
 * Text from outside that can't pose as a line of ours in a summary request: a backslash before each bracket that begins a line as
 * our marks do, whatever nobody sees before, behind or within it (SU14). O(length).
 */
export function escapeMarks(text: string): string {
  return /[[\uFF3B]/.test(text) ? text.replace(MARK, '$1$2\\$3') : text;
}

/** Text that is put into a summary request: it opens or closes no section and poses as no role (SU12, SU14). O(length). */
export function escapeInserted(text: string): string {
  return escapeMarks(escapeSectionTags(text));
}

/** A name from outside (a tool, a MIME type, a custom type) as it stands in our marks: at most 64 plain characters (SU14). */
export function plainName(name: string): string {
  return name.slice(0, 64).replace(/[^\w.:/+-]/g, '_') || 'unknown';
}
