import { describe, expect, it, vi } from 'vitest';
import fc from 'fast-check';
import { buttonsOf, titleOf } from '../../../src/renderer/features/approvals/card-words';
import {
  bodyModeOf,
  FIRST_ROWS,
  linesOf,
  LONG_ROWS,
  MOST_PARTS,
  plainSource,
  SHORT_ROWS,
  type Source,
  sourceOf,
} from '../../../src/renderer/features/approvals/source';
import { readSource, type Chunk, type Reading } from '../../../src/renderer/features/approvals/reading';
import type { ApprovalSubject, ApprovalView } from '@shared/policy/approval';
import { scopesOffered, stakesOf } from '../../../src/shared/policy/stakes';
import { visibleSlice, visibleText } from '@shared/policy/visible-text';
import { readBack, shownText } from '../../support/read-back';

const command = (text: string): ApprovalSubject => ({
  kind: 'command',
  command: text,
  cwd: '/w',
  timeoutMs: 300_000,
  canEdit: true,
});
const request = (subject: ApprovalSubject, choices: ApprovalView['choices']): ApprovalView => ({
  id: 'a',
  sessionId: 's',
  toolCallId: 'c',
  tool: 'bash',
  title: 'Run x',
  subject,
  contentHash: 'h',
  createdAt: 0,
  choices,
});
it('the head of a card asks in words, and what it asks about stands apart', () => {
  const { choices, ...of } = request({ kind: 'path', path: '/w/x', outside: false, why: '' }, []);
  const asked = (title: string) => titleOf({ ...of, choices, title }, '/home/me', '/w');
  expect(asked('Search for VAT in src')).toEqual({ ask: 'Search for', words: 'VAT in src' });
  expect(asked('Look for files *.md')).toEqual({ ask: 'Look for files', words: '*.md' });
  expect(asked('Read for VAT')).toEqual({ ask: 'Read', words: 'for VAT' });
  expect(asked('Use')).toEqual({ ask: 'Use', words: '' });
});

