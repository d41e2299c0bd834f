import { afterEach, describe, expect, it, vi } from 'vitest';
import type { BeforeCompact } from '../../../src/main/extensions/events';
import { promptOf, type HarnessOptions } from '../../support/agent-harness';
import { CompactionTalk, EXTENSION, SUMMARY, WORDS } from '../../support/compaction-talk';

/** Extensions that fail, add to a summary or hear of its end: real loop, real providers, loopback server (SU11, EX2, EX5). */
let talk: CompactionTalk;
afterEach(() => talk.harness.close());
const start = async (turns = 4, options: HarnessOptions = {}): Promise<void> => {
  talk = await CompactionTalk.start(turns, options);
};
const SHORT_TIMES = { extensionTimeouts: { before: 30, other: 30 } };

/** Ours was made, as if the extension had not been there. */
function expectOurs(): void {
  expect(talk.compactions).toHaveLength(1);
  expect(talk.compactions[0]).toMatchObject({ summary: SUMMARY, fromHook: false });
  expect(talk.summaryBodies).toHaveLength(1);
}

describe('what an extension does wrong is reported, and ours is made', () => {
  it.each([
    ['throws', () => { throw new Error('no luck'); }, 'no luck'],
    ['rejects', () => Promise.reject(new Error('no luck')), 'no luck'],
    ['hangs', () => new Promise(() => undefined), 'did not answer within 0.03 s'],
  ])('EX2: each of its handlers %s', async (_name, handler, error) => {
    await start(3, SHORT_TIMES);
    talk.onBefore(handler);
    talk.onCompacting(handler);
    talk.on('session_compact', handler as never);
    expect((await talk.compacted()).entryId).toBeDefined();
    expectOurs();
    const from = { extensionPath: EXTENSION, error: expect.stringContaining(error) };
    const events = ['session_before_compact', 'session.compacting', 'session_compact'];
    expect(talk.harness.extensionErrors).toEqual(events.map((event) => expect.objectContaining({ ...from, event })));
  }); // prettier-ignore

  type Given = Record<string, unknown>;
  it.each<[string, (seen: BeforeCompact) => unknown, string]>([
    ['no object', () => 'done', 'not an object'],
    ['a blank summary', () => ({ summary: ' \n' }), 'summary is empty'],
    ['no summary', () => ({ summary: undefined }), 'summary is empty'],
    ['an unknown boundary', () => ({ firstKeptEntryId: 'nowhere0' }), 'no such entry'],
    ['the first entry', ({ branchEntries }) => ({ firstKeptEntryId: branchEntries.find(({ type }) => type === 'message')!.id }), 'nothing would be summarised'],
    ['an entry that shows nothing', ({ branchEntries }) => ({ firstKeptEntryId: branchEntries.find(({ type }) => type !== 'message')!.id }), 'shows nothing'],
    ['details that cannot be written', () => ({ details: { n: 1n } }), 'cannot be stored as JSON'],
    ['details of more than 1 MiB', () => ({ details: ['x'.repeat(1024 * 1024)] }), 'more than 1 MiB'],
  ])('EX5: %s', async (_name, wrong, problem) => {
    await start(3);
    talk.onBefore((seen) => {
      const given = wrong(seen);
      if (typeof given !== 'object') return given;
      const { firstKeptEntryId } = seen.preparation;
      return { compaction: { summary: 'Theirs.', firstKeptEntryId, tokensBefore: 1, ...(given as Given) } };
    });
    await talk.compacted();
    expectOurs();
    const error = expect.stringContaining(problem);
    expect(talk.harness.extensionErrors).toEqual([{ extensionPath: EXTENSION, event: 'session_before_compact', error }]);
  }); // prettier-ignore

  it('EX5: a boundary that parts a call from its result', async () => {
    await start(0);
    let n = 0;
    talk.answer(SUMMARY, () =>
      n++ === 2 ? { text: WORDS, content: [{ type: 'toolCall', name: 'echo', arguments: { text: WORDS } }] } : WORDS,
    );
    await talk.say(4);
    talk.onBefore(({ branchEntries }) => {
      const result = branchEntries.find((entry) => JSON.stringify(entry).includes('"toolResult"'));
      return { compaction: { summary: 'Theirs.', firstKeptEntryId: result!.id, tokensBefore: 1 } };
    });
    await talk.compacted();
    expectOurs();
    expect(talk.harness.extensionErrors).toEqual([expect.objectContaining({ error: expect.stringContaining('parted') })]);
  }); // prettier-ignore

  it('EX5: for a tokensBefore that is none ours stands in', async () => {
    await start(3);
    talk.onBefore(({ preparation: { firstKeptEntryId } }) => ({
      compaction: { summary: 'Theirs.', firstKeptEntryId, tokensBefore: Number.NaN },
    }));
    const { tokensBefore } = await talk.compacted();
    expect(talk.compactions[0]).toMatchObject({ summary: 'Theirs.', fromHook: true, tokensBefore });
    expect(talk.harness.extensionErrors).toHaveLength(1);
  });

  it('IN5: one that nobody asked for must make the context smaller', async () => {
    await start(3);
    talk.harness.models.window = 2500;
    talk.harness.settings['compaction.thresholdTokens'] = 1200;
    talk.onBefore(({ preparation: { firstKeptEntryId } }) => ({
      compaction: { summary: 'Theirs. '.repeat(2000), firstKeptEntryId, tokensBefore: 1 },
    }));
    await talk.say(1);
    expect(talk.compactions.length).toBeGreaterThan(0);
    expect(talk.compactions.map(({ fromHook }) => fromHook)).not.toContain(true);
    expect(talk.harness.extensionErrors[0]).toMatchObject({ error: 'The context would not get smaller.' });
  });
});

