import { afterEach, describe, expect, it, vi } from 'vitest';
import type { BeforeCompact, Compacting, Handler } from '../../../src/main/extensions/events';
import { promptOf, toolsNamed, type HarnessOptions } from '../../support/agent-harness';
import { CompactionTalk, EXTENSION, SUMMARY, WORDS } from '../../support/compaction-talk';
import { usage } from '../../unit/shared/session/support';

/** Extensions that write, watch or end a compaction: real loop, real providers, loopback server (JB8, EX3). */
let talk: CompactionTalk;
afterEach(() => talk.harness.close());
const start = async (turns = 4, options: HarnessOptions = {}): Promise<void> => {
  talk = await CompactionTalk.start(turns, options);
};

const SUPPLIED = '## Goal\nWritten by an extension.';
const toolCall = (name: string, args: Record<string, unknown>) => ({
  text: WORDS,
  content: [{ type: 'toolCall' as const, name, arguments: args }],
});

/** What is sent without the person's messages that are kept word for word. */
const besidesKept = (text: string): string => text.replace(/<pinned>.*?<\/pinned>/gs, '');

describe('an extension writes the summary', () => {
  it('EX3: it is stored as it is, no model is asked, the next request holds it', async () => {
    await start();
    const before = talk.lines;
    const cost = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, total: 2 };
    talk.onBefore(({ preparation: { firstKeptEntryId } }) => ({
      compaction: {
        summary: SUPPLIED,
        firstKeptEntryId,
        tokensBefore: 1234,
        details: { todo: ['tests'], espalier: 'not theirs to set' },
        shortSummary: 'By an extension.',
        preserveData: { notes: 1 },
        usage: usage({ input: 5, output: 6, cost }),
      },
    }));
    const end = await talk.compacted('Look at the parser');
    const [entry] = talk.compactions;
    const phases = talk.harness.events.flatMap((event) => (event.type === 'compaction_progress' ? event.phase : []));
    expect(phases).toEqual(['hooks', 'commit']);
    expect(end).toMatchObject({ aborted: false, cost: 2, entryId: entry!.id });
    expect(end.tokensAfter).toBeLessThan(end.tokensBefore);
    expect(talk.summaryBodies).toEqual([]);
    expect(talk.lines).toEqual([...before, talk.lines.at(-1)]);
    expect(entry).toMatchObject({
      summary: SUPPLIED,
      tokensBefore: 1234,
      fromHook: true,
      shortSummary: 'By an extension.',
      preserveData: { notes: 1 },
      usage: { input: 5, cost },
      details: {
        todo: ['tests'],
        espalier: { v: 1, reason: 'manual', instructions: 'Look at the parser', calls: 0, cost: 2, isSplitTurn: false },
      },
    });
    expect(Object.keys(entry!).join()).toBe('type,id,parentId,timestamp,summary,firstKeptEntryId,tokensBefore,details,usage,fromHook,shortSummary,preserveData'); // prettier-ignore
    await talk.say(1);
    expect(talk.lastSent[0]).toContain(SUPPLIED);
    expect(besidesKept(talk.lastSent.join('\n'))).not.toContain('Question 1');
    // The person's words stand beside an extension's summary as well (PN5).
    expect(talk.lastSent.join('\n')).toContain('Question 1');
    expect(talk.harness.extensionErrors).toEqual([]);
  });

  it('EX2: without a model to ask it still works: extensions come before the key', async () => {
    await start();
    talk.onBefore(({ preparation: { firstKeptEntryId, tokensBefore } }) => ({
      compaction: { summary: SUPPLIED, firstKeptEntryId, tokensBefore },
    }));
    talk.harness.models.resolve = () => Promise.reject(new Error('nobody asks for a model'));
    expect((await talk.compacted()).entryId).toBeDefined();
    const [entry] = talk.compactions;
    expect(Object.keys(entry!.details as object)).toEqual(['espalier']);
    expect(entry!.shortSummary).toBe('Written by an extension.');
  });

  it('EX5: null keeps nothing: the summary, then what comes after', async () => {
    await start();
    talk.onBefore(() => ({ compaction: { summary: SUPPLIED, firstKeptEntryId: null, tokensBefore: 1 } }));
    await talk.compacted();
    const [entry] = talk.compactions;
    expect(entry!.firstKeptEntryId).toBeNull();
    expect(entry!.details).toMatchObject({ espalier: { keep: 0, entriesSummarized: 8, isSplitTurn: false } });
    expect(talk.context).toHaveLength(2);
    expect(besidesKept(talk.context[1]!)).not.toContain('Question');
    await talk.say(1);
    expect(talk.lastSent).toHaveLength(3);
    expect(talk.lastSent[2]).toContain('Question 4');
    // The next one builds on it and finds only what came after.
    await talk.say(2);
    let region: string[] = [];
    talk.onBefore(({ preparation }) => void (region = preparation.messagesToSummarize.map((m) => JSON.stringify(m))));
    await talk.compacted();
    expect(region[0]).toContain('Question 4');
  });

  it('EX5: a boundary of its own decides what is kept, and whether a turn is divided', async () => {
    await start();
    let boundary = '';
    talk.onBefore(({ branchEntries }) => {
      boundary = branchEntries.filter(({ type }) => type === 'message')[3]!.id;
      return { compaction: { summary: SUPPLIED, firstKeptEntryId: boundary, tokensBefore: 1 } };
    });
    await talk.compacted();
    const [entry] = talk.compactions;
    expect(entry!.firstKeptEntryId).toBe(boundary);
    expect(entry!.details).toMatchObject({ espalier: { entriesSummarized: 3, isSplitTurn: true } });
    expect(besidesKept(talk.context.join())).not.toContain('Question 1');
    expect(talk.context.join()).toContain('Question 2');
  });

  it.each<[string, unknown]>([
    ['text', 'as text'],
    ['a list', [1, 2]],
    ['null', null],
  ])('SF9: details that are no object stay unchanged: %s', async (_name, details) => {
    await start(3);
    talk.onBefore(({ preparation: { firstKeptEntryId } }) => ({
      compaction: { summary: SUPPLIED, firstKeptEntryId, tokensBefore: 1, details },
    }));
    await talk.compacted();
    expect(talk.compactions[0]!.details).toEqual(details);
  });
});

