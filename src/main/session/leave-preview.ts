import { branchRegion, type BranchRegion } from '@shared/compaction/branch-selection';
import { fileListsOf } from '@shared/compaction/file-activity';
import type { LeavePreview } from '@shared/ipc/tree-types';
import type { ModelRef } from '@shared/ipc/types';
import { destinationOf } from '@shared/session/destination';
import { ratioFor } from '@shared/session/ratio';
import { totalsOf } from '@shared/session/totals';
import { refOf } from '../compaction/candidates';
import { regionActivity } from '../compaction/region-activity';
import { summarizers } from '../compaction/summarizers';
import type { SessionScope } from './scope';

/** What going to a target would leave behind (BR1, BR3). Never blocked by what runs. @throws EntryNotFoundError */
export async function leavePreview(
  scope: SessionScope,
  targetId: string | null,
  exact: boolean | undefined,
): Promise<LeavePreview> {
  const { log, serializer } = scope;
  const { tree } = log;
  const { leafId } = destinationOf(tree, targetId, exact);
  const isHere = targetId === tree.leafId;
  const region = branchRegion(tree, tree.leafId, isHere ? tree.leafId : leafId);
  const [activity, model] = await Promise.all([
    // A figure that can't be had is no reason to show nothing.
    regionActivity(region, log, serializer, new AbortController().signal).catch(() => null),
    writerOf(scope),
  ]);
  const modifiedFiles = activity ? fileListsOf(activity.files).modifiedFiles : [];
  return { newLeafId: isHere ? tree.leafId : leafId, isHere, ...sizeOf(scope, region), modifiedFiles, model };
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
