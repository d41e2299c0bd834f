import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/renderer/bridge';
import { describeStorageProblem } from '../../../src/renderer/db/storage-problem';
import { DatabaseTimeout, withTimeLimit } from '../../../src/renderer/db/time-limit';

describe('a failed database call', () => {
  it('is a full disk where the browser says so, also below Dexie’s own error', () => {
    const inner = new DOMException('Encountered full disk while opening', 'QuotaExceededError');
    const wrapped = Object.assign(new Error('Transaction aborted'), { name: 'AbortError', inner });
    expect(describeStorageProblem(wrapped).state).toBe('full');
    expect(describeStorageProblem(new Error('IO error: FILE_ERROR_NO_SPACE')).state).toBe('full');
  });
  it('is a blocked database when nothing came back in time', () => {
    expect(describeStorageProblem(new DatabaseTimeout('no answer')).state).toBe('blocked');
  });
  it('carries main’s own words where main refused', () => {
    const problem = describeStorageProblem(
      new AppError({ code: 'storage', message: 'Could not save: no space left.' }),
    );
    expect(problem.text).toContain('Could not save: no space left.');
  });
  it('says in every case what is safe', () => {
    const errors = [new Error('x'), 'x', new DatabaseTimeout('x'), new DOMException('x', 'QuotaExceededError')];
    for (const error of errors) {
      expect(describeStorageProblem(error).text).toContain('Your sessions are safe in their journal files.');
    }
  });
  it('ends in an error that names no cause of its own for ever', () => {
    const error = new Error('round');
    Object.assign(error, { cause: error });
    expect(describeStorageProblem(error).state).toBe('lost');
  });
});

describe('SY4: the time limit', () => {
  it('hands on what came in time', async () => {
    await expect(withTimeLimit(Promise.resolve(1), 1_000)).resolves.toBe(1);
    await expect(withTimeLimit(Promise.reject(new RangeError('no')), 1_000)).rejects.toThrow(RangeError);
  });
  it('ends a call that never settles', async () => {
    await expect(withTimeLimit(new Promise(() => undefined), 5)).rejects.toThrow(DatabaseTimeout);
  });
});
