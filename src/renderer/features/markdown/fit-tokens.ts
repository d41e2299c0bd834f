import type { MarkedToken, Token, Tokens } from 'marked';
import { isMathToken, plainBlock } from './lex';
import { affordableParts, textCost } from './text-cost';

/** `[entry:<id>]`: 16 hex digits, the 8 of older entries, or a UUID (SF5). Split by it, a text is text and id in turn. */
export const REFERENCE = /\[entry:([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{16}|[0-9a-f]{8})\]/g;

/** How many references a text holds; each is drawn as a button with a picture. */
function countReferences(text: string): number {
  return text.includes('[entry:') ? (text.match(REFERENCE)?.length ?? 0) : 0;
}

/** The text in pieces of at most so many references. Put together they are the text. */
function partsOfReferences(text: string, most: number): string[] {
  if (!text.includes('[entry:')) return [text];
  const parts: string[] = [];
  let [from, count] = [0, 0];
  for (const { index, 0: found } of text.matchAll(REFERENCE)) {
    count += 1;
    if (count < most) continue;
    parts.push(text.slice(from, index + found.length));
    [from, count] = [index + found.length, 0];
  }
  return from < text.length ? [...parts, text.slice(from)] : parts;
}

/** What one block may weigh; what is drawn is drawn block by block. */
const MAX_BLOCK = 1_200;
/** Nanoseconds of one piece of text: with its element it is a block. */
const MAX_TEXT = 9_000_000;
/** Long lists and tables become several of them. */
const PART = 300;

/** A block of code has a bar with buttons and their tooltips. */
const CODE = 60;

/** A reference to a message: a button with a picture that is laid out by itself. */
const REFERENCE_COST = { weight: 12, elements: 5 };
/** So many stand in one piece of text. */
const MAX_REFERENCES = 60;

/**
 * A formula: a letter becomes a dozen elements, a character more three. Nothing of React stands behind them: each weighs a third of
 * one, and nine are taken away as fast as one. The longest that is drawn still fits into a block.
 */
const FORMULA = { weight: 3, perChar: 1, most: 600, elements: 1 / 3 };

/** Making an element, with its layout, costs about this. */
export const NS_ELEMENT = 8_000;

interface PartToken extends Tokens.Paragraph {
  isPart: boolean;
}

/** Whether a block goes on the one before it, which was too long to be laid out at once. */
export function isPart(token: Token): boolean {
  return 'isPart' in token && token.isPart === true;
}

/** What a token costs to draw, in elements of ordinary words: those that it becomes, and its text. */
export function weigh(token: Token): number {
  const known = weights.get(token);
  if (known !== undefined) return known;
  const weight = count(token, (text) => textCost(text) / NS_ELEMENT + countReferences(text) * REFERENCE_COST.weight);
  weights.set(token, weight);
  return weight;
}

/** Tokens are never changed; each is asked about several times. */
const weights = new WeakMap<Token, number>();

/** About how many elements a token becomes. */
export function elementsOf(token: Token): number {
  return count(token, (text) => countReferences(text) * REFERENCE_COST.elements, FORMULA.elements);
}

type WeighText = (text: string) => number;

function count(token: Token, weighText: WeighText, share = 1): number {
  if (isMathToken(token)) {
    const drawn = share * Math.min(FORMULA.most, FORMULA.weight + token.tex.length * FORMULA.perChar);
    // One that can't be drawn, or is too long, is shown as its source; and its letters have to be found in fonts either way.
    return Math.max(drawn, weighText(token.raw));
  }
  const known = token as MarkedToken;
  const all = (tokens: readonly Token[]): number =>
    tokens.reduce((sum, inner) => sum + count(inner, weighText, share), 0);
  const ofRow = (row: readonly Tokens.TableCell[]): number => row.reduce((sum, cell) => sum + all(cell.tokens) + 1, 1);
  if (known.type === 'code') return CODE;
  if (known.type === 'list') return known.items.reduce((sum, item) => sum + all(item.tokens) + 1, 1);
  if (known.type === 'table') return known.rows.reduce((sum, row) => sum + ofRow(row), ofRow(known.header));
  return 1 + ('tokens' in token && token.tokens ? all(token.tokens) : weighText(token.raw));
}

const weighAll = (tokens: readonly Token[]): number => tokens.reduce((sum, token) => sum + weigh(token), 0);
const weighRow = (row: readonly Tokens.TableCell[]): number =>
  row.reduce((sum, cell) => sum + weighAll(cell.tokens) + 1, 1);

/** A block as blocks that can be drawn one by one: long lists and tables in parts, what can't be parted as its source. */
export function fitToken(token: Token): Token[] {
  const weight = weigh(token);
  if (weight <= PART) return [token];
  const known = token as MarkedToken;
  if (known.type === 'list') return partsOfList(known).flatMap(orSource);
  if (known.type === 'table') return partsOfTable(known).flatMap(orSource);
  if (weight <= MAX_BLOCK) return [token];
  return known.type === 'paragraph' ? partsOfParagraph(known) : sourceOf(token);
}

const orSource = (part: Token): Token[] => (weigh(part) > MAX_BLOCK ? sourceOf(part) : [part]);

function sourceOf(token: Token): Token[] {
  return affordableParts(token.raw, MAX_TEXT).map((raw, index) => plainBlock(raw, index > 0));
}

function partsOfParagraph(paragraph: Tokens.Paragraph): PartToken[] {
  const pieces = paragraph.tokens.flatMap((token): Token[] => {
    if (weigh(token) <= MAX_BLOCK - 1) return [token];
    const text = token.type === 'text' && !('tokens' in token && token.tokens) ? String(token.text) : token.raw;
    return affordableParts(text, MAX_TEXT)
      .flatMap((part) => partsOfReferences(part, MAX_REFERENCES))
      .map((raw): Tokens.Text => ({ type: 'text', raw, text: raw, escaped: false }));
  });
  return inParts(pieces, weigh, MAX_BLOCK - 1).map((tokens, index) => {
    const raw = tokens.map((token) => token.raw).join('');
    return { ...paragraph, tokens, raw, text: raw, isPart: index > 0 };
  });
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

function inParts<T>(items: readonly T[], weightOf: (item: T) => number, most = PART): T[][] {
  const parts: T[][] = [];
  let part: T[] = [];
  let weight = 0;
  for (const item of items) {
    const own = weightOf(item);
    if (part.length > 0 && weight + own > most) {
      parts.push(part);
      [part, weight] = [[], 0];
    }
    part.push(item);
    weight += own;
  }
  return part.length > 0 ? [...parts, part] : parts;
}
