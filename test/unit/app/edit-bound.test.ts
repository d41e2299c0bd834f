import fc from 'fast-check';
import { expect, it } from 'vitest';
import { canEdit } from '../../../src/renderer/features/approvals/approval-forms';

it('C2: what a person would edit fits the field, also in other scripts and in very many lines', () => {
  const texts = [
    'echo hi',
    'const a = f(b[1], "c");\n'.repeat(500),
    'слово '.repeat(700),
    '日本語を書く'.repeat(600),
    '使用 git 提交。'.repeat(150),
  ];
  expect(texts.map(canEdit)).toEqual(texts.map(() => true));
});

it('C2: a text that makes each key a long task does not: by its length, its lines, its letters and their changes', () => {
  const texts = [
    'a'.repeat(50_001),
    'a\n'.repeat(11_000),
    'ก'.repeat(10_000),
    'слово '.repeat(4_000),
    'aก'.repeat(1_000),
    '日a한bก '.repeat(400),
  ];
  expect(texts.map(canEdit)).toEqual(texts.map(() => false));
});

it('C2: no text gets room by what is added to it', () => {
  const unit = fc.constantFrom('a', 'ก', '日', '\n', ' ', '\u200b', '😀', 'ж', '\ud800', '$(');
  const text = fc.array(unit, { maxLength: 60 }).map((parts) => parts.join('').repeat(60));
  fc.assert(
    fc.property(text, text, (one, other) => {
      expect(!canEdit(one) && canEdit(one + other)).toBe(false);
    }),
  );
});
