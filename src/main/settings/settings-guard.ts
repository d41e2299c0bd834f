import type { AskConsent, ConsentQuestion } from '../consent/consent';
import type { Credentials } from '../models/credentials';
import { summaryEndpointQuestion, WITH_KEY } from '../models/key-questions';
import type { SettingsStore } from './settings-store';
import { checkSetting } from '@shared/policy/check-setting';
import { originOf } from '@shared/policy/keys';
import { readProxyAddress } from '@shared/policy/addresses';
import { defaultSettings, REMOTE_KEY_NAME, type SettingKey, type Settings } from '@shared/settings';

/** From what a tool may do least to most. */
const POLICIES = ['deny', 'ask', 'allow'];
const POLICY_WORDS: Record<string, string> = {
  deny: 'never',
  ask: 'ask every time',
  allow: 'without asking',
};
const TOOLS: Partial<Record<SettingKey, string>> = {
  'tools.write': 'Let the agent write files?',
  'tools.bash': 'Let the agent run commands?',
};

/** The settings by which the agent may get to do more; the test of the page's powers holds it against all of them. */
export const RAISING: ReadonlySet<SettingKey> = new Set<SettingKey>([
  'tools.write',
  'tools.bash',
  'tools.deniedPaths',
  'tools.sshAgent',
  'extensions.piFolder',
  'compaction.remoteEndpoint',
  'network.proxyAddress',
]);

/**
 * The question before a setting goes from one value to another; null where the agent gets to do no more by it (docs/specs/safety.md
 * C3). Pure.
 * @param keyAddress the address that the key of the summary endpoint is for, if there is one
 */
export function raiseQuestion(
  key: SettingKey,
  from: unknown,
  to: unknown,
  keyAddress: string | undefined,
): ConsentQuestion | null {
  const tool = TOOLS[key];
  if (tool !== undefined) return policyQuestion(tool, key, String(from), String(to));
  if (key === 'tools.deniedPaths') return pathsQuestion(from as string[], to as string[]);
  if (key === 'tools.sshAgent') return to === true && from !== true ? AGENT_QUESTION : null;
  if (key === 'extensions.piFolder') return to === true && from !== true ? PI_FOLDER_QUESTION : null;
  if (key === 'compaction.remoteEndpoint') return endpointQuestion(String(from), String(to), keyAddress);
  if (key === 'network.proxyAddress') return proxyQuestion(String(from), String(to));
  return null;
}

const AGENT_QUESTION: ConsentQuestion = {
  kind: 'ssh-agent',
  title: 'Let commands use your SSH agent?',
  paragraphs: [
    'A command that you allow can then sign in wherever your SSH keys do: push to a repository, or log in to a server. The keys themselves stay in the agent.',
  ],
  facts: [{ label: 'Applies to', value: 'Every command in every session', warn: true }],
  choices: [{ id: 'yes', label: 'Allow', tone: 'danger' }],
  cancel: 'Cancel',
};

const PI_FOLDER_QUESTION: ConsentQuestion = {
  kind: 'pi-extensions',
  title: 'Run pi’s extensions in Espalier?',
  paragraphs: [
    'An extension is a program that runs with your rights: it can read and change your files, start programs and use the network.',
  ],
  facts: [
    { label: 'From', value: '~/.pi/agent/extensions', warn: true },
    { label: 'Runs in', value: 'Every session' },
  ],
  choices: [{ id: 'yes', label: 'Run them', tone: 'danger' }],
  cancel: 'Cancel',
};

function policyQuestion(title: string, key: SettingKey, from: string, to: string): ConsentQuestion | null {
  if (POLICIES.indexOf(to) <= POLICIES.indexOf(from)) return null;
  return {
    kind: key,
    title,
    paragraphs: ['This applies to every session.'],
    facts: [
      { label: 'Now', value: POLICY_WORDS[from] ?? from },
      { label: 'Change to', value: POLICY_WORDS[to] ?? to, warn: to === 'allow' },
    ],
    choices: [{ id: 'yes', label: 'Change', tone: to === 'allow' ? 'danger' : 'primary' }],
    cancel: 'Cancel',
  };
}

