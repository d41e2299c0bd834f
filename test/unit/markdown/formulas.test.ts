import { expect, test } from 'vitest';
import { chargeAhead, hasRoom, inNextFrame, takeAdvance } from '../../../src/renderer/features/markdown/frame-room';
import { formulasOf, lexMarkdown } from '../../../src/renderer/features/markdown/lex';

const nextFrame = (): Promise<void> => new Promise((resolve) => void inNextFrame(resolve));
const formulasIn = (text: string): string[] =>
  lexMarkdown(text, {}).tokens.flatMap(formulasOf).map(({ tex, display }) => (display ? `${tex}!` : tex)); // prettier-ignore

test('the formulas of a block are found wherever they stand in it', () => {
  expect(formulasIn('Words $a$ and *more $b$* and $$c$$.\n\n$$d$$')).toEqual(['a', 'b', 'c!', 'd!']);
  expect(formulasIn('- $a$\n  - **$b$**\n\n> $c$\n')).toEqual(['a', 'b', 'c']);
  expect(formulasIn('| $a$ | b |\n|---|---|\n| c | $d$ |\n')).toEqual(['a', 'd']);
  expect(formulasIn('Words.\n\n```math\na\n```\n')).toEqual([]);
});

test('A2: formulas that their block has paid for are drawn with it, no others, and in that frame only', async () => {
  await nextFrame();
  expect(takeAdvance(1)).toBe(false);
  chargeAhead(10_000_000);
  expect(hasRoom()).toBe(false);
  expect(takeAdvance(6_000_000)).toBe(true);
  expect(takeAdvance(6_000_000)).toBe(false);
  expect(takeAdvance(4_000_000)).toBe(true);
  chargeAhead(1_000);
  await nextFrame();
  expect(hasRoom()).toBe(true);
  expect(takeAdvance(1_000)).toBe(false);
});
