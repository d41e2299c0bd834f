import { asQuote } from '../../actions/texts';

/** A part of what a person sees of a message: words, or an element with what it holds. Plain data, so that it is tested without a page. */
export type Piece = string | ElementPiece;

export interface ElementPiece {
  /** In lower case. `raw`: drawn from a source that is known, such as a formula, a diagram, a reference. */
  tag: string;
  /** What the Markdown of the element needs beyond its words. */
  link?: string;
  /** Of what is raw: its Markdown. Of code: its language. */
  source?: string;
  /** Of what is raw: it is a block. Of a check box: checked. */
  is?: boolean;
  /** Of an ordered list: its first number. Of a heading: its level. */
  number?: number;
  children: Piece[];
}

/** How deep elements are followed; what is deeper gives its words alone. */
export const MAX_DEPTH = 80;

/** The words of a piece, as they stand. */
function wordsOf(piece: Piece): string {
  if (typeof piece === 'string') return piece;
  if (piece.tag === 'br') return '\n';
  if (piece.tag === 'raw') return piece.source ?? '';
  return piece.children.map(wordsOf).join('');
}

const BLOCKS = new Set([
  ...['p', 'div', 'section', 'article', 'figure', 'pre', 'blockquote', 'ul', 'ol', 'li', 'table', 'hr', 'header'],
  ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'dl', 'dt', 'dd', 'details', 'summary'],
]);

/**
 * What is seen as the Markdown that draws it again (WN23). Lists, quotes, code, tables, links and formulas keep their form; what
 * only looks like a mark is escaped. O(size).
 */
export function toMarkdown(pieces: readonly Piece[]): string {
  return blocksOf(pieces).join('\n\n');
}

const isBlock = (piece: Piece): piece is ElementPiece =>
  typeof piece !== 'string' && (BLOCKS.has(piece.tag) || (piece.tag === 'raw' && piece.is === true));

/** An element without a form of its own that has blocks in it, such as a span around a figure. */
const holdsBlocks = (piece: Piece): piece is ElementPiece =>
  typeof piece !== 'string' &&
  piece.tag === 'span' &&
  piece.children.some((child) => isBlock(child) || holdsBlocks(child));

function blocksOf(pieces: readonly Piece[]): string[] {
  const blocks: string[] = [];
  let line: Piece[] = [];
  const flush = (): void => {
    const text = lineOf(line);
    if (text !== '') blocks.push(text);
    line = [];
  };
  for (const piece of pieces) {
    if (isBlock(piece)) {
      flush();
      for (const block of blockOf(piece)) blocks.push(block);
    } else if (holdsBlocks(piece)) {
      flush();
      for (const block of blocksOf(piece.children)) blocks.push(block);
    } else line.push(piece);
  }
  flush();
  return blocks;
}

function blockOf(piece: ElementPiece): string[] {
  const { tag, children } = piece;
  const heading = /^h([1-6])$/.exec(tag);
  if (heading) {
    // Number signs at its end would close it.
    const words = escapeClosing(inOneLine(lineOf(children)));
    return words === '' ? [] : [`${'#'.repeat(piece.number ?? Number(heading[1]))} ${words}`];
  }
  switch (tag) {
    case 'hr':
      return ['---'];
    case 'raw':
      return [piece.source ?? ''];
    case 'pre':
      return [fence(wordsOf(piece), piece.source ?? '')];
    case 'blockquote': {
      const inside = blocksOf(children).join('\n\n');
      return inside === '' ? [] : [asQuote(inside)];
    }
    case 'ul':
    case 'ol': {
      const list = listOf(piece);
      return list === '' ? [] : [list];
    }
    case 'table': {
      const table = tableOf(piece);
      return table === '' ? [] : [table];
    }
    default:
      return blocksOf(children);
  }
}

/** A fence that is longer than any in the code. */
function fence(code: string, language: string): string {
  const ticks = '`'.repeat(Math.max(2, longestTicks(code)) + 1);
  return `${ticks}${language}\n${code.replace(/\n$/, '')}\n${ticks}`;
}

