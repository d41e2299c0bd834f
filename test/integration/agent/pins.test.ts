import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { pinDraft } from '@shared/session/tree/drafts';
import { promptOf, type HarnessOptions } from '../../support/agent-harness';
import { CompactionTalk, isSummary, SUMMARY, WORDS } from '../../support/compaction-talk';
import { MemoryLog } from '../../support/memory-log';
import { sentMessages } from '../../support/model-server';

/** What a person pins, through the session to the request (PN1, PN2, PN3, JB5). */
let talk: CompactionTalk;
afterEach(() => talk.harness.close());
const start = async (turns: number, options: HarnessOptions = {}): Promise<void> => {
  talk = await CompactionTalk.start(turns, {
    ...options,
    // None of the person's own words stand beside a summary.
    settings: { 'compaction.keepUserMessageTokens': 0, ...options.settings },
  });
};
const pins = () => talk.harness.session.pins;
/** Ids of the messages on the path. */
const ids = (): string[] => {
  const { tree } = talk.harness.log;
  return tree.pathTo(tree.leafId).filter(({ facts }) => facts.visible).map(({ id }) => id); // prettier-ignore
};
const lastTexts = (): string[] => {
  const request = talk.harness.server.requests.filter((one) => !isSummary(one)).at(-1)!;
  return sentMessages(request).map(({ text }) => text);
};
const records = (): unknown[] =>
  talk.lines.map((line) => JSON.parse(line) as { customType?: string; data?: unknown }).flatMap(({ customType, data }) => (customType === 'espalier.pin' ? [data] : [])); // prettier-ignore

