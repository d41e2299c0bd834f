import { afterEach, describe, expect, it } from 'vitest';
import { buildContext } from '../../support/oracle/context';
import { toProviderMessages } from '../../support/oracle/sanitize';
import { SUMMARY_FRAMES } from '../../../src/main/agent/session-context';
import { MAYBE_BEGAN, NEVER_BEGAN, STOPPED_BEFORE_CALL } from '../../../src/shared/policy/call-outcome';
import { INTERRUPTED_RESULT } from '@shared/session/messages/sanitizer';
import { nextId, plainTools, promptOf, startHarness, type Harness } from '../../support/agent-harness';
import { sentContext, sentMessages } from '../../support/model-server';

let harness: Harness;
afterEach(() => harness.close());

const call = (
  name: string,
  text: string,
  id?: string,
): { content: { type: 'toolCall'; name: string; arguments: { text: string }; id?: string }[] } => ({
  content: [{ type: 'toolCall', name, arguments: { text }, ...(id ? { id } : {}) }],
});
const sentTexts = (n: number): string[] =>
  sentMessages(harness.server.requests[n]!).map(({ role, text }) => `${role}: ${text}`);
const snapshot = (): ReturnType<Harness['session']['snapshot']> => harness.session.snapshot();

describe('tools', () => {
  it('AG1: a call is run and its result sent back', async () => {
    harness = await startHarness();
    harness.server.script([call('echo', 'one'), 'Done.']);
    await harness.session.prompt(promptOf('Go'));
    await harness.settled();
    expect(harness.messages()).toEqual([
      'user: Go',
      'assistant(toolUse): [echo]',
      'toolResult: echo one',
      'assistant(stop): Done.',
    ]);
    expect(sentTexts(1)).toEqual(['user: Go', 'assistant: ', 'tool: echo one']);
    expect(harness.events.map((event) => event.type)).toContain('tool_start');
    expect(harness.events.find((event) => event.type === 'tool_end')).toMatchObject({ isError: false });
  });

  it('TL5: a blocked call becomes an error result and the run goes on', async () => {
    harness = await startHarness({
      tools: ({ onOutput }) => ({
        ...plainTools(onOutput),
        beforeToolCall: async () => ({ block: true, reason: 'Declined.', outcome: 'declined' }),
      }),
    });
    harness.server.script([call('echo', 'one'), 'All right.']);
    await harness.session.prompt(promptOf('Go'));
    await harness.settled();
    expect(harness.messages()).toEqual([
      'user: Go',
      'assistant(toolUse): [echo]',
      'toolResult: Declined.',
      'assistant(stop): All right.',
    ]);
  });

  it('SU23: what became of each call is recorded with its result, not left to its words', async () => {
    const outcomes = (): unknown[] =>
      harness.log.tree.pathTo(harness.log.tree.leafId).flatMap(({ facts, body }) => {
        const { message } = (body ?? {}) as { message?: { details?: { espalier?: { outcome?: unknown } } } };
        return facts.role === 'toolResult' ? [message?.details?.espalier?.outcome] : [];
      });
    harness = await startHarness({
      tools: ({ onOutput }) => ({
        ...plainTools(onOutput),
        beforeToolCall: async ({ toolCall }) =>
          toolCall.arguments.text === 'no'
            ? { block: true, reason: 'Words of any kind.', outcome: 'declined' }
            : undefined,
      }),
    });
    const calls = [{ name: 'echo', arguments: { text: 'no' } }, { name: 'echo', arguments: { text: 'yes' } }, { name: 'gone', arguments: {} }, { name: 'echo', arguments: {} }]; // prettier-ignore
    harness.server.script([
      { content: calls.map((made) => ({ type: 'toolCall' as const, ...made })), stop: 'toolUse' },
      { content: [{ type: 'toolCall', name: 'echo', arguments: '{"text":"rm -rf /srv/ap' }], stop: 'toolUse' },
      'I see.',
    ]);
    await harness.session.prompt(promptOf('Go'));
    await harness.settled();
    expect(outcomes()).toEqual(['declined', 'ran', 'notRun', 'failed', 'notRun']);
  });

  it('TS11: the clock of a call begins when it runs, not while the person is asked', async () => {
    let answer = (): void => undefined;
    const asked = new Promise<void>((resolve) => (answer = resolve));
    harness = await startHarness({
      tools: ({ onOutput }) => ({ ...plainTools(onOutput), beforeToolCall: () => asked.then(() => undefined) }),
    });
    harness.server.script([call('slow', 'printing'), 'Never.']);
    await harness.session.prompt(promptOf('Go'));
    await harness.until('tool_start');
    expect((await snapshot()).tools).toMatchObject([{ toolName: 'slow', startedAt: null }]);
    const answeredAt = Date.now();
    answer();
    await harness.until('tool_output');
    const [tool] = (await snapshot()).tools;
    expect(tool?.startedAt).toBeGreaterThanOrEqual(answeredAt);
    await harness.session.stop();
  });

  it('WG3: a call whose arguments were cut off is never run', async () => {
    harness = await startHarness();
    harness.server.script([
      { content: [{ type: 'toolCall', name: 'echo', arguments: '{"text":"rm -rf /srv/ap' }], stop: 'toolUse' },
      'I see.',
    ]);
    await harness.session.prompt(promptOf('Go'));
    await harness.settled();
    expect(harness.messages()[2]).toBe('toolResult: Arguments were incomplete, nothing was run. Issue the call again.');
    expect(harness.messages().at(-1)).toBe('assistant(stop): I see.');
  });
});

