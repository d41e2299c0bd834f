import type { ApprovalDecision, ApprovalRequest, ApprovalSubject } from '@shared/ipc/types';
import type { Risk } from '@shared/policy/risk';
import { visibleText } from '@shared/policy/visible-text';
import { DEFAULT_COMMAND_TIMEOUT_MS } from '@shared/limits';
import type { Reading } from './reading';

/** What stands out in a question. */
export interface Stakes {
  risks: { title: string; words: string[] }[];
  /** Sentences about characters that hide, move or look like others. */
  warnings: string[];
}

/** Parts of a command that one line of risk names, and characters of one of them: all of it stands underlined in the text. */
const MAX_NAMED = 4;
const MAX_NAMED_CHARS = 120;

/** Risks and warnings of a question; with any of them its card has no filled button and remembers nothing. */
export function stakesOf(subject: ApprovalSubject, { risks, warnings }: Reading): Stakes {
  switch (subject.kind) {
    case 'command':
      return {
        risks: risks.map((risk) => ({ title: risk.title, words: wordsOf(risk, subject.command) })),
        warnings: unique([...warnings, ...aboutPath('Its folder', subject.cwd)]),
      };
    case 'diff':
      return {
        risks: subject.outside ? [{ title: 'Outside the workspace', words: [] }] : [],
        warnings: unique([...aboutPath('Its name', subject.path), ...warnings]),
      };
    case 'path':
      return { risks: subject.outside ? [{ title: 'Outside the workspace', words: [] }] : [], warnings };
    case 'call':
      return { risks: [], warnings };
  }
}

function wordsOf({ marks }: Risk, command: string): string[] {
  const words = [...new Set(marks.map(({ from, to }) => wordAt(command, from, to)))];
  const rest = words.length - MAX_NAMED;
  return rest > 0 ? [...words.slice(0, MAX_NAMED), `${rest.toLocaleString('en')} more`] : words;
}

function wordAt(command: string, from: number, to: number): string {
  return to - from > MAX_NAMED_CHARS ? `${command.slice(from, from + MAX_NAMED_CHARS)} …` : command.slice(from, to);
}

function aboutPath(what: string, path: string): string[] {
  return visibleText(path, 'path').warnings.map((warning) => warning.replace(/^It holds/, `${what} holds`));
}

function unique(sentences: readonly string[]): string[] {
  return [...new Set(sentences)];
}

export type CardAction = { kind: 'answer'; decision: ApprovalDecision } | { kind: 'edit' } | { kind: 'why' };

export interface CardButton {
  action: CardAction;
  label: string;
  /** Completes a short label where it is only heard. */
  heard?: string;
  isPrimary?: boolean;
}

/**
 * The numbered answers of a card, besides Decline, and the quiet ones below them. In a risky card only the first one lets anything
 * happen, once.
 */
export function buttonsOf(request: ApprovalRequest, isRisky: boolean): { numbered: CardButton[]; quiet: CardButton[] } {
  const { subject, choices } = request;
  const answers = isRisky
    ? choices.filter((choice) => choice === 'once')
    : choices.filter((choice) => choice !== 'deny');
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
