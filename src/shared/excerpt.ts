/**
 * First words of a text as lists, nodes and notices show them: on one line, without the marks of Markdown (TS14). Pure, linear in the
 * length of the text, total; never longer than the text, the same if it is done again, and never empty where the text has letters.
 */

/** Marks within marks are taken off one layer at a time. Nobody writes more layers; of a text that has them, all marks go. */
const MOST_LAYERS = 8;

/** Most texts have none of them: those are not looked at any further. */
const HAS_MARKS = /[*_`~[<#>|\r\n]|^\s*[-+]\s|^[-:=+\s]+$/;
const LINE_END = /\r\n?|\n/;
const FENCE = /^\s*(?:`{3,}[^`]*|~{3}.*)$/;
/** Rules, underlines of headings, lines of a table without words. */
const NOTHING_BUT_MARKS = /^[\s|:=*_~+#>`-]*$/;
/** Quotations, headings, points of a list, boxes of a task. */
const MARKS_BEFORE = /^(?:\s*(?:>|#{1,6}(?=\s)|[-*+](?=\s)(?:\s\[[ xX]\](?=\s))?))+\s*/;
const MARKS_BEHIND = /\s#+$/;
const TABLE_ROW = /^\|\s?|\s?\|$/g;

/** A link or a picture; one whose address was cut off with the text has no end. */
const LINK = /!?\[([^[\]]*)\]\(((?:[^()\s]|\([^()\s]*\))*)(?:\s"[^"]*")?(?:\)|$)/g;
const LINK_BY_NAME = /(?<![\p{L}\p{N}\])])\[([^[\]]+)\]\[[^[\]]*\]/gu;
const ADDRESS = /<((?:https?|mailto):[^<>\s]*)>/g;
const STRONG = /(?<!\*)(\*{2,3})([^*\s/](?:[^*]*[^*\s])?)\1(?!\*)/g;
/** What begins with a dot is a pattern for files: `*.ts`. */
const EMPHASIS = /(?<![*\p{L}\p{N}])\*([^*\s./](?:[^*]*[^*\s])?)\*(?![*\p{L}\p{N}])/gu;
/** Only around words as a whole: names hold underscores. */
const UNDERLINED = /(?<![^\s("'“‘[])(_{1,3})([^_\s](?:[^_]*[^_\s])?)\1(?=$|[\s,;:!?)\]"'”’]|\.(?:\s|$))/g;
const STRUCK = /~~([^~\s](?:[^~]*[^~\s])?)~~/g;

const LETTER = /\p{L}/u;
const EVERY_MARK = /[*_`~[\]()<>#|]/g;
const EVERY_POINT = /(^|\s)[-+](?=\s)/g;

/** The whole text on one line, without marks. */
export function excerptOf(text: string): string {
  if (!HAS_MARKS.test(text)) return oneLine(text);
  const lines = text.split(LINE_END);
  const words = lines.length === 1 ? lines : lines.filter((line) => !FENCE.test(line));
  let plain = words.map(layerOff).filter(Boolean).join(' ');
  for (let layer = 1; ; layer++) {
    const next = layerOff(plain);
    if (next === plain) break;
    plain = layer < MOST_LAYERS ? next : allOff(next);
  }
  return LETTER.test(plain) || !LETTER.test(text) ? plain : allOff(text);
}

/** The first line that says something, without marks; empty if none does. */
export function firstLineOf(text: string): string {
  const lines = text.split(LINE_END);
  for (const line of lines) {
    const plain = lines.length > 1 && FENCE.test(line) ? '' : excerptOf(line);
    if (plain !== '') return plain;
  }
  return excerptOf(text);
}

/** One line without its outermost marks. */
function layerOff(line: string): string {
  const flat = oneLine(line);
  if (NOTHING_BUT_MARKS.test(flat)) return '';
  const marks = MARKS_BEFORE.exec(flat)?.[0] ?? '';
  const said = flat.slice(marks.length);
  const words = marks.includes('#') ? said.replace(MARKS_BEHIND, '') : said;
  return oneLine(
    (words.startsWith('|') ? words.replace(TABLE_ROW, '') : words)
      .replace(/`+/g, '')
      .replace(LINK, (_link, name: string, address: string) => (name.trim() === '' ? address : name))
      .replace(LINK_BY_NAME, '$1')
      .replace(ADDRESS, '$1')
      .replace(STRONG, '$2')
      .replace(EMPHASIS, '$1')
      .replace(UNDERLINED, '$2')
      .replace(STRUCK, '$1'),
  );
}

function allOff(text: string): string {
  return oneLine(text.replace(EVERY_MARK, ' ').replace(EVERY_POINT, '$1'));
}

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();
