import fc from 'fast-check';
import type { MarkedToken, Token } from 'marked';
import { describe, expect, it } from 'vitest';
import { asQuote } from '../../../src/renderer/actions/texts';
import { decodeEntities } from '../../../src/renderer/features/markdown/inline';
import { isMathToken, lexMarkdown } from '../../../src/renderer/features/markdown/lex';
import { type ElementPiece, type Piece, toMarkdown } from '../../../src/renderer/features/texts/to-markdown';

const el = (tag: string, ...children: Piece[]): ElementPiece => ({ tag, children });
const p = (...children: Piece[]): ElementPiece => el('p', ...children);

/** What the window draws of Markdown, as the pieces that a selection of all of it gives (block.tsx and inline.tsx). */
function drawn(tokens: readonly Token[], isTight = false): Piece[] {
  return tokens.flatMap((generic): Piece[] => {
    if (isMathToken(generic)) return [{ tag: 'raw', source: generic.raw.trim(), is: generic.display, children: [] }];
    const token = generic as MarkedToken;
    const inside = 'tokens' in token && token.tokens ? drawn(token.tokens) : [];
    switch (token.type) {
      case 'space':
        return [];
      case 'paragraph':
        return isTight ? inside : [p(...inside)];
      case 'heading':
        return [{ ...el(`h${Math.min(6, token.depth + 2)}`, ...inside), number: token.depth }];
      case 'code':
        return [{ ...el('pre', token.text), ...(token.lang ? { source: token.lang } : {}) }];
      case 'list':
        return [
          {
            ...el(
              token.ordered ? 'ol' : 'ul',
              ...token.items.map((item) => el('li', ...drawn(item.tokens, !item.loose))),
            ),
            ...(token.ordered ? { number: Number(token.start) } : {}),
          },
        ];
      case 'table':
        return [
          el(
            'table',
            el('tr', ...token.header.map((cell) => el('th', ...drawn(cell.tokens)))),
            ...token.rows.map((row) => el('tr', ...row.map((cell) => el('td', ...drawn(cell.tokens))))),
          ),
        ];
      case 'codespan':
        return [el('code', token.text)];
      case 'link':
        return [{ ...el('a', ...inside), link: token.href }];
      case 'checkbox':
        return [{ tag: 'input', is: token.checked, children: [] }];
      case 'blockquote':
      case 'strong':
      case 'em':
      case 'del':
      case 'hr':
      case 'br':
        return [el(token.type, ...inside)];
      case 'escape':
        return [token.text];
      case 'text':
        return inside.length > 0 ? inside : [decodeEntities(token.text)];
      default:
        return [token.raw];
    }
  });
}

/** Neighboring words as one, blanks at ends and around line ends left out: they are not seen. */
function settled(pieces: readonly Piece[]): Piece[] {
  const found: Piece[] = [];
  for (const piece of pieces) {
    const last = found.at(-1);
    if (typeof piece === 'string' && typeof last === 'string') found[found.length - 1] = last + piece;
    else found.push(typeof piece === 'string' ? piece : { ...piece, children: settled(piece.children) });
  }
  return found;
}

const redrawn = (pieces: readonly Piece[]): Piece[] => settled(drawn(lexMarkdown(toMarkdown(pieces), {}).tokens));

const ODD = [
  '*',
  '_',
  '`',
  '[x]',
  '](',
  '\\',
  '<b>',
  '#',
  '>',
  '-',
  '+',
  '1.',
  '~~',
  '|',
  '$5',
  '&amp;',
  '$x$',
  '!',
  '==',
];
const word = fc.oneof(fc.stringMatching(/^[a-zäß0-9]{1,8}$/), fc.constantFrom(...ODD));
const words = fc.array(word, { minLength: 1, maxLength: 6 }).map((parts) => parts.join(' '));
const plainWords = fc
  .array(fc.stringMatching(/^[a-z]{1,8}$/), { minLength: 1, maxLength: 4 })
  .map((parts) => parts.join(' '));
const code = fc
  .string({ unit: fc.constantFrom('a', ' ', '`', '*', '\\', 'b'), minLength: 1, maxLength: 8 })
  .filter((text) => text.trim() !== '' && text === text.trim());
const inline = fc.oneof(
  words,
  plainWords.map((text) => el('strong', text)),
  plainWords.map((text) => el('em', text)),
  plainWords.map((text) => el('del', text)),
  code.map((text) => el('code', text)),
  plainWords.map((text): Piece => ({ ...el('a', text), link: 'https://example.org/a_b?c=(d)' })),
);
const line = fc
  .array(inline, { minLength: 1, maxLength: 5 })
  .map((parts) => settled(parts.flatMap((part, at): Piece[] => (at === 0 ? [part] : [' ', part]))));
const paragraph = line.map((parts) => p(...parts));
const fence = fc
  .tuple(
    fc.array(fc.constantFrom('let a = 1;', '```', '  b', '# c', ''), { minLength: 1, maxLength: 4 }),
    fc.constantFrom('', 'ts'),
  )
  .map(([lines, language]): Piece => ({ ...el('pre', lines.join('\n')), ...(language ? { source: language } : {}) }))
  .filter(
    (piece) =>
      typeof piece !== 'string' &&
      String(piece.children[0]).trim() !== '' &&
      !/^\n|\n$/.test(String(piece.children[0])),
  );
const heading = fc
  .tuple(line, fc.integer({ min: 1, max: 4 }))
  .map(([parts, level]): Piece => ({ ...el(`h${level + 2}`, ...parts), number: level }));