function readNow(source: Source): Reading {
  for (const steps = readSource(source); ;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}
/** What is drawn for a chunk of a text without signs. */
function drawn(source: Source, { start, to, line }: Chunk): string {
  if (!line) return shownText(visibleText(source.text.slice(start.at, to), source.place));
  return shownText({
    lines: [visibleSlice(source.text.slice(line.from, line.to), start.at - line.from, to - line.from)],
  });
}
const chunksOf = (reading: Reading): Chunk[] => reading.parts.flatMap((part) => part.chunks);
const isParted = ({ to, line }: Chunk): boolean => line !== null && to < line.to;
/** Lines of all kinds, some of them too long or too dear to be drawn in one go. */
const long = fc
  .tuple(fc.string({ unit: 'binary', minLength: 1, maxLength: 12 }), fc.nat(6_000))
  .map(([piece, times]) => piece.repeat(Math.ceil(times / piece.length)));
/** What stands in elements of its own, beside letters that no bundled font has. */
const signs = [
  '\u0001',
  '𨩀',
  '\u200b',
  '  ',
  '\t',
  '\u00a0',
  'א',
  'a',
  '漢',
  'ш',
  '\u0e01',
  '\r',
  '\u202e',
  '𞤀',
  '.',
  '\u1100',
  '\u0301',
];
const dear = fc
  .tuple(fc.array(fc.constantFrom(...signs), { minLength: 1, maxLength: 6 }), fc.nat(3_000))
  .map(([unit, times]) => unit.join('').repeat(Math.ceil(times / unit.length)));
const short = fc.string({ unit: 'binary', maxLength: 200 });
const texts = fc
  .array(fc.oneof({ weight: 6, arbitrary: short }, long, dear, fc.constant('')), { maxLength: 60 })
  .map((lines) => lines.join('\n'));

describe('how much of a text is drawn', () => {
  it('all, the beginning, or parts; an endless line counts as the rows that it takes', () => {
    expect([SHORT_ROWS, SHORT_ROWS + 1, LONG_ROWS, LONG_ROWS + 1].map((rows) => bodyModeOf(rows, false))).toEqual([
      'whole', 'first', 'first', 'sections',
    ]); // prettier-ignore
    expect(bodyModeOf(LONG_ROWS, true)).toBe('whole');
    expect(bodyModeOf(LONG_ROWS + 1, true)).toBe('sections');
    expect(readNow(plainSource('a'.repeat(100_000))).rows).toBeGreaterThanOrEqual(1_000);
    // What is written out takes more room than it has characters.
    expect(readNow(plainSource('x\u200b'.repeat(10_000))).rows).toBeGreaterThanOrEqual(900);
  });

  it('every character is drawn once, in order, whatever the text; no piece is dear', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const source = plainSource(text);
        const chunks = chunksOf(readNow(source));
        const shown = chunks.map((chunk) => drawn(source, chunk) + (isParted(chunk) ? '' : '\n')).join('');
        expect(readBack(shown.slice(0, -1))).toBe(text);
        for (const chunk of chunks) expect(chunk.ns).toBeLessThan(7_000_000);
      }),
    );
  });

  it('the lines of a diff too, each with its kind', () => {
    const kinds = fc.constantFrom('+', '-', ' ');
    const line = fc.tuple(kinds, fc.oneof(fc.string({ unit: 'binary', maxLength: 80 }), long));
    fc.assert(
      fc.property(fc.array(line, { minLength: 1, maxLength: 300 }), (lines) => {
        const body = lines.map(([sign, text]) => sign + text.replaceAll('\n', ' '));
        const diff = `--- a\n+++ a\n@@ -1,9 +1,9 @@\n${body.join('\n')}\n`;
        const subject = {
          kind: 'diff',
          path: '/w/a',
          diff,
          created: false,
          outside: false,
          added: 1,
          removed: 1,
        } as const;
        const source = sourceOf(subject, '/home/ada');
        const chunks = chunksOf(readNow(source));
        const read = chunks.flatMap((chunk) =>
          chunk.line
            ? [{ kind: chunk.line.kind, text: source.text.slice(chunk.start.at, chunk.to), goesOn: isParted(chunk) }]
            : [...linesOf(source, chunk.start, chunk.to)].map(({ kind, text }) => ({ kind, text, goesOn: false })),
        );
        const sign = { added: '+', removed: '-', context: ' ', gap: '@', note: '!' } as const;
        let isBegun = false;
        let all = '';
        for (const { kind, text, goesOn } of read) {
          all += (isBegun ? '' : sign[kind]) + text + (goesOn ? '' : '\n');
          isBegun = goesOn;
        }
        expect(all.split('\n').slice(0, -1)).toEqual(body);
      }),
    );
  });

  it('the beginning is a beginning and ends with a line, or within an endless one', () => {
    const source = plainSource(Array.from({ length: 700 }, (_, n) => `line ${n}`).join('\n'));
    const { first, firstLines } = readNow(source);
    expect(firstLines).toBe(FIRST_ROWS);
    expect(source.text.slice(0, first.at(-1)?.to).split('\n')).toHaveLength(FIRST_ROWS);
    const endless = readNow(plainSource('word '.repeat(4_000)));
    expect(endless.first.reduce((sum, chunk) => sum + chunk.rows, 0)).toBeLessThanOrEqual(2 * FIRST_ROWS);
  });

  it('a long text has a bounded number of parts; the risky ones are marked, the first of them open', () => {
    const texts = [
      'x\u200b'.repeat(60_000),
      'a\n'.repeat(100_000),
      'rm -rf a\n'.repeat(20_000),
      'code(); '.repeat(40_000),
      ' \t'.repeat(20_000),
    ];
    for (const text of texts) {
      const { parts, rows, lines } = readNow(plainSource(text));
      for (const { ns } of parts.flatMap((part) => part.chunks)) expect(ns).toBeLessThan(10_000_000);
      expect(parts.length).toBeLessThanOrEqual(MOST_PARTS);
      expect(parts.reduce((sum, part) => sum + part.rows, 0)).toBe(rows);
      expect(parts.at(-1)?.last).toBe(lines);
      const open = parts.filter((part) => part.isOpen);
      expect(open.reduce((sum, part) => sum + part.rows, 0)).toBeLessThanOrEqual(LONG_ROWS);
      expect(open.every((part) => part.isRisky)).toBe(true);
      // The last line may be empty, and a part of its own.
      expect(new Set(parts.slice(0, -1).map((part) => part.isRisky)).size).toBe(1);
    }
  });

  it('only the part with a risk word is marked, also where it stands on an endless line', () => {
    const code = 'const a = f(b); ';
    const { parts } = readNow(plainSource(`${code.repeat(20_000)}; rm -rf ~; ${code.repeat(20_000)}`));
    const at = code.length * 20_000;
    const holds = ({ chunks }: Reading['parts'][number]): boolean =>
      chunks.some(({ start, to }) => start.at < at + 8 && to > at);
    expect(parts.filter((part) => part.isRisky)).toEqual(parts.filter(holds));
  });

  it('is read in steps of which none is long', () => {
    const texts = [
      'x\u200b'.repeat(10_000),
      'аx '.repeat(10_000),
      'rm;'.repeat(10_000),
      `rm ${'/a '.repeat(10_000)}`,
      ' \t'.repeat(10_000),
    ];
    // Nearly all of the work is patterns: they are counted, as time is another one on a busy machine.
    let looks = 0;
    const exec = RegExp.prototype.exec;
    vi.spyOn(RegExp.prototype, 'exec').mockImplementation(function (this: RegExp, text: string) {
      looks += 1;
      return exec.call(this, text);
    });
    for (const text of texts) {
      let most = 0;
      for (const steps = readSource(plainSource(text, { cwd: '/w', home: '/h' })); ;) {
        looks = 0;
        const { done } = steps.next();
        most = Math.max(most, looks);
        if (done) break;
      }
      expect(most, text.slice(0, 10)).toBeLessThan(20_000);
    }
    vi.restoreAllMocks();
  });
});

