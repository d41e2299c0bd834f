import { describe, expect, it } from 'vitest';
import { hasPart, isNoSummary, PREFIX_PARTS, SUMMARY_PARTS } from '@shared/compaction/summary-shape';
import { PARTS } from '../../../../src/main/compaction/summarize';

const no = (text: string): boolean => isNoSummary(text, SUMMARY_PARTS);

describe('SU40: what is taken for a summary', () => {
  it('SU2: the parts are those that the prompts ask for', () => {
    expect(PARTS.first).toEqual(SUMMARY_PARTS);
    expect(PARTS.branch).toEqual(SUMMARY_PARTS.filter((part) => part !== 'Critical Context'));
    expect(PARTS.prefix).toEqual(PREFIX_PARTS);
    expect(PARTS.handoff).toContain('Where things stand');
  });

  it.each([
    '## Goal\nShip the parser.',
    '# GOAL\n\n- Ship it',
    '**Goal:** Ship the parser',
    '1. **Key decisions**\n   Use a table.',
    'Goal: ship it\nProgress: half',
    "Sure! Here is the summary:\n\n## Goal\nI can't say.",
    // Prose may be used: it is said where it stands.
    'The person wants a parser. The agent wrote parse.ts and tests pass.',
    'A summary.',
    'Okay, here is a summary of the session: a parser was written.',
    'L’utilisateur veut un analyseur. Tout est fait.',
  ])('%j is', (text) => expect(no(text)).toBe(false));

  it.each([
    "I'm sorry, but I can't help with that.",
    'I cannot summarise this conversation.',
    '**Unfortunately, I can’t** do this.',
    'As an AI language model, I have no access to files.',
    'Sure, let me edit the file next.',
    'Let me run the tests:\n\n```sh\nnpm test\n```',
    'How can I help you today?',
    'Which file do you mean?',
    '[Assistant]: I will go on with the parser.',
    '<tool_call>{"name":"read"}</tool_call>',
    '## Goal\n\n(none)\n\n## Progress\n### Done\n- [x] (none)\n\n## Next Steps\n1. None',
    '**Goal**: none',
    '…',
    '(none)',
  ])('%j is not', (text) => expect(no(text)).toBe(true));

  it('what another prompt asked for is not judged', () => {
    expect(isNoSummary("I'm sorry, no.", [])).toBe(false);
    expect(hasPart('### Goals of others\nx', SUMMARY_PARTS)).toBe(false);
  });
});