const block = fc.oneof(
  paragraph,
  fence,
  heading,
  fc.array(line, { minLength: 1, maxLength: 4 }).map((items) => el('ul', ...items.map((item) => el('li', ...item)))),
  fc
    .tuple(fc.array(line, { minLength: 1, maxLength: 4 }), fc.integer({ min: 1, max: 20 }))
    .map(([items, first]): Piece => ({ ...el('ol', ...items.map((item) => el('li', ...item))), number: first })),
  fc.array(fc.oneof(paragraph, fence), { minLength: 1, maxLength: 3 }).map((blocks) => el('blockquote', ...blocks)),
  fc
    .array(fc.array(words, { minLength: 2, maxLength: 2 }), { minLength: 1, maxLength: 3 })
    .map((rows) =>
      el('table', ...rows.map((row, at) => el('tr', ...row.map((cell) => el(at === 0 ? 'th' : 'td', cell))))),
    ),
  fc.constant(el('hr')),
);

describe('WN23: what is selected, as Markdown', () => {
  it('is drawn again as it was seen', () => {
    fc.assert(
      fc.property(fc.array(block, { minLength: 1, maxLength: 3 }), (blocks) => {
        // Two lists beside each other are one, here and there.
        fc.pre(blocks.every((_, at) => at === 0 || !/^[uo]l$/.test(`${(blocks[at - 1] as ElementPiece).tag}`)));
        expect(redrawn(blocks)).toEqual(settled(blocks));
      }),
      { numRuns: 1_000 },
    );
  });

  it('keeps lists within lists, task lists, and items of several blocks', () => {
    const nested = el('ul', el('li', 'one', el('ol', el('li', 'deep'), el('li', 'deeper'))), el('li', 'two'));
    expect(toMarkdown([nested])).toBe('- one\n  1. deep\n  2. deeper\n- two');
    const tasks = el(
      'ul',
      el('li', { tag: 'input', is: true, children: [] }, 'done'),
      el('li', { tag: 'input', is: false, children: [] }, 'open'),
    );
    expect(toMarkdown([tasks])).toBe('- [x] done\n- [ ] open');
    expect(toMarkdown([el('ul', el('li', p('a'), p('b')), el('li', p('c')))])).toBe('- a\n\n  b\n\n- c');
  });

  it('keeps formulas, diagrams and references by their source', () => {
    const formula: Piece = { tag: 'raw', source: '$a_b$', children: [] };
    const diagram: Piece = { tag: 'raw', source: '```mermaid\ngraph TD\n```', is: true, children: [] };
    expect(toMarkdown([p('So ', formula, ' holds'), diagram])).toBe('So $a_b$ holds\n\n```mermaid\ngraph TD\n```');
  });

  it('of a part of a line, a table or a list gives that part', () => {
    expect(toMarkdown(['part of a line'])).toBe('part of a line');
    expect(toMarkdown([el('table', el('tr', el('td', 'a|b')))])).toBe('| a\\|b |\n| --- |');
    expect(toMarkdown([el('span', 'x', el('strong', ' y '), 'z')])).toBe('x **y** z');
    expect(toMarkdown([])).toBe('');
  });

  it('puts what was on several lines on one where a line is all there is', () => {
    const lines = ['a  ', el('br'), el('br'), '\u00a0b #', el('br'), ' ##'];
    expect(toMarkdown([el('h3', ...lines)])).toBe('### a b # \\##');
    expect(toMarkdown([el('table', el('tr', el('td', ...lines)))])).toBe('| a b # \\## |\n| --- |');
    expect(toMarkdown([el('h3', 'C#')])).toBe('### C#');
    expect(toMarkdown([el('h3', 'a ##')])).toBe('### a \\##');
    expect(toMarkdown([el('h3', '##')])).toBe('### \\##');
    expect(toMarkdown([el('code', ' a ')])).toBe('`  a  `');
    expect(toMarkdown([el('code', ' a')])).toBe('` a`');
    expect(toMarkdown([el('code', 'a `b`')])).toBe('`` a `b` ``');
  });

  const LONG = 400_000;
  const blanks = `a${'\u00a0'.repeat(LONG)}b`;
  it.each<[string, ElementPiece]>([
    ['emphasis', el('p', el('strong', blanks))],
    ['a heading', el('h3', blanks)],
    ['a heading of number signs', el('h3', `a ${'#'.repeat(LONG)}b ${'# '.repeat(LONG)}`)],
    ['a cell', el('table', el('tr', el('td', blanks)))],
    ['code that begins with a blank', el('p', el('code', ` ${'a'.repeat(LONG)}`))],
    ['code of blanks', el('p', el('code', ` ${' a'.repeat(LONG)}`))],
    ['code of ticks', el('p', el('code', '`a'.repeat(LONG)))],
    ['a block of ticks', el('pre', '```a'.repeat(LONG))],
    ['many rows', { tag: 'table', children: Array.from({ length: LONG / 2 }, () => el('tr', el('td', 'a'))) }],
  ])(
    'takes linear time (what looks through it again and again would not end): %s',
    (_name, piece) => {
      expect(toMarkdown([piece]).length).toBeGreaterThan(LONG);
    },
    20_000,
  );

  it('names an address that is its own words once, and keeps one with brackets whole', () => {
    const link = (words: string, href: string): Piece => ({ ...el('a', words), link: href });
    expect(toMarkdown([link('https://example.org/', 'https://example.org/')])).toBe('<https://example.org/>');
    expect(toMarkdown([link('here', 'https://example.org/a(b)')])).toBe('[here](<https://example.org/a(b)>)');
  });

  it('becomes a quote line by line, with what is in it', () => {
    expect(asQuote('a\n\n> b\n')).toBe('> a\n>\n> > b');
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(
          asQuote(text)
            .split('\n')
            .every((row) => row.startsWith('>')),
        ).toBe(true);
      }),
    );
  });
});
