import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type JournalFs, nodeFs, PickedFileError, type PickedFs } from '../../../src/main/journal/file/fs';
import { openStoreBench, user } from '../../support/journal';
import type { StoreBench } from '../../support/journal';

const changes: Partial<Omit<PickedFs, 'open'>> & { open?: JournalFs['open'] } = {};
/** The real one, of which a test changes single steps. */
const picked: PickedFs = {
  open: (path: string, mode: 'read' | 'create') => (changes.open ?? nodeFs.open)(path, mode),
  kind: (path) => (changes.kind ?? nodeFs.kind)(path),
  rename: (from, to) => (changes.rename ?? nodeFs.rename)(from, to),
  remove: (path) => (changes.remove ?? nodeFs.remove)(path),
  syncDir: (dir) => nodeFs.syncDir(dir),
};

let bench: StoreBench;
let id: string;
let out: string;
beforeEach(async () => {
  bench = await openStoreBench({ picked });
  out = join(bench.home, 'out.jsonl');
  const log = await bench.store.create({ workspace: '/w' });
  id = log.sessionId;
  await log.append([user('hello')]);
  await log.close();
});
afterEach(async () => {
  for (const step of Object.keys(changes)) delete changes[step as keyof PickedFs];
  await bench.dispose();
});

const refuse = (): Promise<never> => Promise.reject(new PickedFileError('out.jsonl', 'did not answer.'));
const names = async (): Promise<string[]> => (await readdir(bench.home)).filter((name) => !/^(sessions|trash|unsaid\.json)$/.test(name)); // prettier-ignore

/** An export that ended with its process, before it had its name. */
async function cutOff(): Promise<string> {
  Object.assign(changes, { rename: refuse, remove: refuse });
  const error: unknown = await bench.store.exportTo(id, out, false).catch((thrown: unknown) => thrown);
  const [part] = (await names()).filter((name) => name.endsWith('.part'));
  if (part === undefined) throw new Error('No part is left');
  expect((error as Error).message).toBe(
    `Could not save: out.jsonl did not answer. A part of it may be left at ${join(bench.home, part)}; it is of no use and can be deleted.`,
  );
  expect(await names()).toContain('exports.json');
  for (const step of ['rename', 'remove'] as const) delete changes[step];
  return join(bench.home, part);
}

describe('an export that is cut off (JN30)', () => {
  it('JN30: a quit at its first step waits for it, and nothing is begun behind it', async () => {
    const made: string[] = [];
    changes.open = (path, mode) => {
      if (mode === 'create') made.push(path);
      return nodeFs.open(path, mode);
    };
    let isAsked = (): void => undefined;
    const asked = new Promise<void>((resolve) => (isAsked = resolve));
    let answer = (_: null): void => undefined;
    changes.kind = () => {
      isAsked();
      return new Promise((resolve) => (answer = resolve));
    };
    const exporting = bench.store.exportTo(id, out, false).catch((thrown: unknown) => thrown);
    await asked;
    const closing = bench.store.close();
    answer(null);
    expect(await exporting).toMatchObject({ problem: 'closed' });
    await closing;
    expect([made, await names()]).toEqual([[], []]);
  });

  it('JN30: a quit does not wait for a place that never answers', async () => {
    let isAsked = (): void => undefined;
    const asked = new Promise<void>((resolve) => (isAsked = resolve));
    changes.kind = () => (isAsked(), new Promise(() => undefined));
    void bench.store.exportTo(id, out, false);
    await asked;
    await bench.store.close();
    expect(await names()).toEqual([]);
  });

  it('JN30: what it left is removed at the next start, and told', async () => {
    await writeFile(out, 'of before');
    await cutOff();
    await bench.restart();
    expect(await bench.store.clearCutExports()).toEqual([out]);
    expect(await names()).toEqual(['out.jsonl']);
    expect(await readFile(out, 'utf8')).toBe('of before');
    await bench.restart();
    expect(await bench.store.clearCutExports()).toEqual([]);
  });

  it('JN30: what can’t be reached is removed at a later start', async () => {
    const part = await cutOff();
    await bench.restart();
    changes.kind = refuse;
    expect(await bench.store.clearCutExports()).toEqual([]);
    expect(bench.warnings.join()).toContain(part);
    delete changes.kind;
    await bench.restart();
    expect(await bench.store.clearCutExports()).toEqual([out]);
    expect(await names()).toEqual([]);
  });

  it('JN30: whatever the note says, nothing else is removed', async () => {
    const part = `${out}.0123456789ab.part`;
    await writeFile(join(bench.home, 'mine.part'), 'mine');
    await writeFile(join(bench.home, 'exports.json'), JSON.stringify([join(bench.home, 'mine.part'), bench.dir, part]));
    await bench.restart();
    expect(await bench.store.clearCutExports()).toEqual([]);
    expect(await names()).toEqual(['mine.part']);
    await writeFile(join(bench.home, 'exports.json'), 'no json');
    await bench.restart();
    expect(await bench.store.clearCutExports()).toEqual([]);
    await bench.store.exportTo(id, out, false);
    expect(await names()).toEqual(['mine.part', 'out.jsonl']);
  });

  it('JN30: the note is no reason to refuse an export', async () => {
    await bench.restart({ ...nodeFs, writeText: refuse });
    await bench.store.exportTo(id, out, false);
    expect(await names()).toEqual(['out.jsonl']);
  });
});
