import { describe, expect, it } from 'vitest';
import { IDBKeyRange } from 'fake-indexeddb';
import { AppError, type Client } from '../../../src/renderer/bridge';
import { DatabaseTimeout, EspalierDatabase, withTimeLimit } from '../../../src/renderer/db/database';
import { Persister } from '../../../src/renderer/db/persister';
import { describeStorageProblem, type StorageProblem } from '../../../src/renderer/db/open-database';

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
  it('that failed again when it was opened anew needs a new database, which the next start makes', () => {
    const error = new DOMException('Internal error opening backing store', 'UnknownError');
    expect(describeStorageProblem(error)).toMatchObject({
      state: 'lost',
      text: expect.stringContaining('will try again'),
    });
    const again = describeStorageProblem(error, 1);
    expect(again.state).toBe('broken');
    expect(again.text).toContain('rebuilt the next time Espalier starts');
    expect(again.text).not.toContain('will try again');
  });
  it('of a later Espalier’s database, a full disk or another window asks for no new one', () => {
    for (const name of ['VersionError', 'BlockedError', 'QuotaExceededError', 'TimeoutError'])
      expect(describeStorageProblem(new DOMException('x', name), 5).state).not.toBe('broken');
  });
  it('and then another is told as broken by who writes entries', async () => {
    const factory = {
      open: () => {
        throw new DOMException('no backing store', 'UnknownError');
      },
    };
    const db = new EspalierDatabase('broken', undefined, { indexedDB: factory as unknown as IDBFactory, IDBKeyRange });
    const states: string[] = [];
    await new Promise<void>((resolve) => {
      const onProblem = (problem: StorageProblem | null): void => {
        states.push(problem?.state ?? 'ok');
        if (states.length === 2) resolve();
      };
      const persister = new Persister({ db, client: {} as Client, onProblem, retryMs: 1 });
      void persister.start(false);
    });
    expect(states).toEqual(['lost', 'broken']);
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
