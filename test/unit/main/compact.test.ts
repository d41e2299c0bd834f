import { beforeEach, describe, expect, it } from 'vitest';
import { compactionLimits } from '@shared/compaction/limits';
import { mergeSummary } from '@shared/compaction/request-body';
import type { CompactionEntry } from '@shared/session/records/entry';
import { defaultSettings } from '@shared/settings';
import { emptyReply } from '../../../src/main/pi/pi';
import type { StreamTransport } from '../../../src/main/agent/stream/types';
import { compact } from '../../../src/main/compaction/compact';
import type { CompactionOutcome } from '../../../src/main/ports';
import { ExtensionBus } from '../../../src/main/extensions/bus';
import { FakeModels } from '../../support/agent-harness';
import { inlineSerializer } from '../../support/inline-serializer';
import { MemoryLog } from '../../support/memory-log';
import { silentJob } from '../../support/silent-job';
import { modelsFor } from '../../support/model-server';
import { user } from '../shared/session/support';

/** One compaction on its own: what it does when the session changes under it, and with messages that say nothing. */

const models = new FakeModels([modelsFor({ url: 'http://127.0.0.1' }).completions]);
let log: MemoryLog;
let bodies: string[];
/** What the summariser answers, and what happens while it does. */
let answer: (call: number) => Promise<string> | string;

beforeEach(async () => {
  log = new MemoryLog();
  bodies = [];
  answer = (call) => `Summary ${call}.`;
  for (const word of ['first', 'second', 'third']) await log.append([user(word)]);
});

const transport: StreamTransport = {
  stream: ({ model, context }) => ({
    async *[Symbol.asyncIterator]() {},
    result: async () => {
      bodies.push(JSON.stringify(context.messages));
      const text = await answer(bodies.length);
      return {
        message: { ...emptyReply(model), stopReason: 'stop', content: [{ type: 'text', text }] },
        wire: { used: false, status: null, contentType: null, retryAfterMs: null, endSeen: true, bytes: 0, longestLine: 0 },
        sealed: {},
      };
    },
  }),
  close: async () => undefined,
}; // prettier-ignore

function run(extensions = new ExtensionBus({ onError: () => undefined })): Promise<CompactionOutcome> {
  const [model] = models.all;
  return compact(
    { reason: 'manual', model: { provider: model!.provider, modelId: model!.id }, signal: new AbortController().signal },
    {
      log,
      models,
      transport,
      extensions,
      serializer: inlineSerializer(),
      workspaceDir: '/w',
      firstUnbegun: () => null,
      settings: () => ({ ...defaultSettings(), 'compaction.keepRecentTokens': 1 }),
      size: () => ({ tokens: 100_000, ratio: 1, overhead: 0, limits: compactionLimits({}, 'x/y', 200_000) }),
      now: () => 0,
    },
    silentJob(),
  );
} // prettier-ignore

const compactions = (): CompactionEntry[] =>
  log.tree
    .entriesInOrder()
    .map(({ body }) => body as CompactionEntry)
    .filter(({ type }) => type === 'compaction');

describe('JB6: a session that changes while it is summarised', () => {
  it('is planned again, once, with what came meanwhile', async () => {
    answer = async (call) => {
      if (call === 1) await log.append([user('came meanwhile')]);
      return `Summary ${call}.`;
    };
    const started: string[] = [];
    const extensions = new ExtensionBus({ onError: () => undefined });
    extensions.on('session_before_compact', () => void started.push('asked'), { extensionPath: 'x.ts' });
    expect((await run(extensions)).kind).toBe('done');
    const [entry, ...more] = compactions();
    expect(more).toEqual([]);
    expect(entry?.summary).toContain('Summary 2.');
    expect(bodies[0]).not.toContain('third');
    expect(bodies[1]).toContain('third');
    expect(entry?.firstKeptEntryId).toBe(log.tree.node(entry?.parentId ?? '')?.id);
    // An extension hears of each plan: its boundary would be of the first.
    expect(started).toEqual(['asked', 'asked']);
  });

  it('gives up when it goes on changing, and stores nothing', async () => {
    answer = async (call) => {
      await log.append([user(`came meanwhile ${call}`)]);
      return 'Too late.';
    };
    expect(await run()).toEqual({ kind: 'failed', message: 'The session changed while it was being summarised' });
    expect(bodies).toHaveLength(2);
    expect(compactions()).toEqual([]);
  });
});

describe('SU33, SU39: a stored summary is never blank', () => {
  it('says that there was nothing where the messages have no word', async () => {
    log = new MemoryLog();
    for (const text of ['', '', 'the end']) await log.append([user(text)]);
    expect((await run()).kind).toBe('done');
    expect(bodies).toEqual([]);
    expect(compactions()[0]?.summary).toBe('No prior history.');
    expect(mergeSummary({ previousSummary: ' \n' })).toBe('No prior history.');
  });

  it('refuses a reply of nothing but our own tags', async () => {
    answer = () => '<read-files>\na.ts\n</read-files>';
    expect(await run()).toMatchObject({ kind: 'failed', message: 'Summarization failed: empty summary' });
    expect(compactions()).toEqual([]);
  });
});
