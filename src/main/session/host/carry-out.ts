import type { SlashCommands, SlashOutcome } from '../../slash/slash-commands';
import { SessionRefusal } from '../machine/slot';

/** A command of an extension, before anything else is heard of what was typed. @throws SessionRefusal with what it says */
export function carryOutFirst(slash: SlashCommands, sessionId: string, text: string): Promise<SlashOutcome> {
  return slash.run(sessionId, text, ['extension']).catch(refuse);
}

function refuse(error: unknown): never {
  throw new SessionRefusal(error instanceof Error && error.message !== '' ? error.message : 'The command failed.');
}

/**
 * Carries out a text that is a command (CM3). Resolves with what is sent in its place; null: nothing is.
 * @throws SessionRefusal with what the command says, or that there is none
 */
export async function carryOut(slash: SlashCommands, sessionId: string, text: string): Promise<string | null> {
  const outcome = await slash.run(sessionId, text).catch(refuse);
  if (outcome) return outcome.done ? null : outcome.text;
  const name = text.trim().split(/\s/, 1)[0]?.slice(0, 100) ?? '';
  throw new SessionRefusal(`There is no command ${name} here now. Nothing was sent.`);
}
