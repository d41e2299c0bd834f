import { expect, it } from 'vitest';
import { AppendFile } from '../../../src/main/journal/file/append-file';
import type { JournalFile } from '../../../src/main/journal/file/fs';
import { MemoryFs } from '../../support/memory-fs';

const PATH = '/sessions/a.jsonl';

/** Counts the files that are open; `fails`: what the disk refuses, of the file opened first or of a later one. */
class CountingFs extends MemoryFs {
  readonly isOpen: boolean[] = [];
  fails: { file: 'first' | 'later'; call: 'stat' | 'read' } | null = null;

  override async open(path: string, mode: 'read' | 'append' | 'create'): Promise<JournalFile> {
    const file = await super.open(path, mode);
    const at = this.isOpen.push(true) - 1;
    const refuse = (call: 'stat' | 'read'): void => {
      if (this.fails?.call === call && (this.fails.file === 'first') === (at === 0))
        throw Object.assign(new Error('EIO'), { code: 'EIO' });
    };
    return {
      ...file,
      stat: async () => {
        refuse('stat');
        return file.stat();
      },
      read: async (buffer, position) => {
        refuse('read');
        return file.read(buffer, position);
      },
      close: async () => {
        this.isOpen[at] = false;
        await file.close();
      },
    };
  }
}

it.each([
  { why: 'does not tell its size', fails: { file: 'later', call: 'stat' }, isChanged: false },
  { why: 'can be read, ours can not', fails: { file: 'first', call: 'read' }, isChanged: false },
  { why: 'can not be read, and ours was changed', fails: { file: 'later', call: 'read' }, isChanged: true },
] as const)('JN12: a file in the place of ours that $why is closed again', async ({ fails, isChanged }) => {
  const fs = new CountingFs();
  const bytes = Buffer.from('{"a":1}\n{"b":2}\n');
  const file = await AppendFile.create(fs, PATH, bytes);
  if (isChanged) fs.overwrite(PATH, Buffer.from('{"c":3}\n{"d":4}\n'));
  fs.put(PATH, bytes);
  fs.fails = fails;
  await expect(file.check(() => ({ offset: bytes.length, crc: 0 }))).rejects.toThrow('Could not save');
  expect(fs.isOpen).toEqual([true, false]);
  fs.fails = null;
  await file.close();
  expect(fs.isOpen).not.toContain(true);
});
