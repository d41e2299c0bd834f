import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ConsentQuestion } from '../../../src/main/consent/consent';
import { DataMover } from '../../../src/main/data-folder/data-mover';
import { finishMove } from '../../../src/main/data-folder/finish-move';
import { type DataLocation, LostDataError, readLocation, UNMOVED } from '../../../src/main/data-folder/location';
import { DISK, type MirrorFs } from '../../../src/main/data-folder/mirror';
import { resolvePaths, sinceMoved } from '../../../src/main/paths';

let base: string;
let data: string;
let file: string;
let asked: ConsentQuestion[];
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'espalier-move-'));
  [data, file] = [join(base, 'old'), join(base, 'location.json')];
  asked = [];
  for (const folder of ['sessions', 'workspaces/scratch/src', 'logs', 'running'])
    mkdirSync(join(data, folder), { recursive: true });
  writeFileSync(join(data, 'sessions', 'a.jsonl'), 'one\ntwo\n');
  writeFileSync(join(data, 'sessions', 'large.jsonl'), Buffer.alloc(5 * 1024 * 1024, 'x'));
  writeFileSync(join(data, 'settings.json'), '{}');
  writeFileSync(join(data, 'instance.json'), 'this process');
  writeFileSync(join(data, 'logs', 'a.log'), 'lines');
  writeFileSync(join(data, 'workspaces/scratch/src', 'run.sh'), '#!/bin/sh\n');
  chmodSync(join(data, 'workspaces/scratch/src', 'run.sh'), 0o755);
  symlinkSync('src/run.sh', join(data, 'workspaces/scratch', 'link'));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

function mover(
  options: { answer?: string | null; fs?: MirrorFs; location?: DataLocation; file?: string | null } = {},
): DataMover {
  return new DataMover({
    data,
    file: options.file === undefined ? file : options.file,
    location: options.location ?? UNMOVED,
    ask: (question) => {
      asked.push(question);
      return Promise.resolve(options.answer === undefined ? 'yes' : options.answer);
    },
    log: { info: () => undefined, warn: () => undefined },
    ...(options.fs ? { fs: options.fs } : {}),
  });
}

/** Every file of the folder that comes along, with its bytes, rights and where its link leads. */
function contentOf(folder: string): Record<string, string> {
  const found: Record<string, string> = {};
  const walk = (at: string): void => {
    for (const entry of readdirSync(at, { withFileTypes: true })) {
      const path = join(at, entry.name);
      const name = relative(folder, path);
      if (/^(logs|running|search|instance\.json|espalier-copy\.json)/.test(name)) continue;
      if (entry.isDirectory()) walk(path);
      else if (entry.isSymbolicLink()) found[name] = `-> ${readlinkSync(path)}`;
      else found[name] = `${(statSync(path).mode & 0o777).toString(8)} ${readFileSync(path, 'latin1')}`;
    }
  };
  walk(folder);
  return found;
}

/** The disk of a process that dies at its `limit`-th step: that one and all later ones fail, files that are open included. */
function dying(limit: number): { fs: MirrorFs; steps: () => number } {
  let steps = 0;
  const step = <A extends unknown[], R>(run: (...given: A) => R) =>
    (async (...given: A) => {
      steps += 1;
      if (steps >= limit) throw new Error('the process died');
      return run(...given);
    }) as (...given: A) => Promise<Awaited<R>>;
  const wrap = <T extends object>(target: T): T =>
    new Proxy(target, {
      get(real, name) {
        const value = Reflect.get(real, name) as unknown;
        if (typeof value !== 'function') return value;
        // Closing is what the system does for a process that is gone.
        if (name === 'close') return value.bind(real) as unknown;
        return step(async (...given: unknown[]) => {
          const result: unknown = await (value as (...all: unknown[]) => unknown).apply(real, given);
          return name === 'open' ? wrap(result as object) : result;
        });
      },
    });
  return { fs: wrap(DISK), steps: () => steps };
}

