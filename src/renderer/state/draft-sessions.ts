import type { SessionSummary } from '@shared/types';
import type { Client } from '../bridge';

/** More than anybody leaves with a draft and nothing else. */
const MOST = 100;

/**
 * Makes the sessions again in which a text was written and nothing was said: main has no file of them, and without a session nobody
 * would see the draft (CM1).
 */
export async function sessionsOfDrafts(client: Client, ids: readonly string[]): Promise<SessionSummary[]> {
  const made: SessionSummary[] = [];
  for (let at = 0; at < ids.length && made.length < MOST; at += MOST) {
    const some = ids
      .slice(at, at + MOST)
      .map((again) => client.request('sessions.create', { again }).catch(() => null));
    made.push(...(await Promise.all(some)).flatMap((summary) => summary ?? []));
  }
  return made;
}
