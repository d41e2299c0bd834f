import type { BranchRegion } from '@shared/compaction/branch-selection';
import type { BranchSummaryEntry } from '@shared/session/entry';
import type { TreePreparation } from '../extensions/events';
import { type CheckedTreeAnswer, checkTreeAnswer } from '../extensions/check-answers';
import { readEntries } from '../compaction/hook-messages';
import { SummaryAborted } from '../compaction/summary-call';
import type { SessionScope } from './scope';

/**
 * `session_before_tree` (BR1): an extension may cancel, change what was asked for or write the summary itself.
 * @returns what it answered, or null: it keeps the session where it is
 * @throws SummaryAborted
 */
export async function askBeforeTree(
  { log, extensions }: Pick<SessionScope, 'log' | 'extensions'>,
  asked: Omit<TreePreparation, 'commonAncestorId' | 'entriesToSummarize'>,
  region: BranchRegion,
  signal: AbortSignal,
): Promise<CheckedTreeAnswer | null> {
  if (!extensions.has('session_before_tree')) return { remarks: [] };
  const ids = region.entries.map(({ id }) => id);
  const entries = await readEntries(log, ids, signal);
  const preparation: TreePreparation = {
    ...asked,
    commonAncestorId: region.ancestorId,
    entriesToSummarize: ids.flatMap((id) => entries.get(id) ?? []),
  };
  const answer = await extensions.ask('session_before_tree', { preparation }, signal);
  if (signal.aborted) throw new SummaryAborted();
  if (!answer) return { remarks: [] };
  if (answer.cancels) return null;
  const checked = checkTreeAnswer(answer.result);
  for (const remark of checked.remarks) extensions.report(answer.extensionPath, 'session_before_tree', remark);
  return checked;
}

/** What a navigation came to, for `session_tree`. */
export interface TreeMove {
  oldLeafId: string | null;
  summaryEntryId: string | undefined;
  fromExtension: boolean;
}

/** `session_tree`: the leaf has moved and the session is free again. Never rejects. */
export async function tellTree(
  { log, extensions }: Pick<SessionScope, 'log' | 'extensions'>,
  move: TreeMove,
): Promise<void> {
  if (!extensions.has('session_tree')) return;
  const { oldLeafId, summaryEntryId, fromExtension } = move;
  const lines = summaryEntryId === undefined ? [] : await log.linesOf([summaryEntryId]).catch(() => []);
  const [line] = lines;
  const payload = {
    newLeafId: log.tree.leafId,
    oldLeafId,
    // From the line: what an extension does with it stays its own.
    ...(line ? { summaryEntry: JSON.parse(line.line) as BranchSummaryEntry, fromExtension } : {}),
  };
  await extensions.tell('session_tree', payload, new AbortController().signal);
}
