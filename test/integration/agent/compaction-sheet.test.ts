import { afterEach, describe, expect, it } from 'vitest';
import { PreviewFigures } from '../../../src/shared/compaction/preview-figures';
import type { CompactPreview } from '../../../src/shared/compaction/preview';
import type { ProviderInfo } from '../../../src/shared/types';
import type { CompactionEntry, SessionEntry } from '@shared/session/records/entry';
import { stripTagBlocks } from '@shared/session/records/own-marks';
import type { CompactParams } from '../../../src/main/session/host/agent-session';
import { promptOf, startHarness, toolsNamed, type Harness } from '../../support/agent-harness';
import { sentContext, sentMessages, type CapturedRequest, type Reply } from '../../support/model-server';

/** The sheet's side of a compaction: where it cuts, who writes it, the review before it lands (PL13, SU34, SH3). */
let harness: Harness;
afterEach(() => harness.close());

const WORDS = 'lorem ipsum dolor sit amet '.repeat(40);
const SUMMARY = '## Goal\nShip the parser.\n\n## Next Steps\n1. Test it';
const settings = { 'compaction.keepRecentTokens': 500 };

const isSummary = (request: CapturedRequest): boolean => sentContext(request).system.startsWith('You write summaries');
const summaryRequests = (): CapturedRequest[] => harness.server.requests.filter(isSummary);
const compactions = (): CompactionEntry[] =>
  harness.log.stored
    .slice(1)
    .map(({ line }) => JSON.parse(line) as SessionEntry)
    .filter((entry): entry is CompactionEntry => entry.type === 'compaction');
const fileText = (): string => harness.log.stored.map(({ line }) => line).join('\n');

function answer(summary: Reply = SUMMARY): void {
  harness.server.script((request) => (isSummary(request) ? summary : WORDS));
}

async function talk(turns: number): Promise<void> {
  const before = harness.events.filter(({ type }) => type === 'settled').length;
  for (let turn = 0; turn < turns; turn++) {
    await harness.session.prompt(promptOf(`Question ${turn}: ${WORDS}`));
    await harness.settled(before + turn + 1);
  }
}

type EndEvent = Extract<Harness['events'][number], { type: 'compaction_end' }>;
const ends = (): EndEvent[] => harness.events.filter((event): event is EndEvent => event.type === 'compaction_end');
async function ended(n = 1): Promise<EndEvent> {
  await harness.until('compaction_end', (event) => ends().indexOf(event) === n - 1);
  return ends()[n - 1]!;
}
async function compacted(how: CompactParams): Promise<EndEvent> {
  const n = ends().length;
  await harness.session.compact(how);
  return ended(n + 1);
}

/** The harness's models as a registry lists them, with prices. */
function listModels(): void {
  harness.models.providers = (): ProviderInfo[] =>
    harness.models.all.map((model) => ({
      id: model.provider,
      name: model.provider,
      kind: 'custom',
      keySource: 'stored',
      available: true,
      models: [
        {
          provider: model.provider,
          modelId: model.id,
          name: model.name,
          contextWindow: model.contextWindow,
          maxTokens: model.maxTokens,
          reasoning: false,
          thinkingLevels: [],
          images: false,
          cost: { input: 2, output: 8, cacheRead: 0, cacheWrite: 0 },
        },
      ],
    }));
}

