import { expect, it } from 'vitest';
import type { SessionMeta } from '../../../src/main/ports';
import { emptyMeta } from '../../../src/main/journal/meta/session-meta';
import type { AppEvent } from '../../../src/shared/ipc/contract';
import { SummaryBook } from '../../../src/main/session/host/summary-book';

/** A store whose writes end when the test says so. */
function slowStore() {
  let stored: SessionMeta = emptyMeta('/w', 0);
  const writes: { finish: (error?: Error) => void }[] = [];
  const setMeta = (_id: string, patch: Partial<SessionMeta>): Promise<void> =>
    new Promise((resolve, reject) => {
      writes.push({
        finish: (error) => {
          if (error) return reject(error);
          stored = { ...stored, ...patch };
          resolve();
        },
      });
    });
  return { writes, store: { meta: () => stored, setMeta, list: async () => [] } };
}

it('what is noted while the person’s change is written is not lost with it', async () => {
  const { store, writes } = slowStore();
  const book = new SummaryBook(store, () => undefined, '/scratch', Date.now);
  book.note('s', { preview: 'before' });
  const renaming = book.set('s', { title: 'Mine', titleSource: 'person' });
  book.note('s', { preview: 'meanwhile', updatedAt: 7 });
  writes[0]!.finish();
  await renaming;
  expect(book.summary('s')).toMatchObject({ title: 'Mine', preview: 'meanwhile', updatedAt: 7 });
  const saving = book.save('s');
  writes[1]!.finish();
  await saving;
  expect(store.meta()).toMatchObject({ title: 'Mine', preview: 'meanwhile', updatedAt: 7 });
});

it('a change that can’t be written keeps what was due', async () => {
  const { store, writes } = slowStore();
  const book = new SummaryBook(store, () => undefined, '/scratch', Date.now);
  book.note('s', { preview: 'before' });
  const renaming = book.set('s', { title: 'Mine' });
  writes[0]!.finish(new Error('full'));
  await expect(renaming).rejects.toThrow('full');
  expect(book.summary('s')).toMatchObject({ title: '', preview: 'before' });
});

it('a session for which no folder was chosen says where it works', async () => {
  const { store, writes } = slowStore();
  const book = new SummaryBook(store, () => undefined, '/scratch', Date.now);
  expect(book.summary('s').workspace).toBe('/w');
  const imported = book.set('s', { workspace: '', suggestion: '/elsewhere' });
  writes[0]!.finish();
  await imported;
  expect(book.summary('s').workspace).toBe('/scratch');
  expect(book.workspaceOf('s')).toBe('/scratch');
});

it('NT1: it waits since its first open question was asked, and from when a summary was ready where nobody noted it', () => {
  const { store } = slowStore();
  let now = 100;
  const told: unknown[] = [];
  const tell = (event: AppEvent): void => void (event.type === 'sessions_changed' && told.push(event.summary.waiting));
  const book = new SummaryBook(store, tell, '/scratch', () => now);
  const review = { what: 'Review a summary', more: 0, since: null };
  book.setDoing('s', 'waiting', review);
  now = 200;
  book.setDoing('s', 'waiting', review);
  book.setDoing('s', 'waiting', { what: 'Run it', more: 1, since: 150 });
  book.setDoing('s', 'streaming', null);
  book.setDoing('s', 'waiting', review);
  expect(told).toEqual([
    { ...review, since: 100 },
    { ...review, since: 100 },
    { what: 'Run it', more: 1, since: 150 },
    undefined,
    { ...review, since: 200 },
  ]);
});
