import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { buttonsOf, stakesOf } from '../../../src/renderer/features/approvals/card-model';
import {
  bodyModeOf,
  countRows,
  firstRows,
  LONG_ROWS,
  sections,
  SHORT_ROWS,
} from '../../../src/renderer/features/approvals/measure';
import type { ApprovalRequest, ApprovalSubject } from '../../../src/shared/ipc/types';

const command = (text: string): ApprovalSubject => ({
  kind: 'command',
  command: text,
  cwd: '/w',
  timeoutMs: 300_000,
  canEdit: true,
});
const request = (subject: ApprovalSubject, choices: ApprovalRequest['choices']): ApprovalRequest => ({
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
const texts = fc.array(fc.record({ text: fc.string({ unit: 'binary', maxLength: 900 }) }), {
  minLength: 1,
  maxLength: 60,
});

describe('how much of a text is drawn', () => {
  it('all, the beginning, or parts; an endless line counts as the rows that it takes', () => {
    expect([SHORT_ROWS, SHORT_ROWS + 1, LONG_ROWS, LONG_ROWS + 1].map((rows) => bodyModeOf(rows, false))).toEqual([
      'whole', 'first', 'first', 'sections',
    ]); // prettier-ignore
    expect(bodyModeOf(LONG_ROWS, true)).toBe('whole');
    expect(bodyModeOf(LONG_ROWS + 1, true)).toBe('sections');
    expect(countRows([{ text: 'a'.repeat(100_000) }])).toBe(1_000);
  });

  it('the beginning is a beginning, and no character is halved', () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 40 }), (lines, rows) => {
        const first = firstRows(lines, rows);
        expect(first.length).toBeGreaterThan(0);
        const whole = lines.map((line) => line.text).join('\n');
        expect(whole.startsWith(first.map((line) => line.text).join('\n'))).toBe(true);
        expect(countRows(first)).toBeLessThanOrEqual(rows);
      }),
    );
  });

  it('parts hold every line once, in order', () => {
    fc.assert(
      fc.property(texts, (lines) => {
        expect(sections(lines, (line) => line.text.startsWith('a')).flat()).toEqual(lines);
      }),
    );
  });
});

describe('the answers of a card', () => {
  const all: ApprovalRequest['choices'] = ['deny', 'once', 'session', 'always'];
  const actions = (subject: ApprovalSubject, choices: ApprovalRequest['choices'], isRisky: boolean) => {
    const { numbered, quiet } = buttonsOf(request(subject, choices), isRisky);
    return [numbered, quiet].map((buttons) =>
      buttons.map(({ action }) => (action.kind === 'answer' ? action.decision : action.kind)),
    );
  };

  it('in a risky card only the first one lets anything happen, and none is filled', () => {
    expect(actions(command('rm x'), all, true)).toEqual([['once', 'edit', 'why'], []]);
    const { numbered } = buttonsOf(request(command('rm x'), all), true);
    expect(numbered.some((button) => button.isPrimary)).toBe(false);
  });

  it('in an everyday card they run, for the session and always here', () => {
    expect(actions(command('ls'), all, false)).toEqual([
      ['once', 'session', 'always'],
      ['edit', 'why'],
    ]);
    expect(actions(command('ls'), ['deny', 'once'], false)).toEqual([['once', 'edit', 'why'], []]);
  });

  it('what hides makes a card risky, wherever it stands', () => {
    const stakes = (subject: ApprovalSubject) => stakesOf(subject, [], '/home/ada');
    expect(stakes(command('ls'))).toEqual({ risks: [], warnings: [], marks: [] });
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
    const { marks } = stakesOf(command('sudo rm -rf ~/x && git push --force'), [], '/home/ada');
    for (const [at, mark] of marks.entries()) expect(mark.from).toBeGreaterThan(marks[at - 1]?.to ?? -1);
  });
});
