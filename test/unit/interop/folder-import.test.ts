import fc from 'fast-check';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openImports } from '../../../src/main/app/open-imports';
import { pickedFiles } from '../../../src/main/files/picked-files';
import type { FolderImport } from '../../../src/main/folder-import/folder-import';
import { piSessions } from '../../../src/main/folder-import/pi-place';
import { type JournalFs, nodeFs } from '../../../src/main/journal/file/fs';
import { SessionHost } from '../../../src/main/session/host/session-host';
import type { SessionStore, TakeIn } from '../../../src/main/ports';
import type { ImportItem, ImportOffer, ImportState } from '../../../src/shared/folder-import';
import type { AppEvent } from '../../../src/shared/ipc/contract';
import { startHarness, type Harness } from '../../support/agent-harness';
import { testFileWorkers } from '../../support/file-workers';
import { openStoreBench, type StoreBench, textsOf, user } from '../../support/journal';
import { anyPiFile, piLines, type PiSession, writePi } from '../../support/pi-sessions';

let harness: Harness;
let bench: StoreBench;
let host: SessionHost;
let pi: string;
let events: AppEvent[];
let imports: FolderImport;
const missing = new Set<string>();

beforeEach(async () => {
  harness = await startHarness();
  bench = await openStoreBench({ picked: pickedFiles(await testFileWorkers()) });
  pi = join(bench.home, 'pi');
  mkdirSync(pi);
  missing.clear();
  await open();
});
afterEach(async () => {
  await imports.end();
  await host.dispose();
  await bench.dispose();
  await harness.close();
});

/** The import as the app makes it, over what the store is now. */
async function open(store: SessionStore = bench.store): Promise<void> {
  events = [];
  const emit = (event: AppEvent): void => void events.push(event);
  host = new SessionHost({ ...harness.ports, emit, store, sessionsDir: bench.dir, scratchDir: '/scratch' });
  process.env.PI_CODING_AGENT_SESSION_DIR = pi;
  imports = openImports({
    ...{ files: await testFileWorkers(), store, host, emit },
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
    trustDesk: { isMissing: (folder: string) => Promise.resolve(missing.has(folder)) } as never,
  });
  delete process.env.PI_CODING_AGENT_SESSION_DIR;
}

const A: PiSession = { id: 'aaaaaaaa-0000-4000-8000-000000000001', cwd: '/work/a', texts: ['one', 'two'] };
const B: PiSession = { id: 'bbbbbbbb-0000-4000-8000-000000000002', cwd: '/work/b', texts: ['first'] };
const C: PiSession = { id: 'cccccccc-0000-4000-8000-000000000003', cwd: '/work/b', texts: ['third'] };

async function offered(chosen: string | null = null): Promise<ImportOffer> {
  const state = await imports.look(chosen);
  if (state.phase !== 'offered') throw new Error(JSON.stringify(state));
  return state.offer;
}

/** Imports all of these groups and resolves to how it ended. */
async function run(groups: readonly string[]): Promise<Extract<ImportState, { phase: 'done' }>> {
  imports.start(groups);
  return ended();
}

async function ended(): Promise<Extract<ImportState, { phase: 'done' }>> {
  await expect.poll(() => imports.current().phase, { timeout: 20_000 }).toBe('done');
  return imports.current() as Extract<ImportState, { phase: 'done' }>;
}

/** Looks, imports all, and reads the report to its end. */
async function importAll(chosen: string | null = null): Promise<ImportItem[]> {
  imports.close();
  const { groups } = await offered(chosen);
  const { items: count } = await run(groups.map(({ id }) => id));
  const items: ImportItem[] = [];
  while (items.length < count) items.push(...imports.report(items.length));
  return items;
}

const journal = (id: string): Buffer => readFileSync(bench.journal(id));

