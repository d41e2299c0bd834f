import { Type } from 'typebox';
import { afterEach, describe, expect, it } from 'vitest';
import type { AgentTool } from '../../../src/main/pi/pi-types';
import type { SessionTools } from '../../../src/main/session/machine/tool-slot';
import type { Failure } from '../../../src/shared/types';
import { promptOf, type HarnessOptions } from '../../support/agent-harness';
import { CompactionTalk, isSummary, SUMMARY } from '../../support/compaction-talk';
import { sentMessages, type CapturedRequest, type Reply } from '../../support/model-server';

/** How a session helps itself when its window fills, and when it leaves that alone (TG4, TG12 to TG16, PR1, JB9, JB10). */
let talk: CompactionTalk;
afterEach(() => talk.harness.close());

/** A window of 8,000 tokens: T = H = 6,800. */
const small = { contextWindow: 8000 };
/** A picture of one pixel. */
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const OUTPUT = 'x'.repeat(4000);

/** `dump` gives 1,000 tokens for a few, from 100 on 8,000. */
function dumpTool(): SessionTools {
  const parameters = Type.Object({ n: Type.Number() });
  const dump: AgentTool<typeof parameters> = {
    name: 'dump',
    label: 'Dump',
    description: 'Gives much output.',
    parameters,
    executionMode: 'sequential',
    execute: async (_id, { n }) => ({
      content: [{ type: 'text', text: `${n} ${OUTPUT.repeat(n < 100 ? 1 : 8)}` }],
      details: {},
    }),
  };
  return {
    tools: [dump as unknown as AgentTool],
    beforeToolCall: async () => undefined,
    dispose: async () => undefined,
  };
}

const call = (name: string, args: Record<string, unknown>, text = ''): Reply => ({
  text,
  content: [{ type: 'toolCall', name, arguments: args }],
});
const isChat = (request: CapturedRequest): boolean => !isSummary(request);
const chats = (): CapturedRequest[] => talk.harness.server.requests.filter(isChat);
const textOf = (request: CapturedRequest | undefined): string => (request ? JSON.stringify(sentMessages(request)) : '');
const failure = (): Failure | null | undefined =>
  talk.harness.events.filter((event) => event.type === 'failure').at(-1)?.failure;
const customs = (customType: string): Record<string, unknown>[] =>
  talk.lines
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter((entry) => entry.customType === customType);
const notices = (): string[] =>
  talk.harness.events.flatMap((event) => (event.type === 'notice' ? [event.notice.code] : []));

async function ask(text: string): Promise<void> {
  const before = talk.harness.events.filter(({ type }) => type === 'settled').length;
  await talk.harness.session.prompt(promptOf(text));
  await talk.harness.settled(before + 1);
}

const settledCount = (): number => talk.harness.events.filter(({ type }) => type === 'settled').length;

async function again(how: { dropsLarge?: boolean }): Promise<void> {
  const before = settledCount();
  await talk.harness.session.retry(how);
  await talk.harness.settled(before + 1);
}

/** Replies to chat in order, the last one again and again. */
function chatWith(replies: Reply[], summary: Reply = SUMMARY): void {
  let n = 0;
  talk.answer(summary, () => replies[Math.min(n++, replies.length - 1)] as Reply);
}

async function start(options: HarnessOptions): Promise<void> {
  talk = await CompactionTalk.start(0, options);
}

describe('old outputs first', () => {
  const settings = { 'pruning.protectTokens': 1500, 'pruning.minimumSavings': 1000 };

  it('PR1, PR5, TG5: they are hidden before a summary is made, and can be shown again', async () => {
    await start({ model: small, tools: dumpTool, settings });
    const steps = Array.from({ length: 8 }, (_, n) => call('dump', { n }));
    chatWith([...steps, 'All dumped.']);
    await ask('Dump eight times');
    expect(talk.harness.messages().at(-1)).toBe('assistant(stop): All dumped.');
    expect(talk.compactions).toEqual([]);
    const [prune] = customs('espalier.prune');
    const event = await talk.harness.until('pruned');
    expect(event).toMatchObject({ entryId: prune!.id, count: (prune!.data as { items: unknown[] }).items.length });
    expect(event.tokensSaved).toBeGreaterThan(1000);
    expect(textOf(chats().at(-1))).toContain('[Output truncated - 1001 tokens]');
    expect(textOf(chats().at(-1))).toContain(`7 ${OUTPUT}`);
    expect(textOf(chats().at(-1))).not.toContain(`0 ${OUTPUT}`);
    await talk.harness.session.rewriter.restorePruned(prune!.id as string);
    expect(talk.context.join()).toContain(`0 ${OUTPUT}`);
    expect(talk.context.join()).not.toContain('Output truncated');
  });

  it('PR1: switched off, the summary comes at once', async () => {
    await start({ model: small, tools: dumpTool, settings: { ...settings, 'pruning.enabled': false } });
    chatWith([...Array.from({ length: 8 }, (_, n) => call('dump', { n })), 'All dumped.']);
    await ask('Dump eight times');
    expect(customs('espalier.prune')).toEqual([]);
    expect(talk.compactions.length).toBeGreaterThan(0);
  });
});

