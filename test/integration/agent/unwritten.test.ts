import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createSessionStore, type JournalStore } from '../../../src/main/journal/session-store';
import { randomHex } from '../../../src/main/random-hex';
import { SessionHost } from '../../../src/main/session/host/session-host';
import { promptOf, startHarness, type Harness } from '../../support/agent-harness';

/** Sessions in which nothing was said yet are deleted and taken back. */

let dir: string;
let harness: Harness;
let store: JournalStore;
let host: SessionHost;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'espalier-unwritten-'));
  harness = await startHarness();
  await start();
});
afterEach(async () => {
  await stop();
  await harness.close();
  await rm(dir, { recursive: true, force: true });
});

async function start(): Promise<void> {
  store = await createSessionStore({
    ...{ dir: join(dir, 'sessions'), trashDir: join(dir, 'trash'), clock: Date.now, randomHex },
    log: { warn: () => undefined },
  });
  host = new SessionHost({ ...harness.ports, store, sessionsDir: join(dir, 'sessions'), scratchDir: dir });
}
async function stop(): Promise<void> {
  await host.dispose();
  await store.close();
}

/** A second model to choose. */
const OTHER = { provider: 'other', modelId: 'other-1' };

it('JN49: one without a file comes back with title, workspace and model, and goes on', async () => {
  const [first] = harness.models.all;
  if (!first) throw new Error('The harness has no model');
  harness.models.all.push({ ...first, provider: OTHER.provider, id: OTHER.modelId });
  const { id } = await host.create({});
  await (await host.session(id)).setModel(OTHER);
  await host.rename(id, 'Garden');
  await host.setWorkspace(id, join(dir, 'garden'));
  await host.setPinned(id, true);
  const before = host.summary(id);
  await host.remove(id);
  expect((await host.list()).map((session) => session.id)).toEqual([]);
  await expect(host.session(id)).rejects.toThrow('The file of this session is gone.');
  expect(existsSync(join(dir, 'trash'))).toBe(false);

  expect(await host.restore(id)).toEqual(before);
  expect(before).toMatchObject({ title: 'Garden', workspace: join(dir, 'garden'), pinned: true });
  const session = await host.session(id);
  expect(session.model).toEqual(OTHER);
  // Twice, then it is written as one that never was away.
  await host.remove(id);
  await host.restore(id);
  harness.server.script(['Answer.']);
  await (await host.session(id)).prompt(promptOf('First'));
  await harness.until('settled');
  await stop();
  await start();
  const [listed] = await host.list();
  expect(listed).toMatchObject({ id, title: 'Garden', workspace: join(dir, 'garden'), pinned: true });
  expect((await host.session(id)).model).toEqual(OTHER);
});

it('JN49: what came to its name meanwhile is left, and is what the session is', async () => {
  const { id } = await host.create({});
  await host.remove(id);
  await writeFile(join(dir, 'sessions', `${id}.jsonl`), 'theirs');
  expect((await host.restore(id)).damage).toHaveLength(1);
  expect(await readFile(join(dir, 'sessions', `${id}.jsonl`), 'utf8')).toBe('theirs');
});

it('JN26: one whose file has a header alone comes back from the trash', async () => {
  const { id } = await host.create({});
  const { header } = (await host.session(id)).log;
  await stop();
  await writeFile(join(dir, 'sessions', `${id}.jsonl`), `${JSON.stringify(header)}\n`);
  await start();
  await host.list();
  await host.rename(id, 'Empty');
  await host.setWorkspace(id, join(dir, 'garden'));
  await host.remove(id);
  expect(await store.trashed()).toEqual([id]);
  expect(await host.restore(id)).toMatchObject({ title: 'Empty', workspace: join(dir, 'garden'), damage: [] });
});

it('JN49: after a restart there is nothing to take back, and that is told', async () => {
  const { id } = await host.create({});
  await host.remove(id);
  await stop();
  await start();
  await expect(host.restore(id)).rejects.toThrow('This session is no longer in the trash');
});

it('TL7: what is allowed until a session is closed stays while others are used: it is not let go of', async () => {
  await stop();
  const closed: string[] = [];
  let needed = '';
  store = await createSessionStore({
    ...{ dir: join(dir, 'sessions'), trashDir: join(dir, 'trash'), clock: Date.now, randomHex },
    log: { warn: () => undefined },
  });
  const onClose = (id: string): void => void closed.push(id);
  host = new SessionHost({ ...harness.ports, store, sessionsDir: join(dir, 'sessions'), scratchDir: dir, onClose, isNeeded: (id) => id === needed }); // prettier-ignore
  const ids: string[] = [];
  const say = async (): Promise<void> => {
    const { id } = await host.create({});
    const session = await host.session(id);
    await session.log.append([{ type: 'message', message: { role: 'user', content: 'Hi', timestamp: 1 } }]);
    ids.push(id);
    if (ids.length === 1) needed = id;
  };
  for (let n = 0; n < 12; n++) await say();
  await vi.waitFor(() => expect(closed.length).toBeGreaterThan(1));
  expect(closed).not.toContain(needed);
  expect(closed).toContain(ids[1]);
});
