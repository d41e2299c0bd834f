import { isRecord } from '../../checks';
import { likeLetters } from '../../latin-twins';

/** What breaks a line for a reader, whatever wrote it. For a class of a pattern with the flag `u`. */
const LINE_BREAKS = String.raw`\n\v\f\r\u0085\u2028\u2029`;
const UNSEEN_CLASS = String.raw`\p{Z}\p{C}\p{Default_Ignorable_Code_Point}\u2800`;
const ANY_UNSEEN = `[${UNSEEN_CLASS}]`;
/** What stands between two letters of a word that is read as one: accents too. One class as well. */
const ANY_BETWEEN = String.raw`[${UNSEEN_CLASS}\p{M}]`;
const BETWEEN = `${ANY_BETWEEN}*`;
const BETWEEN_IN_LINE = `(?:(?![${LINE_BREAKS}])${ANY_BETWEEN})*`;

/** So many characters that a reader does not see, line breaks among them. One class: nothing to go back for. */
const UNSEEN = `${ANY_UNSEEN}*`;
/** The same within a line. */
export const UNSEEN_IN_LINE = `(?:(?![${LINE_BREAKS}])${ANY_UNSEEN})*`;

const LIKE = likeLetters();

/**
 * A pattern for a word in letters that look like its own, whatever their script or form, with accents on them and characters between
 * them that a reader does not see.
 */
function spread(word: string, between: string): string {
  return [...word].map((letter) => LIKE.get(letter) ?? letter).join(between);
}

const SECTIONS = ['conversation', 'previous-summary', 'additional-context', 'summary', 'pinned', 'exact-facts', 'read-files', 'modified-files']; // prettier-ignore
const tagPattern = (tags: readonly string[], open = '<'): RegExp =>
  new RegExp(
    `${open}(?=${UNSEEN}(?:/${UNSEEN})?(?:${tags.map((tag) => spread(tag, BETWEEN)).join('|')})(?![\\w-]))`,
    'giu',
  );
const SECTION_TAG = tagPattern(SECTIONS);
const ATTACHMENT_TAG = tagPattern(['attachment']);
/** What reads as an escaped one: one that the file itself holds is escaped once more. */
const ESCAPED_ATTACHMENT_TAG = tagPattern(['attachment'], '&((?:amp;)*)lt;');

/**
 * Text that is put into a section of a prompt, unable to open or close one: the `<` of our section tags becomes `&lt;`
 * (SU12). O(length).
 */
export function escapeSectionTags(text: string): string {
  return text.includes('<') ? text.replace(SECTION_TAG, '&lt;') : text;
}

/** The text of a file that can't end the block it is sent in (CM5). O(length). */
export function escapeAttachment(text: string): string {
  const safe = text.includes('&') ? text.replace(ESCAPED_ATTACHMENT_TAG, '&amp;$1lt;') : text;
  return safe.includes('<') ? safe.replace(ATTACHMENT_TAG, '&lt;') : safe;
}

/** The text of a file as it was before `escapeAttachment`. O(length). */
export function unescapeAttachment(text: string): string {
  if (!text.includes('lt;')) return text;
  return text.replace(ESCAPED_ATTACHMENT_TAG, (_all, amps: string) => (amps === '' ? '<' : `&${amps.slice(4)}lt;`));
}

/**
 * How our marks of roles, results, images and cuts begin (`not` is that of notes as well), and what we say in a result of how a command
 * ended or was changed. The blanks of the last are among what a reader does not see.
 */
const MARKS = ['user', 'assistant', 'tool', 'summary', 'not', 'image', 'exitcode', 'stoppedby', 'ended', 'theperson'];
const WORDS = MARKS.map((word) => spread(word, BETWEEN_IN_LINE));
const DOTS = Array(3)
  .fill(String.raw`\.`)
  .join(UNSEEN_IN_LINE);
/** Brackets that are read as the one of our marks. */
const BRACKETS = String.raw`\[\uFF3B\u2045\u27E6\u3010\u3014\u3016\u3018\u301A\u2772\u298B\u298D\u298F\u2997\uFE5D`;
const ANY_BRACKET = new RegExp(`[${BRACKETS}]`, 'u');
const MARK = new RegExp(
  `(^|[${LINE_BREAKS}])(${UNSEEN_IN_LINE})([${BRACKETS}])(?=${UNSEEN_IN_LINE}(?:${[...WORDS, DOTS].join('|')}))`,
  'giu',
);

/**
 * Text from outside that can't pose as a line of ours in a summary request: a backslash before each bracket that begins a line as
 * our marks do, in whatever letters they are read, whatever nobody sees before, behind or within it (SU14). O(length).
 */
export function escapeMarks(text: string): string {
  return ANY_BRACKET.test(text) ? text.replace(MARK, '$1$2\\$3') : text;
}

