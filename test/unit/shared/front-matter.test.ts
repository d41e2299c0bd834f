import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readFrontMatter } from '@shared/front-matter';

const read = (...lines: string[]) => readFrontMatter(['---', ...lines, '---', 'Body'].join('\n'));
const fieldsOf = (...lines: string[]) => Object.fromEntries(read(...lines).fields);

describe('EX18, EX19: the lines between --- at the top of a file', () => {
  it.each<[string, string[], Record<string, string>]>([
    [
      'plain texts',
      ['name: pdf-tools', 'description: Reads: and writes'],
      { name: 'pdf-tools', description: 'Reads: and writes' },
    ],
    ['comments', ['# none', 'name: a # why', 'b: c#d'], { name: 'a', b: 'c#d' }],
    ['double quotes', ['a: "x \\"y\\" \\u00e9\\n"'], { a: 'x "y" é' }],
    ['single quotes', ["a: 'it''s \\n'"], { a: "it's \\n" }],
    ['brackets as they stand', ['argument-hint: [focus]'], { 'argument-hint': '[focus]' }],
    ['folded lines', ['a: >-', '  one', '  two', '', '  three', 'b: x'], { a: 'one two\nthree', b: 'x' }],
    ['literal lines', ['a: |', '  one', '    two', 'b: x'], { a: 'one\n  two', b: 'x' }],
    ['texts that go on', ['a: one', '  two # not this', 'b: x'], { a: 'one two', b: 'x' }],
    ['quotes that go on', ['a: "one', '  two"'], { a: 'one two' }],
    ['no lists and no nested fields', ['metadata:', '  author: x', 'tools:', '- a', '- b', 'name: n'], { name: 'n' }],
    ['an empty text', ['a:', 'b: ""'], { a: '', b: '' }],
    ['the first of two', ['a: 1', 'a: 2'], { a: '1' }],
    ['names that objects have', ['constructor: x', 'name: y'], { constructor: 'x', name: 'y' }],
  ])('%s', (_, lines, fields) => {
    expect(fieldsOf(...lines)).toEqual(fields);
    expect(read(...lines)).toMatchObject({ body: 'Body' });
  });

  it.each([
    ['an alias', 'a: *x'],
    ['an anchor', 'a: &x y'],
    ['a tag', 'a: !!js/function x'],
    ['a quote without its end', 'a: "x'],
    ['more behind a quote', 'a: "x" y'],
    ['an unknown escape', 'a: "\\q"'],
    ['half a character by number', 'a: "\\u12"'],
    ['no field', 'just words'],
    ['another kind of key', '? a: b'],
  ])('%s counts for nothing and is named', (_, line) => {
    const found = read('name: ok', line);
    expect([...found.fields]).toEqual([]);
    expect(found.problem).toContain(line.startsWith('a') ? 'line 3' : '“key: text”');
    expect(found.body).toContain('name: ok');
  });

  it('an end that is missing makes all of it text', () => {
    const found = readFrontMatter('---\nname: x\nBody');
    expect(found).toMatchObject({ body: '---\nname: x\nBody', problem: expect.stringContaining('no end') as string });
  });

  it('a file without them is all body, with any line ends and a byte order mark', () => {
    expect(readFrontMatter('Body')).toMatchObject({ body: 'Body' });
    expect(readFrontMatter('\uFEFF---\r\nname: x\r\n---\r\nBody\r\n')).toMatchObject({ body: 'Body\n' });
    expect(readFrontMatter('\uFEFF---\r\nname: x\r\n---\r\n').fields.get('name')).toBe('x');
  });

  it('never fails, and a quoted text comes back as it was', () => {
    const hostile = fc.string({
      unit: fc.constantFrom('-', ':', ' ', '\n', '"', "'", '\\', '|', '>', '#', 'a', '&', '[', '\t'),
    });
    fc.assert(
      fc.property(hostile, fc.string({ unit: 'grapheme' }), (any, text) => {
        readFrontMatter(`---\n${any}\n---\n${any}`);
        const line = text.replace(/\s+/gu, ' ').trim();
        expect(fieldsOf(`a: ${JSON.stringify(line)}`)).toEqual({ a: line });
      }),
    );
  });
});