describe('the answers of a card', () => {
  const all: ApprovalView['choices'] = ['deny', 'once', 'session', 'always'];
  const actions = (subject: ApprovalSubject, choices: ApprovalView['choices'], isRisky: boolean) => {
    const { main, quiet } = buttonsOf(request(subject, choices), isRisky);
    return [main, quiet].map((buttons) =>
      buttons.map(({ action }) => (action.kind === 'answer' ? action.decision : action.kind)),
    );
  };

  it('in a risky card only the first one lets anything happen, and none is filled', () => {
    // What is risky is no place of the card's own: main offers nothing else for it.
    const scope = { kind: 'command', command: 'rm x', cwd: '/w' } as const;
    expect(scopesOffered(command('rm x'), { session: scope, always: scope }, '/home/ada')).toEqual({});
    expect(actions(command('rm x'), ['deny', 'once'], true)).toEqual([['once', 'edit', 'why'], []]);
    const { main } = buttonsOf(request(command('rm x'), ['deny', 'once']), true);
    expect(main.some((button) => button.isPrimary)).toBe(false);
  });

  it('in an everyday card they run, for the session and always here', () => {
    expect(actions(command('ls'), all, false)).toEqual([
      ['once', 'session', 'always'],
      ['edit', 'why'],
    ]);
    expect(actions(command('ls'), ['deny', 'once'], false)).toEqual([['once', 'edit', 'why'], []]);
  });

  it('C2: in a card with a note none is filled, and it offers what it always offers', () => {
    const filled = (isNoted: boolean) =>
      buttonsOf(request(command('git status'), all), false, isNoted).main.map(({ label, isPrimary }) => [label, isPrimary === true]); // prettier-ignore
    expect(filled(false)[0]).toEqual(['Run', true]);
    expect(filled(true)).toEqual(filled(false).map(([label]) => [label, false]));
  });

  it('C2: a key means one thing in all cards: of what is not offered it is left unused', () => {
    const change = {
      kind: 'diff',
      path: '/w/x',
      diff: '',
      created: true,
      outside: false,
      added: 1,
      removed: 0,
    } as const;
    const path = { kind: 'path', path: '/w/x', outside: true, why: '' } as const;
    const keysOf = (subject: ApprovalSubject, choices: ApprovalView['choices'], isRisky: boolean) => {
      const { main, quiet } = buttonsOf(request(subject, choices), isRisky);
      return Object.fromEntries(
        [...main, ...quiet].map(({ key, action }) => [key, action.kind === 'answer' ? action.decision : action.kind]),
      );
    };
    const everyday = { 1: 'once', 2: 'session', 3: 'always', 4: 'edit', 5: 'why' };
    expect(keysOf(command('ls'), all, false)).toEqual(everyday);
    expect(keysOf(command('rm x'), ['deny', 'once'], true)).toEqual({ 1: 'once', 4: 'edit', 5: 'why' });
    expect(keysOf(change, all, false)).toEqual({ 1: 'once', 2: 'session', 3: 'always', 5: 'why' });
    expect(keysOf(path, ['deny', 'once', 'session'], false)).toEqual({ 1: 'once', 2: 'session', 5: 'why' });
  });

  it('what hides makes a card risky, wherever it stands', () => {
    const stakes = (subject: ApprovalSubject) => stakesOf(subject, readNow(sourceOf(subject, '/home/ada')));
    expect(stakes(command('ls'))).toEqual({ risks: [], notes: [], warnings: [] });
    expect(stakes(command('ls \u202e')).warnings).toHaveLength(1);
    expect(stakes({ ...command('ls'), cwd: '/w\u202e' } as ApprovalSubject).warnings[0]).toMatch(/^Its folder holds/);
    const diff = {
      kind: 'diff',
      path: '/w/p\u0430th',
      diff: '',
      created: true,
      outside: false,
      added: 1,
      removed: 0,
    } as const;
    expect(stakes(diff).warnings[0]).toContain('Cyrillic');
    expect(stakes({ ...diff, path: '/w/x', outside: true }).risks).toHaveLength(1);
  });

  it('marks of several risks do not overlap: no character is drawn twice', () => {
    const { marks } = readNow(sourceOf(command('sudo rm -rf ~/x && git push --force'), '/home/ada'));
    expect(marks.length).toBeGreaterThan(2);
    for (const [at, mark] of marks.entries()) expect(mark.from).toBeGreaterThan(marks[at - 1]?.to ?? -1);
  });
});
