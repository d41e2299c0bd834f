import { afterEach, describe, expect, it } from 'vitest';
import type { ContextUsage } from '../../../src/shared/types';
import { promptOf, type HarnessOptions } from '../../support/agent-harness';
import { CompactionTalk, isSummary, SUMMARY, WORDS } from '../../support/compaction-talk';
import { sentContext, sentMessages } from '../../support/model-server';

/** What a person changes about compactions of a session: undo, redo, edit, again, and how they are made (SU34, UN2, UN3, UN5, PN4, ST2). */
let talk: CompactionTalk;
afterEach(() => talk.harness.close());
const start = async (turns: number, options: HarnessOptions = {}): Promise<void> => {
  talk = await CompactionTalk.start(turns, options);
};
const usage = (): ContextUsage => talk.harness.events.filter((event) => event.type === 'context_usage').at(-1)!.usage;
const latestId = (): string => talk.compactions.at(-1)!.id;

describe('SH2: /compact decides in one request', () => {
  it('where it is due it has begun; what is said while that is found out waits, and goes on after it', async () => {
    await start(4);
    const asked = talk.harness.session.compact({ asks: true });
    const said = talk.harness.session.prompt(promptOf('Said meanwhile'));
    expect(await asked).toEqual({ begun: true });
    expect(await said).toMatchObject({ queued: true });
    await talk.harness.settled(5);
    expect(talk.ends).toMatchObject([{ aborted: false }]);
    expect(talk.compactions).toHaveLength(1);
    expect(talk.lastSent[0]).toContain('Ship the parser.');
    expect(talk.lastSent.at(-1)).toBe('Said meanwhile');
  });

  it('where nothing is due nothing begins, no run is stopped, and what is said meanwhile is sent', async () => {
    await start(1, { settings: { 'compaction.keepRecentTokens': 100_000 } });
    const before = talk.lines.length;
    const { leafId } = talk.harness.log.tree;
    expect(await talk.harness.session.compact({ asks: true })).toEqual({ begun: false, leafId });
    expect([talk.lines.length, talk.ends, (await talk.harness.session.snapshot()).phase]).toEqual([before, [], 'idle']);
    const asked = talk.harness.session.compact({ asks: true });
    await talk.harness.session.prompt(promptOf('Said meanwhile'));
    expect(await asked).toMatchObject({ begun: false });
    await talk.harness.settled(2);
    let open = (): void => undefined;
    const until = new Promise<void>((resolve) => (open = resolve));
    talk.answer(SUMMARY, { text: WORDS, holdAt: { frame: 1, until } });
    await talk.harness.session.prompt(promptOf('And in a run'));
    expect(await talk.harness.session.compact({ asks: true })).toMatchObject({ begun: false });
    expect(talk.harness.session.isRunning).toBe(true);
    open();
    await talk.harness.settled(3);
    expect(talk.harness.messages().at(-1)).toContain('assistant(stop)');
  });

  it('stopped while it is found out, nothing of the session has changed', async () => {
    await start(4);
    const before = talk.lines;
    const asked = talk.harness.session.compact({ asks: true });
    await talk.harness.session.stop();
    await asked;
    await expect.poll(async () => (await talk.harness.session.snapshot()).phase).toBe('idle');
    expect(talk.lines).toEqual(before);
  });
});

