import type { MarkedToken, Token, Tokens } from 'marked';
import { plainBlock } from './lex';

/** Elements that one block may come to; what is drawn is drawn block by block. */
const MAX_BLOCK = 1_200;
/** Long lists and tables become several of them. */
const PART = 300;

/** A block of code has a bar with buttons and their tooltips. */
const CODE = 60;

/** About how many elements a token becomes. */
export function weigh(token: Token): number {
  const known = token as MarkedToken;
  if (known.type === 'code') return CODE;
  if (known.type === 'list') return known.items.reduce((sum, item) => sum + weighAll(item.tokens) + 1, 1);
  if (known.type === 'table') return known.rows.reduce((sum, row) => sum + weighRow(row), weighRow(known.header));
  return 'tokens' in token && token.tokens ? 1 + weighAll(token.tokens) : 1;
}

const weighAll = (tokens: readonly Token[]): number => tokens.reduce((sum, token) => sum + weigh(token), 0);
const weighRow = (row: readonly Tokens.TableCell[]): number =>
  row.reduce((sum, cell) => sum + weighAll(cell.tokens) + 1, 1);

/** A block as blocks that can be drawn one by one: long lists and tables in parts, what can't be parted as its source. */
export function fitToken(token: Token): Token[] {
  if (weigh(token) <= PART) return [token];
  const known = token as MarkedToken;
  const parts = known.type === 'list' ? partsOfList(known) : known.type === 'table' ? partsOfTable(known) : [token];
  return parts.map((part) => (weigh(part) > MAX_BLOCK ? plainBlock(part.raw) : part));
}

function partsOfList(list: Tokens.List): Tokens.List[] {
  const first = typeof list.start === 'number' ? list.start : 1;
  return inParts(list.items, (item) => weighAll(item.tokens) + 1).map((items, index, parts) => {
    const before = parts.slice(0, index).reduce((sum, part) => sum + part.length, 0);
    return { ...list, items, raw: items.map((item) => item.raw).join(''), start: list.ordered ? first + before : '' };
  });
}

/** The head stands above each part. */
function partsOfTable(table: Tokens.Table): Tokens.Table[] {
  return inParts(table.rows, weighRow).map((rows, index) => ({
    ...table,
    rows,
    // What a part says for itself: the source of rows is not kept by the lexer.
    raw: index === 0 ? table.raw : rows.map((row) => row.map((cell) => cell.text).join(' | ')).join('\n'),
  }));
}

function inParts<T>(items: readonly T[], weightOf: (item: T) => number): T[][] {
  const parts: T[][] = [];
  let part: T[] = [];
  let weight = 0;
  for (const item of items) {
    const own = weightOf(item);
    if (part.length > 0 && weight + own > PART) {
      parts.push(part);
      [part, weight] = [[], 0];
    }
    part.push(item);
    weight += own;
  }
  return part.length > 0 ? [...parts, part] : parts;
}
