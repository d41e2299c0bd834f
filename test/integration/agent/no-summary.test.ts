import { afterEach, describe, expect, it } from 'vitest';
import { contextAfter } from '@shared/compaction/summary-job';
import { promptOf } from '../../support/agent-harness';
import { CompactionTalk, isSummary, SUMMARY } from '../../support/compaction-talk';
import { sentMessages, type Reply } from '../../support/model-server';

const REFUSAL = "I'm sorry, but I can't help with that.";
/** As one that ignores how long it may be. */
const LONG = `## Goal\n${'A very long summary that ignores the length. '.repeat(2500)}`.trimEnd();
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

const larger = (): string[] =>
  talk.harness.events.flatMap((event) =>
    event.type === 'notice' && event.notice.text.includes('made the context larger') ? [event.notice.detail ?? ''] : [],
  );

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
    expect(review).toMatchObject({ isDoubtful: true, doubtfulPart: 'prefix', text: expect.stringContaining(REFUSAL) });
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

  it('SU41: one that makes the context much larger waits with its figures; written anew, used, or cancelled', async () => {
    await withAnswers(LONG, `${LONG} Again.`, SUMMARY);
    const { harness } = talk;
    harness.models.window = 16_000;
    const held = (text: string) =>
      harness.until('compaction_progress', ({ review }) => review?.isLarger === true && review.text === text);
    await harness.session.compact({});
    await held(LONG);
    const { job } = await harness.session.snapshot();
    expect(job?.kind === 'compaction' && contextAfter(job.review!, job.review!.text)! > job.tokensBefore).toBe(true);
    expect(talk.compactions).toEqual([]);
    harness.session.answerReview(null, true);
    await held(`${LONG} Again.`);
    harness.session.answerReview(null);
    expect((await harness.until('compaction_end')).aborted).toBe(true);
    expect(talk.compactions).toEqual([]);
    // A short one is stored without a question.
    expect((await talk.compacted()).entryId).toBeDefined();
    expect(talk.compactions.map(({ summary }) => summary)).toEqual([SUMMARY]);
    expect(larger()).toEqual([]);
  });

  it('SU41: one that fits the window and makes the context larger is stored, and said so at once', async () => {
    await withAnswers(LONG);
    talk.harness.models.window = 40_000;
    const { tokensBefore, tokensAfter } = await talk.compacted();
    expect(tokensAfter).toBeGreaterThan(28_000);
    await expect.poll(larger).toHaveLength(1);
    for (const figure of [tokensBefore, tokensAfter!]) expect(larger()[0]).toContain(figure.toLocaleString('en-US'));
  });

  it('SU41, SU35: where nobody asked the card offers other models', async () => {
    await withAnswers(LONG);
    const { harness } = talk;
    harness.models.window = 3000;
    await harness.session.prompt(promptOf('And on.'));
    const end = await harness.until('compaction_end');
    expect(end.errorMessage).toContain('longer than the messages it would replace');
    expect((await harness.session.snapshot()).summaryFailure?.tried).toHaveLength(1);
  });

  it('UN5: the figures of a summary that is made again are of the same messages', async () => {
    await withAnswers(SUMMARY);
    const { harness } = talk;
    await talk.compacted();
    const [{ id } = { id: '' }] = talk.compactions;
    await talk.say(4);
    await harness.session.compactAgain(id, { review: true });
    const { review } = await harness.until('compaction_progress', (event) => event.review !== undefined);
    const { job } = await harness.session.snapshot();
    const [before, after] = [job?.kind === 'compaction' ? job.tokensBefore : 0, contextAfter(review!, review!.text)!];
    harness.session.answerReview(review!.text);
    await harness.until('compaction_end', (event) => talk.ends.indexOf(event) === 1);
    const now = (await harness.session.snapshot()).usage!.tokens;
    expect(Math.abs(after - now)).toBeLessThan(0.1 * now);
    expect(Math.abs(before - now)).toBeLessThan(0.1 * now);
  });

  it('TG6: undoing is said to be the way only where it helps', async () => {
    await withAnswers(SUMMARY);
    const { harness } = talk;
    const { log } = harness;
    const failed = async (grown: number) => {
      const last = log.tree.pathTo(log.tree.leafId).findLast(({ facts }) => facts.role === 'user')!;
      const espalier = { v: 1, reason: 'manual', tokensAfter: 3000 + grown };
      await log.append([{ type: 'compaction', summary: SUMMARY, firstKeptEntryId: last.id, tokensBefore: 3000, details: { espalier } }] as never); // prettier-ignore
      const before = harness.events.filter(({ type }) => type === 'settled').length;
      await harness.session.prompt(promptOf('words '.repeat(9000)));
      await harness.settled(before + 1);
      return (await harness.session.snapshot()).failure;
    };
    harness.models.window = 8000;
    for (const grown of [1, 600]) {
      const failure = await failed(grown);
      expect(failure?.title).toBe('The session is too long for this model');
      expect(failure?.actions).not.toContain('undo');
    }
  });

  it('SU41, TG6: used anyway it leaves no room; the card offers to undo it, not to cut again', async () => {
    await withAnswers(LONG);
    const { harness } = talk;
    harness.models.window = 16_000;
    await harness.session.compact({});
    await harness.until('compaction_progress', ({ review }) => review?.isLarger === true);
    harness.session.answerReview(LONG);
    await harness.until('compaction_end');
    const before = harness.events.filter(({ type }) => type === 'settled').length;
    await harness.session.prompt(promptOf('On?'));
    await harness.settled(before + 1);
    const { failure } = await harness.session.snapshot();
    expect(failure?.title).toBe('The session is too long for this model');
    expect(failure?.actions).toEqual(['undo', 'model', 'retry', 'dismiss']);
    expect(failure?.detail).toContain('The last compaction made it longer: undo it');
    const [{ id } = { id: '' }] = talk.compactions;
    expect(larger()).toHaveLength(1);
    expect(harness.events.filter(({ type }) => type === 'notice_over')).toEqual([]);
    await harness.session.rewriter.undo(id);
    // What stood above the window of it is taken away with it.
    const over = { type: 'notice_over', code: 'no-progress', sessionId: harness.log.sessionId };
    expect(harness.events.filter(({ type }) => type === 'notice_over')).toEqual([over]);
    await harness.session.retry();
    await harness.settled(before + 2);
    expect(harness.messages().at(-1)).toBe('assistant(stop): Yes.');
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
