import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { chooseTools } from '../../../src/main/extensions/choose-tools';
import { ToolSources, type OutsideTool } from '../../../src/main/extensions/tool-source';
import type { ConsentQuestion } from '../../../src/main/consent/consent';
import { toRuleView } from '../../../src/main/ipc/approval-view';
import { searchTools } from '../../../src/main/mcp/tool-search';
import { restOf } from '../../../src/main/trust/trust-sheet';
import type { ApprovalRequest } from '../../../src/shared/policy/approval';
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

describe('an answer that is remembered', () => {
  const known = (more: Partial<OutsideTool> = {}): OutsideTool => tool({ source: 'notes.ts', ...more });
  /** Whether a call is asked for, by a host that begins anew with these tools. */
  const isAsked = async (call: () => Promise<unknown>): Promise<boolean> => {
    const before = test.asked.length;
    await call();
    return test.asked.length > before;
  };
  const greet = (args: unknown = { name: 'Bea' }) => isAsked(() => test.call('greet', args));

  for (const decision of ['session', 'always'] as const)
    it(`PM1, EX23: “${decision}” covers every call of exactly this tool, and is noted`, async () => {
      begin(known());
      test.autoAnswer(decision);
      expect(await greet()).toBe(true);
      expect(test.asked[0]!.scopes[decision]).toMatchObject({
        kind: 'tool',
        tool: 'greet',
        folder: sandbox.workspaceDir,
      });
      test.autoAnswer('deny');
      expect(await greet({ name: 'Cy' })).toBe(false);
      expect((await test.call('greet', { name: 'Di' })).details).toEqual({ n: 1, espalier: { standing: decision } });
      const rules = test.approvals.rules();
      expect(rules).toHaveLength(decision === 'always' ? 1 : 0);
      for (const { hash } of rules) await test.approvals.removeRule(hash);
      for (const { sessionId, rule } of test.approvals.rulesOfSessions())
        test.approvals.removeSessionRule(sessionId, rule.hash);
      await expect(test.call('greet', { name: 'Eve' })).rejects.toThrow('declined');
    });

  it('PM1: no page can give it: without a yes in main’s own window nothing is allowed, and the window says what it is', async () => {
    const questions: ConsentQuestion[] = [];
    const ask = (question: ConsentQuestion) => (questions.push(question), Promise.resolve(null));
    test = await makeHost(sandbox, { outside: () => [known()] }, { ask });
    test.host.fix();
    test.autoAnswer(undefined);
    const running = test.call('greet', { name: 'Ada' });
    await expect.poll(() => test.asked).toHaveLength(1);
    const [{ id, contentHash }] = test.asked as [ApprovalRequest];
    for (const decision of ['session', 'always'] as const)
      expect(await test.approvals.answer(id, contentHash, decision)).toMatchObject({ ok: false });
    expect(questions).toMatchObject([
      { kind: 'tool-scope', subject: 'greet', title: 'Allow this tool for the session?' },
      { kind: 'tool-scope', subject: 'greet', title: 'Always allow this tool here?' },
    ]);
    expect(questions[0]!.paragraphs.join(' ')).toContain('the extension “notes”');
    expect(questions[0]!.facts).toContainEqual({ label: 'Requested', value: 'greet { "name": "Ada" }' });
    expect([test.approvals.rules(), test.approvals.rulesOfSessions()]).toEqual([[], []]);
    await test.approvals.answer(id, contentHash, 'deny');
    await expect(running).rejects.toThrow('declined');
  });

  it.each<[string, Partial<OutsideTool>]>([
    ['of another extension', { source: 'other.ts' }],
    ['that says something else of itself', { description: 'Greets, and more.' }],
    ['with other arguments', { parameters: { type: 'object', properties: { path: { type: 'string' } } } }],
    ['of another name', { name: 'greet2' }],
    ['that nobody can tell apart', { source: undefined }],
    ['in the place of one of ours', { overrides: true }],
  ])('EX23: it does not cover a tool %s', async (_what, more) => {
    begin(known());
    test.autoAnswer('always');
    await greet();
    const other = known(more);
    test = await makeHost(sandbox, { outside: () => [other] });
    test.host.fix();
    test.autoAnswer('once');
    expect(await isAsked(() => test.call(other.name, { name: 'Ada' }))).toBe(true);
    // The very same one is known after a restart.
    test = await makeHost(sandbox, { outside: () => [known()] });
    test.host.fix();
    expect(await greet()).toBe(false);
  });

  it('PM1, B1: it holds in its workspace alone, and in none that is not trusted', async () => {
    begin(known());
    test.autoAnswer('always');
    await greet();
    const [rule] = test.approvals.rules();
    expect(restOf(rule!.scope, [sandbox.workspaceDir], undefined)).toBeNull();
    for (const folders of [[], [sandbox.base], [`${sandbox.workspaceDir}/sub`]])
      expect(restOf(rule!.scope, folders, undefined)).toBe('untrusted');
    expect(toRuleView(rule!, null)).toMatchObject({
      ...{ tool: 'tool', folder: sandbox.workspaceDir },
      what: 'greet of the extension notes, whatever it is called with',
    });
    for (const more of [{ workspaceDir: sandbox.base }, { isTrusted: () => Promise.resolve(false) }]) {
      test = await makeHost(sandbox, { outside: () => [known()], ...more });
      test.host.fix();
      test.autoAnswer('once');
      expect(await greet()).toBe(true);
    }
    expect(test.asked[0]!.scopes).toEqual({});
  });

  it('TL7: what stands out in a call is asked about each time, whatever was allowed', async () => {
    begin(known());
    test.autoAnswer('always');
    await greet();
    test.autoAnswer('once');
    for (const name of ['a\u202eb', 'x'.repeat(30_000)]) {
      expect(await greet({ name })).toBe(true);
      expect(test.asked.at(-1)!.scopes).toEqual({});
    }
    expect(await greet({ name: 'plain' })).toBe(false);
  });

  it('EX20, EX23: a call through “tool_call” is one of the tool that it names', async () => {
    const many = searchTools([
      known({ name: 'mcp__a__look', origin: { kind: 'mcp', name: 'a' } }),
      known({ name: 'mcp__a__wipe', origin: { kind: 'mcp', name: 'a' } }),
    ]);
    begin(...many);
    test.autoAnswer('session');
    const through = (name: unknown) => isAsked(() => test.call('tool_call', { tool: name, arguments: { name: 'Ada' } }).catch(() => null)); // prettier-ignore
    expect(await through('mcp__a__look')).toBe(true);
    expect(await through('mcp__a__look')).toBe(false);
    test.autoAnswer('once');
    for (const other of ['mcp__a__wipe', 'mcp__a__none', 7]) expect(await through(other), String(other)).toBe(true);
  });

  it('TL5: details that are no object are kept beside the note', async () => {
    begin(known({ execute: async () => ({ content: [], details: ['a', 'b'] }) }));
    test.autoAnswer('session');
    await greet();
    const { details } = await test.call('greet', { name: 'Ada' });
    expect(details).toEqual({ value: ['a', 'b'], espalier: { standing: 'session' } });
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
    expect(test.host.checkedBy('greet')).toEqual({ type: 'object', properties: { s: { type: 'string' } } });
    expect(test.host.checkedBy('old')).toEqual({ type: 'object' });
    expect(test.host.checkedBy('bash')).toBeUndefined();
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
