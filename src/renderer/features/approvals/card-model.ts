import type { ApprovalDecision, ApprovalRequest, ApprovalSubject } from '@shared/ipc/types';
import { DEFAULT_COMMAND_TIMEOUT_MS } from '@shared/limits';

export type CardAction = { kind: 'answer'; decision: ApprovalDecision } | { kind: 'edit' } | { kind: 'why' };

export interface CardButton {
  action: CardAction;
  label: string;
  /** Completes a short label where it is only heard. */
  heard?: string;
  isPrimary?: boolean;
}

/**
 * The numbered answers of a card, besides Decline, and the quiet ones below them. In a risky card none is filled; that it offers
 * "once" alone is main's choice (`scopesOffered`).
 */
export function buttonsOf(request: ApprovalRequest, isRisky: boolean): { numbered: CardButton[]; quiet: CardButton[] } {
  const { subject, choices } = request;
  const answers = choices.filter((choice) => choice !== 'deny');
  const numbered = answers.map((decision) => answerButton(subject, decision, isRisky));
  const others: CardButton[] = [];
  if (subject.kind === 'command' && subject.canEdit)
    others.push({ action: { kind: 'edit' }, label: 'Edit the command' });
  if (choices.includes('deny')) others.push({ action: { kind: 'why' }, label: 'Decline and say why' });
  return answers.length > 1 ? { numbered, quiet: others } : { numbered: [...numbered, ...others], quiet: [] };
}

const VERBS: Record<ApprovalSubject['kind'], string> = { command: 'Run', diff: 'Write', path: 'Allow', call: 'Allow' };

function answerButton(subject: ApprovalSubject, decision: ApprovalDecision, isRisky: boolean): CardButton {
  const action: CardAction = { kind: 'answer', decision };
  if (decision === 'once') {
    const label = VERBS[subject.kind];
    return isRisky ? { action, label: `${label} once` } : { action, label, heard: ' once', isPrimary: true };
  }
  if (subject.kind === 'command')
    return { action, label: decision === 'session' ? 'Exactly this, all session' : 'Exactly this, always here' };
  if (subject.kind === 'path') return { action, label: 'Reading here, all session' };
  return { action, label: decision === 'session' ? 'Edits here, all session' : 'Edits in its folder, always' };
}

/** `5 min`, where the call asks for another limit than usual. */
export function timeLimitOf(subject: ApprovalSubject): string | null {
  if (subject.kind !== 'command' || subject.timeoutMs === DEFAULT_COMMAND_TIMEOUT_MS) return null;
  const seconds = subject.timeoutMs / 1000;
  return seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
}
