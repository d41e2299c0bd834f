import { describe, expect, it } from 'vitest';
import type { Client } from '../../../src/renderer/bridge';
import { sessionsOfDrafts } from '../../../src/renderer/state/draft-sessions';
import { createMemoryStore } from '../../support/memory-store';

describe('CM1: sessions in which nothing but a draft was written', () => {
  it('are made again under their ids; one that main refuses, and those that are there, are left out', async () => {
    const local = createMemoryStore();
    for (const id of ['known', 'a', 'refused', 'b']) await local.putDraft(id, { text: id, attachments: [] });
    const asked: unknown[] = [];
    const request = (name: string, params: { again: string }): Promise<unknown> => {
      asked.push([name, params.again]);
      return params.again === 'refused' ? Promise.reject(new Error('no')) : Promise.resolve({ id: params.again });
    };
    const made = await sessionsOfDrafts({ request } as unknown as Client, local, (id) => id === 'known');
    expect(asked).toEqual(['a', 'refused', 'b'].map((id) => ['sessions.create', id]));
    expect(made).toEqual([{ id: 'a' }, { id: 'b' }]);
  });
});
