import type { CheckedCompaction } from '../extensions/check-answers';
import type { AppendedRecord, SessionLog } from '../ports';
import { randomHex } from '../random-hex';
import { REMOTE_PROVIDER } from './remote';
import type { Summary } from './summarize';
import { divideAt } from '@shared/compaction/cut';
import { addBranchFiles, addStoredFiles, fileListsOf, fileTags, newestFirst } from '@shared/compaction/file-activity';
import {
  type CompactionPlan,
  type CutWindow,
  estimate,
  keptUserEntries,
  type PlanEstimates,
  type PlanOptions,
} from '@shared/compaction/plan';
import { shortSummaryOf } from '@shared/compaction/request-body';
import type { CompactionReason } from '@shared/compaction/summary-job';
import { isRecord } from '@shared/checks';
import { omitDraft } from '@shared/session/tree/drafts';
import type { EntryDraft, SessionEntry, Usage } from '@shared/session/records/entry';
import { estimateText } from '@shared/session/records/estimate';
import { newEntryId } from '@shared/session/records/ids';
import { entriesAfter, planRebase, type RebaseReason } from '@shared/session/tree/rebase';
import type { TreeNode } from '@shared/session/records/tree-node';
import type { Settings } from '@shared/settings';
import type { ModelRef } from '@shared/types';

/** What a compaction is about to store, whoever wrote it. Tokens. */
export interface CompactionResult {
  /** As the entry will hold it. */
  text: string;
  firstKeptEntryId: string | null;
  isSplitTurn: boolean;
  entriesSummarized: number;
  estimates: PlanEstimates;
  tokensBefore: number;
  /** Without our key. */
  details: unknown;
  /** What a list shows of it; undefined if nothing is wanted. */
  shortSummary: string | undefined;
  /** User messages that stay word for word (PN4). */
  keptUserEntryIds: readonly string[];
  /** Milliseconds that a person took to read it. */
  reviewMs: number;
  preserveData: Record<string, unknown> | undefined;
  usage: Usage | undefined;
  /** Null: an extension wrote it. */
  model: ModelRef | null;
  calls: number;
}

/** What goes with a summary into its entry. */
interface SummaryContext {
  tokensBefore: number;
  preserveData: Record<string, unknown> | undefined;
  settings: Pick<Settings, 'compaction.fileListLimit' | 'compaction.shortSummary'>;
  reviewMs: number;
}

/** The result of our own calls: file tags behind the text, file lists in the details (SU39, FA3, FA4). */
export function resultOfSummary(
  plan: CompactionPlan,
  { text, short, files, model, usage, calls }: Summary,
  { tokensBefore, preserveData, settings, reviewMs }: SummaryContext,
): CompactionResult {
  addStoredFiles(files, plan.previous?.body);
  addBranchFiles(files, [...plan.messagesToSummarize, ...plan.turnPrefixMessages]);
  const lists = fileListsOf(files);
  const { firstKeptEntryId, isSplitTurn, estimates, keptUserEntryIds } = plan;
  return {
    text: text + fileTags(lists, settings['compaction.fileListLimit'], newestFirst(files)),
    firstKeptEntryId,
    isSplitTurn,
    entriesSummarized: plan.messagesToSummarize.length + plan.turnPrefixMessages.length,
    estimates,
    tokensBefore,
    details: lists,
    // Without the tags of files, which would join the last sentence.
    shortSummary: settings['compaction.shortSummary'] === 'off' ? undefined : (short ?? shortSummaryOf(text)),
    keptUserEntryIds,
    reviewMs,
    preserveData,
    usage,
    model,
    calls,
  };
}

/** The result that an extension supplied: its boundary may be another than the plan's. */
export function resultOfExtension(
  { firstKept, firstKeptEntryId, summary, ...given }: CheckedCompaction,
  source: CutWindow,
  options: PlanOptions,
): CompactionResult {
  const hasPlace = given.details === undefined || isRecord(given.details);
  return {
    text: summary,
    firstKeptEntryId,
    isSplitTurn: firstKeptEntryId !== null && divideAt(source.window, firstKept).isSplit,
    entriesSummarized: firstKept,
    estimates: estimate(source, firstKept, hasPlace ? options : withoutWords(options)),
    tokensBefore: given.tokensBefore,
    details: given.details,
    shortSummary: given.shortSummary ?? shortSummaryOf(summary),
    // Without an object there is no place for them.
    keptUserEntryIds: hasPlace ? keptUserEntries(source, firstKept, options) : [],
    reviewMs: 0,
    preserveData: given.preserveData,
    usage: given.usage,
    model: null,
    calls: 0,
  };
}

function withoutWords({ settings, ...options }: PlanOptions): PlanOptions {
  return { ...options, settings: { ...settings, keepUserMessageTokens: 0 } };
}

/** D after it, as far as it can be told, tokens. */
export function tokensAfterOf({ estimates, text }: CompactionResult, ratio: number): number {
  const { overhead, pins, kept } = estimates;
  return Math.ceil(ratio * (overhead + estimateText(text) + pins + kept));
}

interface EntryFacts {
  reason: CompactionReason;
  instructions?: string;
  tokensAfter: number;
  durationMs: number;
  /** The compaction whose place it takes. */
  replaces?: string;
}

/** The entry of a compaction (SF6, SF9). An extension's details stay as they are; an object gets our key added. */
export function entryOf(result: CompactionResult, facts: EntryFacts): EntryDraft {
  const { text, firstKeptEntryId, tokensBefore, usage, model, shortSummary, preserveData } = result;
  const { reason, instructions, tokensAfter, durationMs, replaces } = facts;
  const espalier = {
    v: 1,
    reason,
    ...(instructions ? { instructions } : {}),
    ...(model ? { model: `${model.provider}/${model.modelId}` } : {}),
    isSplitTurn: result.isSplitTurn,
    entriesSummarized: result.entriesSummarized,
    tokensAfter,
    durationMs,
    calls: result.calls,
    // What an endpoint of the person's own costs is not known.
    ...(model?.provider === REMOTE_PROVIDER ? {} : { cost: usage?.cost.total ?? 0 }),
    keep: result.estimates.kept,
    ...(result.keptUserEntryIds.length > 0 ? { keptUserEntryIds: result.keptUserEntryIds } : {}),
    ...(replaces === undefined ? {} : { replaces }),
  };
  return {
    type: 'compaction',
    summary: text,
    firstKeptEntryId,
    tokensBefore,
    details: withOurKey(result.details, espalier),
    ...(usage ? { usage } : {}),
    fromHook: model === null,
    ...(shortSummary === undefined ? {} : { shortSummary }),
    ...(preserveData ? { preserveData } : {}),
  };
}

function withOurKey(details: unknown, espalier: Record<string, unknown>): unknown {
  if (details === undefined) return { espalier };
  return isRecord(details) ? { ...details, espalier } : details;
}

/** What goes before the entry in the same batch: the reply that a provider refused the context with (JB10). */
export function omissionOf(failedReplyId: string | undefined): EntryDraft[] {
  return failedReplyId === undefined ? [] : [omitDraft(failedReplyId)];
}

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
