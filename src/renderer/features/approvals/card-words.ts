/** The words of a card: what is asked, of what, and what goes without asking. */
import type { ApprovalView } from '@shared/policy/approval';
import { formatPath } from '../../state/format';
import { timeLimitOf } from './card-model';

/** What stands beside the answers. */
export function noteOf({ subject }: ApprovalView): string {
  if (subject.kind === 'path') return subject.why;
  if (subject.kind === 'call') return 'This tool comes from an extension.';
  if (subject.kind === 'diff') return subject.created ? 'The file does not exist yet.' : 'Nothing is written yet.';
  const limit = timeLimitOf(subject);
  return limit === null ? 'Commands are not sandboxed.' : `Commands are not sandboxed. Time limit: ${limit}.`;
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
