import { afterEach, describe, expect, it } from 'vitest';
import { promptOf, startHarness, type Harness } from '../../support/agent-harness';
import { sentContext } from '../../support/model-server';

let harness: Harness;
afterEach(() => harness.close());

describe('a prompt', () => {
  it('AG1: is stored, answered and stored, in this order', async () => {
    harness = await startHarness();
    harness.server.script('Hello there.');
    const prompt = promptOf('Hi');
    expect(await harness.session.prompt(prompt)).toEqual({ queued: false, itemId: prompt.itemId });
    expect(harness.log.tree.has(prompt.itemId)).toBe(true);
    await harness.settled();
    expect(harness.messages()).toEqual(['user: Hi', 'assistant(stop): Hello there.']);
    const types = harness.log.stored
      .slice(1)
      .map(({ line }) => JSON.parse(line) as { type: string; customType?: string });
    expect(types.map(({ type, customType }) => customType ?? type)).toEqual([
      'model_change',
      'message',
      'espalier.request',
      'message',
    ]);
    expect(harness.session.state).toBe('idle');
  });

  it('AG9: sends system prompt, tools and the message', async () => {
    harness = await startHarness();
    harness.server.script('Hello there.');
    await harness.session.prompt(promptOf('Hi'));
    await harness.settled();
    const [request] = harness.server.requests;
    const sent = sentContext(request!);
    expect(sent.system).toContain(harness.dir);
    expect(sent.tools).toEqual(['echo', 'slow']);
    expect(sent.messages.map(({ role, text }) => [role, text])).toEqual([['user', 'Hi']]);
    expect(sent.maxTokens).toBe(8192);
  });

  it('EV7: shows the reply as deltas and ends it with its entry', async () => {
    harness = await startHarness();
    harness.server.script({ text: 'Hello there, how are you today?', chunkChars: 4 });
    await harness.session.prompt(promptOf('Hi'));
    await harness.settled();
    const deltas = harness.events.flatMap((event) => (event.type === 'stream_delta' ? [event.delta] : []));
    expect(deltas.join('')).toBe('Hello there, how are you today?');
    const end = harness.events.find((event) => event.type === 'stream_end');
    expect(end).toMatchObject({ entryId: harness.log.tree.leafId });
    const snapshot = await harness.session.snapshot();
    expect(snapshot.rows.map((row) => row.kind)).toEqual(['modelChange', 'user', 'assistant']);
    expect(snapshot.reply).toBeNull();
    expect(snapshot.lines).toHaveLength(3);
  });
});
