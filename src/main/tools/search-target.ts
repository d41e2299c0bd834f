import type { ExactContent } from '@shared/policy/approval';
import { exactPlace } from './exact-place';
import type { FailedInspection, Inspection } from './gated-tool';
import { walk, type WalkEnd } from './walk';
import type { ResolvedPath, Workspace } from '../places/workspace';

/** What grep, find and ls ask about: the folder or file they look at. */
export async function inspectTarget<TPlan>(
  workspace: Workspace,
  path: string | undefined,
  plan: (target: ResolvedPath) => TPlan,
): Promise<Inspection<TPlan> | FailedInspection> {
  const target = await workspace.resolve(path ?? '.', 'read');
  const { location, isOnUnknownMount, refusal } = target;
  const exact: ExactContent = { kind: 'path', path: target.path, ...exactPlace(target) };
  const failure = target.failure ?? (target.stats ? undefined : `${target.shown} does not exist.`);
  if (failure !== undefined) return { location, isOnUnknownMount, refusal, exact, scopes: {}, failure };
  return { location, isOnUnknownMount, refusal, exact, scopes: {}, plan: plan(target) };
}

/** Names below a target that tools may show. */
export async function walkTarget(
  workspace: Workspace,
  target: ResolvedPath,
  withFolders: boolean,
): Promise<Generator<string, WalkEnd>> {
  const allows = await workspace.walkFilter(target.path);
  const ignoresFrom = await workspace.root();
  return walk({ root: target.path, ignoresFrom, allows, withFolders, guard: workspace.guardSync });
}
