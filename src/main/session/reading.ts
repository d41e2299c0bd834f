import type { SessionLog } from '../ports';

/** Work that reads a log in several steps: the session may be let go of between two of them. */
export async function reading<T>(log: SessionLog, work: () => Promise<T>): Promise<T> {
  const giveBack = log.lease();
  try {
    return await work();
  } finally {
    await giveBack();
  }
}