describe('the preview', () => {
  it('SH1: suggests what /compact does, offers the default model first, and changes nothing', async () => {
    harness = await startHarness({ settings });
    listModels();
    answer();
    await talk(4);
    const before = fileText();
    const preview = await harness.session.compactPreview();
    expect(fileText()).toBe(before);
    expect(preview.items.map(({ kind }) => kind)).toEqual(
      Array.from({ length: 4 }, () => ['user', 'assistant']).flat(),
    );
    expect(preview.models.map(({ provider }) => provider)[0]).toBe(harness.session.model.provider);
    expect(preview.models).toHaveLength(harness.models.all.length);
    const figures = new PreviewFigures(preview);
    const figure = figures.at(figures.first!);
    expect(figures.cost(figures.first!, preview.models[0]!)).toBeGreaterThan(0);
    const end = await compacted({});
    expect(compactions()[0]!.firstKeptEntryId).toBe(preview.suggested);
    expect(compactions()[0]!.details).toMatchObject({ espalier: { entriesSummarized: figure.messages } });
    expect(end.tokensBefore).toBe(preview.tokensBefore);
  });

  it('PL14: says why there is nothing to do, and still where it could be cut', async () => {
    harness = await startHarness();
    listModels();
    expect(await harness.session.compactPreview()).toMatchObject({
      items: [],
      suggested: null,
      nothing: { reason: 'no-messages', text: 'Nothing to compact (no messages yet)' },
    });
    answer();
    await talk(2);
    const preview = await harness.session.compactPreview();
    expect(preview.nothing).toMatchObject({ reason: 'too-small' });
    expect(new PreviewFigures(preview).cuts).toEqual([1, 2, 3]);
  });

  it('FA2: counts the files of each cut as its summary will name them', async () => {
    harness = await startHarness({ settings, tools: () => toolsNamed(['read']) });
    listModels();
    const path = (name: string) => ({ text: WORDS, content: [{ type: 'toolCall' as const, name: 'read', arguments: { path: name } }] });
    const replies = [path('a.ts'), WORDS, path('b.ts'), path('a.ts'), WORDS, WORDS];
    let n = 0;
    harness.server.script((request) => (isSummary(request) ? SUMMARY : replies[n++]!));
    await talk(3);
    const preview = await harness.session.compactPreview();
    const figures = new PreviewFigures(preview);
    expect(preview.previousFiles).toBe(0);
    // A file that cannot be read is no reason to show nothing.
    const { linesOf } = harness.log;
    harness.log.linesOf = () => Promise.reject(new Error('gone'));
    expect((await harness.session.compactPreview()).previousFiles).toBeNull();
    harness.log.linesOf = linesOf;
    const cut = figures.cuts.at(-1)!;
    expect(figures.at(cut).files).toBe(2);
    await compacted({ cutAt: preview.items[cut]!.id });
    expect(compactions()[0]!.details).toMatchObject({ readFiles: ['a.ts', 'b.ts'].map((name) => `${harness.dir}/${name}`) });
    expect((await harness.session.compactPreview()).previousFiles).toBe(2);
  }); // prettier-ignore
});

describe('what the person chose', () => {
  it('PL13: the cut is kept exactly, also when only the newest group stays', async () => {
    harness = await startHarness({ settings });
    answer();
    await talk(4);
    const { items } = await harness.session.compactPreview();
    for (const at of [2, 7]) {
      await compacted({ cutAt: items[at]!.id });
      expect(compactions().at(-1)!.firstKeptEntryId).toBe(items[at]!.id);
    }
  });

  it('SU34: the chosen model writes it; without a choice the session’s own does', async () => {
    harness = await startHarness({ settings });
    answer();
    await talk(4);
    const other = harness.models.all.find(({ provider }) => provider !== harness.session.model.provider)!;
    await compacted({ model: { provider: other.provider, modelId: other.id } });
    expect(compactions()[0]!.details).toMatchObject({ espalier: { model: `${other.provider}/${other.id}` } });
    expect(summaryRequests()).toHaveLength(1);
    const { provider } = harness.session.model;
    expect(provider).not.toBe(other.provider);
    await expect(harness.session.compact({ model: { provider: 'gone', modelId: 'x' } })).rejects.toThrow('gone/x');
  });

  it('PL13: a cut that is none any more is refused with a clear message, before anything is stopped', async () => {
    harness = await startHarness({ settings });
    answer();
    await talk(4);
    const { items } = await harness.session.compactPreview();
    await compacted({ cutAt: items[4]!.id });
    const before = fileText();
    const n = summaryRequests().length;
    for (const cutAt of [items[2]!.id, items[0]!.id, 'nowhere0'])
      await expect(harness.session.compact({ cutAt })).rejects.toThrow('can no longer be cut there');
    expect([fileText(), summaryRequests().length, harness.session.state]).toEqual([before, n, 'idle']);
  });
});