describe('SY13: the data folder is moved', () => {
  it('copied while it is in use, brought up to date and switched at the next start', async () => {
    const to = join(base, 'new');
    mkdirSync(to);
    expect(await mover().move(to)).toBe(to);
    expect(asked[0]).toMatchObject({
      kind: 'move-data',
      subject: to,
      facts: [{ value: data }, { value: to }, { value: '5.2 MB' }],
    });
    expect(contentOf(to)).toEqual(contentOf(data));
    expect(readLocation(file)).toMatchObject({ data: null, next: { to } });
    // What happens until the next start comes along, also what is gone by then.
    writeFileSync(join(data, 'sessions', 'a.jsonl'), 'one\ntwo\nthree\n');
    writeFileSync(join(data, 'sessions', 'b.jsonl'), 'new\n');
    rmSync(join(data, 'sessions', 'large.jsonl'));
    const was = contentOf(data);
    const ended = await finishMove(file, readLocation(file), data);
    expect(ended).toEqual({ location: { data: to, former: [data], next: null }, problem: null });
    expect(contentOf(to)).toEqual(was);
    expect(contentOf(data)).toEqual(was);
    expect(readLocation(file)).toEqual(ended.location);
    for (const left of ['logs', 'instance.json', 'running']) expect(existsSync(join(to, left)), left).toBe(false);
    expect(lstatSync(join(to, 'workspaces/scratch/link')).isSymbolicLink()).toBe(true);
  });

  it('in a folder with something in it a new one is made', async () => {
    const to = join(base, 'full');
    mkdirSync(to);
    writeFileSync(join(to, 'theirs'), 'stays');
    expect(await mover().move(to)).toBe(join(to, 'Espalier'));
    expect(readFileSync(join(to, 'theirs'), 'utf8')).toBe('stays');
  });

  it('a process that dies at any step leaves one whole folder that counts, and the next start ends the move', async () => {
    const to = join(base, 'new');
    mkdirSync(to);
    await mover().move(to);
    writeFileSync(join(data, 'sessions', 'a.jsonl'), 'one\ntwo\nthree\n');
    rmSync(join(data, 'sessions', 'large.jsonl'));
    const was = contentOf(data);
    const waiting = readFileSync(file, 'utf8');
    const all = dying(Infinity);
    await finishMove(file, readLocation(file), data, all.fs);
    expect(all.steps()).toBeGreaterThan(20);
    for (let limit = 1; limit <= all.steps(); limit++) {
      // As it was before that start.
      writeFileSync(file, waiting);
      writeFileSync(join(to, 'sessions', 'a.jsonl'), 'one\ntwo\n');
      writeFileSync(join(to, 'sessions', 'old.jsonl'), 'was deleted meanwhile');
      const before = readFileSync(file);
      await finishMove(file, readLocation(file), data, dying(limit).fs).catch(() => undefined);
      // A process that is gone gives nothing up.
      writeFileSync(file, before);
      expect(contentOf(data), `step ${limit}`).toEqual(was);
      const ended = await finishMove(file, readLocation(file), data);
      expect([ended.problem, ended.location.data], `step ${limit}`).toEqual([null, to]);
      expect(contentOf(to), `step ${limit}`).toEqual(was);
    }
  });

  it('a copy that dies on the way changes nothing, and is gone or unfinished, never the one that counts', async () => {
    const all = dying(Infinity);
    mkdirSync(join(base, 'n0'));
    await mover({ fs: all.fs }).move(join(base, 'n0'));
    rmSync(file);
    const was = contentOf(data);
    // At the very end folders are synced, where that can be done: who can't is as well off.
    for (let limit = 1; limit < all.steps() - 10; limit += 7) {
      const to = join(base, `n${limit}`);
      mkdirSync(to);
      await expect(mover({ fs: dying(limit).fs }).move(to), `step ${limit}`).rejects.toThrow(
        /were not moved.*where they were/,
      );
      expect(readLocation(file), `step ${limit}`).toEqual(UNMOVED);
      expect(contentOf(data), `step ${limit}`).toEqual(was);
    }
  });

  it('a move that can’t be ended is given up and told', async () => {
    const to = join(base, 'new');
    mkdirSync(to);
    await mover().move(to);
    rmSync(to, { recursive: true });
    const ended = await finishMove(file, readLocation(file), data);
    expect(ended.problem).toMatch(/were not moved: .*new is not there.*They are where they were, in .*old/);
    expect(readLocation(file)).toEqual(UNMOVED);
    // Another folder in its place is not touched.
    mkdirSync(to);
    writeFileSync(join(to, 'theirs'), 'stays');
    await finishMove(file, { ...UNMOVED, next: { to, mark: 'f'.repeat(32) } }, data);
    expect(readdirSync(to)).toEqual(['theirs']);
  });

  it('no one is asked about a place that can’t be it, and a no changes nothing', async () => {
    const full = join(base, 'full');
    mkdirSync(join(full, 'Espalier'), { recursive: true });
    writeFileSync(join(full, 'Espalier', 'theirs'), '');
    await expect(mover().move(full)).rejects.toThrow('is not empty');
    await expect(mover().move(data)).rejects.toThrow('is in the one that is to be moved');
    await expect(mover().move(join(data, 'sessions'))).rejects.toThrow('is in the one that is to be moved');
    await expect(mover({ file: null }).move(full)).rejects.toThrow('ESPALIER_HOME');
    await expect(mover().move(join(base, 'missing'))).rejects.toThrow('were not moved: the system reported ENOENT');
    expect(asked).toEqual([]);
    const to = join(base, 'new');
    mkdirSync(to);
    expect(await mover({ answer: null }).move(to)).toBeNull();
    expect([readdirSync(to), existsSync(file)]).toEqual([[], false]);
  });

  it('what waits can be taken back, and is not begun twice', async () => {
    const to = join(base, 'new');
    mkdirSync(to);
    const moving = mover();
    const first = moving.move(to);
    await expect(moving.move(base)).rejects.toThrow('being copied already');
    await first;
    await expect(moving.move(base)).rejects.toThrow('Cancel that first');
    await moving.cancel();
    expect([moving.next, readLocation(file)]).toEqual([null, UNMOVED]);
  });

  it('an empty folder never stands in for one that is not there, nor a damaged file for its location', () => {
    writeFileSync(file, JSON.stringify({ data: join(base, 'gone'), former: [data], next: null }));
    expect(() => readLocation(file)).toThrow(/moved to .*gone.*not there now/);
    mkdirSync(join(base, 'gone'));
    expect(() => readLocation(file)).toThrow(LostDataError);
    for (const bad of [
      '',
      '{',
      '[]',
      '{"data":5,"former":[],"next":null}',
      '{"data":"relative","former":[],"next":null}',
      '{"data":null,"former":[],"next":{"to":"/x","mark":"../"}}',
    ])
      expect(() => (writeFileSync(file, bad), readLocation(file)), bad).toThrow(/is damaged/);
    rmSync(file);
    expect(readLocation(file)).toEqual(UNMOVED);
  });

  it('paths follow, and a scratch workspace is found in its new place', () => {
    const location = { data: join(base, 'new'), former: [data], next: null };
    const paths = resolvePaths({}, location);
    expect([paths.data, paths.former, paths.profile]).toEqual([location.data, [data], null]);
    expect(resolvePaths({ ESPALIER_HOME: '/h' }, location)).toMatchObject({ data: '/h', former: [] });
    expect(sinceMoved(paths, join(data, 'workspaces', 'scratch', 'x'))).toBe(join(base, 'new/workspaces/scratch/x'));
    for (const other of [data, join(data, 'sessions'), join(base, 'project'), '/'])
      expect(sinceMoved(paths, other)).toBe(other);
  });
});
