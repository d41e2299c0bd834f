import type { SessionSummary } from '@shared/types';
import type { Client } from '../bridge';

/** More than anybody leaves open; they come at the next start. */
const MOST = 30;

/**
 * Makes the sessions again in which a text was written and nothing was said: main has no file of them, and without a session nobody
 * would see the draft (CM1).
 */
export async function sessionsOfDrafts(client: Client, ids: readonly string[]): Promise<SessionSummary[]> {
  const made = ids.slice(0, MOST).map((again) => client.request('sessions.create', { again }).catch(() => null));
  return (await Promise.all(made)).flatMap((summary) => summary ?? []);
}
