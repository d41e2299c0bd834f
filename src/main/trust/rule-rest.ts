/** Which remembered answers are in force. To read the command of one takes a millisecond or two, and there may be a thousand. */
import { homedir } from 'node:os';
import type { ApprovalScope } from '@shared/policy/approval';
import { callsGit, gitRunsOf, hasUnread } from '@shared/policy/git-calls';
import { standsOut } from '@shared/policy/stakes';
import { scopeCovers } from '../approvals/approval-rules';
import { pause } from '../journal/line-reader';
import { isAtOrBelow } from '../places/protected-paths';

/** How long main is held up at once (QP4: 16 ms). */
const SLICE_MS = 6;

/** `look` at each item, in order; other work of main goes on in between. */
export async function inSlices<T, R>(items: readonly T[], look: (item: T) => R): Promise<R[]> {
  const found: R[] = [];
  let resumed = performance.now();
  for (const item of items) {
    found.push(look(item));
    if (performance.now() - resumed < SLICE_MS) continue;
    await pause();
    resumed = performance.now();
  }
  return found;
}

/**
 * Why a remembered answer covers nothing now. `untrusted`: no folder that it counts in is trusted; `asked`: its command stands out, so
 * it is asked each time; `changed`: git could run other programs than those that it was given for; null: it is in force.
 */
export type Rest = 'untrusted' | 'asked' | 'changed' | null;

/**
 * Why a remembered answer covers nothing now, docs/specs/tools.md TL7. What was allowed for reading counts where there is no trust.
 * @param programs what git could run in the folder of a command, if that is known
 */
export function restOf(
  scope: ApprovalScope,
  trusted: readonly string[],
  programs: readonly string[] | undefined,
): Rest {
  // A rule from before such commands were asked each time. One that is too long to be read stands out, too.
  if (isAskedEachTime(scope)) return 'asked';
  const now = scope.kind === 'command' ? gitRunsOf(scope.command, scope.cwd, programs ?? []) : [];
  if (hasUnread(now)) return 'asked';
  if (scope.kind !== 'reading' && !trusted.some((path) => countsIn(path, scope))) return 'untrusted';
  return hasOtherPrograms(scope, programs && now) ? 'changed' : null;
}

/** A rule never changes, and neither does what stands out in it. */
const askedEachTime = new WeakMap<ApprovalScope, boolean>();

function isAskedEachTime(scope: ApprovalScope): boolean {
  if (scope.kind !== 'command') return false;
  const known = askedEachTime.get(scope) ?? (standsOut(scope, homedir()) || hasUnread(scope.gitRuns ?? []));
  askedEachTime.set(scope, known);
  return known;
}

/** @param now what git could run by the command now; undefined: nobody knows */
function hasOtherPrograms(scope: ApprovalScope, now: string[] | undefined): boolean {
  if (scope.kind !== 'command') return false;
  if (now === undefined) return callsGit(scope.command) ? false : scope.gitRuns !== undefined;
  return !scopeCovers(scope, { ...scope, gitRuns: now.length > 0 ? now : undefined });
}

/** Whether a remembered answer spares a question to an agent that works in the folder: its commands run there, its changes lie there or below. */
export function countsIn(path: string, scope: ApprovalScope): boolean {
  if (scope.kind === 'command') return scope.cwd === path;
  return isAtOrBelow(scope.folder, path) || isAtOrBelow(path, scope.folder);
}
