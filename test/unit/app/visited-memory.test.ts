import { IDBFactory, IDBKeyRange } from 'fake-indexeddb';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { joinedVisits, left, NOWHERE, readVisited, step, type Visited } from '../../../src/renderer/state/branch-state';
import type { LocalStore } from '../../../src/renderer/state/local-store';
import { deleteForGood } from '../../../src/renderer/actions/sessions';
import { EspalierDatabase } from '../../../src/renderer/db/database';
import { createDatabaseStore } from '../../../src/renderer/db/local-store';
import type { App } from '../../../src/renderer/state/app-type';
import { createUiStore } from '../../../src/renderer/state/ui-store';
import { keepVisited } from '../../../src/renderer/state/ui-memory';
import { createMemoryStore } from '../../support/memory-store';

const ID = 'session';
const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

/** A window over a database, with what it remembers of the session. */
function open(local: LocalStore) {
  const ui = createUiStore();
  const memory = keepVisited(local, ui);
  const leave = (leaf: string | null): void =>
    ui.setState(({ visited }) => ({ visited: { ...visited, [ID]: left(visited[ID] ?? NOWHERE, leaf) } }));
  return { ui, memory, leave, seen: (): Visited | undefined => ui.getState().visited[ID] };
}

describe('WN13: the way back over a restart', () => {
  it('is there in the next window, also forward', async () => {
    const local = createMemoryStore();
    const first = open(local);
    first.memory.open(ID);
    await settled();
    first.leave('a');
    first.leave(null);
    const back = step(first.seen()!, 'back', 'b')!;
    first.ui.setState({ visited: { [ID]: back.after } });
    const second = open(local);
    second.memory.open(ID);
    await settled();
    expect(second.seen()).toEqual({ back: ['a'], forward: ['b'] });
    expect(step(second.seen()!, 'back', null)?.to).toBe('a');
  });

  it('what was left before the database answered comes behind what was kept, and both are kept', async () => {
    const local = createMemoryStore();
    await local.putUi(`visited:${ID}`, { back: ['a'], forward: ['z'] });
    const window = open(local);
    window.memory.open(ID);
    window.leave('b');
    await settled();
    expect(window.seen()).toEqual({ back: ['a', 'b'], forward: [] });
    expect(await local.getUi(`visited:${ID}`)).toEqual({ back: ['a', 'b'], forward: [] });
  });

  it('nothing is overwritten that could not be read, and the next opening reads it', async () => {
    const kept = createMemoryStore();
    await kept.putUi(`visited:${ID}`, { back: ['a'], forward: [] });
    let fails = true;
    const local: LocalStore = {
      ...kept,
      getUi: (key) => (fails ? Promise.reject(new Error('blocked')) : kept.getUi(key)),
    };
    const window = open(local);
    window.memory.open(ID);
    await settled();
    window.leave('b');
    expect(await kept.getUi(`visited:${ID}`)).toEqual({ back: ['a'], forward: [] });
    fails = false;
    window.memory.open(ID);
    await settled();
    expect(window.seen()).toEqual({ back: ['a', 'b'], forward: [] });
  });

  it('goes with its session, once that is deleted for good', async () => {
    const db = new EspalierDatabase('visits', undefined, { indexedDB: new IDBFactory(), IDBKeyRange });
    await db.open();
    const local = createDatabaseStore(db);
    const { ui, memory, leave, seen } = open(local);
    await local.putUi('visited:other', NOWHERE);
    await local.putUi(`graph:${ID}`, { filter: 'all' });
    memory.open(ID);
    await settled();
    leave('a');
    const keys = async () => (await db.ui.toCollection().primaryKeys()).sort();
    await expect.poll(keys).toEqual([`graph:${ID}`, 'visited:other', `visited:${ID}`]);
    let deleted = false;
    const client = { request: () => Promise.resolve({ deleted }) };
    const app = { client, local, ui } as unknown as App;
    // Main asked, and the person did not want it after all.
    expect(await deleteForGood(app, ID)).toBe(false);
    expect(await keys()).toHaveLength(3);
    deleted = true;
    expect(await deleteForGood(app, ID)).toBe(true);
    await settled();
    expect(await keys()).toEqual(['visited:other']);
    expect(seen()).toBeUndefined();
    db.close();
  });

  it('whatever stands in the database is read as steps, or as none', () => {
    const leaf = fc.oneof(fc.string(), fc.constant(null), fc.integer());
    const steps = fc.record({ back: fc.array(leaf, { maxLength: 150 }), forward: fc.array(leaf) });
    fc.assert(
      fc.property(fc.oneof(fc.anything(), steps), fc.option(steps), (stored, now) => {
        const read = readVisited(stored);
        if (!read) return;
        const joined = joinedVisits(read, readVisited(now) ?? undefined);
        for (const places of [joined.back, joined.forward]) {
          expect(places.length).toBeLessThanOrEqual(100);
          for (const place of places) expect(place === null || typeof place === 'string').toBe(true);
        }
      }),
    );
  });
});
