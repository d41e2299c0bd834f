import { afterEach, describe, expect, it } from 'vitest';
import type { EventName, Handler } from '../../../src/main/extensions/events';
import { promptLinesOf } from '../../../src/main/extensions/prompt-lines';
import type { OutsideTool } from '../../../src/main/extensions/tool-source';
import { plainTools, promptOf, startHarness, type Harness, type HarnessOptions } from '../../support/agent-harness';
import { sentContext, sentMessages } from '../../support/model-server';

/** Extensions in a run: real loop, real providers, loopback server. Names, shapes and order are pi's (EX1 to EX3). */
let harness: Harness;
afterEach(() => harness.close());
const start = async (options: HarnessOptions = {}): Promise<void> => {
  harness = await startHarness(options);
};
const on = <E extends EventName>(event: E, handler: Handler<E>, extensionPath = '/ext/a.ts'): (() => void) =>
  harness.extensions.on(event, handler, { extensionPath });
const call = (text: string, name = 'echo') => ({
  content: [{ type: 'toolCall' as const, name, arguments: { text } }],
});
const text = (words: string) => ({ type: 'text' as const, text: words });
const say = async (text: string): Promise<void> => {
  const before = harness.events.filter(({ type }) => type === 'settled').length;
  await harness.session.prompt(promptOf(text));
  await harness.settled(before + 1);
};
const sent = (n: number): string[] =>
  sentMessages(harness.server.requests[n]!).map(({ role, text }) => `${role}: ${text}`);

const RUN_EVENTS = [
  ...['before_agent_start', 'agent_start', 'turn_start', 'message_start', 'message_end', 'context', 'tool_execution_start'],
  ...['tool_call', 'tool_execution_update', 'tool_result', 'tool_execution_end', 'turn_end', 'agent_end', 'agent_settled'],
] as const as readonly EventName[]; // prettier-ignore

const greet = {
  ...{ name: 'greet', promptSnippet: 'Greets people.', promptGuidelines: ['Use greet before noon.'] },
} as unknown as OutsideTool;

describe('order and shapes', () => {
  it('EX22: a run is told in pi’s order, each event by its name', async () => {
    await start();
    const heard: string[] = [];
    for (const event of RUN_EVENTS) {
      on(event, (payload) => {
        const { type, message } = payload as { type: string; message?: { role: string } };
        heard.push(message ? `${type} ${message.role}` : type);
      });
    }
    harness.server.script([call('one'), 'Done.']);
    await say('Go');
    const turn = ['message_start assistant', 'message_end assistant'];
    expect(heard).toEqual([
      ...[
        'before_agent_start',
        'agent_start',
        'turn_start',
        'message_start user',
        'message_end user',
        'context',
        ...turn,
      ],
      ...['tool_execution_start', 'tool_call', 'tool_result', 'tool_execution_end'],
      ...['message_start toolResult', 'message_end toolResult', 'turn_end assistant', 'turn_start', 'context', ...turn],
      ...['turn_end assistant', 'agent_end', 'agent_settled'],
    ]);
    expect(harness.extensionErrors).toEqual([]);
  });
});

describe('before_agent_start', () => {
  it('EX3: messages stand before what was said, and the system prompt is handed on from one to the next', async () => {
    await start();
    const seen: string[] = [];
    on('before_agent_start', ({ systemPrompt, prompt }) => {
      seen.push(String(prompt));
      return { systemPrompt: `${systemPrompt}\nFIRST`, message: { customType: 'notes', content: 'Be kind.', display: true } };
    }); // prettier-ignore
    on('before_agent_start', ({ systemPrompt }) => ({ systemPrompt: `${systemPrompt}\nSECOND` }), '/ext/b.ts');
    await say('Go');
    expect(seen).toEqual(['Go']);
    expect(sentContext(harness.server.requests[0]!).system).toMatch(/\nFIRST\nSECOND$/);
    expect(sent(0)).toEqual(['user: Be kind.', 'user: Go']);
    const [entry] = harness.log.stored.filter(({ line }) => line.includes('"custom_message"'));
    expect(JSON.parse(entry!.line)).toMatchObject({ customType: 'notes', content: 'Be kind.', display: true });
  });
});

