import { execFileSync } from 'node:child_process';
import { EventEmitter } from 'node:events';
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { toFailure } from '../../../src/main/ipc/failure';
import { nodeFs, type PickedFs } from '../../../src/main/journal/file/fs';
import { createFileWorkers, type FileHand, type FileWorkers } from '../../../src/main/files/file-workers';
import { pickedFiles } from '../../../src/main/files/picked-files';
import { doPickedStep } from '../../../src/main/files/picked-work';
import { newFileWorkers } from '../../support/file-workers';
import { storeIn } from '../../support/journal-faults';
import { sampleLines } from '../../support/journal-sample';

/** docs/specs/safety.md A12: files that a person picked are read and written away from main. A real mount that hangs: `test/e2e/hung-folders.spec.ts`. */

const mounted = vi.hoisted(() => ({ at: null as string | null }));
vi.mock('../../../src/main/places/mounts', () => ({
  mountOf: (path: string) => (mounted.at !== null && path.startsWith(`${mounted.at}/`) ? mounted.at : null),
}));

let home: string;
let files: FileWorkers;
beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'espalier-picked-'));
  files = await newFileWorkers();
});
afterEach(async () => {
  await files.close();
  mounted.at = null;
  vi.restoreAllMocks();
  rmSync(home, { recursive: true, force: true });
});
const at = (name: string): string => join(home, name);

describe('by way of the processes', () => {
  it('a session of several blocks is imported and exported byte for byte', async () => {
    writeFileSync(at('large.jsonl'), `${sampleLines('large', 5_000_000).join('\n')}\n`);
    const store = await storeIn(at('home'), nodeFs, pickedFiles(files));
    const { sessionId: id } = await store.importFile(at('large.jsonl'));
    await store.exportTo(id, at('out.jsonl'), true);
    expect(readFileSync(at('out.jsonl')).equals(readFileSync(at('large.jsonl')))).toBe(true);
    expect(readdirSync(home).sort()).toEqual(['home', 'large.jsonl', 'out.jsonl']);
    await store.close();
  });

  it('what is no file is refused in the same words', async () => {
    execFileSync('mkfifo', [at('pipe.jsonl')]);
    symlinkSync(at('elsewhere'), at('link.jsonl'));
    writeFileSync(at('a.jsonl'), `${sampleLines('a', 1000).join('\n')}\n`);
    const store = await storeIn(at('home'), nodeFs, pickedFiles(files));
    await expect(store.importFile(at('pipe.jsonl'))).rejects.toThrow('it is a pipe or a device');
    await expect(store.importFile(home)).rejects.toThrow('it is a folder');
    await expect(store.importFile(at('gone.jsonl'))).rejects.toThrow('it no longer exists');
    const { sessionId: id } = await store.importFile(at('a.jsonl'));
    await expect(store.exportTo(id, at('pipe.jsonl'), false)).rejects.toThrow('is a pipe or a device');
    await expect(store.exportTo(id, at('link.jsonl'), false)).rejects.toThrow('is a link');
    await expect(store.exportTo(id, at('none/out.jsonl'), false)).rejects.toThrow('Could not save');
    await store.close();
  });

  it.each([8, 9])('a file that gives way to another of %i MB between two steps is not mixed with it', async (size) => {
    writeFileSync(at('one'), 'x'.repeat(9 * 1024 * 1024));
    writeFileSync(at('two'), 'y'.repeat(size * 1024 * 1024));
    // As a program that copies times leaves them.
    for (const name of ['one', 'two']) utimesSync(at(name), 1e9, 1e9);
    const file = await pickedFiles(files).open(at('one'), 'read');
    const buffer = new Uint8Array(1024);
    await file.read(buffer, 0);
    renameSync(at('two'), at('one'));
    await expect(file.read(buffer, 7 * 1024 * 1024)).rejects.toThrow(
      'one was replaced by another file in the meantime.',
    );
  });

  it('nothing is written to another file that came to the place of the part', async () => {
    const facts = await doPickedStep(at('a.part'), { step: 'create' });
    writeFileSync(at('other'), '');
    const { mtime } = statSync(at('a.part'));
    utimesSync(at('other'), mtime, mtime);
    rmSync(at('a.part'));
    symlinkSync(at('other'), at('a.part'));
    const before = (facts as { answer: never }).answer;
    const answer = await doPickedStep(at('a.part'), { step: 'append', facts: before, bytes: Buffer.from('x') });
    expect(answer).toEqual({ gaveWay: true });
    expect(readFileSync(at('other'), 'utf8')).toBe('');
  });

  it('an import of which the file gave way is told to the person, and nothing is left of it', async () => {
    writeFileSync(at('a.jsonl'), `${sampleLines('a', 9_000_000).join('\n')}\n`);
    writeFileSync(at('b.jsonl'), 'y'.repeat(100));
    let reads = 0;
    const run: FileWorkers['run'] = async (kind, params, options) => {
      if ('step' in params && params.step.step === 'read' && (reads += 1) === 2)
        renameSync(at('b.jsonl'), at('a.jsonl'));
      return files.run(kind, params, options);
    };
    const store = await storeIn(at('home'), nodeFs, pickedFiles({ run }));
    const error: unknown = await store.importFile(at('a.jsonl')).catch((thrown: unknown) => thrown);
    const message = 'Nothing was imported: a.jsonl was replaced by another file in the meantime. Nothing was changed.';
    expect(toFailure(error)).toEqual({ failure: { code: 'refused', message }, expected: true });
    expect(readdirSync(at('home/sessions'))).toEqual([]);
    await store.close();
  });

  it('a quit in the middle of an export leaves nothing of it', async () => {
    writeFileSync(at('a.jsonl'), `${sampleLines('a', 9e6).join('\n')}\n`);
    let closing: Promise<void> | undefined;
    const run: FileWorkers['run'] = async (kind, params, options) => {
      const answer = await files.run(kind, params, options);
      if ('step' in params && params.step.step === 'append') {
        expect(readdirSync(home).filter((name) => name.endsWith('.part'))).toHaveLength(1);
        closing ??= store.close();
      }
      return answer;
    };
    const store = await storeIn(at('home'), nodeFs, pickedFiles({ run }));
    const { sessionId } = await store.importFile(at('a.jsonl'));
    const error: unknown = await store.exportTo(sessionId, at('out.jsonl'), false).catch((thrown: unknown) => thrown);
    expect((error as Error).message).toBe(
      'Could not save: Espalier was quit before the export was done. Nothing was exported.',
    );
    await closing;
    expect(readdirSync(home).sort()).toEqual(['a.jsonl', 'home']);
  });

  it.each(['EACCES', 'EINVAL'])(
    'a folder that cannot be synced (%s) makes no file that is in its place unsaved',
    async (code) => {
      writeFileSync(at('a.part'), 'x');
      vi.spyOn(nodeFs, 'syncDir').mockRejectedValue(Object.assign(new Error(code), { code }));
      expect(await doPickedStep(at('a.part'), { step: 'rename', to: at('a') })).toEqual({ answer: null });
      expect(readdirSync(home)).toEqual(['a']);
    },
  );

  it('a folder whose disk fails is told', async () => {
    writeFileSync(at('a.part'), 'x');
    vi.spyOn(nodeFs, 'syncDir').mockRejectedValue(Object.assign(new Error('EIO'), { code: 'EIO' }));
    const answer = await doPickedStep(at('a.part'), { step: 'rename', to: at('a') });
    expect(answer).toMatchObject({ fault: { code: 'EIO' } });
  });
});

