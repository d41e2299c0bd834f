import { branchRegion, type BranchRegion } from '@shared/compaction/branch-selection';
import { fileListsOf } from '@shared/compaction/file-activity';
import type { LeavePreview } from '@shared/ipc/tree-types';
import type { ModelRef } from '@shared/types';
import { ratioFor } from '@shared/session/ratio';
import { totalsOf } from '@shared/session/totals';
import { refOf } from '../compaction/candidates';
import { regionActivity } from '../compaction/region-activity';
import { summarizers } from '../compaction/summarizers';
import type { SessionScope } from './scope';
import { normalised } from './workspace-paths';

/**
 * What going on from another leaf would leave behind (BR3); null: nothing visible, which takes no time to say. Never blocked by
 * what runs.
 */
export function leavePreview(scope: SessionScope, leafId: string | null): Promise<LeavePreview> | null {
  const { tree } = scope.log;
  const region = branchRegion(tree, tree.leafId, leafId);
  const size = sizeOf(scope, region);
  return size.messages === 0 ? null : withFiles(scope, region, size);
}

async function withFiles(
  scope: SessionScope,
  region: BranchRegion,
  size: ReturnType<typeof sizeOf>,
): Promise<LeavePreview> {
  const [activity, model] = await Promise.all([
    // A figure that can't be had is no reason to show nothing.
    regionActivity(region, scope, new AbortController().signal).catch(() => null),
    writerOf(scope),
  ]);
  const modifiedFiles = activity ? normalised(fileListsOf(activity.files).modifiedFiles, scope.workspaceDir) : [];
  return { ...size, modifiedFiles, model };
}

/** Messages of a region, and what they come to in calibrated tokens. A compaction's summary repeats what is counted already. */
export function sizeOf(
  { log, model }: Pick<SessionScope, 'log' | 'model'>,
  { entries, items }: BranchRegion,
): { messages: number; tokens: number } {
  const own = items.filter(({ kind }) => kind !== 'summary');
  const ratio = ratioFor(log.tree, entries.at(-1)?.id ?? null, model);
  return { messages: own.length, tokens: Math.ceil(ratio * totalsOf(own).raw) };
}

/** Who would write a branch summary; null: nobody can. */
export async function writerOf(scope: SessionScope): Promise<ModelRef | null> {
  const { models, model } = scope;
  const settings = scope.settings();
  const [first] = await summarizers(models, model, settings, refOf(settings['branchSummary.model']));
  return first?.ref ?? null;
}
