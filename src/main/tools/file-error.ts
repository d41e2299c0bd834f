const SENTENCES: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist.',
  ENOTDIR: 'treats a file as a folder.',
  EISDIR: 'is a folder. Use ls to list it.',
  EACCES: 'cannot be opened: permission denied.',
  EPERM: 'cannot be changed: the system does not permit it.',
  EROFS: 'is on a read-only disk.',
  ENOSPC: 'could not be written: the disk is full. The old file is unchanged.',
  EDQUOT: 'could not be written: your disk quota is used up. The old file is unchanged.',
  ENAMETOOLONG: 'has a name that is too long.',
  EMFILE: 'could not be opened: too many files are open. Try again.',
  EIO: 'could not be read or written: the disk reports an error.',
};

/** A system error about a file as a sentence; other errors pass unchanged. */
export function explainFileError(error: unknown, shown: string): Error {
  const { code, message } = error as NodeJS.ErrnoException;
  const sentence = code === undefined ? undefined : SENTENCES[code];
  if (sentence !== undefined) return new Error(`${shown} ${sentence}`, { cause: error });
  return error instanceof Error ? error : new Error(message);
}