describe('guards', () => {
  it('TG14: a summariser that fails is asked three times in a row, then the session rests until a command', async () => {
    await start({ model: small });
    const steps = Array.from({ length: 9 }, (_, n) => call('echo', { text: `${n} ${'y'.repeat(n < 3 ? 4000 : 100)}` }));
    chatWith([...steps, 'Done.'], ' ');
    await ask('Echo');
    expect(talk.summaryBodies).toHaveLength(3);
    expect(talk.harness.messages().at(-1)).toBe('assistant(stop): Done.');
    talk.answer();
    expect((await talk.compacted()).entryId).toBeDefined();
  });

  it('TG13: one that makes no room is done, and said once in a row', async () => {
    await start({ model: small });
    const long = `## Goal\n${'z'.repeat(20_800)}`;
    const steps = Array.from({ length: 8 }, (_, n) => call('echo', { text: `${n} ${'y'.repeat(n < 3 ? 4000 : 600)}` }));
    chatWith([...steps, 'Done.'], long);
    await ask('Echo');
    const said = () => notices().filter((code) => code === 'no-progress').length;
    expect(said()).toBe(1);
    // After a command a row of its own begins, of which it is said again.
    await talk.compacted();
    chatWith([...steps, 'Done.'], long);
    await ask('Echo again');
    expect(said()).toBe(2);
  });

  it('TG21: cancelled by the person it does not begin again until they speak', async () => {
    await start({ model: small });
    const never = new Promise<void>(() => undefined);
    const steps = Array.from({ length: 9 }, (_, n) => call('echo', { text: `${n} ${'y'.repeat(n < 4 ? 3000 : 100)}` }));
    chatWith([...steps, 'Done.'], { text: SUMMARY, chunkChars: 4, holdAt: { frame: 2, until: never } });
    const done = ask('Echo');
    await talk.harness.until('compaction_progress', (event) => event.textDelta !== undefined);
    talk.harness.session.cancelJob();
    await done;
    expect(talk.ends.map(({ aborted }) => aborted)).toEqual([true]);
    talk.answer(SUMMARY, 'Fine.');
    await ask('And now?');
    expect(talk.compactions).toHaveLength(1);
  });

  it('TG17: the same call with the same result three times after a compaction ends the run', async () => {
    await start({ model: small });
    const steps = Array.from({ length: 7 }, (_, n) => call('echo', { text: `${n} ${'y'.repeat(3000)}` }));
    chatWith([...steps, call('echo', { text: 'again' })]);
    await ask('Echo');
    expect(failure()).toMatchObject({ title: 'The agent is repeating itself', actions: ['continue', 'dismiss'] });
    expect(
      talk.harness
        .messages()
        .slice(-6)
        .filter((text) => text === 'toolResult: echo again'),
    ).toHaveLength(3);
    chatWith(['I see.']);
    await talk.harness.session.retry();
    await talk.harness.settled(2);
    expect(talk.harness.messages().at(-1)).toBe('assistant(stop): I see.');
  });

  it('JB8: a run that was stopped for /compact is offered, not gone on with, where that is switched off', async () => {
    await start({ settings: { 'compaction.autoContinue': false } });
    await talk.say(3);
    const never = new Promise<void>(() => undefined);
    chatWith([{ text: 'Half of an answer', chunkChars: 4, holdAt: { frame: 3, until: never } }, 'Whole.']);
    await talk.harness.session.prompt(promptOf('Go on'));
    await talk.harness.until('stream_delta', ({ delta }) => delta.startsWith('Half'));
    await talk.compacted();
    await expect.poll(failure).toMatchObject({ title: 'This turn is unfinished', actions: ['continue', 'dismiss'] });
    await talk.harness.session.retry();
    await talk.harness.settled(5);
    expect(talk.harness.messages().at(-1)).toBe('assistant(stop): Whole.');
  });

  it('JB8: a run that was stopped for a compaction that is cancelled is offered, and is no error of the session', async () => {
    await start({});
    await talk.say(3);
    const never = new Promise<void>(() => undefined);
    const half = (text: string): Reply => ({ text, chunkChars: 4, holdAt: { frame: 3, until: never } });
    chatWith([half('Half of an answer')], half('Half of a summary'));
    await talk.harness.session.prompt(promptOf('Go on'));
    await talk.harness.until('stream_delta', ({ delta }) => delta.startsWith('Half'));
    await talk.harness.session.compact({});
    await expect.poll(() => talk.harness.server.requests.some(isSummary)).toBe(true);
    await talk.harness.session.stop();
    await expect.poll(failure).toMatchObject({ title: 'This turn is unfinished', actions: ['continue', 'dismiss'] });
    expect(talk.harness.session.state).toBe('idle');
  });
});