describe('an extension watches', () => {
  it('EX7: it sees what will be done, as objects of its own', async () => {
    await start(0, { tools: () => toolsNamed(['read']) });
    const path = '/work/notes.md';
    let n = 0;
    talk.answer(SUMMARY, () => (n++ === 3 ? toolCall('read', { path }) : WORDS));
    await talk.say(3);
    await talk.compacted();
    await talk.say(2);
    let seen: BeforeCompact | undefined;
    let compacting: Compacting | undefined;
    talk.onBefore((payload) => {
      seen = structuredClone({ ...payload, signal: undefined }) as unknown as BeforeCompact;
      // Whatever it does to them.
      const { messagesToSummarize, fileOps, settings } = payload.preparation;
      for (const entry of payload.branchEntries) Object.assign(entry, { message: 'gone', summary: 'gone' });
      for (const message of messagesToSummarize) Object.assign(message, { content: 'gone' });
      messagesToSummarize.length = 0;
      fileOps.read.clear();
      settings.keepRecentTokens = 0;
    });
    talk.onCompacting((payload) => void (compacting = payload));
    const branch = talk.harness.log.tree.pathTo(talk.harness.log.tree.leafId).map(({ id }) => id);
    const end = await talk.compacted('Look at the parser');
    const [first, second] = talk.compactions;

    const { preparation } = seen!;
    expect(seen).toMatchObject({ customInstructions: 'Look at the parser', reason: 'manual', willRetry: false });
    expect(seen!.branchEntries.map(({ id }) => id)).toEqual(branch);
    expect(seen!.branchEntries.find(({ type }) => type === 'compaction')).toEqual(first);
    expect(preparation).toMatchObject({
      firstKeptEntryId: second!.firstKeptEntryId,
      isSplitTurn: false,
      turnPrefixMessages: [],
      tokensBefore: end.tokensBefore,
      previousSummary: SUMMARY,
      settings: { enabled: true, reserveTokens: 16_384, keepRecentTokens: 500 },
    });
    expect(preparation.fileOps).toEqual({ read: new Set([path]), written: new Set(), edited: new Set() });
    const messages = preparation.messagesToSummarize.map((message) => JSON.stringify(message));
    expect(second!.details).toMatchObject({ readFiles: [path], espalier: { entriesSummarized: messages.length } });
    expect(messages[0]).toContain('Question 2');

    expect(compacting!.sessionId).toBe(talk.harness.log.sessionId);
    expect(compacting!.messages.map((message) => JSON.stringify(message))).toEqual(messages);
    expect(talk.summaryBodies[1]).toContain('[User]: Question 2');
    expect(talk.context.join()).not.toContain('gone');
    expect(talk.harness.extensionErrors).toEqual([]);
  });

  it('EX7: nobody listens: nothing is read for anybody', async () => {
    await start(3);
    const linesOf = vi.spyOn(talk.harness.log, 'linesOf');
    const read = (): string[] => linesOf.mock.calls.flatMap(([ids]) => [...ids]);
    await talk.compacted();
    expect(new Set(read()).size).toBe(read().length);
    linesOf.mockClear();
    await talk.say(2);
    talk.onBefore(() => undefined);
    await talk.compacted();
    expect(new Set(read()).size).toBeLessThan(read().length);
  });
});