describe('again', () => {
  it('UN5: the same messages, other instructions: the new summary takes the place of the old one, later turns stay', async () => {
    await start(4);
    await talk.compacted('Look at the parser');
    const old = talk.compactions[0]!;
    await talk.say(1);
    const later = talk.context.slice(-2);
    talk.answer('## Goal\nShip the tests.');
    await talk.harness.session.compactAgain(old.id, { instructions: 'Look at the tests' });
    await talk.harness.until('compaction_end', (event) => talk.ends.indexOf(event) === 1);
    const [, again] = talk.compactions;
    expect(talk.ends[1]!.entryId).toBe(again!.id);
    expect(talk.ends.map((end) => end.again)).toEqual([undefined, old.id]);
    expect(again).toMatchObject({
      parentId: old.parentId,
      firstKeptEntryId: old.firstKeptEntryId,
      tokensBefore: old.tokensBefore,
    });
    expect(again!.details).toMatchObject({ espalier: { replaces: old.id, instructions: 'Look at the tests' } });
    expect(talk.summaryBodies[1]).toContain('Additional focus: Look at the tests');
    expect(talk.summaryBodies[1]!.split('</conversation>')[0]).toBe(talk.summaryBodies[0]!.split('</conversation>')[0]);
    expect(talk.context[0]).toContain('Ship the tests.');
    expect(talk.context.slice(-2)).toEqual(later);
    expect(talk.harness.log.reopen().tree.leafId).toBe(talk.harness.log.tree.leafId);
    await expect(talk.harness.session.compactAgain(old.id)).rejects.toThrow('not on the current branch');
  });

  it('IN6: cancelled or failed, the old one stays and the file is byte-identical', async () => {
    await start(4);
    await talk.compacted();
    const before = talk.lines;
    talk.answer(' ');
    await talk.harness.session.compactAgain(latestId());
    await talk.harness.until('compaction_end', (event) => talk.ends.indexOf(event) === 1);
    expect(talk.ends[1]!.errorMessage).toContain('empty summary');
    expect(talk.ends[1]!.again).toBe(latestId());
    expect(talk.lines).toEqual(before);
    expect(talk.context[0]).toContain(SUMMARY.split('\n')[1]);
  });
});

describe('undo, redo, edit', () => {
  it('UN7: after an undo the session fills up to the hard line before it compacts itself; redo brings the threshold back', async () => {
    await start(3, { settings: { 'compaction.thresholdPercent': 50, 'compaction.keepRecentTokens': 300 } });
    await talk.compacted();
    const threshold = usage().threshold!;
    await talk.harness.session.rewriter.undo(latestId());
    expect(usage().threshold).toBe(usage().window - usage().reserve);
    await talk.say(1);
    expect(usage().threshold).toBe(usage().window - usage().reserve);
    await talk.harness.session.rewriter.redo(talk.compactions[0]!.id);
    expect(usage().threshold).toBe(threshold);
    expect(talk.context[0]).toContain('Ship the parser.');
    expect(talk.context.at(-2)).toContain('Question 3');
  });

  it('UN7: what an undo comes to is told before: later compactions, and the tokens of what comes back', async () => {
    await start(4);
    const full = usage().tokens;
    await talk.compacted();
    await talk.say(2);
    await talk.compacted();
    const [one, two] = talk.compactions;
    expect(talk.harness.session.undoPreview(two!.id).later).toBe(0);
    const preview = talk.harness.session.undoPreview(one!.id);
    expect(preview.later).toBe(1);
    expect(preview.tokensAfter).toBeGreaterThan(full);
    await talk.harness.session.rewriter.undo(one!.id);
    expect(Math.abs(usage().tokens - preview.tokensAfter)).toBeLessThan(0.05 * preview.tokensAfter);
  });

  it('UN5: an edited summary is what the model gets; while a run goes on nothing can be changed', async () => {
    await start(4);
    await talk.compacted();
    await talk.harness.session.rewriter.editSummary(latestId(), '## Goal\nWhat I meant.');
    await talk.say(1);
    expect(talk.lastSent[0]).toContain('What I meant.');
    expect(talk.lastSent.join()).not.toContain('Ship the parser.');
    const never = new Promise<void>(() => undefined);
    talk.answer(SUMMARY, { text: WORDS, holdAt: { frame: 2, until: never } });
    const { session } = talk.harness;
    void talk.say(1).catch(() => undefined);
    await talk.harness.until('stream_start', () => session.state === 'streaming');
    for (const change of [session.rewriter.undo(latestId()), session.rewriter.redo(latestId()), session.rewriter.editSummary(latestId(), 'x')])
      await expect(change).rejects.toThrow('Wait for the current response to finish before navigating the session tree.');
    await session.stop();
  }); // prettier-ignore
});