describe('the queue in a run', () => {
  it('QU3: steering goes in after the tools of the reply, a follow-up after the run', async () => {
    let release = (): void => undefined;
    const gate = new Promise<void>((resolve) => (release = resolve));
    harness = await startHarness({
      tools: ({ onOutput }) => ({ ...plainTools(onOutput), beforeToolCall: () => gate.then(() => undefined) }),
    });
    harness.server.script([call('echo', 'one'), 'Steered.', 'Followed.']);
    await harness.session.prompt(promptOf('Go'));
    await harness.until('tool_start');
    const later = await harness.session.prompt(promptOf('later', 'followUp'));
    const now = await harness.session.prompt(promptOf('now', 'steer'));
    expect([later.queued, now.queued]).toEqual([true, true]);
    expect((await snapshot()).queue.map((item) => item.text)).toEqual(['later', 'now']);
    release();
    await harness.settled();
    expect(harness.messages()).toEqual([
      'user: Go',
      'assistant(toolUse): [echo]',
      'toolResult: echo one',
      'user: now',
      'assistant(stop): Steered.',
      'user: later',
      'assistant(stop): Followed.',
    ]);
    expect(harness.log.tree.has(now.itemId) && harness.log.tree.has(later.itemId)).toBe(true);
    expect((await snapshot()).queue).toEqual([]);
    expect(harness.events.filter((event) => event.type === 'settled')).toHaveLength(1);
  });

  it('QU2: the same id is taken once, the same text twice', async () => {
    harness = await startHarness();
    harness.server.script({ text: 'Answer.', delayMs: 30 });
    const first = promptOf('Hi');
    await Promise.all([
      harness.session.prompt(first),
      harness.session.prompt(first),
      harness.session.prompt(promptOf('Hi')),
    ]);
    await harness.settled();
    await harness.session.prompt(first);
    expect(harness.messages().filter((line) => line === 'user: Hi')).toHaveLength(2);
    expect(harness.server.requests).toHaveLength(2);
  });

  it('QU2: an empty message and a bad id are refused', async () => {
    harness = await startHarness();
    await expect(harness.session.prompt(promptOf('  '))).rejects.toThrow('empty');
    await expect(harness.session.prompt(promptOf('x', 'steer', 'not an id'))).rejects.toThrow('id');
    expect(harness.log.stored).toHaveLength(1);
  });
});

