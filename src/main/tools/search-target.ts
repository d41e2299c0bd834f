import picomatch from 'picomatch';
import type { ApprovalScope, ExactContent } from '@shared/policy/approval';
import type { Inspection } from './gated-tool';
import { walk, type WalkResult } from './walk';
import type { ResolvedPath, Workspace } from './workspace';

const NO_SCOPES: { session?: ApprovalScope; always?: ApprovalScope } = {};

/** What grep, find and ls ask about: the folder or file they look at. */
export async function inspectTarget<TPlan>(
  workspace: Workspace,
  path: string | undefined,
  plan: (target: ResolvedPath) => TPlan,
): Promise<Inspection<TPlan>> {
  const target = await workspace.resolve(path ?? '.', 'read');
  if (!target.stats && target.refusal === undefined) throw new Error(`${target.shown} does not exist.`);
  const exact: ExactContent = { kind: 'path', path: target.path, outside: target.location === 'outside' };
  return { location: target.location, refusal: target.refusal, exact, scopes: NO_SCOPES, plan: plan(target) };
}

/** Names below a target that tools may show. */
export async function walkTarget(
  workspace: Workspace,
  target: ResolvedPath,
  withFolders: boolean,
  signal?: AbortSignal,
): Promise<WalkResult> {
  const allows = await workspace.walkFilter(target.path);
  try {
    return await walk(target.path, await workspace.root(), allows, withFolders, signal);
  } catch (error) {
    if (signal?.aborted) throw new Error('The search was stopped.', { cause: error });
    throw error;
  }
}

/** Compiles a glob: one without `/` matches names at any depth. Throws with a plain message if it is too long. */
export function compileGlob(glob: string): (path: string) => boolean {
  const pattern = glob.startsWith('./') ? glob.slice(2) : glob;
  try {
    return picomatch(pattern.includes('/') ? pattern : `**/${pattern}`, { dot: true });
  } catch (error) {
    throw new Error(`The pattern ${JSON.stringify(glob)} is not a valid glob: ${(error as Error).message}`, {
      cause: error,
    });
  }
}
