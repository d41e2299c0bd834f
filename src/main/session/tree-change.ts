import { labelDraft, leafMoveDraft } from '@shared/session/drafts';
import type { EntryDraft } from '@shared/session/entry';
import { newEntryId } from '@shared/session/ids';
import { branchDraft, type BranchFacts, type BranchText } from './branch-entry';
import { randomHex } from '../random-hex';
import type { SessionScope } from './scope';

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
 * Stores a move (BR1, BR2) in one write: the summary at the new leaf, else the record of the leaf, and the label. A summary is said there:
 * what is known of calls that are open at the new leaf comes before it (AG11).
 * @returns the id of the summary
 * @throws SummaryAborted if it was cancelled before
 */
export async function storeMove(scope: SessionScope, move: Move): Promise<string | undefined> {
  const { log, job } = scope;
  const { tree } = log;
  const { leafId, labelled, label = '', reason, text, facts } = move;
  const drafts: EntryDraft[] = text ? await scope.openResults(leafId) : [];
  job.commit();
  const id = text ? newEntryId((candidate) => tree.has(candidate), randomHex) : undefined;
  if (text && id !== undefined) drafts.push(branchDraft(text, id, facts));
  else if (leafId !== tree.leafId) drafts.push(leafMoveDraft(tree, leafId, reason));
  if (label.trim() !== '') {
    if (id !== undefined) drafts.push({ type: 'label', targetId: id, label: label.trim() });
    else if (labelled !== null) drafts.push(labelDraft(tree, labelled, label));
  }
  if (drafts.length > 0) await log.append(drafts, id === undefined ? {} : { parentId: leafId });
  return id;
}