describe('what is paid for nothing', () => {
  it('GR17, IN6: a discarded summary leaves no trace until something is said; then its cost is recorded, once', async () => {
    await start({});
    await talk.say(3);
    const { tree } = talk.harness.log;
    chatWith(['Fine.'], { text: ' ', usage: { input: 5000, output: 300 } });
    const [lines, cost] = [talk.lines.length, tree.cost];
    expect((await talk.compacted()).errorMessage).toContain('empty summary');
    expect([talk.lines.length, tree.cost]).toEqual([lines, cost]);
    await ask('Go on');
    const [record, ...more] = customs('espalier.cost');
    expect(more).toEqual([]);
    const { kind, cost: paid } = record!.data as { kind: string; cost: number };
    expect(kind).toBe('compaction');
    expect(paid).toBeGreaterThan(0);
    const replies = talk.lines
      .slice(lines)
      .map((line) => JSON.parse(line) as { message?: { usage?: { cost: { total: number } } } });
    const said = replies.reduce((sum, { message }) => sum + (message?.usage?.cost.total ?? 0), 0);
    expect(tree.cost).toBeCloseTo(cost + paid + said, 10);
    await ask('And on');
    expect(customs('espalier.cost')).toHaveLength(1);
  });
});

describe('too long for the model', () => {
  it('TG16: what still does not fit after a summary is shown short, and the request goes out once more', async () => {
    await start({ tools: dumpTool, settings: { 'pruning.enabled': false } });
    const nine = Array.from({ length: 9 }, (_, n) => ({ type: 'toolCall' as const, name: 'dump', arguments: { n } }));
    let n = 0;
    talk.answer(SUMMARY, (request) => {
      if (n++ === 0) return { content: nine };
      return textOf(request).length > 36_000 ? { error: 'openai-overflow' } : 'Small enough.';
    });
    await ask('Dump nine times');
    expect(talk.harness.messages().at(-1)).toBe('assistant(stop): Small enough.');
    const [prune] = customs('espalier.prune');
    const shortened = (prune!.data as { items: { mode: string }[] }).items;
    expect(new Set(shortened.map(({ mode }) => mode))).toEqual(new Set(['shorten']));
    const results = sentMessages(chats().at(-1)!).filter(({ text }) => /^\d x/.test(text));
    expect(results).toHaveLength(9);
    expect(results.filter(({ text }) => text.includes('characters truncated'))).toHaveLength(shortened.length);
  });

  it('JB10: an answer that came although the context was longer than the window: a summary, no second request', async () => {
    await start({ model: small });
    await talk.say(3);
    chatWith([{ text: 'It went through.', usage: { input: 9000, output: 10 } }]);
    const before = chats().length;
    await ask('Does it fit?');
    expect(chats()).toHaveLength(before + 1);
    expect(talk.compactions[0]!.details).toMatchObject({ espalier: { reason: 'overflow' } });
    expect(talk.harness.messages().at(-1)).toBe('assistant(stop): It went through.');
    expect(talk.context.join()).toContain('It went through.');
    expect(failure()).toBeFalsy();
  });

  it('JB10: a reply cut off for want of room is asked for again; then the whole one takes its place', async () => {
    await start({ model: { ...small, maxTokens: 4000 } });
    await talk.say(3);
    chatWith([{ text: 'Half of it', stop: 'length', usage: { input: 7200, output: 200 } }, 'All of it.']);
    await ask('A long one');
    expect(talk.harness.messages().slice(-2)).toEqual(['assistant(length): Half of it', 'assistant(stop): All of it.']);
    expect(textOf(chats().at(-1))).not.toContain('Half of it');
    expect(sentMessages(chats().at(-1)!).at(-1)!.text).toBe('A long one');
    expect(customs('espalier.omit')).toHaveLength(1);
    expect(talk.context.join()).not.toContain('Half of it');
    expect(talk.context.join()).toContain('All of it.');
  });

  it('TG6: a compaction is offered where it would help, and not where there is nothing left to summarize', async () => {
    await start({ settings: { 'compaction.enabled': false } });
    await talk.say(3);
    chatWith([{ error: 'openai-overflow' }]);
    await ask('Too much?');
    expect(failure()!.actions).toEqual(['compact', 'model', 'retry', 'dismiss']);
    // What the card offers: it takes all that there is, and the request is refused all the same.
    const settled = talk.harness.events.filter(({ type }) => type === 'settled').length;
    await talk.harness.session.compact({ retry: true });
    await talk.harness.settled(settled + 1);
    expect(talk.compactions).toHaveLength(1);
    expect(failure()!.title).toBe('The session is too long for this model');
    expect(failure()!.actions).toEqual(['model', 'retry', 'dismiss']);
  });

  it('TG9: too many bytes: images and long outputs are dropped where the person says so, and shown again', async () => {
    await start({ tools: dumpTool });
    const pixel = { kind: 'image' as const, name: 'p.png', mimeType: 'image/png', data: PIXEL };
    const long = { type: 'text' as const, text: 'y'.repeat(30_000) };
    chatWith([{ text: 'Fine.' }]);
    await ask('Small');
    chatWith([{ error: 'anthropic-payload' }]);
    await ask('Nothing to drop');
    expect(failure()!.title).toBe('The request is too large');
    expect(failure()!.actions).toEqual(['model', 'retry', 'dismiss']);
    // Without that offer it is a retry, whoever asks.
    const entries = talk.lines.length;
    await again({ dropsLarge: true });
    expect(talk.lines.slice(entries).join()).not.toContain('espalier.prune');

    chatWith([call('dump', { n: 100 }), call('dump', { n: 1 }), 'Dumped.']);
    await ask('Dump twice');
    chatWith([{ error: 'anthropic-payload' }]);
    const before = settledCount();
    await talk.harness.session.prompt({ ...promptOf(`Look. ${long.text}`), attachments: [pixel] });
    await talk.harness.settled(before + 1);
    expect(failure()!.actions).toEqual(['drop', 'model', 'retry', 'dismiss']);
    expect(JSON.stringify(chats().at(-1)!.body)).toContain(PIXEL);
    chatWith(['Without the picture.']);
    await again({ dropsLarge: true });
    expect(talk.harness.messages().at(-1)).toBe('assistant(stop): Without the picture.');
    const sent = JSON.stringify(chats().at(-1)!.body);
    expect(sent).not.toContain(PIXEL);
    // What the person wrote stays, however long.
    expect(sent).toContain(long.text);
    // So does an output of ordinary length.
    expect(sent).toContain(`1 ${OUTPUT}`);
    expect(sent).not.toContain(`100 ${OUTPUT}`);
    expect(sent.match(/characters truncated/g)).toHaveLength(1);
    const [prune] = customs('espalier.prune');
    await talk.harness.session.rewriter.restorePruned(prune!.id as string);
    chatWith(['I see it.']);
    await ask('And now?');
    expect(JSON.stringify(chats().at(-1)!.body)).toContain(PIXEL);
  });

  it('TG12: and says so if a reply has no room to begin again', async () => {
    await start({ model: { ...small, maxTokens: 4000 } });
    await talk.say(3);
    chatWith([{ text: '', stop: 'length', usage: { input: 7980, output: 0 } }]);
    const before = chats().length;
    await ask('A long one');
    expect(chats()).toHaveLength(before + 2);
    expect(failure()).toMatchObject({ title: 'The reply was cut off' });
    expect(failure()!.detail).toContain('Truncated response recovery failed after one compact-and-retry attempt.');
  });

  it('TG12: a cut-off reply of some words allows the next recovery, which ends where nothing is left to summarize', async () => {
    await start({ model: { ...small, maxTokens: 4000 } });
    await talk.say(3);
    chatWith([{ text: 'Half', stop: 'length', usage: { input: 7200, output: 200 } }]);
    const before = chats().length;
    await ask('A long one');
    expect(chats()).toHaveLength(before + 2);
    expect(failure()).toMatchObject({ title: 'The reply was cut off' });
    expect(failure()!.detail).toContain('Context overflow recovery failed: Already compacted.');
    expect(talk.context.join()).toContain('Half');
  });
});

