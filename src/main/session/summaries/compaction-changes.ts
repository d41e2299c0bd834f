import type { ContextSize } from '../../agent/session-context';
import { rebase, replaceCompaction } from '../../compaction/compaction-entry';
import { tokensWithout } from '../../compaction/compaction-size';
import type { SessionLog } from '../../ports';
import { SessionRefusal } from '../machine/slot';
import { addStoredFiles, fileListsOf, fileTags, newestFirst, noFileOps } from '@shared/compaction/file-activity';
import { shortSummaryOf } from '@shared/compaction/request-body';
import type { UndoPreview } from '@shared/compaction/summary-job';
import type { CompactionEntry, EntryDraft } from '@shared/session/records/entry';
import { estimateText } from '@shared/session/records/estimate';
import { stripTagBlocks } from '@shared/session/records/own-marks';
import type { TreeNode } from '@shared/session/records/tree-node';
import { labelDraft, pinDraft } from '@shared/session/tree/drafts';
import { entriesAfter, isCopied, undoneOn } from '@shared/session/tree/rebase';
import type { SessionTree } from '@shared/session/tree/tree';

/**
 * Takes a compaction of the active path back: the entries after it are repeated on its parent, so that the model sees again what
 * it stood for (UN2). The branch with the compaction stays in the tree. One write, or nothing.
 */
export async function undoCompaction(log: SessionLog, entryId: string): Promise<void> {
  const compaction = compactionOnPath(log.tree, entryId);
  const parentId = compaction.parent ? compaction.parent.id : null;
  const later = entriesAfter(log.tree, entryId);
  if (later.length === 0) return log.moveLeaf(parentId, 'undo');
  await rebase(log, later, parentId, { op: 'undo', compactionId: entryId });
}

/**
 * Puts a compaction in force again that was taken back on the active path (UN3): the leaf goes back to where it was; what
 * was said since is repeated there.
 */
export async function redoCompaction(log: SessionLog, entryId: string): Promise<void> {
  const { tree } = log;
  const undone = undoneOn(tree, tree.leafId).find(({ compaction }) => compaction.id === entryId);
  if (!undone) throw new SessionRefusal('This compaction has not been undone on the current branch.');
  const { compaction, record } = undone;
  const originals = new Map(record.copies.map(([oldId, newId]) => [newId, oldId]));
  const after = tree.pathTo(tree.leafId).slice(compaction.parent ? compaction.parent.depth + 1 : 0);
  let last = after.length - 1;
  while (last >= 0 && !originals.has(after[last]?.id ?? '')) last--;
  const lastOriginal = originals.get(after[last]?.id ?? '');
  // Whoever left the copies in the middle goes on from the original of that entry.
  const isWhole = lastOriginal === record.copies.at(-1)?.[0];
  const onto = isWhole ? record.fromLeafId : (lastOriginal ?? entryId);
  const later = after.slice(last + 1).filter(isCopied);
  const marks = record.copies.flatMap(([oldId, newId]) => marksAgain(tree, newId, oldId));
  if (marks.length > 0) await log.append(marks);
  if (later.length === 0) return log.moveLeaf(onto, 'redo');
  await rebase(log, later, onto, { op: 'redo', compactionId: entryId });
}

/** What makes an original pinned and labelled as its copy is now: what the person did there was meant for the message (UN3). */
function marksAgain(tree: SessionTree, copyId: string, originalId: string): EntryDraft[] {
  if (!tree.has(copyId) || !tree.has(originalId)) return [];
  const isPinned = tree.pins.has(copyId);
  const label = tree.label(copyId);
  return [
    ...(isPinned === tree.pins.has(originalId) ? [] : [pinDraft(tree, originalId, isPinned)]),
    ...(label === tree.label(originalId) ? [] : [labelDraft(tree, originalId, label ?? '')]),
  ];
}

interface EditOptions {
  /** Paths that each of the file tags names. */
  fileListLimit: number;
  /** Calibrated tokens to a raw one. */
  ratio: number;
}

/**
 * Puts another text in the place of a summary (UN5): a new compaction beside the old one with the same boundary, and what
 * came after it repeated there. The old one stays in the tree. Only the latest compaction of a path can be changed, because later
 * ones were made from its text.
 * @param summary what the person wrote; the file tags are put behind it again
 */
export async function editSummary(
  log: SessionLog,
  entryId: string,
  summary: string,
  { fileListLimit, ratio }: EditOptions,
): Promise<void> {
  const compaction = latestCompaction(log.tree, entryId);
  const text = stripTagBlocks(summary);
  if (text === '')
    throw new SessionRefusal('The summary is empty. To show the model the original messages, undo the compaction.');
  const body = compaction.body as CompactionEntry;
  if (text === stripTagBlocks(body.summary)) return;
  await replaceCompaction(log, compaction, edited(body, text, { fileListLimit, ratio }));
}

/** The latest compaction of the active path, if it is this one. */
export function latestCompaction(tree: SessionTree, entryId: string): TreeNode {
  const compaction = compactionOnPath(tree, entryId);
  const leaf = tree.leafId === null ? undefined : tree.node(tree.leafId);
  if (leaf && tree.stateOf(leaf).compaction !== compaction) {
    throw new SessionRefusal('A later compaction was made from this summary. Undo that one first.');
  }
  return compaction;
}

/**
 * What undoing a compaction comes to: the originals and all that came after it (UN7). O(path).
 * @param size of the context now
 */
export function previewUndo(tree: SessionTree, entryId: string, size: ContextSize): UndoPreview {
  const compaction = compactionOnPath(tree, entryId);
  const after = tree.pathTo(tree.leafId).slice(compaction.parent ? compaction.parent.depth + 2 : 1);
  return {
    later: after.filter(({ facts }) => facts.type === 'compaction').length,
    tokensAfter: tokensWithout(tree, compaction, size),
    hardLine: size.limits.hardLine,
  };
}

function compactionOnPath(tree: SessionTree, entryId: string): TreeNode {
  const compaction = tree.pathTo(tree.leafId).find(({ id }) => id === entryId);
  if (compaction?.facts.type !== 'compaction') {
    throw new SessionRefusal('This compaction is not on the current branch.');
  }
  return compaction;
}

/** The same compaction with another text. What the model was asked and what it cost stays said. */
function edited(body: CompactionEntry, text: string, { fileListLimit, ratio }: EditOptions): EntryDraft {
  const {
    parentId: _parent,
    timestamp: _time,
    usage: _usage,
    ...rest
  } = body as CompactionEntry & Record<string, unknown>;
  const files = noFileOps(null);
  addStoredFiles(files, body);
  const details = (rest.details ?? {}) as Record<string, unknown>;
  const espalier = (details.espalier ?? { v: 1 }) as Record<string, unknown>;
  const summary = text + fileTags(fileListsOf(files), fileListLimit, newestFirst(files));
  const grown = Math.round(ratio * (estimateText(summary) - estimateText(body.summary)));
  const tokensAfter = typeof espalier.tokensAfter === 'number' ? { tokensAfter: espalier.tokensAfter + grown } : {};
  const draft: Record<string, unknown> = {
    ...rest,
    summary,
    ...(rest.shortSummary === undefined ? {} : { shortSummary: shortSummaryOf(text) }),
    details: { ...details, espalier: { ...espalier, ...tokensAfter, cost: 0, calls: 0, replaces: body.id } },
  };
  return draft as unknown as EntryDraft;
}
