import writeFileAtomic from 'write-file-atomic';
import type { KeySource } from '@shared/ipc/types';
import { readOwnFile, type Parsed } from '../own-files/own-file';

/** The system's keyring. In the app it is Electron's safeStorage; `available` is false where it would only obfuscate. */
export interface KeyVault {
  available(): boolean;
  /** Base64 of the encrypted text. */
  encrypt(text: string): string;
  decrypt(base64: string): string;
}

export type Keep = 'encrypted' | 'session' | 'plain';

export interface Credentials {
  get(name: string): string | undefined;
  source(name: string): KeySource;
  /** Rejects with a plain sentence if the key can't be kept as asked; then nothing has changed. */
  set(name: string, secret: string, keep: Keep): Promise<void>;
  remove(name: string): Promise<void>;
  /** Every secret in memory, for redaction (quality.md S6). Live. */
  readonly secrets: ReadonlySet<string>;
  readonly problems: readonly string[];
}

interface StoredKey {
  kind: 'encrypted' | 'plain';
  value: string;
}

/**
 * Keys in one file, each encrypted by the system's keyring, or plain after the person said so, or in memory for this
 * run only (quality.md C5). A key that the keyring can't open any more is reported and kept, not deleted.
 */
export async function openCredentials(file: string, vault: KeyVault): Promise<Credentials> {
  const remedy = 'Enter the keys again in Settings.';
  const spec = { name: 'The saved keys', parse, empty: () => new Map<string, StoredKey>(), remedy };
  const { value: stored, problems } = await readOwnFile(file, spec);
  const open = new Map<string, { secret: string; source: KeySource }>();
  const secrets = new Set<string>();
  for (const [name, key] of stored) {
    const secret = reveal(name, key, vault, problems);
    if (secret === undefined) continue;
    open.set(name, { secret, source: key.kind === 'plain' ? 'plain' : 'stored' });
    secrets.add(secret);
  }

  let writing: Promise<void> = Promise.resolve();
  const save = (change: (keys: Map<string, StoredKey>) => void): Promise<void> => {
    const done = writing.then(async () => {
      const next = new Map(stored);
      change(next);
      await writeFileAtomic(file, `${JSON.stringify(Object.fromEntries(next), null, 2)}\n`, { mode: 0o600 });
      stored.clear();
      for (const [name, key] of next) stored.set(name, key);
    });
    writing = done.catch(() => undefined);
    return done;
  };

  return {
    problems,
    secrets,
    get: (name) => open.get(name)?.secret,
    source: (name) => open.get(name)?.source ?? 'none',
    set: async (name, secret, keep) => {
      if (keep === 'encrypted' && !vault.available()) {
        throw new RangeError(
          'This system has no keyring, so the key can’t be encrypted. Keep it for this run only, or save it as plain text.',
        );
      }
      const key: StoredKey | undefined =
        keep === 'encrypted'
          ? { kind: 'encrypted', value: vault.encrypt(secret) }
          : keep === 'plain'
            ? { kind: 'plain', value: secret }
            : undefined;
      if (key || stored.has(name)) {
        await save((keys) => {
          if (key) keys.set(name, key);
          else keys.delete(name);
        });
      }
      open.set(name, { secret, source: keep === 'encrypted' ? 'stored' : keep });
      secrets.add(secret);
    },
    remove: async (name) => {
      if (stored.has(name)) await save((keys) => keys.delete(name));
      open.delete(name);
    },
  };
}

function parse(json: unknown): Parsed<Map<string, StoredKey>> {
  const all = Object.entries(json as Record<string, unknown>);
  const good = all.filter(isStoredKey);
  const names = new Set(good.map(([name]) => name));
  const bad = all.flatMap(([name]) => (names.has(name) ? [] : [`the key for ${name.slice(0, 80)}`]));
  return { value: new Map(good), bad, kept: Object.fromEntries(good) };
}

function isStoredKey(entry: [string, unknown]): entry is [string, StoredKey] {
  const key = entry[1] as Partial<StoredKey> | null;
  return (key?.kind === 'encrypted' || key?.kind === 'plain') && typeof key.value === 'string';
}

function reveal(name: string, key: StoredKey, vault: KeyVault, problems: string[]): string | undefined {
  if (key.kind === 'plain') return key.value;
  try {
    if (vault.available()) return vault.decrypt(key.value);
  } catch {
    // Told below: the keyring answers, but not for this key.
  }
  problems.push(`The saved key for ${name} can’t be opened with this system’s keyring. Enter it again in Settings.`);
  return undefined;
}
