import { IDBFactory, IDBKeyRange } from 'fake-indexeddb';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Client } from '../../../src/renderer/bridge';
import { EspalierDatabase } from '../../../src/renderer/db/database';
import { createDatabaseStore } from '../../../src/renderer/db/local-store';
import { Persister } from '../../../src/renderer/db/persister';
import { createDraftStore } from '../../../src/renderer/state/draft-store';
import type { Draft, LocalStore } from '../../../src/renderer/state/local-store';

const file = (id: string) => ({ id, kind: 'text' as const, name: `${id}.txt`, mimeType: 'text/plain', data: id });
const draftOf = (text: string, ...ids: string[]): Draft => ({ text, attachments: ids.map(file) });

let indexedDB: IDBFactory;
let db: EspalierDatabase;
let store: LocalStore;

async function open(version?: number): Promise<void> {
  db = new EspalierDatabase('drafts', version, { indexedDB, IDBKeyRange });
  await db.open();
  store = createDatabaseStore(db);
}
const fileIds = async (): Promise<string[]> => (await db.draftFiles.toArray()).map(({ id }) => id);

beforeEach(async () => {
  indexedDB = new IDBFactory();
  await open();
});
afterEach(() => db.close());

describe('CM6: the files of a draft lie apart from its text', () => {
  it('are written once, and go with what they were attached to', async () => {
    await store.putDraft('a', draftOf('one', 'x', 'y'));
    await store.putDraft('b', draftOf('other', 'x'));
    expect(JSON.stringify(await db.drafts.toArray())).not.toContain('x.txt');
    // A mark that another write would remove.
    await db.draftFiles.put({ sessionId: 'a', id: 'x', file: { ...file('x'), name: 'mark' } });
    await store.putDraft('a', draftOf('two', 'x', 'z'));
    expect((await store.getDraft('a'))?.attachments.map(({ name }) => name)).toEqual(['mark', 'z.txt']);
    await store.putDraft('a', null);
    expect(await store.getDraft('a')).toBeNull();
    expect(await fileIds()).toEqual(['x']);
    expect(await store.getDraft('b')).toEqual(draftOf('other', 'x'));
  });

  it('a write that does not end changes neither', async () => {
    await store.putDraft('a', draftOf('one', 'x'));
    // The files are written before it: what can't be cloned ends the transaction between the two.
    await expect(store.putDraft('a', { ...draftOf('', 'y'), text: (() => '') as never })).rejects.toThrow();
    expect(await store.getDraft('a')).toEqual(draftOf('one', 'x'));
    expect(await fileIds()).toEqual(['x']);
  });

  it('SY7: a draft of version 1 is read as it was, and written apart from then on', async () => {
    db.close();
    indexedDB = new IDBFactory();
    await open(1);
    await db.drafts.put({ sessionId: 'a', draft: { ...draftOf('old', 'x'), aside: ['beside'] } });
    db.close();
    await open();
    expect(await store.getDraft('a')).toEqual({ ...draftOf('old', 'x'), aside: ['beside'] });
    expect(await fileIds()).toEqual([]);
    await store.putDraft('a', draftOf('new', 'x'));
    expect(await fileIds()).toEqual(['x']);
    expect(await store.getDraft('a')).toEqual(draftOf('new', 'x'));
  });

  it('can be anything', async () => {
    for (const draft of [7, 'text', { fileIds: [null, {}] }, { text: 'x', fileIds: 'none' }]) {
      await db.drafts.put({ sessionId: 'a', draft });
      await expect(store.getDraft('a')).resolves.toBeDefined();
    }
    await db.drafts.put({ sessionId: 'a', draft: { text: 'x', fileIds: ['gone'] } });
    expect((await store.getDraft('a'))?.attachments).toEqual([undefined]);
  });
});

it('JN49: a draft that an undo brings back stays, though its session was found deleted before', async () => {
  await db.marks.put({ sessionId: 'a', seq: 3, crc: 1 });
  await store.putDraft('a', draftOf('typed'));
  await store.putDraft('deleted', draftOf('typed'));
  let undone: Promise<void> = Promise.resolve();
  const request = async (name: string): Promise<unknown> => {
    if (name !== 'sync.hello') return undefined;
    // Main answers the undo behind this one.
    setTimeout(() => void (undone = store.putDraft('a', draftOf('brought back'))));
    return { fetch: [], upload: [], drop: ['deleted', 'a'] };
  };
  const persister = new Persister({ db, client: { request } as unknown as Client, onProblem: (problem) => expect(problem).toBeNull() }); // prettier-ignore
  await persister.start(false);
  await undone;
  expect(await db.marks.toArray()).toEqual([]);
  expect(await store.getDraft('a')).toEqual(draftOf('brought back'));
  expect(await store.getDraft('deleted')).toBeNull();
});

it('CM6: what is typed while the database is opened again is written when it is open, with what was stored', async () => {
  await store.putDraft('a', draftOf('stored', 'x'));
  db.close();
  const draft = createDraftStore('a', store);
  draft.set({ text: 'typed' });
  await draft.flush();
  await db.open();
  expect(await store.getDraft('a')).toEqual(draftOf('stored', 'x'));
  await draft.flush();
  expect(await store.getDraft('a')).toEqual({ ...draftOf('typed', 'x'), aside: ['stored'] });
});
