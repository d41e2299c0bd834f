import { type BranchTask, summarizeBranch } from '../../compaction/branch-summary';
import { readEntries } from '../../compaction/compaction-hooks';
import { NoSummary, SummaryAborted } from '../../compaction/summary-call';
import { type CheckedTreeAnswer, checkTreeAnswer } from '../../extensions/check-answers';
import type { TreePreparation } from '../../extensions/events';
import type { SessionScope } from '../machine/scope';
import { type BranchFacts, type BranchText, contextAt, fillsWindow, storeMove, textOfSummary } from './tree-change';
import { branchRegion, type BranchRegion } from '@shared/compaction/branch-selection';
import type { SummaryInstructions } from '@shared/compaction/summary-job';
import type { NavigateResult } from '@shared/ipc/tree-types';
import type { BranchSummaryEntry } from '@shared/session/records/entry';
import { toComposer } from '@shared/session/records/message-text';
import { destinationOf } from '@shared/session/tree/destination';

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
  if (!extensions.has('session_before_tree', log.sessionId)) return { remarks: [] };
  const ids = region.entries.map(({ id }) => id);
  const entries = await readEntries(log, ids, signal);
  const preparation: TreePreparation = {
    ...asked,
    commonAncestorId: region.ancestorId,
    entriesToSummarize: ids.flatMap((id) => entries.get(id) ?? []),
  };
  const answer = await extensions.ask('session_before_tree', { preparation }, { sessionId: log.sessionId, signal });
  if (signal.aborted) throw new SummaryAborted();
  if (!answer) return { remarks: [] };
  if (answer.cancels) return null;
  const checked = checkTreeAnswer(answer.result);
  for (const remark of checked.remarks) extensions.report(answer.extensionPath, 'session_before_tree', remark);
  return checked;
}

const TOO_LONG =
  'The summary is so long that no message would fit after it: with it the session would be too long for this model';

/** What a navigation came to, for `session_tree`. */
interface TreeMove {
  oldLeafId: string | null;
  summaryEntryId: string | undefined;
  fromExtension: boolean;
}

/** `session_tree`: the leaf has moved and the session is free again. Never rejects. */
export async function tellTree(
  { log, extensions }: Pick<SessionScope, 'log' | 'extensions'>,
  move: TreeMove,
): Promise<void> {
  if (!extensions.has('session_tree', log.sessionId)) return;
  const { oldLeafId, summaryEntryId, fromExtension } = move;
  const lines = summaryEntryId === undefined ? [] : await log.linesOf([summaryEntryId]).catch(() => []);
  const [line] = lines;
  const payload = {
    newLeafId: log.tree.leafId,
    oldLeafId,
    // From the line: what an extension does with it stays its own.
    ...(line ? { summaryEntry: JSON.parse(line.line) as BranchSummaryEntry, fromExtension } : {}),
  };
  await extensions.tell('session_tree', payload, { sessionId: log.sessionId });
}

/** Where to, and what becomes of the branch that is left (BR1). */
export interface NavigateParams extends Pick<SummaryInstructions, 'instructions' | 'replaceInstructions' | 'model'> {
  /** null: before the first entry. */
  targetId: string | null;
  /** The target itself becomes the leaf, and nothing returns to the composer. */
  exact?: boolean;
  summarize: boolean;
  label?: string;
}

/** What a move came to, with what extensions are told of it; `move` null: nothing moved. */
export interface Moved {
  result: NavigateResult;
  move: TreeMove | null;
}

/** Moves the leaf of one session, with a summary of the branch that is left or without. Whoever calls it holds the session (JB1). */
export class Navigator {
  constructor(private readonly scope: SessionScope) {}

  /**
   * Goes to a target (BR1, BR2). Until everything is known nothing is written; then it is one write.
   * @throws EntryNotFoundError, SummaryError, SummaryAborted
   */
  async navigate(params: NavigateParams, signal: AbortSignal, reason = 'navigate'): Promise<Moved> {
    const { scope } = this;
    const { log } = scope;
    const { tree } = log;
    const oldLeafId = tree.leafId;
    const startedAt = scope.now();
    const { targetId, summarize, instructions: customInstructions, replaceInstructions, label, model } = params;
    const { leafId, editorEntryId } = destinationOf(tree, targetId, params.exact);
    if (targetId === oldLeafId) return { result: { cancelled: false }, move: null };
    const region = branchRegion(tree, oldLeafId, leafId);
    const asked = { customInstructions, replaceInstructions, label };
    const answer = await askBeforeTree(
      scope,
      { targetId, oldLeafId, userWantsSummary: summarize, ...defined(asked) },
      region,
      signal,
    );
    if (!answer) return { result: { cancelled: true }, move: null };
    const wanted = { ...asked, ...defined(answer) };
    const { customInstructions: instructions } = wanted;
    const task = { region, signal, model, instructions, replaceInstructions: wanted.replaceInstructions };
    const text = summarize ? await this.textOf(answer, task, leafId) : null;
    const facts: BranchFacts = {
      kind: 'leave',
      fromId: oldLeafId,
      ancestorId: region.ancestorId,
      instructions,
      durationMs: Math.max(0, scope.now() - startedAt),
    };
    const editor = await this.editorOf(editorEntryId);
    const entryId = await storeMove(scope, {
      leafId,
      labelled: targetId,
      label: wanted.label,
      reason,
      text,
      facts,
    });
    const result = {
      cancelled: false,
      ...editor,
      ...(entryId ? { summaryEntryId: entryId } : {}),
    };
    return { result, move: { oldLeafId, summaryEntryId: entryId, fromExtension: text !== null && text.own === null } };
  }

  /** The summary of a region, by an extension or by us; null if there is nothing to tell (BR1). */
  private async textOf(answer: CheckedTreeAnswer, task: BranchTask, leafId: string | null): Promise<BranchText | null> {
    if (answer.summary) return { ...answer.summary, own: null };
    if (task.region.items.length === 0) return null;
    const { scope } = this;
    scope.job.start({ kind: 'leave', targetId: leafId, fromId: scope.log.tree.leafId });
    const written = await summarizeBranch(task, scope, scope.job);
    if (!written) return null;
    const text = textOfSummary(written, scope.settings()['compaction.fileListLimit']);
    const context = contextAt(scope, leafId);
    if (fillsWindow(context, text.summary)) throw new NoSummary(TOO_LONG, [written.model]);
    return text;
  }

  /** What the composer is given of a message that is taken back; nothing for null. */
  async editorOf(entryId: string | null): Promise<Pick<NavigateResult, 'editorText' | 'editorAttachments'>> {
    if (entryId === null) return {};
    const [entry] = await this.scope.log.loadBodies([entryId]);
    const { text, attachments } = toComposer(entry);
    return { editorText: text, ...(attachments.length > 0 ? { editorAttachments: attachments } : {}) };
  }
}

function defined<T extends object>(values: T): Partial<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Partial<T>;
}