describe('stop', () => {
  it('QU6: in mid-stream records what came as aborted and holds the queue', async () => {
    harness = await startHarness();
    harness.server.script([
      { text: 'one two three four five six', chunkChars: 4, pauseAt: { frame: 4, ms: 60_000 } },
      'Again.',
    ]);
    await harness.session.prompt(promptOf('Go'));
    await harness.until('stream_delta');
    await harness.session.prompt(promptOf('waiting', 'followUp'));
    await harness.session.stop();
    expect(harness.messages()[1]).toMatch(/^assistant\(aborted\): one/);
    const held = await snapshot();
    expect(held.queue).toMatchObject([{ text: 'waiting', held: true }]);
    expect([held.interrupted, held.failure, held.reply]).toEqual([false, null, null]);
    expect(harness.session.state).toBe('idle');
    await harness.session.sendQueued();
    await harness.settled(2);
    expect(harness.messages().slice(2)).toEqual(['user: waiting', 'assistant(stop): Again.']);
  });

  it('AG1: in a running tool ends the tool, keeps the pair and sends nothing more', async () => {
    harness = await startHarness();
    harness.server.script([call('slow', 'printing'), 'Never.']);
    await harness.session.prompt(promptOf('Go'));
    await harness.until('tool_output');
    expect((await snapshot()).tools).toMatchObject([{ toolName: 'slow', tail: 'printing\n' }]);
    await harness.session.stop();
    expect(harness.messages()).toEqual(['user: Go', 'assistant(toolUse): [slow]', 'toolResult: Stopped.']);
    expect(harness.server.requests).toHaveLength(1);
    expect((await snapshot()).tools).toEqual([]);
  });

  it('QU6: a message sent after Stop starts the next run by itself', async () => {
    harness = await startHarness();
    harness.server.script([{ text: 'one two three', chunkChars: 4, pauseAt: { frame: 3, ms: 60_000 } }, 'Next.']);
    await harness.session.prompt(promptOf('Go'));
    await harness.until('stream_delta');
    const stopping = harness.session.stop();
    await harness.session.prompt(promptOf('instead'));
    await stopping;
    await harness.settled();
    expect(harness.messages().slice(2)).toEqual(['user: instead', 'assistant(stop): Next.']);
  });
});

