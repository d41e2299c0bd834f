import { branchRegion, type BranchRegion } from '@shared/compaction/branch-selection';
import { fileListsOf } from '@shared/compaction/file-activity';
import type { LeavePreview } from '@shared/ipc/tree-types';
import type { ModelRef } from '@shared/ipc/types';
import { destinationOf } from '@shared/session/destination';
import { ratioFor } from '@shared/session/ratio';
import { totalsOf } from '@shared/session/totals';
import type { Settings } from '@shared/settings';
import { refOf } from '../compaction/candidates';
import { regionActivity } from '../compaction/region-activity';
import type { Serializer } from '../compaction/serializer';
import { summarizers } from '../compaction/summarizers';
import type { ModelRegistry, SessionLog } from '../ports';

export interface PreviewPorts {
  log: SessionLog;
  models: ModelRegistry;
  serializer: Serializer;
  settings: () => Settings;
  /** The session's model. */
  model: () => ModelRef;
}

/** What going to a target would leave behind (BR1, BR3). Never blocked by what runs. @throws EntryNotFoundError */
export async function leavePreview(
  ports: PreviewPorts,
  targetId: string | null,
  exact: boolean | undefined,
): Promise<LeavePreview> {
  const { log, serializer } = ports;
  const { tree } = log;
  const { leafId } = destinationOf(tree, targetId, exact);
  const isHere = targetId === tree.leafId;
  const region = branchRegion(tree, tree.leafId, isHere ? tree.leafId : leafId);
  const [activity, model] = await Promise.all([
    // A figure that can't be had is no reason to show nothing.
    regionActivity(region, log, serializer, new AbortController().signal).catch(() => null),
    writerOf(ports),
  ]);
  const modifiedFiles = activity ? fileListsOf(activity.files).modifiedFiles : [];
  return { newLeafId: isHere ? tree.leafId : leafId, isHere, ...sizeOf(ports, region), modifiedFiles, model };
}

/** Messages of a region, and what they come to in calibrated tokens. A compaction's summary repeats what is counted already. */
export function sizeOf(
  { log, model }: Pick<PreviewPorts, 'log' | 'model'>,
  { entries, items }: BranchRegion,
): { messages: number; tokens: number } {
  const own = items.filter(({ kind }) => kind !== 'summary');
  const ratio = ratioFor(log.tree, entries.at(-1)?.id ?? null, model());
  return { messages: own.length, tokens: Math.ceil(ratio * totalsOf(own).raw) };
}

/** Who would write a branch summary; null: nobody can. */
export async function writerOf({
  models,
  model,
  settings,
}: Omit<PreviewPorts, 'log' | 'serializer'>): Promise<ModelRef | null> {
  const current = settings();
  const [first] = await summarizers(models, model(), current, refOf(current['branchSummary.model']));
  return first?.ref ?? null;
}
