import { hearInput } from '../extensions/heard-input';
import type { PromptParams, SessionScope } from '../machine/scope';
import { carryOut, carryOutFirst } from './carry-out';
import type { QueueItem } from '@shared/types';

/** `isDone`: a command that needed no message. */
export interface PromptAnswer {
  queued: boolean;
  itemId: string;
  isDone?: true;
}

/**
 * What is sent of what was typed: a command of an extension is carried out before `input` is heard, skills and templates are
 * expanded after it (QU3). Null: nothing.
 * @throws SessionRefusal with what a command says
 */
export async function whatIsSaid(
  { events, queue, log, ports }: Pick<SessionScope, 'events' | 'queue' | 'log' | 'ports'>,
  { itemId, command, source = 'interactive', ...typed }: PromptParams,
  isRunning: boolean,
): Promise<Pick<QueueItem, 'text' | 'attachments'> | null> {
  const { slash } = ports;
  if (command && events.has('input')) {
    const outcome = await carryOutFirst(slash, log.sessionId, typed.text);
    if (outcome) return outcome.done ? null : { text: outcome.text, attachments: typed.attachments };
  }
  const item: QueueItem = { id: itemId, ...typed, createdAt: ports.now(), held: true };
  const streamingBehavior = isRunning ? typed.mode : undefined;
  const heard = await hearInput({ events, queue }, item, { source, streamingBehavior });
  if (!heard || !command || !heard.text.trim().startsWith('/')) return heard;
  const text = await carryOut(slash, log.sessionId, heard.text);
  return text === null ? null : { ...heard, text };
}
