import type { EntryDraft, SessionEntry } from '@shared/session/entry';
import { newEntryId } from '@shared/session/ids';
import { entriesAfter, planRebase } from '@shared/session/rebase';
import type { RebaseReason } from '@shared/session/rebase';
import type { TreeNode } from '@shared/session/tree-node';
import type { AppendedRecord, SessionLog } from '../ports';
import { randomHex } from '../random-hex';

/** Writes a compaction in the place of another, with all that came after it, in one batch (UN5). Gives its record. */
export async function replaceCompaction(
  log: SessionLog,
  old: TreeNode,
  draft: EntryDraft,
): Promise<AppendedRecord | undefined> {
  const id = newEntryId((candidate) => log.tree.has(candidate), randomHex);
  const reason: RebaseReason = { op: 'edit', compactionId: old.id, replacement: { ...draft, id } };
  const records = await rebase(log, entriesAfter(log.tree, old.id), old.parent ? old.parent.id : null, reason);
  return records.find(({ entry }) => entry.id === id);
}

/** Repeats path entries on another parent, in one write (UN1). Rejects, with nothing written, if one can't be read. */
export async function rebase(
  log: SessionLog,
  nodes: readonly TreeNode[],
  parentId: string | null,
  reason: RebaseReason,
): Promise<AppendedRecord[]> {
  const bodies: SessionEntry[] = nodes.length === 0 ? [] : await log.loadBodies(nodes.map(({ id }) => id));
  if (bodies.length < nodes.length) {
    throw new Error('Some entries after the compaction could not be read. Nothing was changed.');
  }
  const { drafts } = planRebase(log.tree, parentId, bodies, reason, randomHex);
  return log.append(drafts, { parentId });
}
