import { mkdtemp, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { openCredentials, type KeyVault } from '../../../src/main/models/credentials';

const CANARY = 'sk-canary-0123456789abcdef';
let file: string;

/** A vault whose "encryption" is reversible here but leaves no trace of the text. */
function vault(available: boolean, pad = 7): KeyVault {
  return {
    available: () => available,
    encrypt: (text) => Buffer.from(Buffer.from(text).map((byte) => byte ^ pad)).toString('base64'),
    decrypt: (base64) => {
      const text = Buffer.from(Buffer.from(base64, 'base64').map((byte) => byte ^ pad)).toString();
      if (!text.startsWith('sk-')) throw new Error('wrong keyring');
      return text;
    },
  };
}

beforeEach(async () => {
  file = join(await mkdtemp(join(tmpdir(), 'espalier-keys-')), 'credentials.json');
});

describe('credentials', () => {
  it('survives a restart encrypted, without the key in the file, readable by its owner alone', async () => {
    await (await openCredentials(file, vault(true))).set('openai', CANARY, 'encrypted');
    const again = await openCredentials(file, vault(true));
    expect(again.get('openai')).toBe(CANARY);
    expect(again.source('openai')).toBe('stored');
    expect(again.secrets.has(CANARY)).toBe(true);
    expect(await readFile(file, 'utf8')).not.toContain(CANARY);
    expect((await stat(file)).mode & 0o077).toBe(0);
  });

  it('refuses to encrypt without a keyring and says what can be done', async () => {
    const keys = await openCredentials(file, vault(false));
    await expect(keys.set('openai', CANARY, 'encrypted')).rejects.toThrow(/no keyring.*this run only.*plain text/);
    expect(keys.get('openai')).toBeUndefined();
  });

  it('keeps a key for this run only: nothing on disk', async () => {
    const keys = await openCredentials(file, vault(false));
    await keys.set('openai', CANARY, 'session');
    expect(keys.source('openai')).toBe('session');
    await expect(readFile(file, 'utf8')).rejects.toThrow();
    expect((await openCredentials(file, vault(false))).get('openai')).toBeUndefined();
  });

  it('keeps a key plain after an explicit yes, and forgets it on request', async () => {
    const keys = await openCredentials(file, vault(false));
    await keys.set('openai', CANARY, 'plain');
    expect((await openCredentials(file, vault(false))).source('openai')).toBe('plain');
    await keys.remove('openai');
    expect(await readFile(file, 'utf8')).not.toContain(CANARY);
  });

  it('reports a key that this keyring cannot open, and does not delete it', async () => {
    await (await openCredentials(file, vault(true, 7))).set('openai', CANARY, 'encrypted');
    const before = await readFile(file, 'utf8');
    const other = await openCredentials(file, vault(true, 9));
    expect(other.get('openai')).toBeUndefined();
    expect(other.problems.join()).toMatch(/openai.*Enter it again/);
    expect(await readFile(file, 'utf8')).toBe(before);
  });

  it('sets an unreadable file aside instead of overwriting it', async () => {
    await writeFile(file, '{ torn');
    const keys = await openCredentials(file, vault(true));
    const aside = (await readdir(dirname(file))).find((name) => name.includes('.bad-')) ?? '';
    expect(keys.problems.join()).toContain(`kept as ${aside}`);
    expect(await readFile(join(dirname(file), aside), 'utf8')).toBe('{ torn');
  });
});