describe('retry', () => {
  it('TG11: an overloaded provider is asked again after a visible wait', async () => {
    harness = await startHarness();
    harness.server.script([{ error: { status: 529, body: { error: { message: 'Overloaded' } } } }, 'Here.']);
    await harness.session.prompt(promptOf('Go'));
    await harness.settled();
    expect(harness.events.find((event) => event.type === 'auto_retry_start')).toMatchObject({
      attempt: 1,
      maxAttempts: 3,
      delayMs: 10,
    });
    expect(harness.events.find((event) => event.type === 'auto_retry_end')).toMatchObject({
      success: true,
      attempt: 1,
    });
    expect(sentTexts(1)).toEqual(['user: Go']);
    expect(harness.messages().at(-1)).toBe('assistant(stop): Here.');
  });

  it('TG11, AG6: the wait is as long as the provider asks, can be skipped and cancelled', async () => {
    harness = await startHarness();
    const busy = { error: { status: 529, body: { error: { message: 'Overloaded' } } }, retryAfter: '3600' };
    harness.server.script([busy, busy, 'Here.']);
    await harness.session.prompt(promptOf('Go'));
    const wait = await harness.until('auto_retry_start');
    expect(wait.delayMs).toBe(3_600_000);
    expect(harness.session.state).toBe('retrying');
    expect((await snapshot()).retry).toMatchObject({ attempt: 1, maxAttempts: 3 });
    harness.session.skipRetryWait();
    await harness.until('auto_retry_start', (event) => event.attempt === 2);
    await harness.session.stop();
    expect(harness.session.state).toBe('error');
    expect((await snapshot()).failure?.actions).toContain('retry');
    await harness.session.retry();
    await harness.settled(2);
    expect(harness.messages().at(-1)).toBe('assistant(stop): Here.');
    expect((await snapshot()).failure).toBeNull();
  });

  it('TG11: a provider that asks for days is not waited for, and not asked at once either', async () => {
    harness = await startHarness();
    const busy = { error: { status: 429, body: { error: { message: 'Too many requests' } } }, retryAfter: '99999999' };
    harness.server.script(() => busy);
    await harness.session.prompt(promptOf('Go'));
    await harness.settled();
    expect(harness.server.requests).toHaveLength(1);
    expect(harness.events.filter(({ type }) => type === 'auto_retry_start')).toEqual([]);
    expect((await snapshot()).failure).toMatchObject({
      detail: expect.stringContaining('It asks you to wait') as string,
    });
  });

  it('AG4: gives up after the attempts of the settings, and empty failed replies are stored once', async () => {
    harness = await startHarness({ settings: { 'retry.maxRetries': 2 } });
    harness.server.script(() => ({ error: { status: 529, body: { error: { message: 'Overloaded' } } } }));
    await harness.session.prompt(promptOf('Go'));
    await harness.settled();
    expect(harness.server.requests).toHaveLength(3);
    expect(harness.messages()).toEqual(['user: Go', 'assistant(error): ']);
    expect(harness.events.find((event) => event.type === 'auto_retry_end')).toMatchObject({
      success: false,
      attempt: 2,
    });
    expect(harness.session.state).toBe('error');
  });

  it('AG7, AG5: a wrong key fails at once, in plain words, and a right one continues', async () => {
    harness = await startHarness();
    harness.server.script([
      { error: { status: 401, body: { error: { message: 'Incorrect API key provided' } } } },
      'Hello.',
    ]);
    await harness.session.prompt(promptOf('Hi'));
    await harness.settled();
    const { failure } = await snapshot();
    expect(failure?.title).toMatch(/key/i);
    expect(failure?.actions).toEqual(expect.arrayContaining(['settings', 'retry']));
    expect(harness.server.requests).toHaveLength(1);
    await harness.session.retry();
    await harness.settled(2);
    expect(sentTexts(1)).toEqual(['user: Hi']);
    expect(harness.messages().at(-1)).toBe('assistant(stop): Hello.');
  });

  it('WG2: a stream cut before its end is an error, repeated by itself', async () => {
    harness = await startHarness();
    harness.server.script([{ text: 'half of the ans', omitEnd: 'all' }, 'The whole answer.']);
    await harness.session.prompt(promptOf('Go'));
    await harness.settled();
    expect(harness.messages()).toEqual([
      'user: Go',
      'assistant(error): half of the ans',
      'assistant(stop): The whole answer.',
    ]);
    expect(sentTexts(1)).toEqual(['user: Go']);
  });

  it('TG10: an overflow is told, its window learned, and not repeated', async () => {
    harness = await startHarness();
    const message =
      "This model's maximum context length is 4096 tokens. However, your messages resulted in 9000 tokens.";
    harness.server.script({ error: { status: 400, body: { error: { message, code: 'context_length_exceeded' } } } });
    await harness.session.prompt(promptOf('Go'));
    await harness.settled();
    expect(harness.server.requests).toHaveLength(1);
    expect(harness.models.learned).toEqual([4096]);
    expect((await snapshot()).failure?.title).toMatch(/too long/);
  });

  it('AG8: there is nothing to retry after a finished reply', async () => {
    harness = await startHarness();
    await expect(harness.session.retry()).rejects.toThrow('nothing to retry');
    harness.server.script('Hello.');
    await harness.session.prompt(promptOf('Hi'));
    await harness.settled();
    await harness.session.retry();
    expect(harness.server.requests).toHaveLength(1);
  });
});

