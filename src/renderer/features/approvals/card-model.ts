import {
  type ApprovalDecision,
  type ApprovalSubject,
  type ApprovalView,
  timeLimitWords,
} from '@shared/policy/approval';
import { DEFAULT_COMMAND_TIMEOUT_MS } from '@shared/limits';
import { ANSWER_KEYS } from '../../state/keys';

export type CardAction = { kind: 'answer'; decision: ApprovalDecision } | { kind: 'edit' } | { kind: 'why' };

export interface CardButton {
  action: CardAction;
  /** What it answers to in every card. */
  key: string;
  label: string;
  /** Completes a short label where it is only heard. */
  heard?: string;
  isPrimary?: boolean;
}

/**
 * The answers of a card in one row, besides Decline, and the quiet ones below them. In a risky card and in one with a note none is
 * filled; that a risky one offers "once" alone is main's choice (`scopesOffered`).
 */
export function buttonsOf(
  request: ApprovalView,
  isRisky: boolean,
  isNoted = false,
): { main: CardButton[]; quiet: CardButton[] } {
  const { subject, choices } = request;
  const answers = choices.filter((choice) => choice !== 'deny');
  const main = answers.map((decision) => {
    const button = answerButton(subject, decision, isRisky);
    return isNoted ? { ...button, isPrimary: false } : button;
  });
  const others: CardButton[] = [];
  if (subject.kind === 'command' && subject.canEdit)
    others.push({ action: { kind: 'edit' }, key: ANSWER_KEYS.edit, label: 'Edit the command' });
  if (choices.includes('deny'))
    others.push({ action: { kind: 'why' }, key: ANSWER_KEYS.why, label: 'Decline and say why' });
  return answers.length > 1 ? { main, quiet: others } : { main: [...main, ...others], quiet: [] };
}

const VERBS: Record<ApprovalSubject['kind'], string> = { command: 'Run', diff: 'Write', path: 'Allow', call: 'Allow' };

function answerButton(
  subject: ApprovalSubject,
  decision: Exclude<ApprovalDecision, 'deny'>,
  isRisky: boolean,
): CardButton {
  const action: CardAction = { kind: 'answer', decision };
  const key = ANSWER_KEYS[decision];
  if (decision === 'once') {
    const label = VERBS[subject.kind];
    return isRisky ? { action, key, label: `${label} once` } : { action, key, label, heard: ' once', isPrimary: true };
  }
  return { action, key, label: rememberLabel(subject.kind, decision) };
}

/** What a button that remembers says. */
export function rememberLabel(kind: ApprovalSubject['kind'], decision: 'session' | 'always'): string {
  if (kind === 'command') return decision === 'session' ? 'Exactly this, all session' : 'Exactly this, always here';
  if (kind === 'path') return 'Reading here, all session';
  return decision === 'session' ? 'Edits here, all session' : 'Edits in its folder, always';
}

/** `5 min`, where the call asks for another limit than usual. */
export function timeLimitOf(subject: ApprovalSubject): string | null {
  if (subject.kind !== 'command' || subject.timeoutMs === DEFAULT_COMMAND_TIMEOUT_MS) return null;
  return timeLimitWords(subject.timeoutMs);
}