describe('pinning', () => {
  beforeEach(() => start(4));

  it('PN1, SF11: appends one record and nothing where it is so already; unpinning appends another', async () => {
    const [first = ''] = ids();
    await pins().set([first], true);
    await pins().set([first, first], true);
    await pins().set([first], false);
    await pins().set([first], false);
    expect(records()).toEqual([
      { v: 1, targetId: first, pinned: true },
      { v: 1, targetId: first, pinned: false },
    ]);
    const { leafId } = talk.harness.log.tree;
    expect(talk.harness.log.reopen().tree.leafId).toBe(leafId);
  });

  it('PN1: of many pins of one request the window is told at once', async () => {
    const all = ids();
    await pins().set(all, true);
    await pins().set(all.slice(1), false);
    const said = talk.harness.events.flatMap((event) =>
      event.type === 'entry_appended' && event.pins ? [event.pins.changed] : [],
    );
    const to = (entries: string[], isPinned: boolean) => entries.map((targetId) => ({ targetId, isPinned }));
    expect(said).toEqual([to(all, true), to(all.slice(1), false)]);
    expect((await talk.harness.session.snapshot()).pins).toEqual([all[0]]);
  });

  it('PN2: a pinned message is in its place, then after the summary of each compaction, and in no request twice', async () => {
    const [first = '', answer = ''] = ids();
    await pins().set([answer, first], true);
    await talk.say(1);
    expect(lastTexts().filter((text) => text.includes('<pinned>'))).toEqual([]);
    for (let round = 0; round < 2; round++) {
      await talk.compacted();
      await talk.say(1);
      const [summary, pinned = '', ...rest] = lastTexts();
      expect(summary).toContain('Ship the parser.');
      expect(pinned.indexOf(`[entry:${first}] user:\nQuestion 0: ${WORDS}`)).toBeGreaterThan(0);
      expect(pinned.indexOf(`[entry:${answer}] assistant:\n${WORDS}`)).toBeGreaterThan(pinned.indexOf(first));
      expect(rest.some((text) => text.includes('Question 0:'))).toBe(false);
    }
    expect((await talk.harness.session.snapshot()).repeated).toEqual([first, answer]);
    await pins().set([answer], false);
    expect((await talk.harness.session.snapshot()).repeated).toEqual([first]);
    await talk.say(1);
    expect(lastTexts()[1]).not.toContain(answer);
  });

  it('PN2: outlasts undo, redo, a branch that is left with its summary, and a reopened file', async () => {
    const [first = '', , second = ''] = ids();
    await pins().set([first], true);
    await talk.compacted();
    await talk.harness.session.rewriter.undo(talk.compactions[0]!.id);
    await talk.say(1);
    expect(lastTexts()[0]).toContain('Question 0:');
    await talk.harness.session.branches.navigate({ targetId: second, summarize: true, exact: true });
    await pins().set([ids()[2]!], true);
    await talk.say(1);
    const again = await talk.harness.reopen();
    expect((await again.snapshot()).pins).toHaveLength(2);
    expect(again.pins.list().pins.map(({ id, isHidden }) => [id, isHidden])).toEqual([
      [first, false],
      [second, false],
    ]);
  });

  it('UN3: what was unpinned and labelled behind an undone compaction is so after Redo', async () => {
    await talk.compacted();
    await talk.say(1);
    const { session, log } = talk.harness;
    const prompt = (): string => {
      const { tree } = log;
      return tree.pathTo(tree.leafId).filter(({ facts }) => facts.role === 'user').at(-1)!.id; // prettier-ignore
    };
    const [{ id } = { id: '' }] = talk.compactions;
    await pins().set([prompt()], true);
    await session.rewriter.undo(id);
    expect(log.tree.pins.has(prompt())).toBe(true);
    await pins().set([prompt()], false);
    await session.branches.label(prompt(), 'tried');
    await session.rewriter.redo(id);
    expect(log.tree.pathTo(log.tree.leafId).some((node) => node.id === id)).toBe(true);
    expect(log.tree.pins.has(prompt())).toBe(false);
    expect(log.tree.label(prompt())).toBe('tried');
  });

  it('PN1: what the model is not sent, what is no entry, and what is unknown is refused', async () => {
    await talk.compacted();
    const before = talk.lines;
    await expect(pins().set([talk.compactions[0]!.id], true)).rejects.toThrow('The model is not sent this message');
    await expect(pins().set(['nope'], true)).rejects.toThrow('Entry nope not found');
    // All or none.
    await expect(pins().set([ids()[0]!, 'nope'], true)).rejects.toThrow('Entry nope not found');
    expect(talk.lines).toEqual(before);
  });

  it('JB5: neither it nor a label waits for a compaction, whose next request has the pin', async () => {
    const [first = '', answer = ''] = ids();
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    talk.answer({ text: SUMMARY, holdAt: { frame: 1, until: held } });
    const done = talk.compacted();
    await talk.harness.until('compaction_start');
    await pins().set([first], true);
    await talk.harness.session.branches.label(answer, 'start');
    expect((await talk.harness.session.entries([first])).map(({ id }) => id)).toEqual([first]);
    expect(talk.harness.session.isRunning).toBe(true);
    release();
    expect((await done).aborted).toBe(false);
    await talk.say(1);
    expect(lastTexts()[1]).toContain(`[entry:${first}] user:\nQuestion 0:`);
    expect(talk.harness.log.tree.label(answer)).toBe('start');
  });

  it('JB5: nothing that runs blocks it, and the reply that streams is not touched', async () => {
    const [first = ''] = ids();
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    talk.answer(undefined, () => ({ text: 'slow', before: held }) as never);
    const asked = talk.say(1);
    await talk.harness.until('stream_start', () => talk.harness.session.isRunning);
    await pins().set([first], true);
    expect(talk.harness.session.isRunning).toBe(true);
    release();
    await asked;
    expect(talk.harness.log.tree.pins.has(first)).toBe(true);
  });
});