describe('length', () => {
  it('TG9: a reply cut by the output cap is continued, at most three times', async () => {
    harness = await startHarness();
    harness.server.script(() => ({ text: 'more', stop: 'length' }));
    await harness.session.prompt(promptOf('Write'));
    await harness.settled();
    expect(harness.server.requests).toHaveLength(4);
    expect(sentTexts(1)).toEqual([
      'user: Write',
      'assistant: more',
      'user: Your last reply was cut off. Continue where it stopped.',
    ]);
    expect(harness.session.state).toBe('idle');
  });
});

describe('the gate', () => {
  it('AG2: sends exactly the context of the tree, sanitised', async () => {
    harness = await startHarness();
    harness.server.script([call('echo', 'a'), 'First.', { text: 'half', omitEnd: 'all' }, 'Second.']);
    await harness.session.prompt(promptOf('one'));
    await harness.settled();
    await harness.session.prompt(promptOf('two'));
    await harness.settled(2);
    const { messages } = buildContext(harness.log.tree, harness.log.tree.node(harness.log.tree.leafId!)?.parent?.id);
    const expected = toProviderMessages(messages, SUMMARY_FRAMES).map((message) =>
      message.role.replace('toolResult', 'tool'),
    );
    expect(sentMessages(harness.server.requests[3]!).map(({ role }) => role)).toEqual(expected);
    expect(sentTexts(3)).toEqual(['user: one', 'assistant: ', 'tool: echo a', 'assistant: First.', 'user: two']);
  });

  it('TG6: a context over the window is not sent and nothing is stored; Retry sends it anyway', async () => {
    harness = await startHarness({ model: { contextWindow: 3000 } });
    harness.server.script('Sent.');
    await harness.session.prompt(promptOf('x'.repeat(20_000)));
    await harness.settled();
    expect(harness.server.requests).toHaveLength(0);
    expect(harness.messages()).toHaveLength(1);
    const { failure, usage } = await snapshot();
    expect(failure?.actions).toEqual(expect.arrayContaining(['model', 'retry']));
    expect(usage?.tokens).toBeGreaterThan(3000);
    await harness.session.retry();
    await harness.settled(2);
    expect(harness.messages().at(-1)).toBe('assistant(stop): Sent.');
    expect(sentContext(harness.server.requests[0]!).maxTokens).toBe(1024);
  });

  it('TG7: the output cap leaves room in the window', async () => {
    harness = await startHarness({ model: { contextWindow: 12_000 } });
    harness.server.script('Ok.');
    await harness.session.prompt(promptOf('x'.repeat(20_000)));
    await harness.settled();
    const { maxTokens } = sentContext(harness.server.requests[0]!);
    expect(maxTokens).toBeGreaterThan(1024);
    expect(maxTokens).toBeLessThan(7000);
  });

  it('AG2: a model chosen in mid-run answers the next request, and stays chosen', async () => {
    harness = await startHarness();
    harness.server.script([{ ...call('echo', 'a'), pauseAt: { frame: 2, ms: 60 } }, 'By the other.']);
    await harness.session.prompt(promptOf('Go'));
    await harness.until('stream_start');
    await harness.session.setModel({ provider: 'loopback-anthropic', modelId: 'loopback' });
    await harness.settled();
    expect(harness.server.requests.map(({ wire }) => wire)).toEqual(['completions', 'messages']);
    expect((await snapshot()).model).toEqual({ provider: 'loopback-anthropic', modelId: 'loopback' });
    const again = await harness.reopen();
    expect(again.model).toEqual({ provider: 'loopback-anthropic', modelId: 'loopback' });
  });

  it('AG7: a model that was removed fails in plain words and the session stays usable', async () => {
    harness = await startHarness();
    harness.server.script('Hello.');
    const [first, second] = harness.models.all.splice(0, 2);
    harness.models.all.unshift(first!);
    await harness.session.prompt(promptOf('Hi'));
    await harness.settled();
    harness.models.all.splice(0, 1, second!);
    await harness.session.prompt(promptOf('Still there?'));
    await harness.settled(2);
    expect((await snapshot()).failure).toMatchObject({ title: 'Model not available' });
    expect(harness.messages().at(-1)).toBe('user: Still there?');
    await expect(harness.session.setModel({ provider: 'gone', modelId: 'x' })).rejects.toThrow('no longer available');
    await harness.session.setModel({ provider: second!.provider, modelId: second!.id });
    await harness.session.retry();
    await harness.settled(3);
    expect(harness.messages().at(-1)).toBe('assistant(stop): Hello.');
  });

  it('SF11: the request state is written when it changes and only then', async () => {
    harness = await startHarness();
    harness.server.script('Hello.');
    const requests = (): number => harness.log.stored.filter(({ line }) => line.includes('espalier.request')).length;
    await harness.session.prompt(promptOf('one'));
    await harness.settled();
    await harness.session.prompt(promptOf('two'));
    await harness.settled(2);
    expect(requests()).toBe(1);
    await harness.session.setThinking('high');
    await harness.session.prompt(promptOf('three'));
    await harness.settled(3);
    expect(requests()).toBe(2);
  });
});

