import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ModelRef } from '../../../src/shared/types';
import { CompactionTalk, isSummary, SUMMARY, WORDS } from '../../support/compaction-talk';
import { modelsFor, startModelServer, type ModelServer } from '../../support/model-server';

/**
 * A session on one provider, and a second one that is usable and larger but that nobody chose or named. The second's log of requests
 * says what it got.
 */
let talk: CompactionTalk;
let cloud: ModelServer;
const far: ModelRef = { provider: 'cloud', modelId: 'huge' };

beforeEach(async () => {
  cloud = await startModelServer();
  cloud.script(SUMMARY);
  talk = await CompactionTalk.start(4, { settings: { 'retry.enabled': false } });
  const { models } = talk.harness;
  models.all.push({ ...modelsFor(cloud, { id: 'huge', contextWindow: 1_000_000 }).completions, provider: 'cloud' });
  // As the registry tells them: with their models.
  const told = models.providers.bind(models);
  models.providers = () =>
    told().map((provider) => ({
      ...provider,
      models: models.all
        .filter((model) => model.provider === provider.id)
        .map((model) => ({
          ...{ provider: model.provider, modelId: model.id, name: model.name, contextWindow: model.contextWindow },
          ...{ maxTokens: model.maxTokens, reasoning: false, thinkingLevels: [], images: false, cost: model.cost },
        })),
    }));
});
afterEach(async () => {
  await talk.harness.close();
  await cloud.close();
});

/** The session's own provider answers, but no summary. */
const refuse = (): void => talk.answer(' ');

describe('nothing goes where nobody chose', () => {
  it('/compact fails with the last error; the other provider gets nothing', async () => {
    refuse();
    expect(await talk.compacted()).toMatchObject({
      errorMessage: 'Compaction failed: Summarization failed: empty summary',
    });
    expect(cloud.requests).toEqual([]);
  });

  it('neither does an automatic one, nor one after an overflow', async () => {
    refuse();
    talk.harness.models.window = 2500;
    await talk.say(1);
    await expect.poll(() => talk.ends.some(({ reason }) => reason === 'threshold')).toBe(true);
    let isFull = true;
    talk.harness.models.window = null;
    talk.harness.server.script((request) => {
      if (isSummary(request)) return ' ';
      return isFull ? ((isFull = false), { error: 'openai-overflow' }) : WORDS;
    });
    await talk.say(1);
    expect(cloud.requests).toEqual([]);
  });

  it('neither do branch summaries, a branch that is brought over, and a handoff', async () => {
    refuse();
    const { branches, log } = talk.harness.session;
    const path = log.tree.pathTo(log.tree.leafId).filter(({ facts }) => facts.role === 'assistant');
    const [first] = path;
    await expect(branches.navigate({ targetId: first!.id, summarize: true })).rejects.toThrow('empty summary');
    await branches.navigate({ targetId: first!.id, summarize: false });
    await expect(branches.bringOver({ sourceId: path.at(-1)!.id, targetId: first!.id })).rejects.toThrow('empty');
    await expect(branches.draftHandoff('Finish it')).rejects.toThrow('empty summary');
    expect(cloud.requests).toEqual([]);
  });

  it('without a key for its own provider it says so, whoever else has one', async () => {
    const { models } = talk.harness;
    const resolve = models.resolve.bind(models);
    models.resolve = async (ref) =>
      ref.provider === 'cloud'
        ? resolve(ref)
        : { ok: false, failure: { title: 'No API key for Loopback', detail: '', actions: [] } };
    expect(await talk.compacted()).toMatchObject({ errorMessage: 'Compaction failed: No API key for Loopback' });
    expect(cloud.requests).toEqual([]);
  });

  it('a larger model of the same provider at another address is another endpoint', async () => {
    refuse();
    const [own] = talk.harness.models.all;
    const elsewhere = modelsFor(cloud, { id: 'huge', contextWindow: 1_000_000 }).completions;
    talk.harness.models.all.push({ ...elsewhere, provider: own!.provider });
    await talk.compacted();
    expect(cloud.requests).toEqual([]);
  });
});

describe('who may write it', () => {
  it('the largest of the session’s own provider, after its own', async () => {
    const [own] = talk.harness.models.all;
    talk.harness.models.all.push({ ...own!, id: 'larger', contextWindow: 900_000 });
    let n = 0;
    talk.answer(' ');
    talk.harness.server.script((request) => (isSummary(request) ? (n++ === 0 ? ' ' : SUMMARY) : WORDS));
    await talk.compacted();
    expect(talk.compactions[0]!.details).toMatchObject({ espalier: { model: `${own!.provider}/larger` } });
    expect(cloud.requests).toEqual([]);
  });

  it('another one that is named in the settings', async () => {
    refuse();
    talk.harness.settings['compaction.fallbackModels'] = ['cloud/huge'];
    await talk.compacted();
    expect(cloud.requests).toHaveLength(1);
  });

  it('another one that is chosen for one job: that job goes there, the next does not', async () => {
    refuse();
    await talk.harness.session.compact({ model: far });
    await talk.harness.until('compaction_end');
    expect(cloud.requests).toHaveLength(1);
    await talk.say(3);
    await talk.compacted();
    expect(cloud.requests).toHaveLength(1);
  });
});

