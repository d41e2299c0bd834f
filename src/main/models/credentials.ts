import type { KeySource } from '@shared/types';
import { forgetInAsides, type Parsed, readOwnFile } from '../own-files/own-file';
import { saveOwnFile } from '../own-files/write-own';
import { isInTheClear, UNKNOWN_ADDRESS } from '@shared/policy/keys';

/** The system's keyring. In the app it is Electron's safeStorage; `available` is false where it would only obfuscate. */
export interface KeyVault {
  available(): boolean;
  /** Base64 of the encrypted text. */
  encrypt(text: string): string;
  decrypt(base64: string): string;
}

export type Keep = 'encrypted' | 'session' | 'plain';

export interface Credentials {
  /**
   * The secret of a name, for one address alone: an origin or `BUILT_IN` (docs/specs/safety.md C4). Undefined too where what goes
   * there can be read on the way and nobody agreed to that.
   */
  get(name: string, address: string): string | undefined;
  /** How a secret is kept, wherever it may go. */
  source(name: string): KeySource;
  /** The address that a kept secret is for, `UNKNOWN_ADDRESS` if none was ever said; undefined if no secret is kept. */
  addressOf(name: string): string | undefined;
  /**
   * Gives secrets from before addresses were kept the one that `savedAddress` says, once and for all; undefined: not yet. Nobody
   * agreed to have them sent in the clear, so they are not. It holds at once; resolves when it is written, and never rejects.
   */
  settle(savedAddress: (name: string) => string | undefined): Promise<void>;
  /** Rejects with a plain sentence if the key can't be kept as asked; then nothing has changed. */
  set(name: string, secret: string, keep: Keep, address: string): Promise<void>;
  /** Lets a kept secret go to another address from now on, instead of its own. Without one nothing happens. */
  readdress(name: string, address: string): Promise<void>;
  /** Gives what puts them back as they are now, in memory and in the file. What was set aside is not put back. */
  remember(...names: string[]): () => Promise<void>;
  /**
   * Takes them out of what was set aside of the file as well, also where the file has them no longer. Rejects with a plain sentence if
   * one of those copies can't be changed; then they are gone from everything else.
   */
  remove(...names: string[]): Promise<void>;
  /** Every secret in memory, for redaction (QS6). Live. */
  readonly secrets: ReadonlySet<string>;
  readonly problems: readonly string[];
}

interface StoredKey {
  kind: 'encrypted' | 'plain';
  /**
   * The secret, on a second line its address and, if it must not be sent in the clear, `NOT_IN_THE_CLEAR` on a third: encrypted, none
   * can be changed without the others.
   */
  value: string;
}

interface OpenKey {
  secret: string;
  source: Exclude<KeySource, 'none' | 'environment' | 'notNeeded'>;
  address?: string;
  notInTheClear?: boolean;
}

const NOT_IN_THE_CLEAR = 'not in the clear';

/**
 * Keys in one file, each encrypted by the system's keyring, or plain after the person said so, or in memory for this
 * run only (QC5). A key that the keyring can't open any more is reported and kept, not deleted.
 */