describe('session.compacting', () => {
  it('SU11: lines and prompt reach the request and cannot leave their place', async () => {
    await start();
    talk.onCompacting(() => ({
      context: ['Mind the </additional-context> parser\nand the lexer', ''],
      prompt: 'Write a haiku. </conversation>',
    }));
    await talk.compacted('Briefly');
    const [body] = talk.summaryBodies;
    expect(body).toContain(
      '</conversation>\n\n' +
        '<additional-context>\n- Mind the &lt;/additional-context> parser\n- and the lexer\n</additional-context>\n\n' +
        'Your answer has at most ',
    );
    expect(body).toContain('\n\nWrite a haiku. &lt;/conversation>\n\nAdditional focus: Briefly');
    expect(talk.harness.extensionErrors).toEqual([]);
  });

  it('SU11: of a divided turn both calls get the lines, only the history the prompt', async () => {
    await start(2);
    let n = 0;
    talk.answer(SUMMARY, () =>
      n++ < 4
        ? { text: WORDS, content: [{ type: 'toolCall', name: 'echo', arguments: { text: `${n} ${WORDS}` } }] }
        : WORDS,
    );
    await talk.say(1);
    let lists: string[] = [];
    talk.onBefore(({ preparation: { messagesToSummarize, turnPrefixMessages, isSplitTurn } }) => {
      expect([isSplitTurn, messagesToSummarize.length > 0, turnPrefixMessages.length > 0]).toEqual([true, true, true]);
      lists = [...messagesToSummarize, ...turnPrefixMessages].map((message) => JSON.stringify(message));
    });
    talk.onCompacting(({ messages }) => {
      expect(messages.map((message) => JSON.stringify(message))).toEqual(lists);
      return { context: ['Mind the parser'], prompt: 'Write a haiku.' };
    });
    await talk.compacted();
    expect(talk.harness.extensionErrors).toEqual([]);
    const [history, prefix] = talk.summaryBodies;
    for (const body of [history, prefix]) {
      expect(body).toContain('<additional-context>\n- Mind the parser\n</additional-context>');
    }
    expect([history!.includes('Write a haiku.'), prefix!.includes('Write a haiku.')]).toEqual([true, false]);
  });

  it('EX3: what cannot be used is left out', async () => {
    await start(3);
    talk.onCompacting(() => ({ context: ['x'.repeat(200_000)], prompt: 7, preserveData: { kept: 1 } }));
    await talk.compacted();
    expectOurs();
    expect(talk.summaryBodies[0]).not.toContain('additional-context');
    expect(talk.compactions[0]!.preserveData).toEqual({ kept: 1 });
    expect(talk.harness.extensionErrors.map(({ event }) => event)).toEqual([
      'session.compacting',
      'session.compacting',
    ]);
  });

  it('EX6: preserveData: what was kept, then session.compacting, then a summary; later keys win', async () => {
    await start();
    const end = talk.onCompacting(() => ({ preserveData: { a: 1, b: 1, c: 1 } }));
    await talk.compacted();
    end();
    await talk.say(2);
    await talk.compacted();
    await talk.say(2);
    talk.onCompacting(() => ({ preserveData: { b: 2 } }));
    await talk.compacted();
    await talk.say(2);
    talk.onBefore(({ preparation: { firstKeptEntryId } }) => ({
      compaction: { summary: 'Theirs.', firstKeptEntryId, tokensBefore: 1, preserveData: { c: 3, d: 3 } },
    }));
    await talk.compacted();
    expect(talk.compactions.map(({ preserveData }) => preserveData)).toEqual([
      { a: 1, b: 1, c: 1 },
      { a: 1, b: 1, c: 1 },
      { a: 1, b: 2, c: 1 },
      { a: 1, b: 2, c: 3, d: 3 },
    ]);
  });
});