describe('an extension ends it', () => {
  it('EX1: cancel: told as cancelled, the file byte-identical, nobody else asked; without it the next one works', async () => {
    await start(3);
    const failed = vi.fn();
    const later = vi.fn();
    const endCancel = talk.onBefore(() => ({ cancel: true }));
    talk.onBefore(later);
    talk.onCompacting(later);
    const endFailed = talk.on('session_compact_failed', failed);
    const before = talk.lines;
    const told = await talk.compacted();
    expect(told).toMatchObject({ aborted: true });
    expect([told.errorMessage, told.entryId]).toEqual([undefined, undefined]);
    const payload = { reason: 'manual', errorMessage: 'Compaction cancelled', aborted: true, willRetry: false, fromExtension: true }; // prettier-ignore
    expect(failed.mock.calls.map(([heard]) => heard as unknown)).toEqual([
      { type: 'session_compact_failed', ...payload },
    ]);
    expect([later.mock.calls.length, talk.summaryBodies, talk.harness.extensionErrors]).toEqual([0, [], []]);
    expect(talk.lines).toEqual(before);
    endCancel();
    endFailed();
    expect((await talk.compacted()).entryId).toBeDefined();
  });

  it.each(['session_before_compact', 'session.compacting', 'session_compact_failed'] as const)(
    'IN6: the person cancels while %s is thought about: at once, the file byte-identical',
    async (event) => {
      await start(3);
      const before = talk.lines;
      let signal: AbortSignal | undefined;
      const asked = new Promise<void>((resolve) => {
        const hang = (payload: { signal?: AbortSignal }): Promise<never> => {
          ({ signal } = payload);
          resolve();
          return new Promise(() => undefined);
        };
        talk.harness.extensions.on(event, hang as Handler<typeof event>, { extensionPath: EXTENSION });
      });
      const never = new Promise<void>(() => undefined);
      talk.answer({ text: SUMMARY, chunkChars: 4, holdAt: { frame: 4, until: never } });
      await talk.harness.session.compact();
      // The last of them hears of the cancelling itself, and is not waited for.
      if (event === 'session_compact_failed') {
        await talk.harness.until('compaction_progress', ({ textDelta }) => textDelta !== undefined);
        talk.harness.session.cancelJob();
      } else {
        await asked;
        expect(talk.harness.session.state).toBe('compacting');
        talk.harness.session.cancelJob();
        expect(signal?.aborted).toBe(true);
      }
      expect(await talk.harness.until('compaction_end')).toMatchObject({ aborted: true });
      await asked;
      await expect.poll(() => talk.harness.session.state).toBe('idle');
      expect(talk.lines).toEqual(before);
      expect(talk.harness.extensionErrors).toEqual([]);
    },
  );

  it('TG18: cancelled during a recovery: the run ends in a card, never in silence', async () => {
    await start(3);
    talk.onBefore(() => ({ cancel: true }));
    talk.answer(SUMMARY, { error: 'openai-overflow' });
    await talk.harness.session.prompt(promptOf('Too much?'));
    await talk.harness.settled(4);
    const failure = talk.harness.events.filter((event) => event.type === 'failure').at(-1)?.failure;
    expect(failure?.detail).toContain('The compaction was cancelled. Nothing is lost.');
    expect(talk.compactions).toEqual([]);
  });
});
