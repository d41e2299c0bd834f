import { describe, expect, it } from 'vitest';
import type { Client } from '../../../src/renderer/bridge';
import { sessionsOfDrafts } from '../../../src/renderer/state/draft-store';

describe('CM1: sessions in which nothing but a draft was written', () => {
  it('are made again under their ids; one that main refuses is left out', async () => {
    const asked: unknown[] = [];
    const request = (name: string, params: { again: string }): Promise<unknown> => {
      asked.push([name, params.again]);
      return params.again === 'refused' ? Promise.reject(new Error('no')) : Promise.resolve({ id: params.again });
    };
    const made = await sessionsOfDrafts({ request } as unknown as Client, ['a', 'refused', 'b']);
    expect(asked).toEqual(['a', 'refused', 'b'].map((id) => ['sessions.create', id]));
    expect(made).toEqual([{ id: 'a' }, { id: 'b' }]);
  });
});
