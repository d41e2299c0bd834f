import { escapeSectionTags } from './escape-tags';

/** Blanks and format characters that stay in their line: what a reader does not see before a bracket. */
const UNSEEN = String.raw`[^\S\n\v\f\r\u0085\u2028\u2029]|\p{Cf}`;
const MARK = new RegExp(
  String.raw`(^|[\n\v\f\r\u0085\u2028\u2029])((?:${UNSEEN})*)\[(?=(?:${UNSEEN})*(?:user|assistant|tool|summary|note|not run|image|\.\.\.))`,
  'giu',
);

/**
 * Text from outside that can't pose as a line of ours in a summary request: a backslash before each bracket that begins a line as
 * our marks of roles, results and cuts do (SU14). O(length).
 */
export function escapeMarks(text: string): string {
  return text.includes('[') ? text.replace(MARK, '$1$2\\[') : text;
}

/** Text that is put into a summary request: it opens or closes no section and poses as no role (SU12, SU14). O(length). */
export function escapeInserted(text: string): string {
  return escapeMarks(escapeSectionTags(text));
}

/** A name from outside (a tool, a MIME type, a custom type) as it stands in our marks: at most 64 plain characters (SU14). */
export function plainName(name: string): string {
  return name.slice(0, 64).replace(/[^\w.:/+-]/g, '_') || 'unknown';
}