describe('tool_call and tool_result', () => {
  it('EX3: arguments that were changed are those that are asked about and that run', async () => {
    const asked: unknown[] = [];
    await start({
      tools: ({ onOutput }) => ({
        ...plainTools(onOutput),
        beforeToolCall: async ({ args }) => void asked.push(structuredClone(args)),
      }),
    });
    on('tool_call', ({ input }) => void (input.text = `${String(input.text)} and two`));
    on('tool_call', ({ input }) => void (input.text = `${String(input.text)} and three`), '/ext/b.ts');
    harness.server.script([call('one'), 'Done.']);
    await say('Go');
    expect(asked).toEqual([{ text: 'one and two and three' }]);
    expect(harness.messages()).toContain('toolResult: echo one and two and three');
  });

  it('EX3: one that blocks says why, and nobody is asked; one that fails blocks too, since it may be a guard', async () => {
    await start();
    const off = on('tool_call', () => ({ block: true, reason: 'Not on a Sunday.' }));
    harness.server.script([call('one'), 'I see.', call('two'), 'I see.']);
    await say('Go');
    off();
    on('tool_call', () => Promise.reject(new Error('no luck')));
    await say('Again');
    expect(harness.messages().filter((line) => line.startsWith('toolResult'))).toEqual([
      'toolResult: Not on a Sunday.',
      'toolResult: An extension failed, so the call was not made: no luck',
    ]);
  });

  it('EX3: arguments that no longer fit the tool are not run with', async () => {
    await start();
    on('tool_call', ({ input }) => void delete input.text);
    harness.server.script([call('one'), 'I see.']);
    await say('Go');
    expect(harness.messages()[2]).toMatch(/^toolResult: An extension made the arguments of this call invalid/);
  });

  it('EX3: a result goes through all handlers; what is ours in its details stays', async () => {
    await start();
    on('tool_result', ({ content }) => ({ content: [...content, text(' +a')], details: { a: 1 } }));
    on('tool_result', ({ content, details }) => ({
      content: [...content, text(' +b')],
      details: { ...(details as object), b: 2 },
      isError: true,
    }), '/ext/b.ts'); // prettier-ignore
    harness.server.script([call('one'), 'Done.']);
    await say('Go');
    expect(harness.messages()[2]).toBe('toolResult: echo one +a +b');
    const line = harness.log.stored.find((it) => it.line.includes('"toolResult"'))!.line;
    expect(JSON.parse(line)).toMatchObject({
      message: { isError: true, details: { a: 1, b: 2, espalier: { outcome: 'failed' } } },
    });
  });
});

describe('context and message_end', () => {
  it('EX3: a request is changed for itself alone; roles and types of extensions are there to see', async () => {
    await start();
    on('before_agent_start', () => ({ message: { customType: 'notes', content: 'Be kind.', display: false } }));
    const roles: string[] = [];
    on('context', ({ messages }) => {
      roles.push(messages.map(({ role }) => role).join());
      return { messages: messages.filter((message) => !('customType' in message && message.customType === 'notes')) };
    });
    on('context', ({ messages }) => {
      messages.unshift({ role: 'user', content: 'Remember.', timestamp: 0 });
    }, '/ext/b.ts'); // prettier-ignore
    await say('Go');
    expect(roles).toEqual(['custom,user']);
    expect(sent(0)).toEqual(['user: Remember.', 'user: Go']);
    expect(harness.log.stored.map(({ line }) => line).join()).not.toContain('Remember.');
  });

  it('EX10: what can’t be sent is reported, and the request goes out as it was', async () => {
    await start();
    const answers: unknown[] = [{ messages: [] }, { messages: 'all' }, { messages: [{ role: 'user', content: 7 }] }];
    for (const answer of answers) on('context', () => answer as never);
    await say('Go');
    expect(sent(0)).toEqual(['user: Go']);
    expect(harness.extensionErrors.map(({ event }) => event)).toEqual(['context', 'context', 'context']);
  });

  it('EX3: a message may be replaced by one of its role with the same calls', async () => {
    await start();
    on('message_end', ({ message }) => {
      if (message.role === 'user') return { message: { ...message, content: 'Go, please' } };
      if (message.role !== 'assistant' || message.stopReason !== 'stop') return undefined;
      return { message: { ...message, content: [text('Said otherwise.')] } };
    });
    on('message_end', () => ({ message: { role: 'user', content: 7 } as never }), '/ext/b.ts');
    harness.server.script([call('one'), 'Done.']);
    await say('Go');
    const [user, , , reply] = harness.messages();
    expect([user, reply]).toEqual(['user: Go, please', 'assistant(stop): Said otherwise.']);
    expect(harness.extensionErrors.every(({ extensionPath }) => extensionPath === '/ext/b.ts')).toBe(true);
  });
});

describe('tools', () => {
  it('EX22: a rule and a line of an active tool stand in the system prompt of its run', async () => {
    let active: readonly string[] = ['echo', 'greet'];
    const lines = () => promptLinesOf([greet].filter(({ name }) => active.includes(name)));
    await start({ tools: ({ onOutput }) => ({ ...plainTools(onOutput), promptLines: lines }) });
    await say('Go');
    expect(sentContext(harness.server.requests[0]!).system).toContain(
      '# Tools of extensions\n\n- `greet`: Greets people.\n- Use greet before noon.',
    );
    active = ['echo'];
    await say('Again');
    expect(sentContext(harness.server.requests[1]!).system).not.toContain('greet');
  });

  it('EX22: lines of tools are bounded, and one line each', () => {
    const many = Array.from({ length: 1_000 }, (_, n) => ({
      ...greet,
      name: `t${n}`,
      promptSnippet: 'x'.repeat(9_000),
    }));
    const { tools, rules } = promptLinesOf(many);
    expect(tools.every(({ line }) => line.length <= 501)).toBe(true);
    expect(JSON.stringify(tools).length).toBeLessThan(60_000);
    expect(rules).toEqual(['Use greet before noon.']);
    expect(promptLinesOf([{ ...greet, promptSnippet: ' a\n# b ' }]).tools).toEqual([{ name: 'greet', line: 'a # b' }]);
  });
});
