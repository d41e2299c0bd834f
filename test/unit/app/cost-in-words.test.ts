import { describe, expect, it } from 'vitest';
import { costInWords } from '../../../src/renderer/state/format';
import { hasUnknownPrice } from '../../../src/renderer/state/settings-store';
import type { ProviderInfo } from '@shared/types';
import { compaction, reply, usage, Writer } from '../shared/session/support';

const provider = (id: string, kind: ProviderInfo['kind']): ProviderInfo => ({ id, kind }) as ProviderInfo;
const PROVIDERS = [provider('demo', 'demo'), provider('ollama', 'local'), provider('mine', 'custom')];

describe('TK9: what has no price is not said to cost nothing', () => {
  it('whoever was asked for a reply or a summary without one is known', () => {
    const writer = new Writer();
    writer.add(reply('Paid', { provider: 'anthropic', usage: usage({ input: 10, cost: { total: 0.5 } as never }) }));
    writer.add(reply('Failed before it began', { provider: 'nobody' }));
    expect([...writer.tree.unpriced]).toEqual([]);
    writer.add(reply('No price', { provider: 'mine', usage: usage({ input: 10 }) }));
    const summary = (espalier: object) => ({ ...compaction('S', null), details: { espalier } }) as never;
    writer.add(summary({ model: 'remote/x', calls: 1 }));
    writer.add(summary({ model: 'edited/x', calls: 0, cost: 0 }));
    writer.add(summary({ model: 'paid/x', calls: 1, cost: 0.25 }));
    expect([...writer.tree.unpriced]).toEqual(['mine', 'remote']);
    expect(writer.tree.cost).toBe(0.75);
  });

  it('what runs here is free, and any other may cost something, one that is gone too', () => {
    expect(hasUnknownPrice(PROVIDERS, ['demo', 'ollama'])).toBe(false);
    expect(hasUnknownPrice(PROVIDERS, ['demo', 'mine'])).toBe(true);
    expect(hasUnknownPrice(PROVIDERS, ['gone'])).toBe(true);
  });

  it('in words', () => {
    expect([costInWords(0, false), costInWords(0, true), costInWords(1.5, true)]).toEqual(['$0', 'cost unknown', 'at least $1.50']); // prettier-ignore
  });
});
