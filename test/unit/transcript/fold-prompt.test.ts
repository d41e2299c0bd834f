import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { foldPrompt, isPromptOpen, keepPromptOpen } from '../../../src/renderer/features/transcript/prompt-text';

const numbered = (count: number): string => Array.from({ length: count }, (_, at) => `line ${at + 1}`).join('\n');

describe('TS12: a prompt folds', () => {
  it('above 40 lines, to its first 12', () => {
    expect(foldPrompt(numbered(40))).toBeNull();
    expect(foldPrompt(`${numbered(40)}\n\n`)).toBeNull();
    expect(foldPrompt(numbered(41))).toEqual({ lines: 41, beginning: numbered(12) });
  });

  it('to fewer where they are long, in whole lines but for a first one that is too long itself', () => {
    const long = 'word '.repeat(100).trim();
    const whole = Array.from({ length: 50 }, () => long).join('\n');
    expect(foldPrompt(whole)?.beginning).toBe([long, long].join('\n'));
    const first = foldPrompt(`${'word '.repeat(10_000)}\n${numbered(50)}`);
    expect(first?.beginning).toMatch(/^(word )+.* …$/);
    expect(first?.beginning.length).toBeLessThan(1_300);
  });

  it('to a beginning of what it is, whatever it is', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: 'binary', maxLength: 200 }), { minLength: 30, maxLength: 90 }),
        (lines) => {
          const text = lines.join('\n');
          const folded = foldPrompt(text);
          const { length } = text.trimEnd().split('\n');
          expect(folded?.lines).toBe(length > 40 ? length : undefined);
          if (!folded) return;
          expect(text.startsWith(folded.beginning.replace(/ …$/, ''))).toBe(true);
          expect(folded.beginning.split('\n').length).toBeLessThanOrEqual(12);
        },
      ),
    );
  });

  it('a million lines take one pass', () => {
    expect(foldPrompt('\nx'.repeat(1_000_000))?.lines).toBe(1_000_001);
  });
});

it('TS12: what the person opened stays so, for the newest thousand', () => {
  keepPromptOpen('s', 'a', true);
  expect([isPromptOpen('s', 'a'), isPromptOpen('other', 'a')]).toEqual([true, false]);
  keepPromptOpen('s', 'a', false);
  expect(isPromptOpen('s', 'a')).toBe(false);
  for (let at = 0; at <= 1_000; at++) keepPromptOpen('s', `${at}`, true);
  expect([isPromptOpen('s', '0'), isPromptOpen('s', '1'), isPromptOpen('s', '1000')]).toEqual([false, true, true]);
});
