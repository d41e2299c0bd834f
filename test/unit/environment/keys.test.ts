import { afterEach, describe, expect, it } from 'vitest';
import { loadPiAi } from '../../../src/main/pi/pi';
import {
  environmentSecrets,
  environmentWithKeys,
  isKeyName,
  keepKeys,
  keysIn,
  lookingAtKeys,
  withoutKeys,
} from '../../../src/main/environment/keys';

const real = process.env;
afterEach(() => {
  process.env = real;
});

/** No secrets: names of profiles and projects, paths. They stay where they are. */
const HARMLESS =
  /^(AWS_PROFILE|AWS_ACCESS_KEY_ID|AWS_CONTAINER_CREDENTIALS_\w+|AWS_WEB_IDENTITY_TOKEN_FILE|GOOGLE_APPLICATION_CREDENTIALS|GOOGLE_CLOUD_(PROJECT|LOCATION)|GCLOUD_PROJECT|HOME|USERPROFILE)$/;

describe('docs/specs/safety.md D1: which variables hold keys', () => {
  it('every one that any provider is looked up by', async () => {
    const pi = await loadPiAi();
    const read = new Set<string>();
    const watched = new Proxy({} as NodeJS.ProcessEnv, {
      get: (_, name) => {
        if (typeof name === 'string') read.add(name);
        return undefined;
      },
    });
    for (const provider of pi.getProviders()) {
      process.env = watched;
      pi.getEnvApiKey(provider);
      process.env = real;
    }
    expect(read.size).toBeGreaterThan(20);
    expect([...read].filter((name) => !isKeyName(name) && !HARMLESS.test(name))).toEqual([]);
  });

  it('what is called like one, and nothing that a desktop needs', () => {
    for (const name of ['MY_API_KEY', 'Some_Api_Key', 'X_AUTH_TOKEN', 'HF_TOKEN'])
      expect(isKeyName(name), name).toBe(true);
    for (const name of ['PATH', 'HOME', 'DISPLAY', 'XDG_ACTIVATION_TOKEN', 'DBUS_SESSION_BUS_ADDRESS', 'SSH_AUTH_SOCK'])
      expect(isKeyName(name), name).toBe(false);
    expect(keysIn({ A_API_KEY: 'a', B_API_KEY: '', PATH: '/' })).toEqual({ A_API_KEY: 'a' });
    expect(withoutKeys({ A_API_KEY: 'a', B_API_KEY: '', PATH: '/' })).toEqual({ PATH: '/' });
  });

  it('kept keys are in no environment that is inherited, and are found by who looks for them', () => {
    process.env = { ...real, ANTHROPIC_API_KEY: 'from-shell' };
    keepKeys({ ANTHROPIC_API_KEY: 'from-shell' });
    expect(process.env.ANTHROPIC_API_KEY).toBeUndefined();
    expect(lookingAtKeys(() => process.env.ANTHROPIC_API_KEY)).toBe('from-shell');
    expect(() =>
      lookingAtKeys(() => {
        throw new Error('no');
      }),
    ).toThrow('no');
    expect(process.env.ANTHROPIC_API_KEY).toBeUndefined();
    expect(environmentWithKeys().ANTHROPIC_API_KEY).toBe('from-shell');
    expect(environmentSecrets()).toContain('from-shell');
  });
});
