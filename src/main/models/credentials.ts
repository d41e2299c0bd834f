import { readFile, rename } from 'node:fs/promises';
import writeFileAtomic from 'write-file-atomic';
import type { KeySource } from '@shared/ipc/types';

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
  const problems: string[] = [];
  const stored = await load(file, problems);
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

async function load(file: string, problems: string[]): Promise<Map<string, StoredKey>> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT')
      problems.push(`The saved keys could not be read: ${String(error)}`);
    return new Map();
  }
  try {
    return new Map(Object.entries(JSON.parse(text) as Record<string, unknown>).filter(isStoredKey));
  } catch {
    const aside = `${file}.unreadable`;
    await rename(file, aside).catch(() => undefined);
    problems.push(
      `The file with the saved keys could not be read and was set aside as ${aside}. Enter the keys again.`,
    );
    return new Map();
  }
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