/** Our marks between pinned entries and within one: what comes behind the word is no other word. */
const PIN_WORDS = ['entry', 'call', 'output', 'sentwithit'].map((word) => spread(word, BETWEEN_IN_LINE));
const PIN_MARK = new RegExp(
  `(^|[${LINE_BREAKS}])(${UNSEEN_IN_LINE})([${BRACKETS}])(?=${UNSEEN_IN_LINE}(?:${PIN_WORDS.join('|')})(?!${BETWEEN_IN_LINE}[\\p{L}\\p{N}]))`,
  'giu',
);

/** Text of a pinned entry, which closes no section and poses as no other entry, nor as what we say within one (PN2). O(length). */
export function escapePinned(text: string): string {
  const escaped = escapeSectionTags(text);
  return ANY_BRACKET.test(escaped) ? escaped.replace(PIN_MARK, '$1$2\\$3') : escaped;
}

/** Text that is put into a summary request: it opens or closes no section and poses as no role (SU12, SU14). O(length). */
export function escapeInserted(text: string): string {
  return escapeMarks(escapeSectionTags(text));
}

const BREAK = new RegExp(`[${LINE_BREAKS}]`, 'gu');

/** Text in one line, whatever its reader takes for a break: each as JSON writes it. O(length). */
export function escapeBreaks(text: string): string {
  return text.replace(BREAK, (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** A name from outside (a tool, a MIME type, a custom type) as it stands in our marks: at most 64 plain characters (SU14). */
export function plainName(name: string): string {
  return name.slice(0, 64).replace(/[^\w.:/+-]/g, '_') || 'unknown';
}

/** The blocks of a stored summary that are ours, last first, and the list that names their paths. */
const OWN = [
  { tag: 'modified-files', list: 'modifiedFiles' },
  { tag: 'read-files', list: 'readFiles' },
] as const;
const OMITTED = /^… \(\d+ more files omitted\)$/;

/**
 * A stored summary as it stands in a frame of the context: its text opens and closes no section, and the blocks that we put behind
 * it are blocks (SU12, SU13). Ours are complete ones at its very end whose paths all stand in its `details`.
 * @param details of its entry; undefined for one of an extension, of which nothing is ours
 */
export function escapeSummary(summary: string, details?: unknown): string {
  let text = summary;
  let blocks = '';
  if (isRecord(details)) {
    for (const { tag, list } of OWN) {
      const paths = pathsOfLast(text, tag);
      const known = new Set(Array.isArray(details[list]) ? details[list].map(inOneLine) : []);
      if (!paths?.every((path, at) => known.has(path) || (at === paths.length - 1 && OMITTED.test(path)))) continue;
      blocks = `${tagBlock(tag, paths.map(escapeSectionTags))}${blocks}`;
      text = text.slice(0, text.length - tagBlock(tag, paths).length);
    }
  }
  return escapeSectionTags(text) + blocks;
}

/** The paths that the blocks at the end of a stored summary name, in their order. */
export function pathsInBlocks(summary: string): string[] {
  let text = summary;
  return OWN.flatMap(({ tag }) => {
    const paths = pathsOfLast(text, tag) ?? [];
    if (paths.length > 0) text = text.slice(0, text.length - tagBlock(tag, paths).length);
    return paths;
  });
}

/** A block behind a summary, with a blank line before it. */
export function tagBlock(tag: string, lines: readonly string[]): string {
  return `\n\n<${tag}>\n${lines.join('\n')}\n</${tag}>`;
}

/** A path with a line break would be two paths to the next reader, or a tag (FA5). */
export function inOneLine(path: unknown): string {
  return String(path).replace(/[\r\n]+/g, ' ');
}

/** The lines of a block that ends a text; null if none does. */
function pathsOfLast(text: string, tag: string): string[] | null {
  const [open, close] = [`\n\n<${tag}>\n`, `\n</${tag}>`];
  const from = text.lastIndexOf(open);
  if (from < 0 || !text.endsWith(close)) return null;
  return text.slice(from + open.length, text.length - close.length).split('\n');
}

/** Blocks that we put behind a summary, and `files` of older writers (FA5, RT6). */
const BLOCKS = ['read-files', 'modified-files', 'files', 'exact-facts'] as const;

/**
 * A summary without the blocks that we (or others) put behind it, so that they never add up from one compaction to the next
 * (SU39, FA5). A tag counts only at the beginning of a line. O(length).
 */
export function stripTagBlocks(text: string): string {
  if (!text.includes('</')) return text.trim();
  const lines = text.split('\n');
  const closings = new Map(BLOCKS.map((tag) => [`<${tag}>`, `</${tag}>`]));
  const lastClosing = new Map<string, number>();
  lines.forEach((line, index) => lastClosing.set(line.trim(), index));
  const kept: string[] = [];
  let until: string | undefined;
  lines.forEach((line, index) => {
    const tag = line.trim();
    if (until !== undefined) {
      if (tag === until) until = undefined;
      return;
    }
    const closing = closings.get(tag);
    // A block that is never closed is text: cutting it would lose all that follows.
    if (closing !== undefined && (lastClosing.get(closing) ?? -1) > index) until = closing;
    else kept.push(line);
  });
  return kept.join('\n').trim();
}
