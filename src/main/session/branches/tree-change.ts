import type { BranchSummary } from '../../compaction/branch-summary';
import { REMOTE_PROVIDER } from '../../compaction/remote';
import { SUMMARY_PROMPTS } from '../../compaction/summarize';
import { randomHex } from '../../random-hex';
import type { SessionScope } from '../machine/scope';
import { isRecord } from '@shared/checks';
import { type FileLists, fileTags } from '@shared/compaction/file-activity';
import { leavesNoRoom, type ReviewContext } from '@shared/compaction/summary-job';
import { planContext } from '@shared/session/context/context-plan';
import { totalsOf } from '@shared/session/messages/plan-item';
import type { EntryDraft, Usage } from '@shared/session/records/entry';
import { newEntryId } from '@shared/session/records/ids';
import { labelDraft, leafMoveDraft } from '@shared/session/tree/drafts';

/** What is about to be stored of a branch, whoever wrote it. */
export interface BranchText {
  /** As the entry will hold it. */
  summary: string;
  /** Without our key. */
  details: unknown;
  usage: Usage | undefined;
  /** What our own calls came to; null: an extension wrote it. */
  own: Pick<BranchSummary, 'model' | 'calls' | 'messages' | 'left'> | null;
}

/** Our own summary as it is stored: preamble, text, file tags (BR11). */
export function textOfSummary({ text, files, order, usage, ...own }: BranchSummary, fileListLimit: number): BranchText {
  const lists: FileLists = files;
  const summary = `${SUMMARY_PROMPTS.branchPreamble}\n\n${text}${fileTags(lists, fileListLimit, order)}`;
  return { summary, details: lists, usage, own };
}

export interface BranchFacts {
  kind: 'leave' | 'bringOver';
  /** The leaf of the branch. */
  fromId: string | null;
  ancestorId: string | null;
  instructions?: string;
  durationMs: number;
  /** Files that both sides modified; only where it was brought over. */
  conflicts?: readonly string[];
}

/** The entry of a branch summary (SF6, SF9). An extension's details stay as they are; an object gets our key added. */
function branchDraft({ summary, details, usage, own }: BranchText, id: string, facts: BranchFacts): EntryDraft {
  const { kind, fromId, ancestorId, instructions, durationMs, conflicts } = facts;
  const espalier = {
    v: 1,
    reason: kind,
    ...(instructions ? { instructions } : {}),
    ...(own
      ? {
          model: `${own.model.provider}/${own.model.modelId}`,
          entriesSummarized: own.messages,
          entriesLeft: own.left,
          calls: own.calls,
        }
      : {}),
    durationMs,
    // What an endpoint of the person's own costs is not known.
    ...(own?.model.provider === REMOTE_PROVIDER ? {} : { cost: usage?.cost.total ?? 0 }),
    ...(ancestorId === null ? {} : { ancestorId }),
    ...(kind === 'bringOver' ? { broughtOver: true, conflicts: conflicts ?? [] } : {}),
  };
  return {
    id,
    type: 'branch_summary',
    fromId: fromId ?? 'root',
    summary,
    details: details === undefined ? { espalier } : isRecord(details) ? { ...details, espalier } : details,
    ...(usage ? { usage } : {}),
    fromHook: own === null,
  };
}

/** What the context at a leaf comes to for the next message, for a summary that is to stand there. O(context). */
export function contextAt(scope: Pick<SessionScope, 'log' | 'size'>, leafId: string | null): ReviewContext {
  const { ratio, overhead, limits } = scope.size();
  const { raw } = totalsOf(planContext(scope.log.tree, leafId).items);
  return { rest: Math.ceil(ratio * (overhead + raw)), ratio, window: limits.window };
}

/** Whether no message would fit after a summary, where one fits without it (SU41). */
export function fillsWindow(context: ReviewContext, text: string): boolean {
  return context.window !== null && context.rest <= context.window && leavesNoRoom({ context }, text, 0);
}

interface Move {
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
  job.written(text?.usage?.cost.total ?? 0, text?.own?.model ?? null);
  return id;
}
