/** What people asked compactions to look at, newest first: offered again in the sheet. */
import type { LocalStore } from './local-store';

const KEY = 'compactInstructions';
const MOST = 5;

/** The remembered instructions; none if they can't be read, which is no reason to hold up the sheet. */
export async function recentInstructions(local: LocalStore): Promise<string[]> {
  return readRecent(await local.getUi(KEY).catch(() => undefined));
}

/** Puts an instruction first. Never rejects: a list that could not be kept is only shorter the next time. */
export async function rememberInstructions(local: LocalStore, text: string): Promise<void> {
  const recent = withRecent(await recentInstructions(local), text);
  await local.putUi(KEY, recent).catch(() => undefined);
}

/** A stored list, whatever was stored. */
export function readRecent(stored: unknown): string[] {
  if (!Array.isArray(stored)) return [];
  return stored.filter((item): item is string => typeof item === 'string' && item.trim() !== '').slice(0, MOST);
}

/** The list with a text at its front, each text once. */
export function withRecent(recent: readonly string[], text: string): string[] {
  const wanted = text.trim();
  if (wanted === '') return [...recent];
  return [wanted, ...recent.filter((item) => item !== wanted)].slice(0, MOST);
}