/** A path that is no longer in the list can be read and written again. */
function pathsQuestion(from: readonly string[], to: readonly string[]): ConsentQuestion | null {
  const freed = from.filter((path) => !to.includes(path));
  if (freed.length === 0) return null;
  return {
    kind: 'denied-paths',
    title:
      freed.length === 1
        ? 'Remove this path from the denied list?'
        : `Remove ${freed.length} paths from the denied list?`,
    paragraphs: [
      `Espalier’s file tools can then read ${freed.length === 1 ? 'it' : 'them'} again, and write to ${freed.length === 1 ? 'it' : 'them'} with your approval, like any other file.`,
    ],
    facts: freed.map((path) => ({ label: 'No longer denied', value: path, warn: true })),
    choices: [{ id: 'yes', label: freed.length === 1 ? 'Remove it' : 'Remove them', tone: 'primary' }],
    cancel: 'Cancel',
  };
}

function endpointQuestion(from: string, to: string, keyAddress: string | undefined): ConsentQuestion | null {
  const [before, origin] = [originOf(from), originOf(to)];
  if (origin === undefined || origin === before) return null;
  return summaryEndpointQuestion(origin, { before, kept: keyAddress === origin ? undefined : keyAddress });
}

/** Whoever runs a proxy sees with whom the app talks, and of what is not encrypted all. */
function proxyQuestion(from: string, to: string): ConsentQuestion | null {
  const [before, after] = [readProxyAddress(from)?.shown, readProxyAddress(to)?.shown];
  if (after === undefined || after === before) return null;
  return {
    kind: 'proxy',
    title: 'Send requests to models through this proxy?',
    paragraphs: [
      'Whoever runs it sees which providers you use. What you say and your keys are encrypted on the way, except to endpoints whose address begins with http://.',
    ],
    facts: [
      ...(before === undefined ? [] : [{ label: 'Now', value: before }]),
      { label: 'Proxy', value: after, warn: true },
    ],
    choices: [{ id: 'yes', label: 'Use it', tone: 'primary' }],
    cancel: 'Cancel',
  };
}

interface SettingsGuardParts {
  settings: SettingsStore;
  credentials: Pick<Credentials, 'addressOf' | 'readdress'>;
  ask: AskConsent;
}

/**
 * Changes settings for the page. What lets the agent do more is asked by main first, and done only as it was asked. Rejects with a
 * plain sentence; then nothing has changed.
 */
export class SettingsGuard {
  /** One change at a time: what a question was about is still so when it is answered. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(private readonly parts: SettingsGuardParts) {}

  set(key: SettingKey, value: unknown): Promise<void> {
    const checked = checkSetting(key, value);
    // Refused there, in the words for it.
    if (!checked.ok) return this.parts.settings.set(key, value);
    return this.#change(key, checked.value, (along) => this.parts.settings.set(key, value, along));
  }

  reset(key: SettingKey): Promise<void> {
    return this.#change(key, defaultSettings()[key], (along) =>
      along ? this.parts.settings.set(key, defaultSettings()[key], along) : this.parts.settings.reset(key),
    );
  }

  #change(key: SettingKey, to: unknown, change: (along?: Partial<Settings>) => Promise<void>): Promise<void> {
    const { settings, credentials, ask } = this.parts;
    const questionNow = (): ReturnType<typeof raiseQuestion> =>
      raiseQuestion(key, settings.current()[key], to, credentials.addressOf(REMOTE_KEY_NAME));
    // All others raise nothing, and wait for no question that is open.
    if (!RAISING.has(key)) return change();
    const done = this.#last.then(async () => {
      const question = questionNow();
      const answer = question === null ? 'yes' : await ask(question);
      if (answer === null) throw new RangeError('Cancelled. The setting was not changed.');
      if (answer === WITH_KEY) await credentials.readdress(REMOTE_KEY_NAME, originOf(String(to)) ?? '');
      await change(
        key === 'network.proxyAddress' ? alongWithProxy(question !== null, to, settings.current()) : undefined,
      );
    });
    this.#last = done.catch(() => undefined);
    return done;
  }
}

/** A proxy that the person said yes to is the one in use; one that they took out is not. */
function alongWithProxy(isConfirmed: boolean, to: unknown, current: Settings): Partial<Settings> | undefined {
  if (isConfirmed) return { 'network.proxy': 'manual' };
  return to === '' && current['network.proxy'] === 'manual' ? { 'network.proxy': 'system' } : undefined;
}
