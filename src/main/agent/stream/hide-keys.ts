import type { ProviderRequest } from './types';

const SECRET_HEADER = /auth|key|token|secret|cookie|password/i;
/** Shorter values are no keys, and cutting them out would garble words. */
const MIN_CHARS = 6;

/**
 * A provider's words without the key that it was sent: some repeat it when they refuse it, and what is stored must not
 * hold it (quality.md S6).
 */
export function hideKeys(text: string, { model, options }: ProviderRequest): string {
  const headers = Object.entries({ ...model.headers, ...options.headers });
  const keys = [
    options.apiKey,
    ...headers.flatMap(([name, value]) => (SECRET_HEADER.test(name) ? [value, value?.split(' ').at(-1)] : [])),
  ];
  return keys.reduce<string>(
    (clean, key) => (key && key.length >= MIN_CHARS ? clean.split(key).join('[key]') : clean),
    text,
  );
}
