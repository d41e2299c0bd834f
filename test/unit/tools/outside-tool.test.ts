import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { chooseTools } from '../../../src/main/extensions/choose-tools';
import { ToolSources, type OutsideTool } from '../../../src/main/extensions/tool-source';
import { makeHost, makeSandbox, type Sandbox, type TestHost } from './support/host';

/** Tools of extensions and servers behind the gate of ours (EX23). */
let sandbox: Sandbox;
let test: TestHost;
let sources: ToolSources;
beforeEach(async () => {
  sandbox = await makeSandbox();
  sources = new ToolSources();
  test = await makeHost(sandbox, { outside: () => sources.toolsOf('s') });
});
afterEach(async () => {
  await test.host.dispose();
  sandbox.remove();
});

const tool = (more: Partial<OutsideTool> = {}): OutsideTool => ({
  ...{ name: 'greet', label: 'Greet', description: 'Greets.', origin: { kind: 'extension', name: 'notes' } },
  parameters: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
  execute: async (_id, { name }) => ({ content: [{ type: 'text', text: `Hello ${String(name)}` }], details: { n: 1 } }),
  ...more,
});
const begin = (...tools: OutsideTool[]): void => {
  sources.add({ toolsOf: () => tools });
  test.host.fix();
};
const names = (): string[] => test.host.tools.map(({ name }) => name);

describe('the gate', () => {
  it('EX23: it is asked for, with its origin and all of its arguments, and then runs; details stay', async () => {
    begin(tool());
    test.autoAnswer('once');
    const { text, details } = await test.call('greet', { name: 'Ada' });
    expect([text, details]).toEqual(['Hello Ada', { n: 1 }]);
    expect(test.asked[0]!.exact).toEqual({
      kind: 'call',
      text: 'greet {\n  "name": "Ada"\n}',
      origin: { kind: 'extension', name: 'notes' },
    });
    test.autoAnswer('deny');
    await expect(test.call('greet', { name: 'Ada' })).rejects.toThrow('declined');
  });

  it('EX23: what stands in the place of a tool of ours follows no rule of that tool', async () => {
    begin(tool({ name: 'read', overrides: true }));
    test.autoAnswer('once');
    await test.call('read', { name: 'Ada' });
    expect(test.asked).toHaveLength(1);
    expect(test.asked[0]!.exact).toMatchObject({ overrides: true });
  });

  it('EX23: a hint counts where the person has confirmed it', async () => {
    begin(tool({ readOnlyHint: true }), tool({ name: 'look', readOnlyHint: true, isConfirmedReadOnly: true }));
    test.autoAnswer('once');
    await test.call('look', { name: 'Ada' });
    expect(test.asked).toEqual([]);
    await test.call('greet', { name: 'Ada' });
    expect(test.asked[0]!.exact).toMatchObject({ readOnly: true });
  });
});

describe('results', () => {
  it('EX23: a long one is cut, with the whole in a file', async () => {
    const whole = Array.from({ length: 5_000 }, (_, at) => `line ${at}`).join('\n');
    begin(tool({ execute: async () => ({ content: [{ type: 'text', text: whole }] }) }));
    test.autoAnswer('once');
    const { text, details } = await test.call('greet', { name: 'Ada' });
    expect(text.length).toBeLessThan(60_000);
    expect(text).toContain('[Cut: the first');
    expect(readFileSync(String(details.fullOutputPath), 'utf8')).toBe(whole);
  });

  it('EX23: a failure keeps what it says; nonsense is an error in words; what is ours in details can’t be claimed', async () => {
    const results: unknown[] = [
      {
        content: [{ type: 'text', text: 'no' }],
        isError: true,
        details: { code: 7, espalier: { standing: 'always' } },
      },
      { content: [{ type: 'toolCall' }] },
      null,
    ];
    begin(tool({ execute: async () => results.shift() as never }));
    test.autoAnswer('once');
    expect(await test.call('greet', { name: 'a' })).toMatchObject({ isError: true, text: 'no', details: { code: 7 } });
    await expect(test.call('greet', { name: 'a' })).rejects.toThrow('cannot be used');
    await expect(test.call('greet', { name: 'a' })).rejects.toThrow('no result');
  });

  it('EX23: one that never ends does not hold a run that is stopped', async () => {
    begin(tool({ execute: () => new Promise(() => undefined) }));
    test.autoAnswer('once');
    const controller = new AbortController();
    const running = test.call('greet', { name: 'a' }, { signal: controller.signal, between: (args) => (setImmediate(() => controller.abort()), args) }); // prettier-ignore
    await expect(running).rejects.toThrow('stopped');
  });
});

describe('arguments', () => {
  it('EX23: a model is told the whole schema; what this thread checks has nothing of it that takes long', () => {
    const parameters = { type: 'object', properties: { s: { type: 'string', pattern: '^(a+)+$' } } };
    begin(tool({ parameters }), tool({ name: 'old', parameters, isPrepared: true }));
    const found = (name: string) => test.host.tools.find((each) => each.name === name)!;
    expect(found('greet').parameters).toBe(parameters);
    expect(found('greet').checkedBy).toEqual({ type: 'object', properties: { s: { type: 'string' } } });
    expect(found('old').checkedBy).toEqual({ type: 'object' });
    expect(found('bash').checkedBy).toBeUndefined();
  });
});

describe('what a command says meanwhile', () => {
  it('EX22: where an extension listens, what it has said so far is told, and what it said last', async () => {
    let hears = false;
    test = await makeHost(sandbox, { hearsUpdates: () => hears });
    test.autoAnswer('once');
    const told: string[] = [];
    const run = () =>
      test.call('bash', { command: 'echo one; sleep 1; echo two; sleep 1' }, { onUpdate: (text) => told.push(text) });
    await run();
    expect(told).toEqual([]);
    hears = true;
    await run();
    expect(told[0]).toBe('one\n');
    expect(told.at(-1)).toBe('one\ntwo\n');
  });
});

describe('which there are', () => {
  it('EX23: a run keeps the tools that it began with', () => {
    begin(tool());
    sources.add({ toolsOf: () => [tool({ name: 'late' })] });
    expect(names()).toContain('greet');
    expect(names()).not.toContain('late');
    test.host.fix();
    expect(names()).toContain('late');
  });

  it('EX23: the first of a name, and ours before any; what can’t be offered is said why', () => {
    const { tools, refused } = chooseTools(
      [tool(), tool({ origin: { kind: 'mcp', name: 'b' } }), tool({ name: 'bash' }), tool({ name: 'a b' })],
      ['bash'],
    );
    expect(tools).toHaveLength(1);
    expect(refused.map(({ problem }) => problem)).toEqual([
      '“notes” has a tool of this name.',
      'Espalier has a tool of this name.',
      'Its name may have letters, digits, “_” and “-” only, 128 at most.',
    ]);
  });
});
