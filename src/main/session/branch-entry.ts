import { fileTags, type FileLists } from '@shared/compaction/file-activity';
import type { EntryDraft, Usage } from '@shared/session/entry';
import { isRecord } from '@shared/own';
import { SUMMARY_PROMPTS } from '../compaction/prompts';
import { REMOTE_PROVIDER } from '../compaction/remote';
import type { BranchSummary } from '../compaction/branch-summary';

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
export function branchDraft({ summary, details, usage, own }: BranchText, id: string, facts: BranchFacts): EntryDraft {
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
