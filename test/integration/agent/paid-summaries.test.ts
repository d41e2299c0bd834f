import { afterEach, describe, expect, it } from 'vitest';
import { CompactionTalk, isSummary, SUMMARY, WORDS } from '../../support/compaction-talk';
import type { Reply } from '../../support/model-server';

let talk: CompactionTalk;
afterEach(() => talk?.harness.close());

/** US dollars of a reply of the loopback model. */
const priceOf = (...replies: { input: number; output: number }[]): number =>
  replies.reduce((sum, { input, output }) => sum + (input * 3 + output * 15) / 1e6, 0);
const LONG = { input: 1_000, output: 13_000 };
const SHORT = { input: 1_000, output: 100 };

/** Answers the nth request for a summary; the talk itself costs nothing here. */
function summaries(answer: (nth: number, wire: string) => Reply): void {
  let nth = 0;
  talk.harness.server.script((request) => (isSummary(request) ? answer(nth++, request.wire) : WORDS));
}

const costs = (): number =>
  talk.lines
    .map((line) => JSON.parse(line) as { customType?: string; data: { cost: number } })
    .filter(({ customType }) => customType === 'espalier.cost')
    .reduce((sum, { data }) => sum + data.cost, 0);

const told = (): number =>
  (talk.compactions.at(-1)?.details as { espalier: { cost: number } } | undefined)?.espalier.cost ?? 0;

describe('what a summary took is what is said and counted (GR17, SU33)', () => {
  it('an answer that was cut off and asked for once more', async () => {
    talk = await CompactionTalk.start(6, { model: { maxTokens: 200_000 } });
    summaries((nth) => (nth === 0 ? { text: 'half', stop: 'length', usage: LONG } : { text: SUMMARY, usage: SHORT }));
    await talk.compacted();
    expect(told()).toBeCloseTo(priceOf(LONG, SHORT), 6);
    await talk.say(1);
    expect(costs()).toBe(0);
  });

  it('parts that were told before one did not fit', async () => {
    const model = { contextWindow: 8_192, maxTokens: 4_096 };
    talk = await CompactionTalk.start(12, { model, settings: { 'compaction.enabled': false } });
    let asked = 0;
    summaries((nth) => ((asked = nth), nth === 1 ? { error: 'openai-overflow' } : { text: SUMMARY, usage: SHORT }));
    await talk.compacted();
    expect(told()).toBeCloseTo(asked * priceOf(SHORT), 6);
  });

  it('a model that refused before another wrote it', async () => {
    talk = await CompactionTalk.start(6, {
      settings: { 'compaction.fallbackModels': ['loopback-anthropic/loopback'] },
    });
    let refusals = 0;
    summaries((_nth, wire) => {
      if (wire !== 'completions') return { text: SUMMARY, usage: SHORT };
      refusals += 1;
      return { text: 'I’m sorry, but I can’t help with that.', usage: LONG };
    });
    await talk.compacted();
    expect(told()).toBeCloseTo(priceOf(SHORT), 6);
    await talk.say(1);
    expect(costs()).toBeCloseTo(refusals * priceOf(LONG), 6);
  });

  it('one that could not be stored', async () => {
    talk = await CompactionTalk.start(6);
    summaries(() => ({ text: SUMMARY, usage: LONG }));
    talk.harness.log.failures.push(new Error('ENOSPC'));
    await talk.compacted();
    talk.harness.log.failures.length = 0;
    await talk.say(1);
    expect(talk.compactions).toEqual([]);
    expect(costs()).toBeCloseTo(priceOf(LONG), 6);
  });
});
