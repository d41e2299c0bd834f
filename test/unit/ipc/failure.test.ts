import { expect, it } from 'vitest';
import { toFailure } from '../../../src/main/ipc/failure';
import { NameTakenError } from '../../../src/main/journal/file/write-whole';
import { RecordTooLargeError, StorageError } from '../../../src/main/own-files/storage-error';

it('A7: that an entry is too large reaches the window with what to take out, and is no bug', () => {
  const { failure, expected } = toFailure(new RecordTooLargeError(49 * 1024 * 1024));
  expect(expected).toBe(true);
  expect(failure).toMatchObject({ code: 'refused', message: expect.stringContaining('Remove pictures') });
  expect(failure.message).toContain('49 MB');
});

it('what the disk refused is told as that; a bug is told without its insides', () => {
  expect(toFailure(new StorageError('full', 'the disk is full.')).failure.code).toBe('storage');
  const { failure, expected } = toFailure(new TypeError('x is not a function'));
  expect(expected).toBe(false);
  expect(failure).toMatchObject({ code: 'internal', message: expect.not.stringContaining('function') });
});

it('JN44: that another file has the name is told plainly', () => {
  const { failure, expected } = toFailure(new NameTakenError());
  expect(expected).toBe(true);
  expect(failure).toEqual({
    code: 'storage',
    message: expect.stringContaining('another program put a file in its place'),
  });
});