describe('the limit', () => {
  it('PN3: beyond the share of the window it is refused with the figures; unpinning makes room', async () => {
    await start(3, { settings: { 'pins.maxPercent': 1 } });
    const { harness } = talk;
    harness.models.window = 60_000;
    const [first = '', answer = '', second = ''] = ids();
    const before = pins().list();
    expect(before).toEqual({ limit: 600, percent: 1, tokens: 0, pins: [], more: 0 });
    await pins().set([first], true);
    const one = pins().list();
    expect(one.tokens).toBeGreaterThan(300 - 50);
    expect(one.pins).toEqual([{ id: first, kind: 'user', tokens: one.tokens - 8, isHidden: false, isAside: false }]);
    // Asked for at once: each is weighed with those before it.
    const both = await Promise.allSettled([pins().set([answer], true), pins().set([second], true)]);
    expect(both.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    const words = String((both[1] as PromiseRejectedResult).reason);
    expect(words).toContain(`pins may take 600: 1% of this model’s window.`);
    expect(words).toContain(`Pinned messages take ${pins().list().tokens} already.`);
    await pins().set([answer], false);
    await pins().set([second], true);
    expect(
      pins()
        .list()
        .pins.map(({ id }) => id),
    ).toEqual([first, second]);
  });

  it('PN3: pins outlast a smaller model; then nothing more is pinned, and unpinning is never refused', async () => {
    await start(3);
    const [first = '', , second = ''] = ids();
    await pins().set([first], true);
    talk.harness.models.window = 2000;
    const { tokens, limit } = pins().list();
    expect(tokens).toBeGreaterThan(limit!);
    await expect(pins().set([second], true)).rejects.toThrow('pins may take 200');
    expect(
      pins()
        .list()
        .pins.map(({ id }) => id),
    ).toEqual([first]);
    await pins().set([first], false);
    expect(pins().list().tokens).toBe(0);
  });

  it('PN3: where the window is unknown there is no limit', async () => {
    await start(2, { settings: { 'pins.maxPercent': 1 } });
    talk.harness.models.window = 0;
    await pins().set(ids(), true);
    expect(pins().list()).toMatchObject({ limit: null, pins: { length: 4 } });
  });

  it('PN3: a message of another branch counts where its branch was left', async () => {
    await start(2);
    const [, answer = '', second = ''] = ids();
    const { session } = talk.harness;
    await session.branches.navigate({ targetId: answer, summarize: false, exact: true });
    await talk.say(1);
    await pins().set([second], true);
    expect(pins().list().pins).toEqual([]);
    expect((await session.snapshot()).pins).toEqual([second]);
    await session.branches.navigate({ targetId: second, summarize: false, exact: true });
    expect(
      pins()
        .list()
        .pins.map(({ id }) => id),
    ).toEqual([second]);
  });
});

describe('a request that does not fit', () => {
  it('PN3: names the pins, the largest first, on the card of what was not sent', async () => {
    await start(3, { settings: { 'compaction.enabled': false } });
    await pins().set(ids().slice(0, 5), true);
    talk.harness.models.window = 1000;
    await talk.harness.session.prompt(promptOf('One more'));
    await talk.harness.settled(4);
    const { failure } = await talk.harness.session.snapshot();
    expect(failure?.title).toBe('The session is too long for this model');
    const line = failure?.detail.split('\n')[1] ?? '';
    expect(line).toMatch(
      /^Pinned messages are 1,\d{3} tokens of it: “Question 0: lorem.*…”, .*, 2 more\. Unpinning them/,
    );
    expect(line.match(/“/g)).toHaveLength(3);
  });

  it('PN3: also where the provider refuses it, and says nothing of pins where there are none', async () => {
    await start(2, { settings: { 'compaction.enabled': false } });
    talk.answer(undefined, () => ({ error: 'openai-overflow' }));
    await talk.harness.session.prompt(promptOf('One more'));
    await talk.harness.settled(3);
    expect((await talk.harness.session.snapshot()).failure?.detail).not.toContain('Pinned');
    await pins().set([ids()[0]!], true);
    await talk.harness.session.retry();
    await talk.harness.settled(4);
    expect((await talk.harness.session.snapshot()).failure?.detail).toContain('Pinned messages are ');
  });
});

describe('a file of another program', () => {
  it('PN1: pins of what is not there, and any number of them, do no harm', async () => {
    const log = new MemoryLog();
    await start(1, { log });
    const { tree } = log;
    const [first = ''] = ids();
    await log.append(Array.from({ length: 300 }, () => ({ ...pinDraft(tree, first, true), data: { v: 1, targetId: 'gone', pinned: true } }))); // prettier-ignore
    expect(pins().list().pins).toEqual([]);
    await expect(pins().set(['gone'], false)).rejects.toThrow('Entry gone not found');
  });
});