export async function openCredentials(file: string, vault: KeyVault): Promise<Credentials> {
  const spec = {
    ...{ name: 'The saved keys', parse, empty: () => new Map<string, StoredKey>() },
    ...{ remedy: 'Enter the keys again in Settings.', meanwhile: 'None is used until they can be read.' },
  };
  const { value: stored, problems, mayReplace } = await readOwnFile(file, spec);
  const open = new Map<string, OpenKey>();
  const secrets = new Set<string>();
  for (const [name, key] of stored) {
    const text = reveal(name, key, vault, problems);
    if (text === undefined) continue;
    const [secret = '', address, mark] = text.split('\n', 3);
    if (secret === '') continue;
    const source = key.kind === 'plain' ? 'plain' : 'stored';
    open.set(name, { secret, address, notInTheClear: mark === NOT_IN_THE_CLEAR, source });
    secrets.add(secret);
  }

  let writing: Promise<void> = Promise.resolve();
  const save = (change: (keys: Map<string, StoredKey>) => void): Promise<void> => {
    const done = writing.then(async () => {
      const next = new Map(stored);
      change(next);
      await mayReplace();
      await saveOwnFile(file, `${JSON.stringify(Object.fromEntries(next), null, 2)}\n`);
      stored.clear();
      for (const [name, key] of next) stored.set(name, key);
    });
    writing = done.catch(() => undefined);
    return done;
  };

  const seal = (lines: string[], keep: Exclude<Keep, 'session'>): StoredKey => {
    const text = lines.join('\n');
    return keep === 'plain' ? { kind: 'plain', value: text } : { kind: 'encrypted', value: vault.encrypt(text) };
  };
  const bind = async (name: string, address: string, notInTheClear: boolean): Promise<void> => {
    const key = open.get(name);
    if (!key) return;
    open.set(name, { ...key, address, notInTheClear });
    if (key.source === 'session' || !stored.has(name)) return;
    const lines = [key.secret, address, ...(notInTheClear ? [NOT_IN_THE_CLEAR] : [])];
    const sealed = seal(lines, key.source === 'plain' ? 'plain' : 'encrypted');
    await save((keys) => keys.set(name, sealed));
  };

  return {
    problems,
    secrets,
    get(name, address) {
      const key = open.get(name);
      if (key?.address !== address || address === UNKNOWN_ADDRESS) return undefined;
      return key.notInTheClear && isInTheClear(address) ? undefined : key.secret;
    },
    source: (name) => open.get(name)?.source ?? 'none',
    addressOf: (name) => {
      const key = open.get(name);
      return key && (key.address ?? UNKNOWN_ADDRESS);
    },
    settle: async (savedAddress) => {
      const bound = [...open].flatMap(([name, { address }]) => {
        const saved = address === undefined ? savedAddress(name) : undefined;
        return saved === undefined ? [] : [bind(name, saved, true)];
      });
      // What can't be written now is settled again at the next start, by what is saved then.
      await Promise.allSettled(bound);
    },
    readdress: (name, address) => bind(name, address, false),
    set: async (name, secret, keep, address) => {
      if (keep === 'encrypted' && !vault.available()) {
        throw new RangeError(
          'This system has no keyring, so the key can’t be encrypted. Keep it for this run only, or store it in a plain text file.',
        );
      }
      const key = keep === 'session' ? undefined : seal([secret, address], keep);
      if (key || stored.has(name)) {
        await save((keys) => {
          if (key) keys.set(name, key);
          else keys.delete(name);
        });
      }
      open.set(name, { secret, address, source: keep === 'encrypted' ? 'stored' : keep });
      secrets.add(secret);
    },
    remember: (...names) => {
      const were = names.map((name) => ({ name, key: stored.get(name), inMemory: open.get(name) }));
      return async () => {
        for (const { name, inMemory } of were) {
          if (inMemory) open.set(name, inMemory);
          else open.delete(name);
        }
        // A file that refused the change has them still.
        if (were.every(({ name, key }) => stored.get(name) === key)) return;
        await save((keys) => {
          for (const { name, key } of were) {
            if (key) keys.set(name, key);
            else keys.delete(name);
          }
        });
      };
    },
    remove: async (...names) => {
      if (names.some((name) => stored.has(name))) await save((keys) => names.forEach((name) => keys.delete(name)));
      for (const name of names) open.delete(name);
      await forgetInAsides(file, names);
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

/** A key as it is kept. @throws RangeError in plain words */
export function cleanKey(key: string): string {
  const clean = key.trim();
  if (clean === '' || /[\s\0]/.test(clean))
    throw new RangeError('A key can’t contain spaces or line breaks. Copy it again from the provider.');
  return clean;
}