describe('what there is to import (IM1)', () => {
  it('IM1: says how many sessions of which folders, how large, and what is here, before anything is written', async () => {
    const paths = [A, B, C].map((session) => writePi(pi, session));
    writeFileSync(join(pi, 'notes.jsonl'), '{"a":1}\n');
    writeFileSync(join(pi, 'notes.txt'), 'no session');
    symlinkSync(paths[0] ?? '', join(pi, 'link.jsonl'));
    missing.add('/work/b');
    const offer = await offered();
    const bytes = (path: string | undefined): number => readFileSync(path ?? '').length;
    expect(offer).toMatchObject({ place: pi, isPi: true, unfit: 1, isWhole: true });
    expect(offer.groups.map(({ id: _id, ...group }) => group)).toEqual([
      { folder: '/work/b', files: 2, bytes: bytes(paths[1]) + bytes(paths[2]), here: 0, grown: 0, isMissing: true },
      { folder: '/work/a', files: 1, bytes: bytes(paths[0]), here: 0, grown: 0, isMissing: false },
    ]);
    expect(readdirSync(bench.dir)).toEqual([]);
    await importAll();
    appendFileSync(paths[0] ?? '', `${piLines({ ...A, texts: ['one', 'two', 'three'] }).at(-1)}\n`);
    imports.close();
    const again = await offered();
    expect(again.groups.map(({ folder, here, grown }) => [folder, here, grown])).toEqual([
      ['/work/b', 2, 0],
      ['/work/a', 0, 1],
    ]);
  });

  it('IM1: pi’s folder is where its variables say, else in its own', () => {
    expect(piSessions({}, '/home/me')).toBe(join('/home/me', '.pi', 'agent', 'sessions'));
    expect(piSessions({ PI_CODING_AGENT_DIR: '/elsewhere' }, '/home/me')).toBe(join('/elsewhere', 'sessions'));
    expect(piSessions({ PI_CODING_AGENT_DIR: '~/.pi2' }, '/home/me')).toBe(join('/home/me', '.pi2', 'sessions'));
    expect(piSessions({ PI_CODING_AGENT_SESSION_DIR: '/kept', PI_CODING_AGENT_DIR: '/no' }, '/home/me')).toBe('/kept');
    expect(piSessions({ PI_CODING_AGENT_DIR: 'relative' }, '/home/me')).toBe(
      join('/home/me', '.pi', 'agent', 'sessions'),
    );
  });

  it('IM1: a folder that is not there, or is none, is told in words', async () => {
    rmSync(pi, { recursive: true });
    expect(await imports.look(null)).toEqual({ phase: 'none', problem: 'The folder is not there.' });
    writeFileSync(pi, 'a file');
    expect(await imports.look(null)).toEqual({ phase: 'none', problem: 'It is a file, not a folder.' });
  });

  it('IM1: only the folders that were left in are imported', async () => {
    [A, B, C].forEach((session) => writePi(pi, session));
    const { groups } = await offered();
    expect(imports.chosen([groups[0]?.id ?? ''])).toMatchObject({ files: 2, place: pi, isPi: true });
    const { summary } = await run([groups[0]?.id ?? '', 'no such group']);
    expect(summary.counts).toMatchObject({ imported: 2, here: 0 });
    expect(existsSync(bench.journal(A.id))).toBe(false);
  });
});

