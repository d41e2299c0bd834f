import { describe, expect, it } from 'vitest';
import { BlockStream, type Block } from '../../../src/renderer/features/markdown/block-stream';
import { blocksOf } from '../../support/markdown-blocks';
import { elementsOf, fitToken, NS_ELEMENT, weigh } from '../../../src/renderer/features/markdown/fit-tokens';
import { lexMarkdown } from '../../../src/renderer/features/markdown/lex';
import { textCost } from '../../../src/renderer/features/markdown/text-cost';
import { hostileMarkdown } from '../../support/hostile-markdown';
import { shortOrLong } from '../../support/long-form';

const SLICE = 8_000;
const rawOf = (tokens: readonly { raw: string }[]): string => tokens.map((token) => token.raw).join('');
const shape = (blocks: readonly Block[]): string[] => blocks.map(({ token }) => `${token.type}:${token.raw.trimEnd()}`);

/** Reads a text as a stream does whose chunks have `step` characters. */
function readBySteps(text: string, step: number): readonly Block[] {
  const stream = new BlockStream();
  for (let at = step; at < text.length; at += step) stream.update(text.slice(0, at), false);
  return stream.update(text, true);
}

describe('A2: no text overflows the stack or takes more than its budget', () => {
  const texts = hostileMarkdown(SLICE);

  it.each(texts)('a slice: $name', ({ text }) => {
    const source = text.replace(/\r\n?/g, '\n');
    const { tokens } = lexMarkdown(source, {});
    expect(rawOf(tokens)).toBe(source);
    expect(tokens.flatMap(fitToken).filter((part) => weigh(part) > 1_200)).toEqual([]);
  });

  it.each(hostileMarkdown(shortOrLong(20_000, 60_000)))('a stream: $name', ({ text }) => {
    const blocks = readBySteps(text, 2_999);
    expect(blocks.filter(({ token }) => weigh(token) > 1_200)).toEqual([]);
    expect(blocks.every((block) => block.frozen)).toBe(true);
  });

  it('120 kB of the dearest emphasis cost no more than twice what plain words cost', { timeout: 60_000 }, () => {
    // Not timed: with a budget the whole of it is read at once, without one this takes minutes.
    expect(blocksOf('*_a'.repeat(40_000)).length).toBeGreaterThan(0);
  });

  it('lists and quotes are read fifty levels deep; what is deeper is text', () => {
    for (const mark of ['- ', '> ', '1. ', '+ ']) {
      const { tokens } = lexMarkdown(`${mark.repeat(200)}deep`, {});
      const text = JSON.stringify(tokens);
      expect(text).toContain('deep');
      expect(text.match(/"type":"(list|blockquote)"/g)?.length).toBeLessThanOrEqual(50);
    }
  });
});

describe('A2: long texts are parted where it does least harm', () => {
  const lines = (count: number, line: (n: number) => string): string =>
    Array.from({ length: count }, (_, n) => line(n)).join('\n');

  it('a long fence stays one block, however it arrives', () => {
    const code = lines(5_000, (n) => `let value${n} = "\`\`\`";`);
    const text = `Before.\n\n\`\`\`\`ts\n${code}\n\`\`\`\`\n\nAfter.`;
    for (const blocks of [blocksOf(text), readBySteps(text, 3_001)]) {
      expect(blocks.map(({ token }) => token.type)).toEqual(['paragraph', 'code', 'paragraph']);
      expect(blocks[1]?.token).toMatchObject({ lang: 'ts', text: code });
    }
  });

  it('an open fence that grows is one block that is not frozen', () => {
    const stream = new BlockStream();
    const text = `\`\`\`\n${lines(2_000, (n) => `line ${n}`)}`;
    for (let at = 1_000; at < text.length; at += 1_000) stream.update(text.slice(0, at), false);
    const [block, ...others] = stream.update(text, false);
    expect(others).toEqual([]);
    expect(block).toMatchObject({ frozen: false, token: { type: 'code', text: text.slice(4) } });
  });

  it('references to messages count as the buttons that they become', () => {
    const [paragraph] = lexMarkdown('see [entry:00000000] '.repeat(200), {}).tokens;
    if (!paragraph) throw new Error('no paragraph');
    expect(elementsOf(paragraph)).toBeGreaterThan(200 * 4);
    const parts = fitToken(paragraph);
    expect(parts.length).toBeGreaterThan(1);
    expect(rawOf(parts)).toBe(paragraph.raw);
    for (const part of parts) expect(part.raw).toMatch(/^( ?see \[entry:0{8}\])+ ?$/);
    // What reads alike and is none stays text.
    expect(elementsOf(lexMarkdown('[entry:0000000x] '.repeat(200), {}).tokens[0] ?? paragraph)).toBeLessThan(5);
  });

  it('formulas count as what they become', () => {
    const [paragraph] = lexMarkdown('$a$ '.repeat(250), {}).tokens;
    if (!paragraph) throw new Error('no paragraph');
    expect(weigh(paragraph)).toBeGreaterThan(250 * 4);
    const parts = fitToken(paragraph);
    expect(parts.length).toBeGreaterThan(1);
    expect(rawOf(parts)).toBe(paragraph.raw);
    // The longest one that is drawn is no reason to show a list item as its source.
    const item = lexMarkdown(`- so $${'x+'.repeat(700)}y$`, {}).tokens.flatMap(fitToken);
    expect(item.map(({ type }) => type)).toEqual(['list']);
  });

  it('letters that have to be found in many fonts cost in a formula what they cost as words', () => {
    const letters = Array.from({ length: 12_000 }, (_, at) => 'ༀកႠඅကກሀᎠ'[at % 8]).join('');
    for (const text of [
      `$$${letters}$$`,
      `so $${letters.slice(0, 1_500)}$ it is`,
      `$${letters.slice(0, 8)}$ `.repeat(100),
    ])
      for (const part of lexMarkdown(text, {}).tokens.flatMap(fitToken))
        expect(textCost(part.raw) / NS_ELEMENT).toBeLessThan(2 * 1_200);
  });

  it('a long table keeps its head, a long list its numbers', () => {
    const table = `| n | square |\n|---|---|\n${lines(1_500, (n) => `| ${n} | ${n * n} |`)}`;
    const tables = blocksOf(table).map(({ token }) => token);
    expect(new Set(tables.map(({ type }) => type))).toEqual(new Set(['table']));
    expect(tables.flatMap((token) => ('rows' in token ? (token.rows as unknown[]) : [])).length).toBe(1_500);
    const list = blocksOf(lines(1_000, (n) => `${n + 1}. item ${n + 1}`)).map(({ token }) => token);
    expect(new Set(list.map(({ type }) => type))).toEqual(new Set(['list']));
    let next = 1;
    for (const token of list) {
      expect(token).toMatchObject({ start: next });
      next += 'items' in token ? (token.items as unknown[]).length : 0;
    }
    expect(next).toBe(1_001);
  });

  it('long prose is the same blocks, streamed or whole', () => {
    const text = lines(2_000, (n) => `Paragraph ${n} with **bold** words and \`code\`.\n`);
    expect(shape(readBySteps(text, 777))).toEqual(shape(blocksOf(text)));
  });
});
