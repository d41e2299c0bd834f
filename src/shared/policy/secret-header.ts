const SECRET_NAME = /auth|key|token|secret|cookie|passw|passphrase|credential|session|signature|jwt|bearer|access/i;
/** Letters and digits without a space, long enough that nobody made them up. */
const SECRET_VALUE = /^(?=.*\d)(?=.*[a-z])[\w.+/=~-]{24,}$/i;

/** Shorter values are no keys, and cutting them out would garble words. */
const MIN_CHARS = 6;

/** Whether a header is to be kept like a key: by its name, or because its value looks like one. */
export function isSecretHeader(name: string, value: string): boolean {
  return SECRET_NAME.test(name) || SECRET_VALUE.test(value);
}

/** The values of the headers that are secrets, whole and without a scheme before them (`Bearer …`). */
export function secretHeaderValues(headers: Readonly<Record<string, string>>): string[] {
  return Object.entries(headers).flatMap(([name, value]) =>
    value !== '' && isSecretHeader(name, value) ? [value, value.split(' ').at(-1) ?? value] : [],
  );
}

/** A server's words without these. */
export function hideSecrets(text: string, secrets: readonly (string | undefined)[]): string {
  return secrets.reduce<string>(
    (clean, key) => (key && key.length >= MIN_CHARS ? clean.split(key).join('[key]') : clean),
    text,
  );
}