describe('storage', () => {
  const full = Object.assign(new Error('Could not save: the disk is full.'), { name: 'StorageError', problem: 'full' });

  it('JN17: a prompt that can not be stored is refused and can be sent again', async () => {
    harness = await startHarness();
    harness.server.script('Hello.');
    harness.log.failures.push(full);
    const prompt = promptOf('Hi');
    await expect(harness.session.prompt(prompt)).rejects.toThrow('the disk is full');
    expect(harness.server.requests).toHaveLength(0);
    expect((await snapshot()).failure).toBeNull();
    await harness.session.prompt(prompt);
    await harness.settled(2);
    expect(harness.messages()).toEqual(['user: Hi', 'assistant(stop): Hello.']);
  });

  it('JN17: a reply that can not be stored stays on screen; Retry saves it and goes on', async () => {
    harness = await startHarness();
    harness.server.script([call('echo', 'one'), 'Done.']);
    harness.log.beforeAppend = (drafts) => {
      const isReply = drafts.some(
        (draft) => draft.type === 'message' && (draft.message as { role: string }).role === 'assistant',
      );
      if (isReply && harness.log.failures.length === 0 && harness.server.requests.length === 1)
        harness.log.failures.push(full);
    };
    await harness.session.prompt(promptOf('Go'));
    await harness.settled();
    harness.log.beforeAppend = null;
    const shown = await snapshot();
    expect(shown.reply?.blocks.map((block) => block.kind)).toEqual(['toolCall']);
    expect(shown.failure?.title).toBe('Not saved');
    expect(harness.messages()).toEqual(['user: Go']);
    await harness.session.retry();
    await harness.settled(2);
    expect(harness.messages()).toEqual([
      'user: Go',
      'assistant(toolUse): [echo]',
      `toolResult: ${MAYBE_BEGAN}`,
      'assistant(stop): Done.',
    ]);
    expect(sentTexts(1)).toEqual(['user: Go', 'assistant: ', `tool: ${MAYBE_BEGAN}`]);
  });
});

