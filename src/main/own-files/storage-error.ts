import { MAX_RECORD_BYTES } from '@shared/record-limits';

/** The error code of a failed file operation (`ENOSPC`), or an empty string. */
export function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/** For `catch`: null where there is no such file. */
export function unlessMissing(error: unknown): null {
  if (errorCode(error) === 'ENOENT') return null;
  throw error;
}

type StorageProblem = 'full' | 'readOnly' | 'denied' | 'gone' | 'changed' | 'closed' | 'failed';

/** Something could not be written. The message is for the person: what happened, what is safe, what to do. */
export class StorageError extends Error {
  constructor(
    readonly problem: StorageProblem,
    reason: string,
    options?: { cause?: unknown },
  ) {
    super(`Could not save: ${reason}`, options);
    this.name = 'StorageError';
  }
}

/** An entry is larger than a session keeps in one (docs/specs/safety.md A7): nothing of it was written. */
export class RecordTooLargeError extends Error {
  override readonly name = 'RecordTooLargeError';

  constructor(bytes: number) {
    const [has, most] = [bytes, MAX_RECORD_BYTES].map((size) => Number((size / 1024 / 1024).toFixed(1)));
    super(
      `Could not save: this entry is ${has} MB; the limit is ${most} MB. Nothing was changed. Remove pictures or attached files, or split it into parts.`,
    );
  }
}

const REASONS: Record<string, [StorageProblem, string]> = {
  ENOSPC: ['full', 'the disk is full. What was saved before is safe; free some space and try again.'],
  EDQUOT: ['full', 'your disk quota is used up. What was saved before is safe; free some space and try again.'],
  EFBIG: ['full', 'the disk doesn’t support a file this large. What was saved before is safe.'],
  EROFS: ['readOnly', 'the disk is read-only. What was saved before is safe; make it writable and try again.'],
  EACCES: [
    'denied',
    'Espalier doesn’t have permission to write to its data folder. Check the folder’s permissions and try again.',
  ],
  EPERM: [
    'denied',
    'Espalier doesn’t have permission to write to its data folder. Check the folder’s permissions and try again.',
  ],
  ENOENT: ['gone', 'the data folder is gone. Put it back or restart Espalier, then try again.'],
  ENOTDIR: ['gone', 'the data folder is gone. Put it back or restart Espalier, then try again.'],
  EEXIST: ['changed', 'another program put a file in its place. That file was left unchanged; try again.'],
  ENODEV: ['gone', 'the disk is no longer there. Connect it again and try again.'],
  ENXIO: ['gone', 'the disk is no longer there. Connect it again and try again.'],
  ESTALE: ['gone', 'the network folder is no longer reachable. Connect it again and try again.'],
  EIO: ['failed', 'the disk reported an error. What was saved before may still be read; check the disk.'],
  EMFILE: ['failed', 'too many files are open. Close some programs and try again.'],
  ENFILE: ['failed', 'too many files are open. Close some programs and try again.'],
};

/** The error for the person behind a failed file operation (JN17); a `StorageError` passes unchanged. */
export function toStorageError(error: unknown): StorageError {
  if (error instanceof StorageError) return error;
  const code = errorCode(error);
  const [problem, reason] = REASONS[code] ?? [
    'failed',
    `the system reported ${code || (error instanceof Error ? error.message : 'an unknown error')}. What was saved before is safe.`,
  ];
  return new StorageError(problem, reason, { cause: error });
}
