import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { BUILT_IN, UNKNOWN_ADDRESS } from '@shared/policy/keys';
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

describe('MO6, QC5: credentials', () => {
  it('survives a restart encrypted, without the key in the file, readable by its owner alone', async () => {
    await (await openCredentials(file, vault(true))).set('openai', CANARY, 'encrypted', BUILT_IN);
    const again = await openCredentials(file, vault(true));
    expect(again.get('openai', BUILT_IN)).toBe(CANARY);
    expect(again.source('openai')).toBe('stored');
    expect(again.secrets.has(CANARY)).toBe(true);
    expect(await readFile(file, 'utf8')).not.toContain(CANARY);
    expect((await stat(file)).mode & 0o077).toBe(0);
  });

  it('refuses to encrypt without a keyring and says what can be done', async () => {
    const keys = await openCredentials(file, vault(false));
    await expect(keys.set('openai', CANARY, 'encrypted', BUILT_IN)).rejects.toThrow(
      /no keyring.*this run only.*plain text/,
    );
    expect(keys.get('openai', BUILT_IN)).toBeUndefined();
  });

  it('keeps a key for this run only: nothing on disk', async () => {
    const keys = await openCredentials(file, vault(false));
    await keys.set('openai', CANARY, 'session', BUILT_IN);
    expect(keys.source('openai')).toBe('session');
    await expect(readFile(file, 'utf8')).rejects.toThrow();
    expect((await openCredentials(file, vault(false))).get('openai', BUILT_IN)).toBeUndefined();
  });

  it('keeps a key plain after an explicit yes, and forgets it on request', async () => {
    const keys = await openCredentials(file, vault(false));
    await keys.set('openai', CANARY, 'plain', BUILT_IN);
    expect((await openCredentials(file, vault(false))).source('openai')).toBe('plain');
    await keys.remove('openai');
    expect(await readFile(file, 'utf8')).not.toContain(CANARY);
  });

  it.each([
    ['bad parts', (text: string) => text.replace('{', '{"bad": 5,'), 1],
    ['bad parts, one name twice', (text: string) => text.replace('{', `{"openai": 5, "bad": 5,`), 0],
    ['damage', (text: string) => text.slice(0, -9), 0],
    ['no text', (text: string) => Buffer.concat([Buffer.from([0xff]), Buffer.from(text)]), 0],
  ] as const)('a key that is removed is in no file that was set aside (%s)', async (_what, harm, left) => {
    const before = await openCredentials(file, vault(false));
    await before.set('openai', CANARY, 'plain', BUILT_IN);
    await before.set('other', 'sk-other', 'plain', BUILT_IN);
    await writeFile(file, harm(await readFile(file, 'utf8')));
    const keys = await openCredentials(file, vault(false));
    const all = async (): Promise<string> => {
      const names = await readdir(dirname(file));
      return (await Promise.all(names.map((name) => readFile(join(dirname(file), name), 'latin1')))).join('\n');
    };
    await keys.set('openai', CANARY, 'plain', BUILT_IN);
    await keys.remove('openai');
    expect(await all()).not.toContain(CANARY);
    const asides = (await readdir(dirname(file))).filter((name) => name.includes('.bad-'));
    expect(asides).toHaveLength(left);
    if (left > 0) expect(await readFile(join(dirname(file), asides[0] ?? ''), 'utf8')).toContain('sk-other');
  });

  it('a copy that is none of ours, or can’t be opened, keeps a removed key in no other, and a retry goes through all', async () => {
    const aside = (n: number): string => `${file}.bad-${n}`;
    const keys = await openCredentials(file, vault(false));
    await keys.set('openai', CANARY, 'plain', BUILT_IN);
    await mkdir(aside(1));
    await symlink(aside(2), aside(2));
    await writeFile(aside(4), await readFile(file));
    await keys.remove('openai');
    expect(await readFile(aside(4), 'utf8')).not.toContain(CANARY);
    expect((await readdir(dirname(file))).filter((name) => name.includes('.bad-'))).toHaveLength(3);

    await keys.set('openai', CANARY, 'plain', BUILT_IN);
    await symlink('x'.repeat(300), aside(3));
    for (const n of [0, 4]) await writeFile(aside(n), await readFile(file));
    for (let tries = 0; tries < 2; tries += 1)
      await expect(keys.remove('openai')).rejects.toThrow(`can’t change: ${aside(3)} (ENAMETOOLONG). Remove that file`);
    for (const left of [file, aside(0), aside(4)]) expect(await readFile(left, 'utf8')).not.toContain(CANARY);
    await writeFile(aside(4), JSON.stringify({ openai: { kind: 'plain', value: CANARY } }));
    await rm(aside(3));
    await keys.remove('openai');
    expect(await readFile(aside(4), 'utf8')).not.toContain(CANARY);
  });

  it('reports a key that this keyring cannot open, and does not delete it', async () => {
    await (await openCredentials(file, vault(true, 7))).set('openai', CANARY, 'encrypted', BUILT_IN);
    const before = await readFile(file, 'utf8');
    const other = await openCredentials(file, vault(true, 9));
    expect(other.get('openai', BUILT_IN)).toBeUndefined();
    expect(other.problems.join()).toMatch(/openai.*Enter it again/);
    expect(await readFile(file, 'utf8')).toBe(before);
  });

  it('gives a key to the address that it was given for and to no other, after a restart too', async () => {
    await (await openCredentials(file, vault(true))).set('lab', CANARY, 'encrypted', 'https://lab.example');
    for (const keys of [await openCredentials(file, vault(true))]) {
      expect(keys.get('lab', 'https://lab.example')).toBe(CANARY);
      expect(keys.addressOf('lab')).toBe('https://lab.example');
      for (const other of ['http://lab.example', 'https://lab.example:8443', 'https://evil.example', BUILT_IN, ''])
        expect(keys.get('lab', other)).toBeUndefined();
    }
  });

  it('keeps the address with the key: in the file neither can be changed alone', async () => {
    await (await openCredentials(file, vault(true))).set('lab', CANARY, 'encrypted', 'https://lab.example');
    expect(await readFile(file, 'utf8')).not.toContain('lab.example');
  });

  it.each([true, false])(
    'binds a key of an earlier version to what is saved, never to who asks (encrypted: %s)',
    async (encrypted) => {
      const value = encrypted ? vault(true).encrypt(CANARY) : CANARY;
      await writeFile(file, JSON.stringify({ lab: { kind: encrypted ? 'encrypted' : 'plain', value } }));
      const keys = await openCredentials(file, vault(true));
      for (const address of ['https://evil.example', 'http://evil.example', BUILT_IN, UNKNOWN_ADDRESS])
        expect(keys.get('lab', address)).toBeUndefined();
      expect(keys.addressOf('lab')).toBe(UNKNOWN_ADDRESS);
      await keys.settle(() => undefined);
      expect(keys.addressOf('lab')).toBe(UNKNOWN_ADDRESS);
      await keys.settle(() => 'https://lab.example');
      await keys.settle(() => 'https://evil.example');
      expect(keys.get('lab', 'https://lab.example')).toBe(CANARY);
      expect(keys.get('lab', 'https://evil.example')).toBeUndefined();
      expect((await openCredentials(file, vault(true))).addressOf('lab')).toBe('https://lab.example');
      expect((await openCredentials(file, vault(true))).source('lab')).toBe(encrypted ? 'stored' : 'plain');
    },
  );

  it('sends a key of an earlier version in the clear only after a yes, after a restart too', async () => {
    await writeFile(file, JSON.stringify({ lab: { kind: 'plain', value: CANARY } }));
    const keys = await openCredentials(file, vault(true));
    await keys.settle(() => 'http://lab.example');
    expect(keys.addressOf('lab')).toBe('http://lab.example');
    expect(keys.get('lab', 'http://lab.example')).toBeUndefined();
    const again = await openCredentials(file, vault(true));
    await again.settle(() => 'https://evil.example');
    for (const address of ['http://lab.example', 'https://lab.example', 'https://evil.example'])
      expect(again.get('lab', address)).toBeUndefined();
    await again.readdress('lab', 'http://lab.example');
    expect((await openCredentials(file, vault(true))).get('lab', 'http://lab.example')).toBe(CANARY);
  });

  it('sends a key whose address nobody can know to none, whatever is saved at a later start', async () => {
    await writeFile(file, JSON.stringify({ lab: { kind: 'plain', value: CANARY } }));
    await (await openCredentials(file, vault(true))).settle(() => UNKNOWN_ADDRESS);
    const again = await openCredentials(file, vault(true));
    await again.settle(() => 'https://evil.example');
    expect(again.get('lab', 'https://evil.example')).toBeUndefined();
    expect(again.get('lab', UNKNOWN_ADDRESS)).toBeUndefined();
    expect(again.addressOf('lab')).toBe(UNKNOWN_ADDRESS);
  });

  it('lets a key go elsewhere after a yes', async () => {
    const keys = await openCredentials(file, vault(true));
    await keys.set('lab', CANARY, 'encrypted', 'https://lab.example');
    await keys.readdress('lab', 'https://new.example');
    await keys.readdress('none', 'https://new.example');
    expect(keys.get('lab', 'https://lab.example')).toBeUndefined();
    expect((await openCredentials(file, vault(true))).get('lab', 'https://new.example')).toBe(CANARY);
    expect(keys.source('none')).toBe('none');
  });

  it('sets an unreadable file aside instead of overwriting it', async () => {
    await writeFile(file, '{ torn');
    const keys = await openCredentials(file, vault(true));
    const aside = (await readdir(dirname(file))).find((name) => name.includes('.bad-')) ?? '';
    expect(keys.problems.join()).toContain(`kept as ${aside}`);
    expect(await readFile(join(dirname(file), aside), 'utf8')).toBe('{ torn');
  });
});
