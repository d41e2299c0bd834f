import { randomBytes } from 'node:crypto';
import { entriesAfter, planRebase } from '@shared/session/rebase';
import type { SessionLog } from '../ports';
import { SessionRefusal } from './session-refusal';

/**
 * Takes a compaction of the active path back: the entries after it are repeated on its parent, so that the model sees again what
 * it stood for (engine.md 12). The branch with the compaction stays in the tree. One write, or nothing.
 */
export async function undoCompaction(log: SessionLog, entryId: string): Promise<void> {
  const { tree } = log;
  const compaction = tree.pathTo(tree.leafId).find(({ id }) => id === entryId);
  if (compaction?.facts.type !== 'compaction') {
    throw new SessionRefusal('This compaction is not on the branch that is shown.');
  }
  const parentId = compaction.parent ? compaction.parent.id : null;
  const later = entriesAfter(tree, entryId);
  if (later.length === 0) return log.moveLeaf(parentId, 'undo');
  const bodies = await log.loadBodies(later.map(({ id }) => id));
  if (bodies.length < later.length) {
    throw new SessionRefusal('Some entries after the compaction could not be read. Nothing was changed.');
  }
  const { drafts } = planRebase(tree, parentId, bodies, { op: 'undo', compactionId: entryId }, randomHex);
  await log.append(drafts, { parentId });
}

function randomHex(length: number): string {
  return randomBytes(Math.ceil(length / 2))
    .toString('hex')
    .slice(0, length);
}
