import { addBranchFiles, addGroupFiles, addStoredFiles, noFileOps } from '@shared/compaction/file-activity';
import type { FileOps } from '@shared/compaction/file-activity';
import { groupMessages } from '@shared/compaction/message-groups';
import type { CompactionPlan } from '@shared/compaction/plan';
import type { PlanItem } from '@shared/session/plan-item';
import type { ProjectedMessage, SessionEntry } from '@shared/session/entry';
import { isOpaque } from '@shared/session/opaque';
import { projectEntry } from '@shared/session/project-entry';
import { parseRecord } from '@shared/session/records';
import { applyEdit } from '@shared/session/view-edits';
import type { SessionLog } from '../ports';
import { SummaryAborted, SummaryError } from './summary-call';

/** Lines that are read and parsed before main does something else. */
const BATCH = 50;

/**
 * Entries rebuilt from their lines: an extension gets objects of its own, nothing that the tree or the next request shares.
 * What can't be read is left out. O(entries).
 * @throws SummaryAborted
 */
export async function readEntries(
  log: SessionLog,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<Map<string, SessionEntry>> {
  const entries = new Map<string, SessionEntry>();
  for (let at = 0; at < ids.length; at += BATCH) {
    const lines = await log.linesOf(ids.slice(at, at + BATCH));
    if (signal.aborted) throw new SummaryAborted();
    for (const { id, line } of lines) {
      const entry = parsed(line);
      if (entry) entries.set(id, entry);
    }
  }
  return entries;
}

function parsed(line: string): SessionEntry | null {
  const record = parseRecord(line);
  return record.kind === 'entry' && !isOpaque(record.entry) ? record.entry : null;
}

/** The messages of planned items, view edits applied. @throws SummaryError if one could not be read: no summary may pass it over */
export function messagesOf(items: readonly PlanItem[], entries: ReadonlyMap<string, SessionEntry>): ProjectedMessage[] {
  return items.map(({ node, edit }) => {
    const entry = entries.get(node.id);
    if (!entry) throw new SummaryError('Part of the session could not be read from its file');
    const message = projectEntry(entry, node.timeMs);
    // What an edit puts in place of a content is the tree's own.
    return edit ? structuredClone(applyEdit(message, edit)) : message;
  });
}

/** What extensions are told of files (EX3). */
type HookFileOps = Pick<FileOps, 'read' | 'written' | 'edited'>;

/** Files of some messages, of the compaction that a plan builds on and of branch summaries in its region (FA2). */
export function fileOpsOf(plan: CompactionPlan, messages: readonly ProjectedMessage[]): HookFileOps {
  // As the calls named them: that is what the peer's extensions expect.
  const ops = noFileOps(null);
  for (const group of groupMessages(messages)) addGroupFiles(ops, group);
  addStoredFiles(ops, plan.previous?.body);
  addBranchFiles(ops, [...plan.messagesToSummarize, ...plan.turnPrefixMessages]);
  const { read, written, edited } = ops;
  return { read, written, edited };
}