describe('how they are made', () => {
  it('PN4, PN5: the newest messages of the person stay word for word if that is wanted', async () => {
    await start(4, { settings: { 'compaction.keepUserMessageTokens': 300 } });
    await talk.compacted();
    const [entry] = talk.compactions;
    const kept = (entry!.details as { espalier: { keptUserEntryIds: string[] } }).espalier.keptUserEntryIds;
    expect(kept).toHaveLength(1);
    const repeated = async () => (await talk.harness.session.snapshot()).repeated;
    expect(await repeated()).toEqual(kept);
    await talk.harness.session.rewriter.undo(latestId());
    expect(await repeated()).toEqual([]);
    await talk.harness.session.rewriter.redo(latestId());
    expect(await repeated()).toEqual(kept);
    await talk.say(1);
    const pinned = talk.lastSent.filter((text) => text.includes('<pinned>'));
    expect(pinned).toHaveLength(1);
    expect(pinned[0]).toContain(`[entry:${kept[0]}] user:\nQuestion`);
    // Only as long as that compaction is in force.
    talk.harness.settings['compaction.keepUserMessageTokens'] = 0;
    await talk.compacted();
    expect(talk.context.join()).not.toContain('<pinned>');
    expect(await repeated()).toEqual([]);
  });

  it('SU34: the model of the settings is asked first, then the session’s, then the fallbacks', async () => {
    await start(4);
    const [, second, third] = talk.harness.models.all;
    const key = (model: typeof second): string => `${model!.provider}/${model!.id}`;
    talk.harness.settings['compaction.model'] = key(second);
    talk.harness.settings['compaction.fallbackModels'] = [key(second), key(third), 'gone/model', 'nonsense'];
    talk.harness.settings['retry.enabled'] = false;
    let n = 0;
    talk.harness.server.script((request) => (isSummary(request) ? (n++ < 2 ? ' ' : SUMMARY) : WORDS));
    await talk.compacted();
    const asked = talk.harness.server.requests.filter(isSummary).map(({ wire }) => wire);
    expect(asked).toEqual(['messages', 'completions', 'responses']);
    expect(talk.compactions[0]!.details).toMatchObject({ espalier: { model: key(third) } });
  });

  it('SU38, SU5: the line about it can be written by the model, or be left out; its failure does not fail the compaction', async () => {
    await start(4, { settings: { 'compaction.shortSummary': 'model' } });
    let n = 0;
    talk.harness.server.script((request) => {
      if (!isSummary(request)) return WORDS;
      return n++ % 2 === 0 ? SUMMARY : n < 3 ? 'I worked on the parser.' : ' ';
    });
    await talk.compacted();
    expect(talk.compactions[0]).toMatchObject({
      shortSummary: 'I worked on the parser.',
      details: { espalier: { calls: 2 } },
    });
    expect(talk.summaryBodies[1]).toContain('Ship the parser.');
    await talk.say(3);
    await talk.compacted();
    expect(talk.compactions[1]!.shortSummary).toBe('Ship the parser.');
    talk.harness.settings['compaction.shortSummary'] = 'off';
    await talk.say(3);
    await talk.compacted();
    expect(talk.compactions[2]).not.toHaveProperty('shortSummary');
  });

  it('SU32: thinking is off unless it is wanted; what the summariser reads follows the settings', async () => {
    await start(4, { model: { reasoning: true, maxTokens: 64_000 }, settings: { 'compaction.toolResultChars': 200 } });
    await talk.compacted();
    talk.harness.settings['compaction.reasoning'] = 'low';
    await talk.say(3);
    await talk.compacted();
    const [off, low] = talk.harness.server.requests
      .filter(isSummary)
      .map(({ body }) => body as Record<string, unknown>);
    const cap = (body: typeof off): number => Number(body!.max_completion_tokens ?? body!.max_tokens);
    expect(cap(low) - cap(off)).toBe(4096);
    expect(sentContext(talk.harness.server.requests.find(isSummary)!).tools).toEqual([]);
    expect(sentMessages(talk.harness.server.requests.find(isSummary)!)).toHaveLength(1);
  });
});