describe('nobody could write it: others can be offered, each for one job', () => {
  const own = (): ModelRef => ({
    provider: talk.harness.models.all[0]!.provider,
    modelId: talk.harness.models.all[0]!.id,
  });
  const shown = async () => (await talk.harness.session.snapshot()).summaryFailure;
  const replies = () => {
    const { tree } = talk.harness.log;
    return tree.pathTo(tree.leafId).filter(({ facts }) => facts.role === 'assistant');
  };

  it('a compaction tells who was asked and for what, also to a window that opens later, until another one is done', async () => {
    refuse();
    const { session } = talk.harness;
    const end = await talk.compacted('Look at the parser');
    const failure = {
      reason: 'manual',
      message: 'Summarization failed: empty summary',
      tried: [own()],
      job: { instructions: 'Look at the parser' },
    };
    expect(end.summaryFailure).toEqual(failure);
    expect(await shown()).toEqual(failure);
    await session.compact({ ...end.summaryFailure!.job, model: far });
    await expect.poll(() => talk.ends.length).toBe(2);
    expect(talk.ends[1]!.errorMessage).toBeUndefined();
    expect(cloud.requests).toHaveLength(1);
    expect(JSON.stringify(cloud.requests[0])).toContain('Look at the parser');
    expect(await shown()).toBeNull();
  });

  it('it goes when the person dismisses it, and when the leaf moves', async () => {
    refuse();
    await talk.compacted();
    talk.harness.session.dismissFailure('summary');
    expect(await shown()).toBeNull();
    await talk.compacted();
    expect(await shown()).not.toBeNull();
    await talk.harness.session.branches.navigate({ targetId: replies()[0]!.id, summarize: false });
    expect(await shown()).toBeNull();
  });

  it('so do one at the threshold and one after an overflow', async () => {
    refuse();
    talk.harness.models.window = 2500;
    await talk.say(1);
    await expect.poll(() => talk.ends.at(-1)?.summaryFailure).toMatchObject({ reason: 'threshold', tried: [own()] });
    talk.harness.models.window = null;
    talk.answer(' ', { error: 'openai-overflow' });
    await talk.say(1);
    await expect.poll(() => talk.ends.at(-1)?.summaryFailure).toMatchObject({ reason: 'overflow', tried: [own()] });
    expect(await shown()).toMatchObject({ reason: 'overflow' });
    // It is one with the failure of its run.
    talk.harness.session.dismissFailure();
    expect(await shown()).toBeNull();
    expect(cloud.requests).toEqual([]);
  });

  it('a failure that another model would not mend offers none', async () => {
    talk.onBefore(() => ({ compaction: { summary: '', firstKeptEntryId: 'gone', tokensBefore: 1 } }));
    refuse();
    talk.harness.log.append = () => Promise.reject(new Error('No space left on the disk'));
    talk.answer();
    const end = await talk.compacted();
    expect(end.errorMessage).toContain('No space left');
    expect(end.summaryFailure).toBeUndefined();
  });

  it('a branch that is left, one that is brought over and a handoff say who was asked, and take one for this job', async () => {
    refuse();
    const { branches } = talk.harness.session;
    const [first, last] = [replies()[0]!.id, replies().at(-1)!.id];
    const tried = { tried: [own()] };
    await expect(branches.draftHandoff('Finish it')).rejects.toMatchObject(tried);
    await expect(branches.navigate({ targetId: first, summarize: true })).rejects.toMatchObject(tried);
    expect((await branches.draftHandoff('Finish it', far))?.text).toContain('Ship the parser');
    expect(cloud.requests).toHaveLength(1);
    expect(await branches.navigate({ targetId: first, summarize: true, model: far })).toMatchObject({
      cancelled: false,
    });
    expect(cloud.requests).toHaveLength(2);
    await expect(branches.bringOver({ sourceId: last, targetId: first })).rejects.toMatchObject(tried);
    const brought = branches.bringOver({ sourceId: last, targetId: first, model: far });
    await talk.harness.until('tree_summary_review');
    talk.harness.session.answerReview('What happened there');
    expect(await brought).toMatchObject({ cancelled: false });
    expect(cloud.requests).toHaveLength(3);
  });

  it('a model that is gone is refused before anything is asked', async () => {
    const gone: ModelRef = { provider: 'cloud', modelId: 'constructor' };
    const { session } = talk.harness;
    const [first, last] = [replies()[0]!.id, replies().at(-1)!.id];
    const asked = talk.harness.server.requests.length;
    const refusal = 'The model cloud/constructor is no longer available.';
    await expect(session.compact({ model: gone })).rejects.toThrow(refusal);
    await expect(session.branches.navigate({ targetId: first, summarize: true, model: gone })).rejects.toThrow(refusal);
    await expect(session.branches.bringOver({ sourceId: last, targetId: first, model: gone })).rejects.toThrow(refusal);
    await expect(session.branches.draftHandoff('Finish it', gone)).rejects.toThrow(refusal);
    expect(talk.harness.server.requests).toHaveLength(asked);
    expect(cloud.requests).toEqual([]);
  });
});
