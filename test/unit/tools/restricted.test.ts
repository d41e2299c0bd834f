import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { decideToolCall, TOOL_TABLE } from '../../../src/shared/policy/tool-policy';
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
