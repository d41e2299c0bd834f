import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ownerOfKey } from '@shared/policy/keys';
import { loadPiAi } from '../../../src/main/pi/pi';

const REST = '0123456789abcdef';
const OWNERS = {
  'sk-ant-api03-': 'anthropic',
  'sk-or-v1-': 'openrouter',
  'sk-proj-': 'openai',
  'sk-svcacct-': 'openai',
  AIzaSy: 'google',
  gsk_: 'groq',
  'xai-': 'xai',
  'csk-': 'cerebras',
  hf_: 'huggingface',
  fw_: 'fireworks',
  vck_: 'vercel-ai-gateway',
};

describe('WN16: whose key it is', () => {
  it('is told by a beginning that one provider has, whatever follows', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...Object.entries(OWNERS)),
        fc.stringMatching(/^[\w-]{12,40}$/),
        ([prefix, provider], rest) => {
          expect(ownerOfKey(` ${prefix}${rest}\n`)).toEqual({ kind: 'own', provider });
        },
      ),
    );
  });

  it('is asked for where several have it, and where it says nothing', () => {
    expect(ownerOfKey(`sk-${REST}`)).toMatchObject({
      kind: 'shared',
      providers: expect.arrayContaining(['openai', 'deepseek']) as unknown,
    });
    for (const text of ['', 'sk-', 'sk-ant-', REST, 'SK-ANT-0123456789', 'password123456', `x sk-ant-${REST}`])
      expect(ownerOfKey(text), text).toEqual({ kind: 'unknown' });
    fc.assert(fc.property(fc.string(), (text) => void ownerOfKey(text)));
  });

  it('names only providers that there are', async () => {
    const pi = await loadPiAi();
    const known = pi.getProviders() as string[];
    const shared = ownerOfKey(`sk-${REST}`);
    const named = [...Object.values(OWNERS), ...(shared.kind === 'shared' ? shared.providers : [])];
    expect(named.filter((id) => !known.includes(id))).toEqual([]);
  });
});
