import { execFileSync } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { nodeFs, type PickedFs } from '../../../src/main/journal/fs';
import { createFileWorkers, type FileHand, type FileWorkers } from '../../../src/main/tools/file-workers';
import { pickedFiles } from '../../../src/main/tools/picked-files';
import { newFileWorkers } from '../../support/file-workers';
import { storeIn } from '../../support/journal-faults';
import { sampleLines } from '../../support/journal-sample';

/** docs/specs/safety.md A12: files that a person picked are read and written away from main. A real mount that hangs: `test/e2e/hung-folders.spec.ts`. */

let home: string;
let files: FileWorkers;
beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'espalier-picked-'));
  files = await newFileWorkers();
});
afterEach(async () => {
  await files.close();
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
    await expect(store.importFile(at('gone.jsonl'))).rejects.toThrow('it does not exist any more');
    const { sessionId: id } = await store.importFile(at('a.jsonl'));
    await expect(store.exportTo(id, at('pipe.jsonl'), false)).rejects.toThrow('is a pipe or a device');
    await expect(store.exportTo(id, at('link.jsonl'), false)).rejects.toThrow('is a link');
    await expect(store.exportTo(id, at('none/out.jsonl'), false)).rejects.toThrow('Could not save');
    await store.close();
  });

  it('a file that gives way to another between two steps is not mixed with it', async () => {
    writeFileSync(at('one'), 'x'.repeat(9 * 1024 * 1024));
    writeFileSync(at('two'), 'y'.repeat(8 * 1024 * 1024));
    const file = await pickedFiles(files).open(at('one'), 'read');
    const buffer = new Uint8Array(1024);
    await file.read(buffer, 0);
    renameSync(at('two'), at('one'));
    await expect(file.read(buffer, 8 * 1024 * 1024)).rejects.toThrow('Another file was put in its place');
  });
});

describe('a file that does not answer', () => {
  /** Processes that never answer to steps of some kinds. */
  function silent(...kinds: string[]): { picked: PickedFs; files: FileWorkers } {
    const create = (): FileHand => {
      const hand = new EventEmitter();
      return Object.assign(hand, {
        unref: () => undefined,
        postMessage: (job: { folder: string; step: { step: string } }) => {
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
        'Nothing was imported: a.jsonl did not answer within 1 seconds. It may lie on a network drive or a disk that is gone.',
      );
      expect(readdirSync(at(`home-${kind}/sessions`))).toEqual([]);
      await store.close();
    }
  });

  it('is told when it is exported to', async () => {
    writeFileSync(at('a.jsonl'), `${sampleLines('a', 1000).join('\n')}\n`);
    for (const kind of ['kind', 'create', 'append', 'rename']) {
      const { picked } = silent(kind);
      const store = await storeIn(at(`home-${kind}`), nodeFs, picked);
      const { sessionId: id } = await store.importFile(at('a.jsonl'));
      await expect(store.exportTo(id, at('out.jsonl'), false)).rejects.toThrow(
        /^Could not save: .*did not answer within 1 seconds\./,
      );
      await store.close();
    }
  });
});
