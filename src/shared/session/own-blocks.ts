import { isRecord } from '../own';
import { escapeSectionTags } from './escape-tags';

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