describe('restart', () => {
  it('AG8: a turn that was cut off is interrupted, its call is never run again, Retry goes on', async () => {
    harness = await startHarness();
    harness.server.script([call('slow', 'x'), 'Continued.']);
    await harness.session.prompt(promptOf('Go'));
    await harness.until('tool_output');
    const crashed = harness.log.reopen();
    const again = await harness.reopen(crashed);
    const shown = await again.snapshot();
    expect(shown.interrupted).toBe(true);
    expect(shown.rows.map((row) => row.kind)).toEqual(['modelChange', 'user', 'assistant']);
    await again.retry();
    await harness.settled();
    expect(sentTexts(1)).toEqual(['user: Go', 'assistant: ', `tool: ${MAYBE_BEGAN}`]);
    expect((await again.snapshot()).interrupted).toBe(false);
  });

  const two = {
    content: ['one', 'two'].map((text) => ({
      type: 'toolCall' as const,
      id: text,
      name: text === 'one' ? 'slow' : 'echo',
      arguments: { text },
    })),
  };

  it('AG8: a turn that the person stopped in a call is not interrupted at the next start; one that a quit stopped is', async () => {
    for (const by of ['Stop', 'quit', 'deletion'] as const) {
      harness = await startHarness();
      harness.server.script([two, 'Continued.']);
      await harness.session.prompt(promptOf('Go'));
      await harness.until('tool_output');
      if (by === 'Stop') await harness.session.stop();
      if (by === 'deletion') await harness.session.comeToRest();
      await harness.session.dispose();
      const second = by === 'Stop' ? STOPPED_BEFORE_CALL : NEVER_BEGAN;
      expect(harness.messages().slice(-2)).toEqual(['toolResult: Stopped.', `toolResult: ${second}`]);
      const again = await harness.reopen();
      expect([by, (await again.snapshot()).interrupted]).toEqual([by, by !== 'Stop']);
      await harness.close();
    }
  });

  /** A run of two calls that was cut off in the first, opened again. */
  async function cutOff(): Promise<Harness['session']> {
    harness = await startHarness();
    harness.server.script([two, 'Continued.', 'Again.']);
    await harness.session.prompt(promptOf('Go'));
    await harness.until('tool_output');
    return harness.reopen(harness.log.reopen());
  }

  it.each(['Retry', 'the next message'])('AG11: what a crash left open is told once: %s', async (how) => {
    const again = await cutOff();
    expect(await again.snapshot()).toMatchObject({ interrupted: true, neverBegan: [] });
    await (how === 'Retry' ? again.retry() : again.prompt(promptOf('And now?')));
    await harness.settled();
    const told = ['user: Go', 'assistant: ', `tool: ${MAYBE_BEGAN}`, `tool: ${MAYBE_BEGAN}`];
    expect(sentTexts(1)).toEqual(how === 'Retry' ? told : [...told, 'user: And now?']);
    // Once: what became of them is in the file.
    await again.prompt(promptOf('Again'));
    await harness.settled(2);
    expect(sentTexts(2).filter((text) => text.startsWith('tool: '))).toEqual(told.slice(2));
  });

  it('AG11: calls whose results stand on another branch are no open ones', async () => {
    harness = await startHarness();
    harness.server.script([
      { content: [...two.content.slice(1), ...call('echo', 'x', 'three').content] },
      'Done.',
      'Ok.',
    ]);
    await harness.session.prompt(promptOf('Go'));
    await harness.settled();
    const reply = harness.log.tree.entriesInOrder().find(({ facts }) => facts.calls);
    await harness.session.branches.navigate({ targetId: reply!.id, summarize: false });
    await harness.session.prompt(promptOf('Anew'));
    await harness.settled(2);
    const interrupted = `tool: ${INTERRUPTED_RESULT}`;
    expect(sentTexts(2)).toEqual(['user: Go', 'assistant: ', interrupted, interrupted, 'user: Anew']);
  });

  it('QU1: after a crash between entry and queue the message is not sent twice', async () => {
    harness = await startHarness();
    harness.server.script('Hello.');
    const prompt = promptOf('Hi');
    await harness.session.prompt(prompt);
    await harness.settled();
    const { DurableQueue } = await import('../../../src/main/agent/durable-queue');
    const { queue } = await DurableQueue.open(
      harness.ports.queueFile(harness.session.sessionId),
      () => false,
      () => undefined,
    );
    await queue.add({ id: prompt.itemId, text: 'Hi', attachments: [], mode: 'steer', createdAt: 0, held: false });
    await queue.add({ id: nextId(), text: 'unsent', attachments: [], mode: 'steer', createdAt: 0, held: false });
    const again = await harness.reopen();
    const { queue: items } = await again.snapshot();
    expect(items).toMatchObject([{ text: 'unsent', held: true }]);
  });
});
