import { secretHeaderValues } from '@shared/policy/secret-header';
import type { ProviderRequest } from './types';

/** Shorter values are no keys, and cutting them out would garble words. */
const MIN_CHARS = 6;

/**
 * A provider's words without the key that it was sent: some repeat it when they refuse it, and what is stored must not
 * hold it (QS6).
 */
export function hideKeys(text: string, { model, options }: ProviderRequest): string {
  return hideSecrets(text, [options.apiKey, ...secretHeaderValues({ ...model.headers, ...options.headers })]);
}

/** A server's words without these. */
export function hideSecrets(text: string, secrets: readonly (string | undefined)[]): string {
  return secrets.reduce<string>(
    (clean, key) => (key && key.length >= MIN_CHARS ? clean.split(key).join('[key]') : clean),
    text,
  );
}
