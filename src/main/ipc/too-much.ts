import type { z } from 'zod';
import type { RequestName } from '@shared/ipc/contract';

/** Texts of requests that a person writes, by their names in the contract. */
const WRITTEN = new Map([
  ['title', 'The title'],
  ['label', 'The label'],
  ['instructions', 'The instructions'],
  ['goal', 'The goal'],
  ['summary', 'The summary'],
  ['command', 'The command'],
  ['why', 'The reason'],
  ['text', 'The text'],
]);

/**
 * Why a request was refused in which a text that a person wrote, or a list of files, is beyond its bound: with that bound, and what to do.
 * Null for everything else that the contract does not allow, which no person can cause.
 */
export function whatIsTooMuch(name: RequestName, issues: readonly z.core.$ZodIssue[]): string | null {
  for (const issue of issues) {
    if (issue.code !== 'too_big') continue;
    const most = Number(issue.maximum).toLocaleString('en-US');
    const isPrompt = name === 'session.prompt';
    const field = String(issue.path.at(-1));
    if (isPrompt && field === 'attachments')
      return `A message can have ${most} attachments. Remove some and try again; nothing was sent.`;
    if (isPrompt && field === 'data')
      return `An attached file is longer than the limit of ${most} characters. Remove it and try again; nothing was sent.`;
    if (isPrompt && field === 'text')
      return `The message is longer than the limit of ${most} characters. Shorten it, or send it in parts; nothing was sent.`;
    const what = issue.origin === 'string' ? WRITTEN.get(field) : undefined;
    if (what !== undefined)
      return `${what} can have at most ${most} characters. Shorten it and try again; nothing was changed.`;
  }
  return null;
}
