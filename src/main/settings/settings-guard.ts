import { checkSetting } from '@shared/policy/check-setting';
import { originOf } from '@shared/policy/key-address';
import { defaultSettings, REMOTE_KEY_NAME, type SettingKey, type Settings } from '@shared/settings';
import type { AskConsent } from '../consent/consent';
import type { Credentials } from '../models/credentials';
import { WITH_KEY } from '../models/key-questions';
import { RAISING, raiseQuestion } from './raise-questions';
import type { SettingsStore } from './settings-store';

export interface SettingsGuardParts {
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
