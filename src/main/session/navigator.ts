import { branchRegion } from '@shared/compaction/branch-selection';
import type { NavigateResult } from '@shared/ipc/tree-types';
import type { ModelRef } from '@shared/ipc/types';
import { destinationOf } from '@shared/session/destination';
import { toComposer } from '../agent/user-message';
import type { BranchTask } from '../compaction/branch-summary';
import type { CheckedTreeAnswer } from '../extensions/validate-tree';
import type { BranchFacts, BranchText } from './branch-entry';
import { storeMove, writeSummary, type TreeChangePorts } from './tree-change';
import { askBeforeTree, type TreeMove } from './tree-hooks';

/** Where to, and what becomes of the branch that is left (BR1). */
export interface NavigateParams {
  /** null: before the first entry. */
  targetId: string | null;
  /** The target itself becomes the leaf, and nothing returns to the composer. */
  exact?: boolean;
  summarize: boolean;
  customInstructions?: string;
  /** The instructions stand in place of the prompt. */
  replaceInstructions?: boolean;
  label?: string;
  /** Asked first of all for this summary. */
  model?: ModelRef;
}

/** What a move came to, with what extensions are told of it; `move` null: nothing moved. */
export interface Moved {
  result: NavigateResult;
  move: TreeMove | null;
}

/** Moves the leaf of one session, with a summary of the branch that is left or without. Whoever calls it holds the session (JB1). */
export class Navigator {
  constructor(private readonly ports: TreeChangePorts) {}

  /**
   * Goes to a target (BR1, BR2). Until everything is known nothing is written; then it is one write.
   * @throws EntryNotFoundError, SummaryError, SummaryAborted
   */
  async navigate(params: NavigateParams, signal: AbortSignal, reason = 'navigate'): Promise<Moved> {
    const { log, now } = this.ports;
    const { tree } = log;
    const oldLeafId = tree.leafId;
    const startedAt = now();
    const { targetId, summarize, customInstructions, replaceInstructions, label } = params;
    const { leafId, editorEntryId } = destinationOf(tree, targetId, params.exact);
    if (targetId === oldLeafId) return { result: { cancelled: false }, move: null };
    const region = branchRegion(tree, oldLeafId, leafId);
    const asked = { customInstructions, replaceInstructions, label };
    const answer = await askBeforeTree(
      this.ports,
      { targetId, oldLeafId, userWantsSummary: summarize, ...defined(asked) },
      region,
      signal,
    );
    if (!answer) return { result: { cancelled: true }, move: null };
    const wanted = { ...asked, ...defined(answer) };
    const task = { region, signal, instructions: wanted.customInstructions, replaces: wanted.replaceInstructions };
    const text = summarize ? await this.textOf(answer, task, leafId, params.model) : null;
    const facts: BranchFacts = {
      kind: 'leave',
      fromId: oldLeafId,
      ancestorId: region.ancestorId,
      instructions: wanted.customInstructions,
      durationMs: now() - startedAt,
    };
    const editor = await this.editorOf(editorEntryId);
    const entryId = await storeMove(this.ports, {
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
  private async textOf(
    answer: CheckedTreeAnswer,
    task: BranchTask,
    leafId: string | null,
    once?: ModelRef,
  ): Promise<BranchText | null> {
    if (answer.summary) return { ...answer.summary, own: null };
    if (task.region.items.length === 0) return null;
    const { work, log } = this.ports;
    work.start('leave', leafId, log.tree.leafId);
    return writeSummary(this.ports, task, { once });
  }

  private async editorOf(entryId: string | null): Promise<Pick<NavigateResult, 'editorText' | 'editorAttachments'>> {
    if (entryId === null) return {};
    const [entry] = await this.ports.log.loadBodies([entryId]);
    const { text, attachments } = toComposer(entry);
    return { editorText: text, ...(attachments.length > 0 ? { editorAttachments: attachments } : {}) };
  }
}

function defined<T extends object>(values: T): Partial<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Partial<T>;
}
