import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { REMOTE_KEY_NAME } from '@shared/settings';
import type { ConsentQuestion } from '../../../src/main/consent/consent';
import { raiseQuestion, RAISING, SettingsGuard } from '../../../src/main/settings/settings-guard';
import { openSettings, type SettingsStore } from '../../../src/main/settings/settings-store';

let settings: SettingsStore;
let guard: SettingsGuard;
let asked: ConsentQuestion[];
let answer: (question: ConsentQuestion) => Promise<string | null>;
let moved: [string, string][];
let keyAddress: string | undefined;

beforeEach(async () => {
  asked = [];
  moved = [];
  keyAddress = undefined;
  answer = () => Promise.resolve(null);
  settings = await openSettings(join(await mkdtemp(join(tmpdir(), 'espalier-settings-')), 'settings.json'));
  guard = new SettingsGuard({
    settings,
    credentials: {
      addressOf: (name) => (name === REMOTE_KEY_NAME ? keyAddress : undefined),
      readdress: (name, address) => {
        moved.push([name, address]);
        return Promise.resolve();
      },
    },
    ask: (question) => {
      asked.push(question);
      return answer(question);
    },
  });
});

const yes = (): void => void (answer = ({ choices }) => Promise.resolve(choices.at(-1)?.id ?? null));

describe('a setting that lets the agent do more', () => {
  it('a tool is turned off without a question, and on only after a yes', async () => {
    await guard.set('tools.bash', 'deny');
    expect(asked).toEqual([]);
    await expect(guard.set('tools.bash', 'ask')).rejects.toThrow('The setting was not changed');
    await expect(guard.reset('tools.bash')).rejects.toThrow('The setting was not changed');
    expect(settings.current()['tools.bash']).toBe('deny');
    yes();
    await guard.reset('tools.bash');
    expect(settings.current()['tools.bash']).toBe('ask');
  });

  it('a denied path is added without a question, and taken off only after one that names it', async () => {
    await guard.set('tools.deniedPaths', ['~/.ssh', '~/.aws']);
    await guard.set('tools.deniedPaths', ['~/.aws', '~/.ssh', '~/.gnupg']);
    expect(asked).toEqual([]);
    for (const fewer of [[], ['~/.aws', '~/.gnupg'], ['~/.ssh/', '~/.aws', '~/.gnupg']])
      await expect(guard.set('tools.deniedPaths', fewer)).rejects.toThrow('was not changed');
    await expect(guard.reset('tools.deniedPaths')).rejects.toThrow('was not changed');
    expect(asked[1]?.facts.map(({ value }) => value)).toEqual(['~/.ssh']);
    expect(settings.current()['tools.deniedPaths']).toHaveLength(3);
  });

  it('the summary endpoint gets a new address only after a yes, and its key only if that is said', async () => {
    await expect(guard.set('compaction.remoteEndpoint', 'https://evil.example/x')).rejects.toThrow('was not changed');
    yes();
    await guard.set('compaction.remoteEndpoint', 'https://own.example/x');
    keyAddress = 'https://own.example';
    asked = [];
    await guard.set('compaction.remoteEndpoint', 'https://own.example/y');
    await guard.set('compaction.remoteEndpoint', '');
    expect(asked).toEqual([]);
    await guard.set('compaction.remoteEndpoint', 'https://other.example/y');
    expect(asked[0]?.choices.map(({ id }) => id)).toEqual(['with-key', 'yes']);
    expect(moved).toEqual([]);
    answer = () => Promise.resolve('with-key');
    await guard.set('compaction.remoteEndpoint', 'https://third.example/y');
    expect(moved).toEqual([[REMOTE_KEY_NAME, 'https://third.example']]);
  });

  it('WN25: the proxy that the person said yes to is in use from then on, and one that is cleared is not', async () => {
    const now = () => [settings.current()['network.proxy'], settings.current()['network.proxyAddress']];
    await expect(guard.set('network.proxyAddress', 'http://one.example:8080')).rejects.toThrow('was not changed');
    expect(now()).toEqual(['system', '']);
    yes();
    await guard.set('network.proxyAddress', 'http://one.example:8080');
    expect(now()).toEqual(['manual', 'http://one.example:8080']);
    await guard.set('network.proxy', 'none');
    await guard.set('network.proxyAddress', 'http://two.example:8080');
    expect(now()).toEqual(['manual', 'http://two.example:8080']);
    await guard.set('network.proxyAddress', '');
    expect(now()).toEqual(['system', '']);
    await guard.set('network.proxyAddress', 'http://one.example:8080');
    await guard.set('network.proxy', 'none');
    await guard.reset('network.proxyAddress');
    expect(now()).toEqual(['none', '']);
    await guard.set('network.proxyAddress', 'http://one.example:8080');
    await guard.reset('network.proxyAddress');
    expect(now()).toEqual(['system', '']);
  });

  it('what was asked is what is done: a change meanwhile is asked for as it is then', async () => {
    await guard.set('tools.deniedPaths', ['~/.ssh', '~/.aws']);
    const said: string[][] = [];
    answer = (question) => {
      said.push(question.facts.map(({ value }) => value));
      return Promise.resolve(said.length === 1 ? 'yes' : null);
    };
    const both = await Promise.allSettled([
      guard.set('tools.deniedPaths', ['~/.ssh']),
      guard.set('tools.deniedPaths', []),
    ]);
    expect(both.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    expect(said).toEqual([['~/.aws'], ['~/.ssh']]);
    expect(settings.current()['tools.deniedPaths']).toEqual(['~/.ssh']);
  });

  it('no question is asked for a value that is refused anyway, and none holds up other settings', async () => {
    await expect(guard.set('tools.bash', 'allow')).rejects.toThrow(RangeError);
    expect(asked).toEqual([]);
    await guard.set('tools.bash', 'deny');
    let end: (answer: string | null) => void = () => undefined;
    answer = () => new Promise((resolve) => (end = resolve));
    const open = guard.set('tools.bash', 'ask');
    await guard.set('appearance.theme', 'dark');
    end(null);
    await expect(open).rejects.toThrow('was not changed');
  });

  it('WN25: asks before commands may use the SSH agent, and not before that ends', () => {
    expect(raiseQuestion('tools.sshAgent', false, true, undefined)?.title).toBe('Let commands use your SSH agent?');
    expect(raiseQuestion('tools.sshAgent', true, false, undefined)).toBeNull();
    expect(raiseQuestion('tools.sshAgent', true, true, undefined)).toBeNull();
  });

  it('EX11: asks before extensions of pi run, and not before that ends', () => {
    expect(raiseQuestion('extensions.piFolder', false, true, undefined)?.title).toBe(
      'Run pi’s extensions in Espalier?',
    );
    expect(raiseQuestion('extensions.piFolder', true, false, undefined)).toBeNull();
    expect(raiseQuestion('extensions.piFolder', true, true, undefined)).toBeNull();
  });

  it('asks about no other setting', () => {
    expect([...RAISING].sort()).toEqual([
      'compaction.remoteEndpoint',
      'extensions.piFolder',
      'network.proxyAddress',
      'tools.bash',
      'tools.deniedPaths',
      'tools.sshAgent',
      'tools.write',
    ]);
    expect(raiseQuestion('appearance.theme', 'light', 'dark', undefined)).toBeNull();
  });
});