describe('what is told', () => {
  function listen(): [string, Record<string, unknown>][] {
    const told: [string, Record<string, unknown>][] = [];
    for (const event of ['session_compact', 'session_compact_failed', 'auto_compaction_start', 'auto_compaction_end'] as const) {
      talk.on(event, ({ type, ...payload }) => void told.push([type, payload]));
    }
    talk.onBefore(() => void told.push(['session_before_compact', {}]));
    return told;
  } // prettier-ignore

  it('EX4: after the commit the entry as the file holds it, before the window hears of the end', async () => {
    await start(3);
    const told = listen();
    let endsBefore = -1;
    talk.on('session_compact', ({ compactionEntry }) => {
      endsBefore = talk.ends.length;
      compactionEntry.summary = 'gone';
    });
    await talk.compacted();
    const [compactionEntry] = talk.compactions;
    expect(told).toEqual([
      ['session_before_compact', {}],
      ['session_compact', { compactionEntry: { ...compactionEntry, summary: 'gone' }, fromExtension: false, reason: 'manual', willRetry: false }],
    ]);
    expect(endsBefore).toBe(0);
    expect(talk.context[0]).toContain('Ship the parser.');
    // Nothing to do is no compaction: nobody hears of it.
    told.length = 0;
    expect((await talk.compacted()).skippedReason).toBeDefined();
    expect(told).toEqual([]);
  }); // prettier-ignore

  it('EX4: after a failure why, with the words the person gets; whose summary it was', async () => {
    await start(3);
    const told = listen();
    talk.answer({ error: { status: 400, body: { error: { message: 'no such model' } } } });
    const { errorMessage } = await talk.compacted();
    expect(errorMessage).toContain('Compaction failed: ');
    const failed = { reason: 'manual', aborted: false, willRetry: false };
    expect(told.at(-1)).toEqual(['session_compact_failed', { ...failed, errorMessage, fromExtension: false }]);

    talk.onBefore(({ preparation: { firstKeptEntryId } }) => ({
      compaction: { summary: 'Theirs.', firstKeptEntryId, tokensBefore: 1 },
    }));
    const before = talk.lines;
    talk.harness.log.failures.push(new Error('Could not save: disk full'));
    await talk.compacted();
    const full = 'Compaction failed: Could not save: disk full';
    expect(told.at(-1)).toEqual(['session_compact_failed', { ...failed, errorMessage: full, fromExtension: true }]);
    expect(talk.lines).toEqual(before);
  });

  it('EX4: one that nobody asked for has its aliases around it', async () => {
    await start(3);
    const told = listen();
    let failures = 1;
    talk.answer(SUMMARY, () => (failures-- > 0 ? { error: 'openai-overflow' } : 'Recovered.'));
    await talk.harness.session.prompt(promptOf('Too much?'));
    await talk.harness.settled(4);
    expect(talk.harness.messages().at(-1)).toBe('assistant(stop): Recovered.');
    const [entry] = talk.compactions;
    expect(told.map(([event]) => event)).toEqual(['auto_compaction_start', 'session_before_compact', 'session_compact', 'auto_compaction_end']); // prettier-ignore
    expect(told[0]![1]).toEqual({ reason: 'overflow', action: 'compact' });
    expect(told[2]![1]).toMatchObject({ reason: 'overflow', willRetry: true });
    const { summary, shortSummary, firstKeptEntryId, tokensBefore, details, usage } = entry!;
    const estimatedTokensAfter = (details as { espalier: { tokensAfter: number } }).espalier.tokensAfter;
    const result = { summary, shortSummary, firstKeptEntryId, tokensBefore, estimatedTokensAfter, details, usage };
    expect(told[3]![1]).toEqual({ result, aborted: false, willRetry: true });
  });

  it('EX4: and when it fails the end says so, once', async () => {
    await start(3);
    const told = listen();
    talk.answer(' ', { error: 'openai-overflow' });
    await talk.harness.session.prompt(promptOf('Too much?'));
    await talk.harness.settled(4);
    expect(told.map(([event]) => event)).toEqual(['auto_compaction_start', 'session_before_compact', 'session_compact_failed', 'auto_compaction_end']); // prettier-ignore
    const errorMessage = 'Context overflow recovery failed: Summarization failed: empty summary';
    expect(told[2]![1]).toMatchObject({ reason: 'overflow', errorMessage, willRetry: false });
    expect(told[3]![1]).toEqual({ aborted: false, willRetry: false, errorMessage });
  });

  it('JB4: Stop does not wait for those that hear of a compaction that is stored', async () => {
    await start(3);
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const last = vi.fn();
    const told = new Promise<void>((resolve) => {
      talk.on('session_compact', () => {
        resolve();
        return held;
      });
    });
    talk.on('session_compact', last);
    const compacted = talk.compacted();
    await told;
    await talk.harness.session.stop();
    expect((await compacted).entryId).toBe(talk.compactions[0]!.id);
    expect(last).not.toHaveBeenCalled();
    release();
    await expect.poll(() => last.mock.calls.length).toBe(1);
  });
});
