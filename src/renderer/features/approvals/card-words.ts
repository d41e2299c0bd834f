/** The words of a card: what is asked, of what, how it can be answered, and what goes without asking. */
import { DEFAULT_COMMAND_TIMEOUT_MS } from '@shared/limits';
import {
  type ApprovalDecision,
  type ApprovalSubject,
  type ApprovalView,
  type CallOrigin,
  originWords as nameOfOrigin,
  timeLimitWords,
} from '@shared/policy/approval';
import { visibleString } from '@shared/policy/visible-text';
import { formatPath } from '../../state/format';
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
  if (kind === 'call') return decision === 'session' ? 'This tool, all session' : 'This tool, always here';
  return decision === 'session' ? 'Edits here, all session' : 'Edits in its folder, always';
}

/** `5 min`, where the call asks for another limit than usual. */
function timeLimitOf(subject: ApprovalSubject): string | null {
  if (subject.kind !== 'command' || subject.timeoutMs === DEFAULT_COMMAND_TIMEOUT_MS) return null;
  return timeLimitWords(subject.timeoutMs);
}

/** What stands beside the answers. */
export function noteOf({ subject }: ApprovalView): string {
  if (subject.kind === 'path') return subject.why;
  if (subject.kind === 'call') return originWords(subject);
  if (subject.kind === 'diff') return subject.created ? 'The file does not exist yet.' : 'Nothing is written yet.';
  const limit = timeLimitOf(subject);
  return limit === null ? 'Commands are not sandboxed.' : `Commands are not sandboxed. Time limit: ${limit}.`;
}

/** Where a tool comes from that is not ours (EX20). Names are shown with what hides in them written out. */
function originWords({ origin, readOnly, overrides }: CallOrigin): string {
  if (!origin) return 'This tool comes from an extension.';
  return [
    `From ${nameOfOrigin({ ...origin, name: visibleString(origin.name) })}.`,
    ...(overrides ? ['It takes the place of Espalier’s own tool.'] : []),
    ...(readOnly ? ['It says of itself that it only reads.'] : []),
  ].join(' ');
}

/** What the text of a question is called. */
export function regionName({ subject }: ApprovalView): string {
  if (subject.kind === 'command') return 'The whole command';
  if (subject.kind === 'diff') return 'The whole change';
  return subject.kind === 'path' ? 'The whole path' : 'All arguments';
}

/** What a call in words begins with (`describeToolCall`): the rest is what it acts on. */
const VERB = /^(?:Search for|Look for files|\S+)(?= |$)/;

/** What is asked, and of what: `path` as it is, `words` in visible form already. */
export function titleOf(
  { subject, title }: ApprovalView,
  home: string,
  workspace: string | undefined,
): { ask: string; path: string; words?: undefined } | { ask: string; path?: undefined; words: string } {
  if (subject.kind === 'command') return { ask: 'Run this command in', path: formatPath(subject.cwd, home) };
  if (subject.kind === 'diff') {
    const isInside = workspace !== undefined && subject.path.startsWith(`${workspace}/`);
    const path = isInside ? subject.path.slice(workspace.length + 1) : formatPath(subject.path, home);
    return { ask: subject.created ? 'Create' : 'Change', path };
  }
  const verb = VERB.exec(title)?.[0];
  return verb === undefined ? { ask: 'Use', words: title } : { ask: verb, words: title.slice(verb.length + 1) };
}

/** Characters of a name that a head holds; of a longer one the beginning and the end, and all of it stands before the text. */
const HEAD_CHARS = 120;

/** Whether a head shows only a part of a name. */
export function isCut(name: string | undefined): name is string {
  return name !== undefined && name.length > HEAD_CHARS;
}

export function cutMiddle(name: string): string {
  if (!isCut(name)) return name;
  const half = HEAD_CHARS / 2;
  // No half of a character stays at the cut.
  return `${name.slice(0, half).replace(/[\ud800-\udbff]$/, '')} … ${name.slice(-half).replace(/^[\udc00-\udfff]/, '')}`;
}