function longestTicks(code: string): number {
  let longest = 0;
  for (const [ticks] of code.matchAll(/`+/g)) longest = Math.max(longest, ticks.length);
  return longest;
}

/** Lines as one, a blank for each break. By lines: an expression would look through each run of blanks anew. */
const inOneLine = (text: string): string =>
  text
    .split('\n')
    .map((line, at, all) => (at === 0 ? line.trimEnd() : at === all.length - 1 ? line.trimStart() : line.trim()))
    .filter((line) => line !== '')
    .join(' ');

/** Number signs at the end of a heading would close it. */
function escapeClosing(words: string): string {
  let at = words.length;
  while (at > 0 && words[at - 1] === '#') at--;
  const isClosing = at < words.length && (at === 0 || /\s/.test(words[at - 1] ?? ''));
  return isClosing ? `${words.slice(0, at)}\\${words.slice(at)}` : words;
}

function listOf(list: ElementPiece): string {
  const items = list.children.filter((child): child is ElementPiece => typeof child !== 'string' && child.tag === 'li');
  const isLoose = items.some(({ children }) =>
    children.some((child) => typeof child !== 'string' && child.tag === 'p'),
  );
  const first = list.number ?? 1;
  const written = items.map((item, index) => {
    const mark = list.tag === 'ol' ? `${first + index}. ` : '- ';
    const text = blocksOf(item.children).join(isLoose ? '\n\n' : '\n');
    return mark + indented(text, mark.length);
  });
  return written.join(isLoose ? '\n\n' : '\n');
}

const indented = (text: string, by: number): string => text.replace(/\n(?=[^\n])/g, `\n${' '.repeat(by)}`);

function tableOf(table: ElementPiece): string {
  const rows = findAll(table, 'tr').map((row) =>
    row.children
      .filter((cell): cell is ElementPiece => typeof cell !== 'string' && (cell.tag === 'td' || cell.tag === 'th'))
      .map((cell) => inOneLine(lineOf(cell.children)).replace(/(?<!\\)\|/g, '\\|')),
  );
  const width = rows.reduce((most, row) => Math.max(most, row.length), 0);
  if (width === 0) return '';
  const line = (cells: readonly string[]): string =>
    `| ${Array.from({ length: width }, (_, at) => cells[at] ?? '').join(' | ')} |`;
  const [head = [], ...body] = rows;
  return [line(head), line(Array<string>(width).fill('---')), ...body.map(line)].join('\n');
}

function findAll(piece: ElementPiece, tag: string): ElementPiece[] {
  return piece.children.flatMap((child) => {
    if (typeof child === 'string') return [];
    return child.tag === tag ? [child] : findAll(child, tag);
  });
}

/** Words within a line, or of several that belong together, with the marks at their beginnings escaped. */
function lineOf(pieces: readonly Piece[]): string {
  const text = pieces.map(inline).join('');
  return text
    .split('\n')
    .map((line, index, all) => escapeBeginning(index === all.length - 1 ? line.trim() : line.trimStart()))
    .join('\n')
    .trim();
}

function inline(piece: Piece): string {
  if (typeof piece === 'string') return escapeText(piece);
  const { tag, children } = piece;
  switch (tag) {
    case 'br':
      return '  \n';
    case 'raw':
      return piece.source ?? '';
    case 'input':
      return piece.is ? '[x] ' : '[ ] ';
    case 'code':
      return codeSpan(wordsOf(piece));
    case 'strong':
    case 'b':
      return marked('**', children);
    case 'em':
    case 'i':
      return marked('*', children);
    case 'del':
    case 's':
      return marked('~~', children);
    case 'a':
      return linkOf(piece);
    default:
      return children.map(inline).join('');
  }
}

/** Marks stand at words, blanks outside. */
function marked(mark: string, children: readonly Piece[]): string {
  const text = children.map(inline).join('');
  const words = text.trim();
  if (words === '') return text;
  const start = text.length - text.trimStart().length;
  return `${text.slice(0, start)}${mark}${words}${mark}${text.slice(start + words.length)}`;
}

function codeSpan(code: string): string {
  if (code === '') return '';
  const ticks = '`'.repeat(longestTicks(code) + 1);
  // One blank at both ends is taken for the marks' own, unless there is nothing else.
  const isPadded = code.startsWith(' ') && code.endsWith(' ') && /[^ ]/.test(code);
  const blank = isPadded || code.startsWith('`') || code.endsWith('`') ? ' ' : '';
  return `${ticks}${blank}${code.replaceAll('\n', ' ')}${blank}${ticks}`;
}

function linkOf({ link, children }: ElementPiece): string {
  const words = children.map(inline).join('');
  if (link === undefined || words.trim() === '') return words;
  const plain = children.map(wordsOf).join('').trim();
  if (plain === link) return `<${link}>`;
  return `[${words}](${/[()\s<>]/.test(link) ? `<${link.replace(/[<>\s]/g, encodeURIComponent)}>` : link})`;
}

/** What would be read as a mark within a line. */
function escapeText(text: string): string {
  return (
    text
      .replace(/[\\`*$]|&(?=#?\w+;)/g, '\\$&')
      // Not by a backslash: behind one, brackets are a formula's.
      .replace(/\](?=[([:])(.)/g, (_, next: string) => `]&#${next.charCodeAt(0)};`)
      .replace(/^\[(?=[ x]\])/gim, '&#91;')
      .replace(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '\\_')
      .replace(/<(?=[a-z/!?])/gi, '\\<')
      .replace(/~(?=~)/g, '\\~')
  );
}

/** What would be read as a mark at the beginning of a line. */
function escapeBeginning(line: string): string {
  return line
    .replace(/^(#{1,6})(?=\s|$)/, '\\$1')
    .replace(/^([-+])(?=\s|$)/, '\\$1')
    .replace(/^(=+|-{2,})\s*$/, '\\$&')
    .replace(/^>/, '\\>')
    .replace(/^(\d{1,9})([.)])(?=\s|$)/, '$1\\$2');
}
