import { labelDraft, leafMoveDraft } from '@shared/session/drafts';
import type { ModelRef } from '@shared/ipc/types';
import type { EntryDraft } from '@shared/session/entry';
import { newEntryId } from '@shared/session/ids';
import { summarizeBranch, type BranchSummary, type BranchTask } from '../compaction/branch-summary';
import { branchSummarizers } from '../compaction/summarizers';
import { SummaryAborted } from '../compaction/summary-call';
import { branchDraft, textOfSummary, type BranchFacts, type BranchText } from './branch-entry';
import type { PreviewPorts } from './leave-preview';
import { randomHex } from '../random-hex';
import type { TreeHookPorts } from './tree-hooks';
import type { TreeWork } from './tree-work';

export interface TreeChangePorts extends PreviewPorts, TreeHookPorts {
  work: TreeWork;
  now: () => number;
  /** The leaf has moved, and the session is still held: what was told of the old one ends. */
  onMoved: () => Promise<void>;
}

/**
 * Our own summary of a branch as it is stored; null if there is nothing to tell.
 * @param how.review what a person makes of the model's words before
 * @param how.once the person chose it for this summary
 * @throws SummaryError, SummaryAborted
 */
export async function writeSummary(
  { models, model, settings, work, log, serializer }: TreeChangePorts,
  task: BranchTask,
  { review, once }: { review?: (written: BranchSummary) => Promise<string>; once?: ModelRef } = {},
): Promise<BranchText | null> {
  const candidates = await branchSummarizers(models, model(), settings(), once);
  const written = await summarizeBranch(task, candidates, { ...work.callPorts(), log, models, serializer });
  if (task.signal.aborted) throw new SummaryAborted();
  if (!written) return null;
  const text = review ? await review(written) : written.text;
  return textOfSummary({ ...written, text }, settings()['compaction.fileListLimit']);
}

export interface Move {
  /** Where the session goes on; null: before the first entry. */
  leafId: string | null;
  /** What a label is for if there is no summary. */
  labelled: string | null;
  label?: string;
  reason: string;
  text: BranchText | null;
  facts: BranchFacts;
}

/**
 * Stores a move (BR1, BR2) in one write: the summary at the new leaf, else the record of the leaf, and the label.
 * @returns the id of the summary
 * @throws SummaryAborted if it was cancelled before
 */
export async function storeMove({ log, work, onMoved }: TreeChangePorts, move: Move): Promise<string | undefined> {
  const { tree } = log;
  const { leafId, labelled, label = '', reason, text, facts } = move;
  work.commit();
  const id = text ? newEntryId((candidate) => tree.has(candidate), randomHex) : undefined;
  const drafts: EntryDraft[] = [];
  if (text && id !== undefined) drafts.push(branchDraft(text, id, facts));
  else if (leafId !== tree.leafId) drafts.push(leafMoveDraft(tree, leafId, reason));
  if (label.trim() !== '') {
    if (id !== undefined) drafts.push({ type: 'label', targetId: id, label: label.trim() });
    else if (labelled !== null) drafts.push(labelDraft(tree, labelled, label));
  }
  if (drafts.length > 0) await log.append(drafts, id === undefined ? {} : { parentId: leafId });
  work.stored(id);
  await onMoved();
  return id;
}
