import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { appendFile, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { ApprovalEvent, ApprovalRequest } from '@shared/policy/approval';
import type { ConsentQuestion } from '../../../src/main/consent/consent';
import { hashScope, MAX_RULES } from '../../../src/main/approvals/approval-rules';
import { Approvals, type ApprovalAsk } from '../../../src/main/approvals/approvals';
import { DECLINED } from '../../../src/shared/policy/approval';
import { changeOneByte, type TamperTarget } from './support/tamper';
import { makeHost, makeSandbox, type Sandbox, type TestHost } from './support/host';

let sandbox: Sandbox;
let host: TestHost;
const file = (name: string): string => join(sandbox.workspaceDir, name);
beforeEach(async () => {
  sandbox = await makeSandbox();
  host = await makeHost(sandbox);
});
afterEach(async () => {
  await host.host.dispose();
  sandbox.remove();
});
const settled = (): string[] => host.events.flatMap((event) => (event.type === 'settled' ? [event.outcome] : []));

test('TL5: a question shows exactly what would happen, in words and in full', async () => {
  await writeFile(file('a.txt'), 'old\n');
  await host.call('bash', { command: 'echo  hi   there', timeout: 5 });
  await host.call('edit', { path: 'a.txt', edits: [{ oldText: 'old', newText: 'new' }] });
  await host.call('ls', { path: '..' });
  const [command, change, path] = host.asked;
  expect(command).toMatchObject({
    sessionId: 's1', tool: 'bash', title: 'Run echo  hi   there',
    exact: { kind: 'command', command: 'echo  hi   there', cwd: sandbox.workspaceDir, timeoutMs: 5_000 },
  }); // prettier-ignore
  expect(change).toMatchObject({
    title: 'Edit a.txt',
    exact: { kind: 'diff', path: file('a.txt'), created: false, added: 1, removed: 1, outside: false },
  });
  expect(change?.exact).toHaveProperty('diff', '--- a.txt\n+++ a.txt\n@@ -1,1 +1,1 @@\n-old\n+new\n');
  expect(path).toMatchObject({ tool: 'ls', exact: { kind: 'path', path: sandbox.base, outside: true }, scopes: {} });
  expect(new Set(host.asked.map((request) => request.contentHash)).size).toBe(3);
});

test('TL5: unanswered waits; no means nothing happens and the model is told; stopping and closing are a no', async () => {
  host.autoAnswer(undefined);
  const waiting = host.call('bash', { command: 'touch ran' });
  const outcome = waiting.then(() => 'ran', (error: Error) => error.message); // prettier-ignore
  while (host.approvals.pending().length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  const [request] = host.approvals.pending('s1');
  expect(host.approvals.pending('other')).toEqual([]);
  expect(await host.approvals.answer(request!.id, request!.contentHash, 'deny')).toEqual({ ok: true });
  expect(await outcome).toBe(DECLINED);
  expect(await host.approvals.answer(request!.id, request!.contentHash, 'once')).toMatchObject({ ok: false });

  const stop = new AbortController();
  const stopped = host.call('bash', { command: 'touch ran' }, { signal: stop.signal });
  const stoppedMessage = stopped.catch((error: Error) => error.message);
  while (host.approvals.pending().length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  stop.abort();
  expect(await stoppedMessage).toContain('The run was stopped before this was allowed');

  const closing = host.call('bash', { command: 'touch ran' }).catch((error: Error) => error.message);
  while (host.approvals.pending().length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  await host.host.dispose();
  expect(await closing).toBe(DECLINED);
  expect(host.approvals.pending()).toEqual([]);
  expect(settled()).toEqual(['denied', 'denied', 'denied']);
  expect(existsSync(file('ran'))).toBe(false);
});

describe('C3: a run that is stopped while its “always” is written', () => {
  const exact = { kind: 'command', command: 'touch ran', cwd: '/w', timeoutMs: 1 } as const;
  const scopes = { always: { kind: 'command', command: exact.command, cwd: exact.cwd } } as const;
  const ask = { toolCallId: 'c', tool: 'bash', title: 't', reason: 'r', exact, scopes };

  /** Answers “always”, and stops the run as soon as that is on the disk; what the person is told. */
  async function stopInTheWrite(onWritten = (): void => undefined): Promise<{ approvals: Approvals; told: unknown }> {
    const stop = new AbortController();
    let isAnswering = false;
    const approvals = await Approvals.open({
      file: join(sandbox.dataDir, 'approvals.json'),
      onChange: ({ type }) => {
        if (type !== 'rules_changed' || !isAnswering || stop.signal.aborted) return;
        stop.abort();
        onWritten();
      },
    });
    isAnswering = true;
    const asked = approvals.request('s1', ask, stop.signal);
    const [request] = approvals.pending();
    const told = await approvals.answer(request!.id, request!.contentHash, 'always');
    expect(await asked).toEqual({ outcome: 'denied' });
    return { approvals, told };
  }
  const onDisk = async (): Promise<unknown[]> =>
    (await Approvals.open({ file: join(sandbox.dataDir, 'approvals.json') })).rules();

  test('leaves no rule', async () => {
    const { approvals, told } = await stopInTheWrite();
    expect(told).toEqual({ ok: false, reason: expect.stringContaining('Nothing more was done') });
    expect(approvals.rules()).toEqual([]);
    expect(await onDisk()).toEqual([]);
  });

  test('leaves a rule that was there before as it was', async () => {
    const first = await Approvals.open({ file: join(sandbox.dataDir, 'approvals.json'), now: () => 0 });
    const asked = first.request('s1', ask);
    const [request] = first.pending();
    await first.answer(request!.id, request!.contentHash, 'always');
    await asked;
    const { approvals } = await stopInTheWrite();
    expect(approvals.rules()).toEqual(first.rules());
    expect(await onDisk()).toEqual(first.rules());
  });

  test('says so where the rule can’t be taken back', async () => {
    const place = join(sandbox.dataDir, 'approvals.json');
    const { told } = await stopInTheWrite(() => {
      rmSync(place);
      mkdirSync(place);
    });
    expect(told).toEqual({ ok: false, reason: expect.stringContaining('Remove it in Settings') });
  });
});

test('TL7: what is allowed for a session is listed, once each; removed, the next call asks again', async () => {
  host.autoAnswer('session');
  await host.call('bash', { command: 'echo one' });
  await host.call('write', { path: 'a.txt', content: '1' });
  const listed = host.approvals.rulesOfSessions();
  expect(listed.map(({ rule }) => rule.scope.kind)).toEqual(['command', 'folder']);
  const [first, second] = listed;
  if (!first || !second) throw new Error('Two were allowed.');

  // Of another session nothing is taken.
  host.approvals.removeSessionRule('another', first.rule.hash);
  expect(host.approvals.rulesOfSessions()).toHaveLength(2);
  host.approvals.removeSessionRule(first.sessionId, first.rule.hash);
  expect(host.approvals.rulesOfSessions()).toEqual([second]);

  host.autoAnswer(undefined);
  const again = host.call('bash', { command: 'echo one' });
  await vi.waitFor(() => expect(host.approvals.pending()).toHaveLength(1));
  const [request] = host.approvals.pending();
  await host.approvals.answer(request!.id, request!.contentHash, 'session');
  await again;
  await host.call('write', { path: 'b.txt', content: '1' });
  expect(host.approvals.rulesOfSessions().map(({ rule }) => rule.scope.kind)).toEqual(['folder', 'command']);
  await host.host.dispose();
  expect(host.approvals.rulesOfSessions()).toEqual([]);
});

test('TL5: an answer about other content than was shown is refused, and the question stays open (QS7)', async () => {
  host.autoAnswer(undefined);
  const running = host.call('bash', { command: 'echo ok' });
  while (host.approvals.pending().length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  const [request] = host.approvals.pending();
  await fc.assert(
    fc.asyncProperty(fc.nat(63), fc.constantFrom('0', '1', 'f', 'z', ''), async (at, char) => {
      const hash = request!.contentHash.slice(0, at) + char + request!.contentHash.slice(at + 1);
      fc.pre(hash !== request!.contentHash);
      expect(await host.approvals.answer(request!.id, hash, 'always')).toMatchObject({ ok: false });
    }),
    { numRuns: 100 },
  );
  expect(host.approvals.pending()).toHaveLength(1);
  expect(host.approvals.rules()).toEqual([]);
  await host.approvals.answer(request!.id, request!.contentHash, 'once');
  expect((await running).text).toBe('ok');
});

test('TL5, TL6: one byte changed after the approval, in the call or in the file: refused, nothing done (QS7)', async () => {
  const targets: TamperTarget[] = ['command', 'content', 'oldText', 'newText', 'path', 'file'];
  for (const target of targets) {
    for (let round = 0; round < 8; round += 1)
      expect(await changeOneByte(sandbox, host, target, round), `${target} ${round}`).toBe('refused');
  }
});

test('TL5: an approval is for one call: not for another one, not twice, and without it nothing runs', async () => {
  const bash = host.host.tools.find((tool) => tool.name === 'bash')!;
  const toolCall = { type: 'toolCall' as const, id: 'x1', name: 'bash', arguments: { command: 'echo hi' } };
  await expect(bash.execute('x1', { command: 'echo hi' } as never)).rejects.toThrow('was not allowed');
  await host.host.beforeToolCall({ toolCall, args: toolCall.arguments });
  await expect(bash.execute('x2', { command: 'echo hi' } as never)).rejects.toThrow('was not allowed');
  await bash.execute('x1', { command: 'echo hi' } as never);
  await expect(bash.execute('x1', { command: 'echo hi' } as never)).rejects.toThrow('was not allowed');
});

test('TL7: "this session" covers this exact command, in this session only', async () => {
  host.autoAnswer('session');
  await host.call('bash', { command: 'echo a' });
  await host.call('bash', { command: 'echo a' });
  expect(host.asked).toHaveLength(1);
  await host.call('bash', { command: 'echo a ' });
  expect(host.asked).toHaveLength(2);
  const other = await makeHost(sandbox, { sessionId: 's2', approvals: host.approvals });
  await other.call('bash', { command: 'echo a' });
  expect(host.asked).toHaveLength(3);
  expect(host.approvals.rules()).toEqual([]);
  await other.host.dispose();
});

test('TL7: "always" survives a restart, can be listed and taken back; a forged rule counts for nothing', async () => {
  host.autoAnswer('always');
  await host.call('bash', { command: 'echo a' });
  await host.call('write', { path: 'src/a.txt', content: '1' });
  await host.call('write', { path: 'src/deep/b.txt', content: '1' });
  expect(host.asked).toHaveLength(2);
  const stored = join(sandbox.dataDir, 'approvals.json');
  expect((await stat(stored)).mode & 0o777).toBe(0o600);

  const again = await makeHost(sandbox);
  again.autoAnswer('deny');
  await again.call('bash', { command: 'echo a' });
  await again.call('write', { path: 'src/c.txt', content: '1' });
  await expect(again.call('write', { path: 'root.txt', content: '1' })).rejects.toThrow(DECLINED);
  await expect(again.call('write', { path: 'src-evil/c.txt', content: '1' })).rejects.toThrow(DECLINED);
  const [rule] = again.approvals.rules();
  expect(rule?.scope).toEqual({ kind: 'command', command: 'echo a', cwd: sandbox.workspaceDir });
  expect(await again.approvals.removeRule(rule!.hash)).toBe(true);
  expect(await again.approvals.removeRule(rule!.hash)).toBe(false);
  await expect(again.call('bash', { command: 'echo a' })).rejects.toThrow(DECLINED);

  await writeFile(stored, (await readFile(stored, 'utf8')).replace(/"folder": "[^"]+"/u, '"folder": "/"'));
  expect((await Approvals.open({ file: stored })).rules()).toEqual([]);
  await writeFile(stored, '{broken');
  expect((await Approvals.open({ file: stored })).rules()).toEqual([]);
  const aside = (await readdir(dirname(stored)))
    .filter((name) => name.startsWith('approvals.json.bad-'))
    .sort()
    .at(-1);
  expect(await readFile(join(dirname(stored), aside ?? ''), 'utf8')).toBe('{broken');
  await again.host.dispose();
});

test('TL7: outside the workspace every call is asked for, whatever was answered or set before', async () => {
  await writeFile(join(sandbox.base, 'far.txt'), 'far\n');
  host.settings.policy = { read: 'allow', write: 'allow' };
  await host.call('read', { path: '../far.txt' });
  await host.call('read', { path: '../far.txt' });
  await host.call('write', { path: '../far.txt', content: 'x' });
  expect(host.asked).toHaveLength(3);
  host.autoAnswer(undefined);
  const running = host.call('read', { path: '../far.txt' });
  while (host.approvals.pending().length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  const [request] = host.approvals.pending();
  expect(await host.approvals.answer(request!.id, request!.contentHash, 'always')).toMatchObject({ ok: false });
  await host.approvals.answer(request!.id, request!.contentHash, 'once');
  expect((await running).text).toBe('x');
});

test('TL7: if "always" cannot be saved the call is allowed once and the reason told', async () => {
  const approvals = await Approvals.open({
    file: join(sandbox.base, 'no-such-folder', 'approvals.json'),
    ask: () => Promise.resolve('yes'),
  });
  const scope = { kind: 'folder', folder: sandbox.workspaceDir } as const;
  const exact = { kind: 'call', text: 'x' } as const;
  const asked = approvals.request('s', {
    toolCallId: 't',
    tool: 'x',
    title: 'X',
    reason: '',
    exact,
    scopes: { always: scope },
  });
  const [request] = approvals.pending();
  expect(await approvals.answer(request!.id, request!.contentHash, 'always')).toMatchObject({
    ok: false,
    reason: expect.stringContaining('allowed this once'),
  });
  expect(await asked).toMatchObject({ outcome: 'allowed' });
  expect(approvals.rules()).toEqual([]);
});

test('TL4: settings per tool: denied tools and denied paths are refused with the reason; nobody is asked', async () => {
  await writeFile(file('a.txt'), 'a');
  host.settings.policy = { bash: 'deny', read: 'ask' };
  host.settings.deniedPaths = ['secret', '~/none'];
  await expect(host.call('bash', { command: 'true' })).rejects.toThrow('The tool bash is turned off in Settings.');
  await expect(host.call('write', { path: 'secret/x', content: '' })).rejects.toThrow('in the list of denied paths');
  expect(host.asked).toHaveLength(0);
  await host.call('read', { path: 'a.txt' });
  expect(host.asked).toHaveLength(1);
});

test('TL4: a tool of an extension is asked for with all its arguments; recall is not', async () => {
  const gate = (name: string, args: Record<string, unknown>) =>
    host.host.beforeToolCall({ toolCall: { type: 'toolCall', id: name, name, arguments: args }, args });
  expect(await gate('recall', { query: 'x' })).toBeUndefined();
  expect(await gate('deploy', { target: 'prod' })).toBeUndefined();
  expect(host.asked.map((request) => request.exact)).toEqual([
    { kind: 'call', text: 'deploy {\n  "target": "prod"\n}' },
  ]);
  host.autoAnswer('deny');
  expect(await gate('__proto__', {})).toEqual({ block: true, reason: DECLINED, outcome: 'declined' });
});

test('TL5, TL6: a file that changes while the question is open is not overwritten', async () => {
  await writeFile(file('a.txt'), 'old\n');
  const late = host.call(
    'write',
    { path: 'a.txt', content: 'new\n' },
    { between: () => appendFile(file('a.txt'), 'more\n') },
  );
  await expect(late).rejects.toThrow('no longer what was allowed');
  expect(await readFile(file('a.txt'), 'utf8')).toBe('old\nmore\n');
});

describe('a folder is allowed in main’s own window', () => {
  const change = (folder: string) => ({
    toolCallId: 't',
    tool: 'write',
    title: 'Write a.txt',
    reason: '',
    exact: { kind: 'call', text: 'x' } as const,
    scopes: { session: { kind: 'folder', folder } as const, always: { kind: 'folder', folder } as const },
  });

  for (const decision of ['session', 'always'] as const) {
    test(`${decision}: without a yes nothing is allowed or remembered, and the question stands`, async () => {
      const asked: ConsentQuestion[] = [];
      const answers = [null, 'yes'];
      const told: ApprovalEvent[] = [];
      const approvals = await Approvals.open({
        file: join(sandbox.dataDir, 'approvals.json'),
        onChange: (event) => told.push(event),
        ask: (question) => {
          asked.push(question);
          return Promise.resolve(answers.shift() ?? null);
        },
      });
      const outcome = approvals.request('s', change(sandbox.workspaceDir));
      const [{ id, contentHash }] = approvals.pending() as [ApprovalRequest];
      expect(await approvals.answer(id, contentHash, decision)).toEqual({
        ok: false,
        reason: 'Cancelled. Nothing was done, and the question is still open.',
      });
      expect(asked).toMatchObject([{ kind: 'folder-scope', subject: sandbox.workspaceDir }]);
      expect(approvals.pending()).toHaveLength(1);
      expect(approvals.rules()).toEqual([]);
      expect(approvals.remembered('s', change(sandbox.workspaceDir).scopes)).toBeUndefined();
      expect(await approvals.answer(id, contentHash, decision)).toEqual({ ok: true });
      // The card waits as long as main's own window asks, each time.
      const asking = told.flatMap((event) => (event.type === 'asking' ? [[event.id, event.isAsking]] : []));
      expect(asking).toEqual([true, false, true, false].map((isAsking) => [id, isAsking]));
      expect(await outcome).toMatchObject({ outcome: 'allowed' });
      expect(approvals.remembered('s', change(sandbox.workspaceDir).scopes)).toBe(decision);
    });
  }

  for (const [how, end] of [
    ['cancelled', (): null => null],
    [
      'not asked after all',
      (): never => {
        throw new Error('no window');
      },
    ],
  ] as const) {
    test(`B1: trust that comes while it is asked counts when it is ${how}: the question does not stand any more`, async () => {
      let settle = (): void => undefined;
      const settled = new Promise<void>((resolve) => (settle = resolve));
      const approvals = await Approvals.open({
        file: join(sandbox.dataDir, 'approvals.json'),
        ask: () => settled.then(end),
      });
      let isTrusted = false;
      const ask: ApprovalAsk = {
        ...change(sandbox.workspaceDir),
        decideAnew: () => Promise.resolve(isTrusted ? null : ask),
      };
      const outcome = approvals.request('s', ask);
      const [{ id, contentHash }] = approvals.pending() as [ApprovalRequest];
      const answering = approvals.answer(id, contentHash, 'session').catch((error: Error) => error.message);
      isTrusted = true;
      await approvals.decideAnew();
      expect(approvals.pending()).toHaveLength(1);
      settle();
      const reason = 'No rule was saved. The question is no longer open.';
      expect(await answering).toEqual(how === 'cancelled' ? { ok: false, reason } : 'no window');
      expect(approvals.pending()).toEqual([]);
      expect(await outcome).toMatchObject({ outcome: 'allowed' });
      expect(approvals.remembered('s', change(sandbox.workspaceDir).scopes)).toBeUndefined();
    });
  }

  test('B1: trust that came while it is asked and was taken back leaves the question', async () => {
    let end: (answer: null) => void = () => undefined;
    const approvals = await Approvals.open({
      file: join(sandbox.dataDir, 'approvals.json'),
      ask: () => new Promise((resolve) => (end = resolve)),
    });
    let isTrusted = true;
    const ask: ApprovalAsk = {
      ...change(sandbox.workspaceDir),
      decideAnew: () => Promise.resolve(isTrusted ? null : ask),
    };
    void approvals.request('s', ask);
    const [{ id, contentHash }] = approvals.pending() as [ApprovalRequest];
    const answering = approvals.answer(id, contentHash, 'session');
    await approvals.decideAnew();
    isTrusted = false;
    end(null);
    expect(await answering).toMatchObject({ ok: false, reason: expect.stringContaining('still open') as string });
    expect(approvals.pending()).toHaveLength(1);
  });

  test('a run that is stopped while it is asked leaves nothing behind, and a second answer does not count', async () => {
    const stop = new AbortController();
    let end: (answer: string | null) => void = () => undefined;
    const approvals = await Approvals.open({
      file: join(sandbox.dataDir, 'approvals.json'),
      ask: () => new Promise((resolve) => (end = resolve)),
    });
    const outcome = approvals.request('s', change(sandbox.workspaceDir), stop.signal);
    const [{ id, contentHash }] = approvals.pending() as [ApprovalRequest];
    const answering = approvals.answer(id, contentHash, 'always');
    expect(await approvals.answer(id, contentHash, 'once')).toMatchObject({ ok: false });
    stop.abort();
    end('yes');
    expect(await answering).toMatchObject({ ok: false });
    expect(await outcome).toMatchObject({ outcome: 'denied' });
    expect(approvals.rules()).toEqual([]);
  });

  test('one exact command needs no window', async () => {
    const approvals = await Approvals.open({ file: join(sandbox.dataDir, 'approvals.json') });
    const scope = { kind: 'command', command: 'ls', cwd: sandbox.workspaceDir } as const;
    const outcome = approvals.request('s', { ...change(''), scopes: { session: scope, always: scope } });
    const [{ id, contentHash }] = approvals.pending() as [ApprovalRequest];
    expect(await approvals.answer(id, contentHash, 'always')).toEqual({ ok: true });
    expect(await outcome).toMatchObject({ outcome: 'allowed' });
  });
});

describe('stored rules', () => {
  const ruleFor = (command: string, cwd = '/w') => {
    const scope = { kind: 'command', command, cwd } as const;
    return { hash: hashScope(scope), scope, createdAt: '2026-01-01T00:00:00.000Z' };
  };
  const stored = (rules: readonly unknown[]): Promise<Approvals> => {
    const path = join(sandbox.dataDir, 'approvals.json');
    writeFileSync(path, JSON.stringify({ version: 1, rules }));
    return Approvals.open({ file: path });
  };

  test('which of them were shed is told, with nothing hidden in their names', async () => {
    const changed = { ...ruleFor('ls'), scope: { kind: 'command', command: 'rm \u202e-rf\ufffd', cwd: '/w' } };
    const approvals = await stored([ruleFor('ls'), changed, 5]);
    expect(approvals.rules()).toEqual([ruleFor('ls')]);
    expect(approvals.problems.join()).toContain('the rule for “rm ⟨U+202E⟩-rf⟨U+FFFD⟩”, an invalid rule');
  });

  test('of too many, or too large ones, the newest stay, and one more is not remembered', async () => {
    const many = Array.from({ length: MAX_RULES + 2 }, (_, n) => ruleFor(`echo ${n}`));
    const approvals = await stored(many);
    expect(approvals.rules()).toEqual(many.slice(2));
    expect(approvals.problems.join()).toContain('the rule for “echo 0”, the rule for “echo 1” could not be used');
    const large = Array.from({ length: 50 }, (_, n) => ruleFor(`${n}`.padEnd(100_000, 'x')));
    const fewer = (await stored(large)).rules();
    expect(fewer).toEqual(large.slice(-fewer.length));
    expect(fewer.length).toBeGreaterThan(30);
    expect(fewer.length).toBeLessThan(50);

    const full = await stored(many.slice(2));
    const scope = { kind: 'command', command: 'one more', cwd: '/w' } as const;
    const outcome = full.request('s', {
      ...{ toolCallId: 't', tool: 'bash', title: '', reason: '', scopes: { always: scope } },
      exact: { ...scope, timeoutMs: 1 },
    });
    const [{ id, contentHash }] = full.pending() as [ApprovalRequest];
    expect(await full.answer(id, contentHash, 'always')).toMatchObject({
      reason: expect.stringMatching(/^It was allowed this once.*Remove some in Settings/) as string,
    });
    expect(await outcome).toMatchObject({ outcome: 'allowed' });
    expect(full.rules()).toHaveLength(MAX_RULES);
  });

  test('a rule with a lost, invisible or halved character covers that text alone', async () => {
    const looks = ['run a', 'run a\ufffd', 'run\u200b a', 'run a\ud83d', 'run a\ud83e', 'run\u00a0a', 'run \u0430'];
    for (const one of looks) {
      const approvals = await stored([ruleFor(one)]);
      const covered = looks.filter((command) => approvals.remembered('s', { always: ruleFor(command).scope }));
      expect(covered).toEqual([one]);
    }
  });
});
