import { afterEach, describe, expect, it } from 'vitest';
import { promptOf } from '../../support/agent-harness';
import { CompactionTalk, isSummary, SUMMARY } from '../../support/compaction-talk';
import { sentMessages, type Reply } from '../../support/model-server';

const REFUSAL = "I'm sorry, but I can't help with that.";
let talk: CompactionTalk;
afterEach(() => talk.harness.close());

/** Summary requests as they came, answered in this order; the last answer stays. */
async function withAnswers(...answers: Reply[]): Promise<void> {
  talk = await CompactionTalk.start(4);
  let n = 0;
  talk.harness.server.script((request) =>
    isSummary(request) ? (answers[Math.min(n++, answers.length - 1)] as Reply) : 'Yes.',
  );
}
const asked = (): string[] =>
  talk.harness.server.requests.filter(isSummary).map((request) => sentMessages(request).at(-1)!.text);

describe('SU40: an answer that is no summary', () => {
  it('is asked for once more, in words that name what is missing; the second counts, both are paid', async () => {
    await withAnswers(REFUSAL, SUMMARY);
    const end = await talk.compacted();
    expect(end.entryId).toBeDefined();
    const [first = '', second = ''] = asked();
    expect(asked()).toHaveLength(2);
    expect(second.startsWith(first)).toBe(true);
    expect(second.slice(first.length)).toContain(
      'no summary: none of the headings "Goal", "Constraints & Preferences"',
    );
    expect(talk.compactions[0]!.summary).toBe(SUMMARY);
    expect(talk.compactions[0]!.details).toMatchObject({ espalier: { calls: 2 } });
  });

  it('prose without headings is a summary: one request', async () => {
    await withAnswers('The parser is written and its tests pass.');
    expect((await talk.compacted()).entryId).toBeDefined();
    expect(asked()).toHaveLength(1);
  });

  it('so does one about the beginning of a divided turn', async () => {
    talk = await CompactionTalk.start(4);
    const { harness } = talk;
    harness.server.script((request) => {
      if (!isSummary(request)) return 'Yes.';
      return sentMessages(request)[0]!.text.includes('## Original Request') ? REFUSAL : SUMMARY;
    });
    const { tree } = harness.log;
    const replies = tree.pathTo(tree.leafId).filter(({ facts }) => facts.visible && facts.role === 'assistant');
    await harness.session.compact({ cutAt: replies.at(-1)!.id });
    const { review } = await harness.until('compaction_progress', (event) => event.review !== undefined);
    expect(review).toMatchObject({ isDoubtful: true, text: expect.stringContaining(REFUSAL) });
    harness.session.answerReview(review!.text);
    expect((await harness.until('compaction_end')).entryId).toBeDefined();
  });

  it('twice, where a person asked: it waits for them; written anew, then used', async () => {
    await withAnswers(REFUSAL, REFUSAL, REFUSAL, 'How can I help?', SUMMARY);
    const { harness, lines } = talk;
    await harness.session.compact({});
    const held = (text: string) =>
      harness.until('compaction_progress', ({ review }) => review?.isDoubtful === true && review.text === text);
    await held(REFUSAL);
    expect(talk.lines).toEqual(lines);
    expect(harness.session.state).toBe('waiting');
    harness.session.answerReview(null, true);
    await held('How can I help?');
    harness.session.answerReview(null, true);
    const end = await harness.until('compaction_end');
    expect(end.entryId).toBeDefined();
    expect(asked()).toHaveLength(5);
    expect(talk.compactions[0]!.summary).toBe(SUMMARY);
    // All of them were paid for.
    expect(talk.compactions[0]!.details).toMatchObject({ espalier: { calls: 5 } });
  });

  it('twice, used anyway or cancelled: as the person says', async () => {
    await withAnswers(REFUSAL);
    const { harness } = talk;
    await harness.session.compact({});
    await harness.until('compaction_progress', ({ review }) => review?.isDoubtful === true);
    harness.session.answerReview(REFUSAL);
    await harness.until('compaction_end');
    expect(talk.compactions[0]!.summary).toBe(REFUSAL);
    expect(() => harness.session.answerReview(null, true)).toThrow('no longer a summary');
  });

  it('twice, where nobody asked: the job fails in words and the session is as it was', async () => {
    await withAnswers(REFUSAL);
    const { harness } = talk;
    const stored = talk.lines.length;
    harness.models.window = 3000;
    await harness.session.prompt(promptOf('And on.'));
    const end = await harness.until('compaction_end');
    expect(end.entryId).toBeUndefined();
    expect(end.errorMessage).toContain(
      'Summarization failed: the answer does not look like a summary: none of the asked parts is in it',
    );
    expect(talk.compactions).toEqual([]);
    expect(talk.lines.length).toBeGreaterThanOrEqual(stored);
  });

  it('one that looks like a summary is not written anew, whoever asks', async () => {
    await withAnswers(SUMMARY);
    const { harness } = talk;
    await harness.session.compact({ review: true });
    await harness.until('compaction_progress', ({ review }) => review?.text === SUMMARY);
    expect(() => harness.session.answerReview(null, true)).toThrow('cannot be written again');
    harness.session.answerReview(SUMMARY);
    expect((await harness.until('compaction_end')).entryId).toBeDefined();
  });
});
