import type { CopyForm } from './copy-kinds';
import type { Passage, Piece } from './passage';

/** A copy as Markdown (SF26): what was said is Markdown as it was, all else stands in fences that it can't close. */
export function asMarkdown(): CopyForm {
  return {
    head: ({ title, folder, date, isTree }) =>
      `# ${oneLine(title)}\n\nExported from Espalier on ${date}${folder === '' ? '' : `, folder ${inCode(folder)}`}${isTree ? '. Each branch stands at the turn that it leaves' : ''}.\n`,
    passage(passage, { level, isStart }) {
      const branch = isStart && level > 1 ? `\n---\n\n*A branch, level ${level}*\n` : '';
      return `${branch}\n${titleOf(passage)}\n${passage.pieces.map(pieceText).join('')}`;
    },
    end: () => '',
  };
}

function titleOf({ kind, title, time }: Passage): string {
  const when = time === '' ? '' : ` <!-- ${oneLine(time).replaceAll('--', '')} -->`;
  return `${kind === 'person' || kind === 'mark' ? '##' : '###'} ${oneLine(title)}${when}\n`;
}

function pieceText(piece: Piece): string {
  switch (piece.kind) {
    case 'markdown':
      return `\n${saidText(piece.text.trimEnd())}\n`;
    case 'raw':
      return `${piece.label === null ? '' : `\n${inBold(piece.label)}\n`}\n${fenced(piece.text)}\n`;
    case 'image':
      return `\n*[Picture: ${oneLine(piece.mimeType).slice(0, 100)}]*\n`;
  }
}

const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const HEADING = /^( {0,3})(#{1,6})(?=[ \t]|$)/;
const UNDERLINE = /^ {0,3}(?:=+|-+)[ \t]*$/;
/** What Markdown reads as a page's own until its end, and headings of a page. */
const PAGE = /^( {0,3})<(?=!|\?|\/?h[1-6]\b|(?:script|pre|style|textarea)\b)/i;

/**
 * What was said, its headings two levels deeper: none is one of ours, and nothing that it leaves open takes in what comes behind it
 * (SF26). O(length).
 */
function saidText(text: string): string {
  let fence = '';
  let isAfterWords = false;
  const lines = text.split(/\r\n|\r|\n/).map((line) => {
    const [, mark = ''] = FENCE.exec(line) ?? [];
    if (fence !== '') {
      if (mark.startsWith(fence) && line.trim() === mark) fence = '';
      return line;
    }
    // Ticks behind an opening fence make it words.
    if (mark !== '' && !(mark.startsWith('`') && line.trim().slice(mark.length).includes('`'))) {
      fence = mark;
      isAfterWords = false;
      return line;
    }
    const isUnderline = isAfterWords && UNDERLINE.test(line);
    isAfterWords = line.trim() !== '';
    if (isUnderline) return `\n${line}`;
    return line
      .replace(HEADING, (_all, blanks: string, marks: string) => blanks + deeper(marks))
      .replace(PAGE, '$1&lt;');
  });
  return [...lines, ...(fence === '' ? [] : [fence])].join('\n');
}

const deeper = (marks: string): string => '#'.repeat(Math.min(6, marks.length + 2));

/** A fence is longer than any run of backticks within. */
function fenced(text: string): string {
  const longest = (text.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 0);
  const fence = '`'.repeat(Math.max(3, longest + 1));
  return `${fence}\n${text}${text.endsWith('\n') ? '' : '\n'}${fence}`;
}

const inBold = (text: string): string => `**${escaped(oneLine(text))}**`;
const inCode = (text: string): string => `\`${oneLine(text).replaceAll('`', 'ˋ')}\``;
const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();
const escaped = (text: string): string => text.replace(/[\\*_`[\]<>]/g, '\\$&');
