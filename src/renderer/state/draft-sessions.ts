import type { SessionSummary } from '@shared/types';
import type { Client } from '../bridge';
import type { LocalStore } from './local-store';

/** More than anybody leaves open; they come at the next start. */
const MOST = 30;

/**
 * Makes the sessions again in which a text was written and nothing was said: main has no file of them, and without a session nobody
 * would see the draft (CM1).
 * @param isKnown whether the list has a session
 */
export async function sessionsOfDrafts(
  client: Client,
  local: LocalStore,
  isKnown: (sessionId: string) => boolean,
): Promise<SessionSummary[]> {
  const ids = (await local.draftsAlone()).filter((id) => !isKnown(id)).slice(0, MOST);
  const made = ids.map((again) => client.request('sessions.create', { again }).catch(() => null));
  return (await Promise.all(made)).flatMap((summary) => summary ?? []);
}