describe('a file that does not answer', () => {
  /** Processes that never answer to steps of some kinds. */
  function silent(...kinds: string[]): { picked: PickedFs; files: FileWorkers } {
    const create = (): FileHand => {
      const hand = new EventEmitter();
      return Object.assign(hand, {
        unref: () => undefined,
        postMessage: (job: { path: string; step: { step: string } }) => {
          queueMicrotask(() => hand.emit('message', { type: 'begun' }));
          if (kinds.includes(job.step.step)) return;
          files.run('picked', job as never).then(
            (answer) => hand.emit('message', { type: 'done', answer }),
            (error: Error) => hand.emit('message', { type: 'failed', message: error.message }),
          );
        },
        terminate: () => queueMicrotask(() => hand.emit('exit')),
      }) as FileHand;
    };
    const workers = createFileWorkers(create);
    return { picked: pickedFiles(workers, 1000), files: workers };
  }

  it('is told after its time, and nothing is left of the import', async () => {
    writeFileSync(at('a.jsonl'), `${sampleLines('a', 1000).join('\n')}\n`);
    for (const kind of ['look', 'read']) {
      const { picked } = silent(kind);
      const store = await storeIn(at(`home-${kind}`), nodeFs, picked);
      await expect(store.importFile(at('a.jsonl'))).rejects.toThrow(
        'Nothing was imported: a.jsonl did not respond within 1 seconds. It may be on a network drive or a disk that is gone.',
      );
      expect(readdirSync(at(`home-${kind}/sessions`))).toEqual([]);
      await store.close();
    }
  });

  it('is told when it is exported to', async () => {
    writeFileSync(at('a.jsonl'), `${sampleLines('a', 1000).join('\n')}\n`);
    const silence =
      'Could not save: out.jsonl did not respond within 1 seconds. It may be on a network drive or a disk that is gone.';
    const told: [steps: string[], words: string, isPartLeft?: boolean][] = [
      [['kind'], silence],
      // Here it still answers to what clears up.
      [['create'], silence],
      [['append'], silence],
      [['rename'], silence],
      [['create', 'remove'], silence, true],
      [['append', 'remove'], silence, true],
      [['rename', 'remove'], silence, true],
    ];
    for (const [steps, words, isPartLeft] of told) {
      const { picked } = silent(...steps);
      const store = await storeIn(at(`home-${steps.join('-')}`), nodeFs, picked);
      const { sessionId: id } = await store.importFile(at('a.jsonl'));
      const error: unknown = await store.exportTo(id, at('out.jsonl'), false).catch((thrown: unknown) => thrown);
      const [said, place] = (error as Error).message.split(' A part of it may be left at ');
      expect(said, steps.join()).toBe(words);
      if (isPartLeft) expect(place?.startsWith(at('out.jsonl.')), steps.join()).toBe(true);
      expect(place?.endsWith('.part; it is of no use and can be deleted.'), steps.join()).toBe(isPartLeft);
      await store.close();
    }
  });

  it('a mount holds one process, however many files on it were picked', async () => {
    mounted.at = at('mount');
    const hands: string[] = [];
    const workers = createFileWorkers(() => {
      const hand = new EventEmitter();
      hands.push('hired');
      const postMessage = (): void => queueMicrotask(() => hand.emit('message', { type: 'begun' }));
      return Object.assign(hand, { unref: () => undefined, postMessage, terminate: () => undefined }) as FileHand;
    });
    const picked = pickedFiles(workers, 1000);
    const refused = ['a', 'b', 'c', 'd', 'e'].map((name) =>
      picked.open(at(`mount/${name}`), 'read').catch((error: Error) => error.message),
    );
    const told = await Promise.all(refused);
    for (const [index, name] of ['a', 'b', 'c', 'd', 'e'].entries())
      expect(told[index]).toContain(`${name} did not respond within 1 seconds.`);
    expect(hands).toHaveLength(1);
    void picked.open(at('elsewhere'), 'read').catch(() => undefined);
    expect(hands).toHaveLength(2);
    await workers.close();
  });

  it('so does one import on it, which reads ahead', async () => {
    mounted.at = home;
    writeFileSync(at('a'), 'x'.repeat(9 * 1024 * 1024));
    let hired = 0;
    const workers = createFileWorkers(() => {
      const hand = new EventEmitter();
      hired += 1;
      return Object.assign(hand, {
        unref: () => undefined,
        postMessage: (job: { step: { step: string } }) => {
          queueMicrotask(() => hand.emit('message', { type: 'begun' }));
          if (job.step.step === 'read') return;
          void files.run('picked', job as never).then((answer) => hand.emit('message', { type: 'done', answer }));
        },
        terminate: () => undefined,
      }) as FileHand;
    });
    const file = await pickedFiles(workers, 1000).open(at('a'), 'read');
    await expect(file.read(new Uint8Array(10), 0)).rejects.toThrow('did not respond');
    expect(hired).toBe(1);
    await workers.close();
  });

  it('is told to the person where no process can be had', async () => {
    const workers = createFileWorkers(() => {
      throw new Error('no process');
    });
    const store = await storeIn(at('home'), nodeFs, pickedFiles(workers));
    const error: unknown = await store.importFile(at('a.jsonl')).catch((thrown: unknown) => thrown);
    expect(toFailure(error).failure.message).toBe(
      'Nothing was imported: a.jsonl could not be reached: The process that works on files ended (no process). Try again. Nothing was changed.',
    );
    await store.close();
  });
});

it('A6: a job that waited settles where no process can be had for it', async () => {
  const first = Object.assign(new EventEmitter(), {
    ...{ unref: () => undefined, postMessage: () => undefined, terminate: () => undefined },
  });
  let hired = 0;
  const workers = createFileWorkers(() => {
    if ((hired += 1) > 1) throw new Error('no process');
    return first as FileHand;
  });
  const [one, two] = ['/a', '/b'].map((folder) => workers.run('complete', { folder, query: '' }, { lane: 'window' }));
  const settled = Promise.allSettled([one, two]);
  first.emit('exit');
  expect(await settled).toMatchObject([
    { reason: { message: 'The process that works on files ended. Try again.' } },
    { reason: { message: 'The process that works on files ended (no process). Try again.' } },
  ]);
});