describe('what is here already (IM2)', () => {
  it('IM2: the same file is skipped, also where the session went on here', async () => {
    writePi(pi, A);
    await importAll();
    expect(await importAll()).toEqual([expect.objectContaining({ outcome: 'here', sessionId: A.id })]);
    const log = await bench.store.open(A.id);
    await log.append([user('said here')]);
    await log.close();
    const before = journal(A.id);
    expect(await importAll()).toEqual([expect.objectContaining({ outcome: 'here', sessionId: A.id })]);
    expect(journal(A.id)).toEqual(before);
  });

  it('IM2: what pi added since goes on in the session, byte for byte, and the window reads it anew', async () => {
    const path = writePi(pi, A);
    await importAll();
    await host.session(A.id);
    await host.rename(B.id, 'x').catch(() => undefined);
    const more = piLines({ ...A, texts: ['one', 'two', 'three', 'four'] }).slice(-2);
    appendFileSync(path, `${more.join('\n')}\n`);
    events.length = 0;
    expect(await importAll()).toEqual([expect.objectContaining({ outcome: 'grown', sessionId: A.id, notes: [] })]);
    expect(journal(A.id)).toEqual(readFileSync(path));
    expect(events.filter(({ type }) => ['session_reloaded', 'copies_differ'].includes(type))).toEqual([
      { type: 'session_reloaded', sessionId: A.id },
      { type: 'copies_differ', sessionId: A.id },
    ]);
    expect(await textsOf(await bench.store.open(A.id))).toEqual(['one', 'two', 'three', 'four']);
    expect(host.summary(A.id)).toMatchObject({ entryCount: 4, preview: 'four' });
    const target = join(bench.home, 'out.jsonl');
    await bench.store.exportTo(A.id, target, true);
    expect(readFileSync(target)).toEqual(readFileSync(path));
    expect(await importAll()).toEqual([expect.objectContaining({ outcome: 'here' })]);
  });

  it('IM2: a line that was torn when it was imported is whole afterwards', async () => {
    const path = writePi(pi, A);
    const whole = readFileSync(path);
    truncateSync(path, whole.length - 20);
    const [item] = await importAll();
    expect(item).toMatchObject({ outcome: 'imported', isDamaged: true });
    writeFileSync(path, whole);
    expect(await importAll()).toEqual([expect.objectContaining({ outcome: 'grown', notes: [] })]);
    expect(journal(A.id)).toEqual(whole);
    expect(await textsOf(await bench.store.open(A.id))).toEqual(['one', 'two']);
  });

  it('IM2: one that went on here and there becomes a second session that says so, once', async () => {
    const path = writePi(pi, A);
    await importAll();
    const log = await bench.store.open(A.id);
    await log.append([user('said here')]);
    await log.close();
    const here = journal(A.id);
    appendFileSync(path, `${piLines({ ...A, texts: ['one', 'two', 'said in pi'] }).at(-1)}\n`);
    const [second] = await importAll();
    expect(second).toMatchObject({ outcome: 'second', title: expect.stringMatching(/^one \(version of /) as string });
    expect(second?.notes[0]).toContain('goes on differently');
    expect(journal(A.id)).toEqual(here);
    expect(journal(second?.sessionId ?? '')).toEqual(readFileSync(path));
    expect(await importAll()).toEqual([expect.objectContaining({ outcome: 'here', sessionId: second?.sessionId })]);
    // And what pi adds to that goes on in the second one.
    appendFileSync(path, `${piLines({ ...A, texts: ['one', 'two', 'x', 'later'] }).at(-1)}\n`);
    expect(await importAll()).toEqual([expect.objectContaining({ outcome: 'grown', sessionId: second?.sessionId })]);
    expect(journal(second?.sessionId ?? '')).toEqual(readFileSync(path));
  });

  it('IM2: a session that is at work is not touched', async () => {
    const path = writePi(pi, A);
    await importAll();
    const session = await host.session(A.id);
    Object.defineProperty(session, 'isQuiet', { value: false });
    const before = journal(A.id);
    appendFileSync(path, `${piLines({ ...A, texts: ['one', 'two', 'three'] }).at(-1)}\n`);
    const [item] = await importAll();
    expect(item).toMatchObject({ outcome: 'skipped', sessionId: A.id });
    expect(item?.notes[0]).toContain('busy');
    expect(journal(A.id)).toEqual(before);
  });

  it('IM2: of two files of one id the second is compared with the first', async () => {
    writePi(pi, A);
    writePi(join(pi, 'copy'), A);
    writePi(join(pi, 'other'), { ...A, texts: ['elsewhere'] });
    const outcomes = (await importAll()).map(({ outcome }) => outcome);
    expect(outcomes.sort()).toEqual(['here', 'imported', 'second']);
  });
});

describe('the run (IM3)', () => {
  it('IM3: tells how far it is, and stops behind what is done: that stays, and nothing is half', async () => {
    const sessions = Array.from({ length: 6 }, (_, n): PiSession => ({ ...A, id: `many-${n}`, texts: ['a', 'b'] }));
    sessions.forEach((session) => writePi(pi, session));
    const { groups } = await offered();
    imports.start(groups.map(({ id }) => id));
    await expect.poll(() => readdirSync(bench.dir).filter((name) => name.endsWith('.jsonl')).length).toBeGreaterThan(1);
    imports.stop();
    const { summary } = await ended();
    const there = readdirSync(bench.dir).filter((name) => name.endsWith('.jsonl'));
    expect(summary.counts.imported).toBe(there.length);
    expect(summary.left).toBe(6 - there.length);
    expect(summary.left).toBeGreaterThan(0);
    for (const session of sessions.filter(({ id }) => there.includes(`${id}.jsonl`)))
      expect(journal(session.id).toString()).toBe(`${piLines(session).join('\n')}\n`);
    expect(readdirSync(bench.dir).filter((name) => /\.part$|import\.json$/.test(name))).toHaveLength(there.length);
    const told = events.flatMap((event) => (event.type === 'imports_changed' ? [event.state.phase] : []));
    expect(told).toEqual(expect.arrayContaining(['looking', 'offered', 'running', 'done']));
    // The rest comes with the next one.
    expect((await importAll()).filter(({ outcome }) => outcome === 'imported')).toHaveLength(summary.left);
  });

  it('IM3: a stop in the middle of a large file leaves nothing of it', async () => {
    writePi(pi, { ...A, texts: Array.from({ length: 60 }, () => 'x'.repeat(200_000)) });
    const stopping = new AbortController();
    let furthest = 0;
    const asked: TakeIn = {
      ...{ among: [], signal: stopping.signal, mayGrow: () => Promise.resolve(true) },
      onBytes: (upTo) => {
        furthest = Math.max(furthest, upTo);
        if (furthest > 3_000_000) stopping.abort();
      },
    };
    const { groups } = await offered();
    expect(groups).toHaveLength(1);
    const path = join(pi, '--work-a--', readdirSync(join(pi, '--work-a--'))[0] ?? '');
    await expect(bench.store.takeIn(path, asked)).rejects.toThrow('stopped');
    expect(readdirSync(bench.dir)).toEqual([]);
  });

  it('IM3: many sessions hold neither a file nor a tree open, and the list has each at once', async () => {
    for (let n = 0; n < 60; n++) writePi(pi, { ...A, id: `many-${n}`, cwd: `/work/${n % 7}` });
    const items = await importAll();
    expect(items).toHaveLength(60);
    const listed = events.flatMap((event) => (event.type === 'sessions_changed' ? [event.summary.id] : []));
    expect(new Set(listed).size).toBe(60);
    expect(readdirSync('/proc/self/fd').length).toBeLessThan(60);
  });

  it('IM3: files that a look found and that are gone or changed since are told, and the others come', async () => {
    const [gone] = [A, B].map((session) => writePi(pi, session));
    const { groups } = await offered();
    rmSync(gone ?? '');
    await run(groups.map(({ id }) => id));
    expect(imports.report(0)).toEqual([
      expect.objectContaining({ outcome: 'skipped', notes: [expect.stringContaining('no longer exists')] }),
      expect.objectContaining({ outcome: 'imported', sessionId: B.id }),
    ]);
  });

  it('IM3: where the disk is full it ends, and says why', async () => {
    [A, B, C].forEach((session) => writePi(pi, session));
    const open: JournalFs['open'] = (path, mode) =>
      mode === 'create' && path.includes(B.id)
        ? Promise.reject(Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' }))
        : nodeFs.open(path, mode);
    const sync = { ...nodeFs, open } satisfies JournalFs;
    await host.dispose();
    await bench.restart(sync);
    await open_();
    const { groups } = await offered();
    const { summary } = await run(groups.map(({ id }) => id));
    expect(summary.why).toContain('Could not save');
    expect(summary.counts.imported + summary.left).toBe(3);
    expect(summary.left).toBeGreaterThan(0);
  });
});

const open_ = (): Promise<void> => open(bench.store);

describe('the report (IM4)', () => {
  it('IM4: what is damaged says what was kept of it, what is no session why; problems come first', async () => {
    writePi(pi, A);
    const lines = piLines(B);
    writePi(pi, B, [lines[0], '{ torn', lines[1], ''].join('\n'));
    writePi(pi, C, 'not a session\n');
    const items = await importAll();
    expect(items.map(({ outcome }) => outcome)).toEqual(['skipped', 'imported', 'imported']);
    expect(items[0]?.notes).toEqual(['It is not a session file.']);
    expect(items[1]).toMatchObject({ sessionId: B.id, isDamaged: true });
    expect(items[1]?.notes[0]).toMatch(/^1 line could not be read and was left in place \(line 2\)/);
    expect(items[2]).toMatchObject({ sessionId: A.id, title: 'one', notes: [] });
    const state = imports.current();
    expect(state).toMatchObject({ phase: 'done', summary: { damaged: 1, left: 0 } });
    // It can be read again until it is closed.
    expect(await imports.look(null)).toBe(state);
    expect(imports.close()).toEqual({ phase: 'none', problem: '' });
    expect(imports.report(0)).toEqual([]);
  });
});

describe('bytes (IM5)', () => {
  it('IM5: whatever stands in a file of pi, export gives its bytes back', async () => {
    let n = 0;
    await fc.assert(
      fc.asyncProperty(anyPiFile, async ({ bytes, version }) => {
        const id = `any-${(n += 1)}`;
        const own = Buffer.from(bytes.toString('latin1').replace('"id":"any"', `"id":"${id}"`), 'latin1');
        const path = writePi(pi, { ...A, id }, own);
        const taken = await bench.store.takeIn(path, {
          ...{ among: [], signal: new AbortController().signal },
          ...{ mayGrow: () => Promise.resolve(true), onBytes: () => undefined },
        });
        expect(taken).toMatchObject({ kind: 'imported', sessionId: id, isMigrated: version < 3 });
        const target = join(bench.home, 'out.jsonl');
        await bench.store.exportTo(id, target, version < 3);
        expect(readFileSync(target).equals(own)).toBe(true);
        expect(readFileSync(path).equals(own)).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  it('IM5: what was brought into another form is told, and its own bytes are there', async () => {
    for (const version of [1, 2] as const) writePi(pi, { ...A, id: `old-${version}`, version });
    const items = await importAll();
    for (const { notes } of items) expect(notes).toEqual([expect.stringContaining('An older version of pi')]);
    expect(items).toHaveLength(2);
    expect(await importAll()).toEqual([
      expect.objectContaining({ outcome: 'here' }),
      expect.objectContaining({ outcome: 'here' }),
    ]);
  });
});

describe('folders (IM6)', () => {
  it('IM6: a session of pi’s own works where it was made; a folder that is not here is named', async () => {
    [A, B].forEach((session) => writePi(pi, session));
    writePi(pi, { ...C, cwd: 'relative' });
    missing.add('/work/b');
    const { groups } = await offered();
    const { summary } = await run(groups.map(({ id }) => id));
    expect(summary.missing).toEqual(['/work/b']);
    expect(host.workspaceOf(A.id)).toBe('/work/a');
    expect(host.suggestedWorkspace(A.id)).toBeNull();
    for (const [id, folder] of [
      [B.id, '/work/b'],
      [C.id, 'relative'],
    ] as const) {
      expect(host.workspaceOf(id)).toBe('/scratch');
      expect(host.suggestedWorkspace(id)).toBe(folder);
    }
    await host.dispose();
    await bench.restart();
    await open();
    await host.list();
    expect(host.workspaceOf(A.id)).toBe('/work/a');
  });

  it('IM6, safety B4: the folder that a session of any other place names is a suggestion', async () => {
    writePi(pi, A);
    await importAll(pi);
    expect(host.workspaceOf(A.id)).toBe('/scratch');
    expect(host.suggestedWorkspace(A.id)).toBe('/work/a');
  });
});

/** A file system whose process ends before its `last`-th call behind `begin`, and that counts them. */
function endsAt(last: number): { fs: JournalFs; begin: () => void; calls: () => number } {
  let calls = 0;
  let hasBegun = false;
  const fs = new Proxy(nodeFs, {
    get: (target, name: keyof JournalFs) =>
      ((...given: unknown[]) => {
        if (hasBegun && ++calls >= last) return Promise.reject(new Error('The process has ended'));
        return (target[name] as (...args: unknown[]) => unknown)(...given);
      }) as never,
  });
  return { fs, begin: () => (hasBegun = true), calls: () => calls };
}

describe('an import that is cut off (IM3)', () => {
  it.each(['imported', 'grown', 'second'] as const)(
    'IM3: wherever the process ends each session is whole or as it was, and a second import ends alike: %s',
    async (kind) => {
      const path = writePi(pi, A);
      const short = readFileSync(path);
      const asked = (among: readonly string[]): TakeIn => ({
        ...{ among, signal: new AbortController().signal },
        ...{ mayGrow: () => Promise.resolve(true), onBytes: () => undefined },
      });
      const long = Buffer.from(`${piLines({ ...A, texts: ['one', 'two', 'three'] }).join('\n')}\n`);
      const other = Buffer.from(`${piLines({ ...A, texts: ['elsewhere', 'two'] }).join('\n')}\n`);
      const wanted = { imported: short, grown: long, second: other }[kind];
      const among = kind === 'imported' ? [] : [A.id];
      for (let call = 1; ; call++) {
        await bench.restart(nodeFs);
        for (const name of readdirSync(bench.dir)) rmSync(join(bench.dir, name));
        await bench.restart(nodeFs);
        writeFileSync(path, short);
        if (kind !== 'imported') await bench.store.takeIn(path, asked([]));
        writeFileSync(path, wanted);
        const cut = endsAt(call);
        await bench.restart(cut.fs);
        cut.begin();
        await bench.store.takeIn(path, asked(among)).catch(() => undefined);
        const isOver = cut.calls() < call;
        await bench.restart(nodeFs);
        const names = readdirSync(bench.dir);
        const journals = names.filter((name) => name.endsWith('.jsonl'));
        for (const name of journals) {
          const bytes = readFileSync(join(bench.dir, name));
          expect(
            [short, wanted].some((one) => one.equals(bytes)),
            `call ${call}: ${name}`,
          ).toBe(true);
        }
        expect(
          names.filter((name) => name.endsWith('.part')),
          `call ${call}`,
        ).toEqual([]);
        const known = (await bench.store.importedFrom()).filter(({ sourceId }) => sourceId === A.id);
        expect(known.length, `call ${call}`).toBe(journals.length);
        const again = await bench.store.takeIn(path, asked(known.map(({ sessionId }) => sessionId)));
        expect(journal(again.sessionId).equals(wanted), `call ${call}`).toBe(true);
        const all = readdirSync(bench.dir).filter((name) => name.endsWith('.jsonl'));
        expect(all, `call ${call}`).toHaveLength(kind === 'second' ? 2 : 1);
        if (isOver) break;
        expect(call).toBeLessThan(200);
      }
    },
    120_000,
  );
});
