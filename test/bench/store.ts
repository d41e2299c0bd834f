import { join } from 'node:path';
import { createSessionStore, type JournalStore } from '../../src/main/journal/session-store';
import { randomHex } from '../support/journal';

/** The store of the app over an empty folder, or one that an earlier store left. */
export function openStore(scratch: string): Promise<JournalStore> {
  const log = { warn: (message: string): void => console.warn(message) };
  return createSessionStore({
    dir: join(scratch, 'sessions'),
    trashDir: join(scratch, 'trash'),
    clock: Date.now,
    randomHex,
    log,
  });
}
