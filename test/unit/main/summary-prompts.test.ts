import { describe, expect, it } from 'vitest';
import { shortPrompt, SUMMARY_PROMPTS, withLength } from '../../../src/main/compaction/summarize';

const headings = (prompt: string): string[] => prompt.split('\n').filter((line) => line.startsWith('#'));
const sections = ['Goal', 'Constraints & Preferences', 'Progress', 'Key Decisions', 'Next Steps', 'Critical Context', 'What the Person Said']; // prettier-ignore

describe('what summary requests ask for', () => {
  it('SU2: a first summary has its sections, in order', () => {
    expect(headings(SUMMARY_PROMPTS.first).filter((line) => line.startsWith('## '))).toEqual(
      sections.map((name) => `## ${name}`),
    );
    expect(headings(SUMMARY_PROMPTS.first).filter((line) => line.startsWith('### '))).toEqual([
      '### Done',
      '### In Progress',
      '### Blocked',
    ]);
  });

  it('SU3: an update asks for all that the first one does', () => {
    const from = SUMMARY_PROMPTS.first.indexOf('Use exactly these headings');
    expect(from).toBeGreaterThan(0);
    expect(SUMMARY_PROMPTS.update).toContain(SUMMARY_PROMPTS.first.slice(from));
    expect(SUMMARY_PROMPTS.update).toContain('Turn Context (split turn)');
  });

  it('SU6: that of a branch asks for the same without Critical Context', () => {
    expect(headings(SUMMARY_PROMPTS.branch)).toEqual(
      headings(SUMMARY_PROMPTS.first).filter((line) => line !== '## Critical Context'),
    );
  });

  it('SU7: a handoff has the goal, and nobody else’s', () => {
    expect(SUMMARY_PROMPTS.handoff).toContain('{{goal}}');
  });

  it('SU1: every mark of the conversation is explained in every call', () => {
    for (const mark of [
      '[User]',
      '[Assistant]',
      'cut off',
      '[Tool result: name]',
      '[Note: type]',
      '[Assistant tool calls]',
      '[image: …]',
      '[Summary of earlier work]',
      '[... N characters ...]',
      'not run',
    ])
      // prettier-ignore
      expect(SUMMARY_PROMPTS.system).toContain(mark);
  });

  it('SU10: each says how long the answer may be, in words: 80 % of the cap at 0.55 words to a token', () => {
    expect(withLength('Write.', 491)).toMatch(/^Your answer has at most 216 words in all\.[^]*\n\nWrite\.$/);
    expect(withLength('Write.', 13_107)).toContain('at most 5767 words');
    expect(withLength('Write.', 1)).toContain('at most 1 words');
    expect(shortPrompt(512)).toMatch(/ At most 225 words\.$/);
  });
});
