import { describe, expect, it } from 'vitest';
import { LateStore } from '../../../src/renderer/db/local-store';
import { createMemoryStore } from '../../support/memory-store';

const draft = (text: string) => ({ text, attachments: [] });

describe('the local store before its database is open', () => {
  it('lets callers wait for what the database remembers', async () => {
    const database = createMemoryStore();
    await database.putDraft('a', draft('from last time'));
    const store = new LateStore();
    const asked = store.getDraft('a');
    await store.arrive(database);
    expect(await asked).toEqual(draft('from last time'));
  });

  it('SY7: goes on in memory when the database can’t be opened', async () => {
    const store = new LateStore();
    const put = store.putUi('layout', 1);
    store.fallBack();
    await put;
    expect(await store.getUi('layout')).toBe(1);
    expect(await store.loadEntries('a', [{ id: 'x', seq: 1 }])).toEqual([]);
  });

  it('moves what was put meanwhile into a database that comes late', async () => {
    const store = new LateStore();
    store.fallBack();
    await store.putUi('layout', 2);
    const database = createMemoryStore();
    await store.arrive(database);
    expect(await database.getUi('layout')).toBe(2);
    expect(await store.getUi('layout')).toBe(2);
  });

  it.each([false, true])('CM6: tells of a stored draft before anything takes its place (waits: %s)', async (waits) => {
    const database = createMemoryStore();
    await database.putDraft('a', draft('stored'));
    const store = new LateStore();
    if (!waits) store.fallBack();
    const asked = store.getDraft('a');
    const put = store.putDraft('a', draft('typed'));
    await store.arrive(database);
    expect(await asked).toEqual(draft('stored'));
    await put;
    expect(await database.getDraft('a')).toEqual(draft('typed'));
  });

  it('survives a database that refuses what is moved', async () => {
    const store = new LateStore();
    store.fallBack();
    await store.putUi('layout', 1);
    const refusing = { ...createMemoryStore(), putUi: () => Promise.reject(new Error('full')) };
    await expect(store.arrive(refusing)).resolves.toBeUndefined();
  });
});