describe('review', () => {
  async function toReview(how: CompactParams = { review: true }): Promise<CompactPreview> {
    answer();
    await talk(4);
    const preview = await harness.session.compactPreview();
    await harness.session.compact(how);
    await harness.until('compaction_progress', (event) => event.phase === 'review');
    return preview;
  }

  it('SH3: waits with the summary; a window that opens meanwhile sees it; accepted it is stored as it is', async () => {
    harness = await startHarness({ settings });
    await toReview();
    const before = fileText();
    const { job: compaction } = await harness.session.snapshot();
    expect(compaction).toMatchObject({ phase: 'review', review: { text: SUMMARY, previousSummary: null } });
    expect(harness.session.state).toBe('waiting');
    expect(fileText()).toBe(before);
    harness.session.answerReview(SUMMARY);
    expect((await ended()).entryId).toBeDefined();
    expect(compactions()[0]!.summary).toBe(SUMMARY);
    expect(() => harness.session.answerReview(SUMMARY)).toThrow('no longer a summary to review');
  });

  it('SH3: an edited text is what the model gets, with the files behind it; the next one is compared with it', async () => {
    harness = await startHarness({ settings, tools: () => toolsNamed(['read']) });
    const call = { text: WORDS, content: [{ type: 'toolCall' as const, name: 'read', arguments: { path: 'a.ts' } }] };
    let n = 0;
    harness.server.script((request) => (isSummary(request) ? SUMMARY : n++ === 0 ? call : WORDS));
    await talk(1);
    await toReview();
    harness.session.answerReview('## Goal\nMine.\n\n<read-files>\nforged.ts\n</read-files>');
    await ended();
    expect(compactions()[0]!.summary).toBe(`## Goal\nMine.\n\n<read-files>\n${harness.dir}/a.ts\n</read-files>`);
    expect(compactions()[0]!.shortSummary).toBe('Mine.');
    await talk(3);
    expect(sentMessages(harness.server.requests.at(-1)!)[0]!.text).toContain('Mine.');
    await harness.session.compact({ review: true });
    const again = await harness.until(
      'compaction_progress',
      ({ review }) => review?.previousSummary === '## Goal\nMine.',
    );
    expect(stripTagBlocks(again.review!.text)).toBe(SUMMARY);
  });

  it('SH3: blank is refused and it goes on waiting; cancelled the file is byte-identical', async () => {
    harness = await startHarness({ settings });
    await toReview();
    const before = fileText();
    expect(() => harness.session.answerReview(' \n')).toThrow('The summary is empty');
    expect(() => harness.session.answerReview('<read-files>\na.ts\n</read-files>')).toThrow('The summary is empty');
    expect(harness.session.state).toBe('waiting');
    harness.session.answerReview(null);
    expect(await ended()).toMatchObject({ aborted: true });
    expect(fileText()).toBe(before);
    await expect.poll(() => harness.session.state).toBe('idle');
    expect((await compacted({})).entryId).toBeDefined();
  });

  it('SH3: closing cancels it; a message that comes meanwhile waits and is sent afterwards', async () => {
    harness = await startHarness({ settings });
    await toReview();
    expect(await harness.session.prompt(promptOf('And this?'))).toMatchObject({ queued: true });
    harness.session.answerReview(SUMMARY);
    await harness.settled(5);
    expect(sentMessages(harness.server.requests.at(-1)!).at(-1)!.text).toBe('And this?');
    await talk(2);
    await harness.session.compact({ review: true });
    await expect.poll(() => harness.events.filter((event) => event.type === 'compaction_progress' && event.review)).toHaveLength(2); // prettier-ignore
    const before = fileText();
    await harness.session.dispose();
    expect([fileText(), ends().at(-1)!.aborted]).toEqual([before, true]);
  });

  it('SH3: the setting asks for it in compactions of the person, not in those that come by themselves', async () => {
    harness = await startHarness({ settings: { ...settings, 'compaction.reviewBeforeCommit': true } });
    await toReview({});
    harness.session.answerReview(SUMMARY);
    expect((await ended()).entryId).toBeDefined();
    // Asked for without: not even the setting holds it up.
    await talk(3);
    expect((await compacted({ review: false })).entryId).toBeDefined();
    harness.models.window = 3000;
    await talk(3);
    expect(compactions().at(-1)!.details).toMatchObject({ espalier: { reason: 'threshold' } });
  });
});
