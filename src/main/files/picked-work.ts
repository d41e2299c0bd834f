import { dirname } from 'node:path';
import { errorCode, type FileFacts, type JournalFs, nodeFs, NoRegularFileError } from '../journal/file/fs';

/**
 * What is done with a file that a person picked, one step at a time (docs/specs/safety.md A12). No step leaves anything open: the next one may be
 * done by another process.
 */
export interface PickedSteps {
  look: { params: object; answer: FileFacts };
  /** As many bytes as there are from a place on, up to a number. */
  read: { params: { facts: FileFacts; position: number; length: number }; answer: Uint8Array };
  kind: { params: object; answer: Awaited<ReturnType<JournalFs['kind']>> };
  create: { params: object; answer: FileFacts };
  /** At the end, and on the disk when it is done. Its facts are then others. */
  append: { params: { facts: FileFacts; bytes: Uint8Array }; answer: FileFacts };
  /** To another name beside it, for good. */
  rename: { params: { to: string }; answer: null };
  remove: { params: object; answer: null };
}

export type PickedStep = { [K in keyof PickedSteps]: { step: K } & PickedSteps[K]['params'] }[keyof PickedSteps];

/** An error crosses to main as its words, or it would lose what the system called it. */
export type PickedAnswer = { answer: unknown } | { fault: PickedFault } | { gaveWay: true };

class OtherFile extends Error {}
interface PickedFault {
  message: string;
  /** As the system calls it; empty if it does not. */
  code: string;
  /** What is there, if it is not a regular file. */
  what?: string;
}

/** Does one step. Never rejects. */
export async function doPickedStep(path: string, step: PickedStep): Promise<PickedAnswer> {
  try {
    return { answer: await doStep(path, step) };
  } catch (error) {
    if (error instanceof OtherFile) return { gaveWay: true };
    const what = error instanceof NoRegularFileError ? error.what : undefined;
    return { fault: { message: error instanceof Error ? error.message : String(error), code: errorCode(error), what } };
  }
}

async function doStep(path: string, step: PickedStep): Promise<unknown> {
  switch (step.step) {
    case 'look':
      return whileOpen(path, 'read', (file) => file.stat());
    case 'read':
      return whileOpen(path, 'read', async (file) => {
        refuseOther(step.facts, await file.stat());
        const bytes = new Uint8Array(step.length);
        return bytes.subarray(0, await file.read(bytes, step.position));
      });
    case 'kind':
      return nodeFs.kind(path);
    case 'create':
      return whileOpen(path, 'create', (file) => file.stat());
    case 'append':
      return whileOpen(path, 'append', async (file) => {
        refuseOther(step.facts, await file.stat());
        for (let done = 0; done < step.bytes.length;) done += await file.append(step.bytes.subarray(done));
        await file.datasync();
        return file.stat();
      });
    case 'rename':
      await nodeFs.rename(path, step.to);
      await nodeFs.syncDir(dirname(step.to)).catch(unlessImpossible);
      return null;
    case 'remove':
      await nodeFs.remove(path);
      return null;
  }
}

async function whileOpen<T>(
  path: string,
  mode: Parameters<JournalFs['open']>[1],
  work: (file: Awaited<ReturnType<JournalFs['open']>>) => Promise<T>,
): Promise<T> {
  const file = await nodeFs.open(path, mode);
  try {
    return await work(file);
  } finally {
    await file.close();
  }
}

/**
 * Some file systems assign new numbers each time (docs/specs/safety.md B1): there size and times tell, that of the last change among them. The
 * others can be given to any file.
 */
function refuseOther(before: FileFacts, now: FileFacts): void {
  const isUntouched =
    before.size === now.size && before.modifiedMs === now.modifiedMs && before.changedMs === now.changedMs;
  if (before.identity !== now.identity && !isUntouched) throw new OtherFile();
}

const CANNOT_SYNC = new Set(['EACCES', 'EPERM', 'EINVAL', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EISDIR', 'EBADF']);

/** Not every folder can be synced, or opened for it. By then all of the file is in its place, so it was saved. */
function unlessImpossible(error: unknown): void {
  if (!CANNOT_SYNC.has(errorCode(error))) throw error;
}
