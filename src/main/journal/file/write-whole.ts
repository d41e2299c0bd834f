import { randomBytes } from 'node:crypto';
import { basename, dirname } from 'node:path';
import { StorageError, toStorageError } from '../../own-files/storage-error';
import { errorCode, type JournalFs, PickedFileError, type PickedFs } from './fs';

/**
 * Writes a file so that it is there as a whole or not at all: beside its place, synced, then moved. An existing file is
 * replaced, of a link the name alone. Rejects with `StorageError` if it cannot be written; an error of `content` passes unchanged.
 */
export function writeFileWhole(
  fs: Omit<PickedFs, 'kind'>,
  path: string,
  content: Content,
  {
    last = () => Promise.resolve(),
    parts,
  }: {
    /** Looked at last, right before the move: rejects, and nothing is done. */
    last?: () => Promise<void>;
    /** Is told of the file beside its place before that is made, and once it is gone again. */
    parts?: PartsNote;
  } = {},
): Promise<void> {
  const move = async (temporary: string): Promise<void> => {
    await last();
    await fs.rename(temporary, path);
  };
  return writeAside(fs, path, content, move, NO_LOG, parts);
}

export interface PartsNote {
  begin(part: string): Promise<void>;
  end(part: string): Promise<void>;
}

/** The same for a name that must be free when the file comes to it. Rejects with `NameTakenError` if it is not; what is there stays. */
export function writeNewFile(fs: JournalFs, path: string, content: Content, log: Log = NO_LOG): Promise<void> {
  const place = async (temporary: string): Promise<void> => {
    await fs.place(temporary, path).catch((error: unknown) => {
      throw errorCode(error) === 'EEXIST' ? new NameTakenError() : error;
    });
  };
  return writeAside(fs, path, content, place, log);
}

interface Log {
  warn(message: string, detail?: unknown): void;
}
const NO_LOG: Log = { warn: () => undefined };

type Content = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/** Another file has the name. */
export class NameTakenError extends StorageError {
  constructor() {
    super('changed', 'another program put a file in its place. It was left as it is; try again.');
  }
}

const PART = /\.[0-9a-f]{12}\.part$/;

/** True for the name of a file that is written beside its place. */
export function isPartName(name: string): boolean {
  return PART.test(name);
}

/** The name that such a file was to get. */
export function placeOfPart(name: string): string {
  return name.replace(PART, '');
}

async function writeAside(
  fs: Omit<PickedFs, 'kind'>,
  path: string,
  content: Content,
  putInPlace: (temporary: string) => Promise<void>,
  log = NO_LOG,
  parts?: PartsNote,
): Promise<void> {
  // In a folder of the person's no name can be taken for ours.
  const temporary = `${path}.${randomBytes(6).toString('hex')}.part`;
  let sourceError: unknown = null;
  let isMade = false;
  await parts?.begin(temporary);
  try {
    const file = await fs.open(temporary, 'create').catch((error: unknown) => {
      // What did not answer may have made it.
      isMade = error instanceof PickedFileError;
      throw error;
    });
    isMade = true;
    try {
      const chunks = Symbol.asyncIterator in content ? content[Symbol.asyncIterator]() : content[Symbol.iterator]();
      for (;;) {
        const next = await Promise.resolve(chunks.next()).catch((error: unknown) => {
          sourceError = error;
          throw error;
        });
        if (next.done) break;
        for (let done = 0; done < next.value.length;) done += await file.append(next.value.subarray(done));
      }
      await file.datasync();
    } finally {
      await file.close();
    }
    await putInPlace(temporary);
  } catch (error) {
    const isGone = await fs.remove(temporary).then(
      () => true,
      () => false,
    );
    if (isGone) await parts?.end(temporary);
    throw sourceError ?? toWriteError(error, basename(path), isMade && !isGone ? temporary : null);
  }
  await parts?.end(temporary);
  // It has its name: who was told that it failed would do it again.
  await fs.syncDir(dirname(path)).catch((error: unknown) => {
    log.warn(`The folder of a new file could not be synced: ${basename(path)}`, error);
  });
}

/** The error for the person behind a file that could not be written, of which a part may be left. */
export function toWriteError(error: unknown, name: string, part: string | null = null): StorageError {
  const left = part === null ? '' : ` A part of it may be left at ${part}; it is of no use and can be deleted.`;
  if (error instanceof PickedFileError)
    return new StorageError('gone', `${error.of(name).message}${left}`, { cause: error });
  const plain = toStorageError(error);
  if (left !== '' && !(error instanceof NameTakenError)) plain.message += left;
  return plain;
}
