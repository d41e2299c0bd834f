import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { decideToolCall, TOOL_TABLE } from '../../../src/shared/policy/tool-policy';
import { readingQuestion } from '../../../src/main/trust/trust-sheet';
import type { ApprovalRequest } from '../../../src/shared/policy/approval';
import { makeHost, makeSandbox, type Sandbox, type TestHost } from './support/host';

let sandbox: Sandbox;
let host: TestHost;
let trusted: boolean;
beforeEach(async () => {
  sandbox = await makeSandbox();
  trusted = false;
  host = await makeHost(sandbox, { isTrusted: () => Promise.resolve(trusted) });
  writeFileSync(join(sandbox.workspaceDir, 'a.txt'), 'one\n');
  mkdirSync(join(sandbox.workspaceDir, 'sub'));
});
afterEach(async () => {
  await host.host.dispose();
  sandbox.remove();
});

describe('B1: tools in a folder that the person has not trusted', () => {
  it('reading asks once a session: one yes covers every reading tool', async () => {
    host.autoAnswer('session');
    expect((await host.call('read', { path: 'a.txt' })).text).toBe('one');
    await host.call('grep', { pattern: 'one' });
    await host.call('ls', {});
    await host.call('find', { pattern: '*.txt' });
    expect(host.asked.map(({ tool }) => tool)).toEqual(['read']);
    expect(host.asked[0]?.reason).toContain('not trusted');
    expect(Object.keys(host.asked[0]?.scopes ?? {})).toEqual(['session']);
  });

  it('in a folder of several projects that one yes is nothing without main’s own', async () => {
    for (const name of ['a', 'b', 'c']) mkdirSync(join(sandbox.workspaceDir, name, '.git'), { recursive: true });
    await host.host.dispose();
    const kinds: string[] = [];
    let says: string | null = null;
    host = await makeHost(
      sandbox,
      { isTrusted: () => Promise.resolve(false) },
      {
        readingQuestion: (folder) => readingQuestion(folder, sandbox.dataDir),
        ask: ({ kind, subject }) => {
          expect(subject).toBe(sandbox.workspaceDir);
          kinds.push(kind);
          return Promise.resolve(says);
        },
      },
    );
    host.autoAnswer(undefined);
    const reading = host.call('read', { path: 'a.txt' });
    await vi.waitFor(() => expect(host.asked).toHaveLength(1));
    const [{ id, contentHash }] = host.asked as [ApprovalRequest];
    expect(await host.approvals.answer(id, contentHash, 'session')).toMatchObject({ ok: false });
    expect(host.approvals.rulesOfSessions()).toEqual([]);
    says = 'yes';
    expect(await host.approvals.answer(id, contentHash, 'session')).toEqual({ ok: true });
    expect((await reading).text).toBe('one');
    await host.call('ls', {});
    expect(host.asked).toHaveLength(1);
    expect(kinds).toEqual(['read-wide', 'read-wide']);
  });

  it('that main can’t tell how wide the folder is leaves the question open', async () => {
    await host.host.dispose();
    const readingQuestion = vi.fn().mockRejectedValueOnce(new Error('lost')).mockResolvedValue(null);
    host = await makeHost(sandbox, { isTrusted: () => Promise.resolve(false) }, { readingQuestion });
    host.autoAnswer(undefined);
    const reading = host.call('read', { path: 'a.txt' });
    await vi.waitFor(() => expect(host.asked).toHaveLength(1));
    const [{ id, contentHash }] = host.asked as [ApprovalRequest];
    await expect(host.approvals.answer(id, contentHash, 'session')).rejects.toThrow('lost');
    expect(await host.approvals.answer(id, contentHash, 'session')).toEqual({ ok: true });
    expect((await reading).text).toBe('one');
  });

  it('“once” reads once; what lies outside is asked for as ever', async () => {
    await host.call('read', { path: 'a.txt' });
    await host.call('read', { path: 'a.txt' });
    expect(host.asked).toHaveLength(2);
    host.autoAnswer('session');
    await host.call('read', { path: 'a.txt' });
    writeFileSync(join(sandbox.base, 'outside.txt'), 'x');
    host.autoAnswer('once');
    await host.call('read', { path: join(sandbox.base, 'outside.txt') });
    expect(host.asked).toHaveLength(4);
    expect(host.asked[3]?.scopes).toEqual({});
  });

  it('writes and commands ask each time, whatever settings say and whatever was remembered', async () => {
    trusted = true;
    host.autoAnswer('always');
    await host.call('bash', { command: 'true' });
    await host.call('write', { path: 'b.txt', content: '1' });
    await host.call('bash', { command: 'true' });
    await host.call('write', { path: 'b.txt', content: '2' });
    expect(host.asked).toHaveLength(2);
    trusted = false;
    host.settings.policy = { write: 'allow', edit: 'allow', bash: 'allow' };
    host.autoAnswer('once');
    for (let turn = 0; turn < 2; turn += 1) {
      await host.call('bash', { command: 'true' });
      await host.call('write', { path: 'b.txt', content: `${turn}+` });
    }
    expect(host.asked).toHaveLength(6);
    for (const { scopes } of host.asked.slice(2)) expect(scopes).toEqual({});
    trusted = true;
    await host.call('bash', { command: 'true' });
    expect(host.asked).toHaveLength(6);
  });

  it('withdrawn in the middle of a run it takes effect at the next call', async () => {
    trusted = true;
    await host.call('read', { path: 'a.txt' });
    trusted = false;
    host.autoAnswer('deny');
    await expect(host.call('read', { path: 'a.txt' })).rejects.toThrow('has not trusted this workspace');
  });

  it('a no tells the model what is restricted and that only the person can change it', async () => {
    host.autoAnswer('deny');
    await expect(host.call('bash', { command: 'true' })).rejects.toThrow(/declined.*not trusted.*Only the person/s);
  });
});

