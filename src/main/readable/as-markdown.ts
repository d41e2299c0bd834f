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
      return `\n${piece.text.trimEnd()}\n`;
    case 'raw':
      return `${piece.label === null ? '' : `\n${inBold(piece.label)}\n`}\n${fenced(piece.text)}\n`;
    case 'image':
      return `\n*[Picture: ${oneLine(piece.mimeType).slice(0, 100)}]*\n`;
  }
}

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
