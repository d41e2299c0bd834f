import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BlockStream, type Block } from '../../../src/renderer/features/markdown/block-stream';
import { blocksOf } from '../../support/markdown-blocks';

const shape = (blocks: readonly Block[]): string[] => blocks.map(({ token }) => `${token.type}:${token.raw.trimEnd()}`);

const fragments = fc.constantFrom(
  'plain words', ' ', '\n', '\n\n', '\n\n\n', '# ', '- item', '* ', '1. one', '2', '2.', '. two', '> quote', '```ts\n', '```', '~~~', '    indented',
  '| a | b |\n', '|---|---|\n', '| 1 | 2 |', '$$', 'x^2', '\\[', '\\]', '$', '**', '_', '`', '[text](', 'https://a.example)', '---', '===', '<div>', '</div>',
  '<br>', '&amp;', '\t', '  ', '[ref]', '\\', '~~', '![', '- [ ] task', '\r\n', '<!-- c -->', '+', ')',
); // prettier-ignore

describe('RD1: a streamed text becomes the same blocks as the whole text', () => {
  it('for any chunks, without reference definitions', () => {
    fc.assert(
      fc.property(
        fc.array(fragments, { maxLength: 40 }),
        fc.array(fc.nat(6), { minLength: 1, maxLength: 80 }),
        (parts, cuts) => {
          const text = parts.join('');
          const stream = new BlockStream();
          let at = 0;
          for (const cut of cuts) {
            at += cut;
            stream.update(text.slice(0, at), false);
          }
          expect(shape(stream.update(text, true))).toEqual(shape(blocksOf(text)));
        },
      ),
      { numRuns: 3000 },
    );
  });

  it('with definitions that come after their use', () => {
    const text = 'See [docs].\n\nMore words.\n\nAnd more.\n\n[docs]: https://docs.example/\n';
    const stream = new BlockStream();
    for (let at = 1; at < text.length; at++) stream.update(text.slice(0, at), false);
    expect(JSON.stringify(stream.update(text, true).map((block) => block.token))).toBe(
      JSON.stringify(blocksOf(text).map((block) => block.token)),
    );
  });

  it('\\r\\n and \\n give the same blocks', () => {
    expect(shape(blocksOf('a\r\n\r\n- b\r\n- c'))).toEqual(shape(blocksOf('a\n\n- b\n- c')));
  });
});

describe('RD2, QA3: frozen blocks keep their identity', () => {
  it('while text is appended', () => {
    const text = Array.from(
      { length: 20 },
      (_, n) => `Paragraph ${n} with **bold** words.\n\n\`\`\`js\nlet a = ${n}\n\`\`\`\n\n`,
    ).join('');
    const stream = new BlockStream();
    let before: readonly Block[] = [];
    for (let at = 0; at <= text.length; at += 17) {
      const now = stream.update(text.slice(0, at), false);
      before.filter((block) => block.frozen).forEach((block, index) => expect(now[index]).toBe(block));
      before = now;
    }
    expect(before.filter((block) => block.frozen).length).toBeGreaterThan(30);
  });

  it('the same input gives the same array', () => {
    const stream = new BlockStream();
    expect(stream.update('a\n\nb', false)).toBe(stream.update('a\n\nb', false));
  });

  it('another text starts over', () => {
    const stream = new BlockStream();
    stream.update('one\n\ntwo\n\nthree\n\nfour', false);
    expect(shape(stream.update('five', true))).toEqual(['paragraph:five']);
  });
});

describe('RD3: what is open at the end is closed for the eye', () => {
  const last = (text: string) => JSON.stringify(new BlockStream().update(text, false).at(-1)?.token);
  it.each([
    ['some **bol', '"type":"strong"'],
    ['some **bold*', '"type":"strong"'],
    ['a `cod', '"type":"codespan"'],
    ['a [link](https://exa', '"text":"a link"'],
    ['a ![image](https://exa', '"text":"a image"'],
    ['gone ~~str', '"type":"del"'],
  ])('%s', (text, expected) => {
    expect(last(text)).toContain(expected);
  });

  it('raw stays what was written', () => {
    expect(new BlockStream().update('some **bol', false).at(-1)?.token.raw).toBe('some **bol');
  });
});