describe('continuing', () => {
  const CUT_OFF = 'Your last reply was cut off. Continue where it stopped.';
  /** A whole cap of tokens, which takes the context over T. */
  const capped = { text: 'more', stop: 'length' as const, usage: { input: 6600, output: 400 } };
  const tight = { ...small, maxTokens: 400 };

  it('TG19, TG20: room is made for the rest of a reply first, then it is continued', async () => {
    await start({ model: tight });
    await talk.say(3);
    chatWith([capped, 'The end.']);
    await ask('Write');
    expect(talk.compactions).toHaveLength(1);
    expect(textOf(chats().at(-1))).toContain(CUT_OFF);
    expect(talk.harness.messages().at(-1)).toBe('assistant(stop): The end.');
  });

  it('TG19: where the compaction made no progress the reply is left as it is', async () => {
    await start({ model: tight });
    const steps = Array.from({ length: 8 }, (_, n) => call('echo', { text: `${n} ${'y'.repeat(n < 3 ? 4000 : 600)}` }));
    chatWith([...steps, capped], `## Goal\n${'z'.repeat(20_800)}`);
    const before = chats().length;
    await ask('Write');
    expect(notices()).toContain('no-progress');
    expect(chats()).toHaveLength(before + 9);
    expect(talk.lines.join()).not.toContain(CUT_OFF);
    expect(talk.harness.session.state).toBe('idle');
  });

  it('TG19: nor after a compaction that the person cancelled', async () => {
    await start({ model: tight });
    await talk.say(3);
    const never = new Promise<void>(() => undefined);
    chatWith([capped], { text: SUMMARY, chunkChars: 4, holdAt: { frame: 2, until: never } });
    const done = ask('Write');
    await talk.harness.until('compaction_progress', (event) => event.textDelta !== undefined);
    talk.harness.session.cancelJob();
    await done;
    expect(talk.lines.join()).not.toContain(CUT_OFF);
  });

  it('TG20, JB8: a run that was stopped behind results is told to go on if there is something to do', async () => {
    let isWaiting = false;
    const wait: AgentTool = {
      ...{ name: 'wait', label: 'Wait', description: 'Waits.', parameters: Type.Object({}) },
      execute: (_id, _args, signal) =>
        new Promise((_resolve, reject) => {
          isWaiting = true;
          signal?.addEventListener('abort', () => reject(new Error('Stopped.')));
        }),
    };
    const tools = { tools: [wait], beforeToolCall: async () => undefined, dispose: async () => undefined };
    await start({ tools: () => tools });
    await talk.say(3);
    chatWith([call('wait', {}), 'Two.']);
    await talk.harness.session.prompt(promptOf('Go on'));
    await expect.poll(() => isWaiting).toBe(true);
    await talk.compacted();
    await expect.poll(() => talk.harness.messages().at(-1)).toBe('assistant(stop): Two.');
    expect(sentMessages(chats().at(-1)!).at(-1)!.text).toBe(
      'Continue if you have next steps. The newest messages take priority over the summary. If the last request is already answered, stop.',
    );
  });

  it('TG13, JB8: a run that was stopped for a compaction without progress is offered', async () => {
    await start({ model: small });
    await talk.say(2);
    const never = new Promise<void>(() => undefined);
    chatWith(
      [{ text: 'Half of an answer', chunkChars: 4, holdAt: { frame: 3, until: never } }],
      `## Goal\n${'z'.repeat(24_000)}`,
    );
    await talk.harness.session.prompt(promptOf('Go on'));
    await talk.harness.until('stream_delta', ({ delta }) => delta.startsWith('Half'));
    await talk.compacted();
    await expect.poll(failure).toMatchObject({ title: 'This turn is unfinished', actions: ['continue', 'dismiss'] });
  });
});
