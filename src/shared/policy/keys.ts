/**
 * Which addresses a key may go to (docs/specs/safety.md C4): one origin for each key, and never in the clear without a yes. Whose key a
 * text is, by how it begins (WN16): a key is never sent to find out. Which headers hold one. Pure.
 */

/** Stands for the address of a provider whose addresses come with the app. */
export const BUILT_IN = 'built-in';

/** Stands for the address of a key that was kept without one, where none was saved that it could be for: no request goes there. */
export const UNKNOWN_ADDRESS = 'unknown';

const THIS_COMPUTER = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** Scheme, host and port of a web address; undefined for anything else. */
export function originOf(address: string): string | undefined {
  const url = parse(address);
  return url && (url.protocol === 'https:' || url.protocol === 'http:') ? url.origin : undefined;
}

/** Whether an address is on this computer, where nobody else can listen on the way. */
export function isThisComputer(address: string): boolean {
  return THIS_COMPUTER.test(parse(address)?.hostname ?? '');
}

/** Whether what is sent to an origin can be read on the way. */
export function isInTheClear(origin: string): boolean {
  return origin.startsWith('http://') && !isThisComputer(origin);
}

function parse(address: string): URL | undefined {
  try {
    return new URL(address.trim());
  } catch {
    return undefined;
  }
}

/** Beginnings that one provider alone gives its keys, the longer ones of a family first. */
const OWN: readonly (readonly [prefix: string, provider: string])[] = [
  ['sk-ant-', 'anthropic'],
  ['sk-or-', 'openrouter'],
  ['sk-proj-', 'openai'],
  ['sk-svcacct-', 'openai'],
  ['AIza', 'google'],
  ['gsk_', 'groq'],
  ['xai-', 'xai'],
  ['csk-', 'cerebras'],
  ['hf_', 'huggingface'],
  ['fw_', 'fireworks'],
  ['vck_', 'vercel-ai-gateway'],
];
/** Several give keys that begin so, and this says nothing of which. */
const SHARED = 'sk-';
/** Those of them that most keys are of. */
const SHARERS: readonly string[] = ['openai', 'deepseek', 'moonshotai', 'opencode'];
/** What is shorter may still become another one while it is typed. */
const MIN_KEY_CHARS = 12;

/** `own`: one provider's. `shared`: of one of several, those that come to mind first. `unknown`: it says nothing. */
type KeyOwner =
  { kind: 'own'; provider: string } | { kind: 'shared'; providers: readonly string[] } | { kind: 'unknown' };

/** Reads the beginning of a key, blanks around it left out. */
export function ownerOfKey(text: string): KeyOwner {
  const key = text.trim();
  if (key.length < MIN_KEY_CHARS) return { kind: 'unknown' };
  const own = OWN.find(([prefix]) => key.startsWith(prefix));
  if (own) return { kind: 'own', provider: own[1] };
  return key.startsWith(SHARED) ? { kind: 'shared', providers: SHARERS } : { kind: 'unknown' };
}

const SECRET_NAME = /auth|key|token|secret|cookie|passw|passphrase|credential|session|signature|jwt|bearer|access/i;
/** Letters and digits without a space, long enough that nobody made them up. */
const SECRET_VALUE = /^(?=.*\d)(?=.*[a-z])[\w.+/=~-]{24,}$/i;

/** Shorter values are no keys, and cutting them out would garble words. */
const MIN_SECRET_CHARS = 6;

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
    (clean, key) => (key && key.length >= MIN_SECRET_CHARS ? clean.split(key).join('[key]') : clean),
    text,
  );
}