describe('B1: a question that is open when trust changes is decided anew', () => {
  beforeEach(() => host.autoAnswer(undefined));
  const openQuestion = () => host.approvals.pending('s1')[0];

  it('a read that trust allows goes on; a write stays and tells its reason as it is now', async () => {
    const read = host.call('read', { path: 'a.txt' });
    await vi.waitFor(() => expect(openQuestion()?.reason).toContain('not trusted'));
    trusted = true;
    await host.approvals.decideAnew();
    expect((await read).text).toBe('one');
    trusted = false;
    const write = host.call('write', { path: 'b.txt', content: '1' });
    await vi.waitFor(() => expect(openQuestion()?.reason).toContain('not trusted'));
    const before = openQuestion();
    trusted = true;
    await host.approvals.decideAnew();
    const after = openQuestion();
    expect(after).toMatchObject({ id: before?.id, contentHash: before?.contentHash, reason: 'This changes a file.' });
    expect(Object.keys(after?.scopes ?? {})).toEqual(['session', 'always']);
    await host.approvals.answer(after?.id ?? '', after?.contentHash ?? '', 'once');
    await write;
  });

  it('withdrawn, what could be remembered goes from the open card, and an answer that was on its way is refused', async () => {
    trusted = true;
    const run = host.call('bash', { command: 'true' });
    await vi.waitFor(() => expect(openQuestion()?.scopes.always).toBeDefined());
    trusted = false;
    await host.approvals.decideAnew();
    const { id = '', contentHash = '', reason, scopes } = openQuestion() ?? {};
    expect(reason).toContain('not trusted');
    expect(scopes).toEqual({});
    expect((await host.approvals.answer(id, contentHash, 'always')).ok).toBe(false);
    expect(host.approvals.rules()).toEqual([]);
    await host.approvals.answer(id, contentHash, 'once');
    await run;
  });

  it('an edited command is still asked for, as it was edited', async () => {
    const run = host.call('bash', { command: 'true' });
    await vi.waitFor(() => expect(openQuestion()).toBeDefined());
    const { id = '', contentHash = '' } = openQuestion() ?? {};
    expect(await host.approvals.edit(id, contentHash, 'echo edited')).toEqual({ ok: true });
    trusted = true;
    await host.approvals.decideAnew();
    const now = openQuestion();
    expect(now).toMatchObject({ id, exact: { command: 'echo edited' }, edited: { asked: 'true' }, scopes: {} });
    expect(now?.reason).not.toContain('not trusted');
    await host.approvals.answer(id, now?.contentHash ?? '', 'once');
    expect((await run).text).toContain('edited');
  });
});

it('B1: nothing but a refusal or a yes of this session decides there (property)', () => {
  const action = fc.constantFrom('allow' as const, 'ask' as const, 'deny' as const);
  fc.assert(
    fc.property(
      fc.constantFrom(...Object.keys(TOOL_TABLE), 'x', '__proto__', 'constructor'),
      action,
      fc.constantFrom('inside' as const, 'none' as const),
      (tool, chosen, location) => {
        const decision = decideToolCall({
          tool,
          facts: { location, isRestricted: true, remembered: 'always' },
          policy: { [tool]: chosen },
        }).action;
        const expected = chosen === 'deny' ? 'deny' : tool === 'recall' ? 'allow' : 'ask';
        expect(decision).toBe(expected);
      },
    ),
  );
});
