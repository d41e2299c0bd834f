import { type BranchSummary, summarizeBranch } from '../../compaction/branch-summary';
import { regionActivity } from '../../compaction/read-lines';
import { addUsage, SummaryAborted } from '../../compaction/summary-call';
import type { SessionScope } from '../machine/scope';
import { SessionRefusal } from '../machine/slot';
import { normalised, sizeOf, writerOf } from '../summaries/previews';
import { askBeforeTree, type Moved } from './navigator';
import { type BranchText, contextAt, fillsWindow, storeMove, textOfSummary } from './tree-change';
import { branchRegion, type BranchRegion } from '@shared/compaction/branch-selection';
import type { SummaryInstructions } from '@shared/compaction/summary-job';
import type { BringOverPreview } from '@shared/ipc/tree-types';
import { EntryNotFoundError } from '@shared/session/records/entry';
import { pathIdAt } from '@shared/session/tree/destination';
import type { SessionTree } from '@shared/session/tree/tree';

const NOTHING_TO_BRING =
  'There is nothing to bring over: everything on that branch is already here. Nothing was changed.';

export interface BringOverParams extends Pick<SummaryInstructions, 'instructions' | 'model'> {
  sourceId: string;
  targetId: string;
}

/** The two sides of a bring over since they parted. */
interface Sides {
  sourceId: string;
  targetId: string;
  region: BranchRegion;
  other: BranchRegion;
}

/** Brings the summary of a branch over to another point of the tree (BR12 to BR14). */
export class BringOver {
  constructor(private readonly scope: SessionScope) {}

  /** What it comes to. Never blocked by what runs. @throws EntryNotFoundError, SummaryError */
  async preview(sourceId: string, targetId: string): Promise<BringOverPreview> {
    const sides = sidesOf(this.scope.log.tree, sourceId, targetId);
    const [files, model] = await Promise.all([this.compare(sides, new AbortController().signal), writerOf(this.scope)]);
    const { region } = sides;
    return { sourceId, targetId, ancestorId: region.ancestorId, ...sizeOf(this.scope, region), ...files, model };
  }

  /**
   * Writes the summary, lets the person change and accept it, and stores it at the target, which becomes the point to go on from.
   * Whoever calls it holds the session.
   * @throws EntryNotFoundError, SessionRefusal, SummaryError, SummaryAborted
   */
  async carryOut(
    { sourceId, targetId, instructions: customInstructions, model }: BringOverParams,
    signal: AbortSignal,
  ): Promise<Moved> {
    const { scope } = this;
    const { log, job } = scope;
    const startedAt = scope.now();
    const sides = sidesOf(log.tree, sourceId, targetId);
    const { region } = sides;
    if (region.items.length === 0) throw new SessionRefusal(NOTHING_TO_BRING);
    const oldLeafId = log.tree.leafId;
    const asked = { customInstructions };
    const preparation = { targetId, oldLeafId: sides.sourceId, userWantsSummary: true, ...asked };
    const answer = await askBeforeTree(scope, preparation, region, signal);
    if (!answer) return { result: { cancelled: true }, move: null };
    const instructions = answer.customInstructions ?? customInstructions;
    job.start({ kind: 'bringOver', targetId: sides.targetId, fromId: sides.sourceId });
    const { conflicts } = await this.compare(sides, signal);
    let waited = 0;
    const review = async (words: string, isDoubtful: boolean, own = true): Promise<string | null> => {
      const from = scope.now();
      const context = contextAt(scope, sides.targetId);
      // An extension's is stored as it is.
      const isLarger = own && fillsWindow(context, words);
      const accepted = await job.review({
        ...{ text: words, previousSummary: null, context },
        ...(isDoubtful ? { isDoubtful } : {}),
        ...(isLarger ? { isLarger } : {}),
      });
      waited += scope.now() - from;
      return accepted;
    };
    const { summary, replaceInstructions } = answer;
    const fileListLimit = scope.settings()['compaction.fileListLimit'];
    const task = { region, instructions, replaceInstructions, model, takesDoubtful: true, signal };
    const text = summary
      ? { ...summary, summary: (await review(summary.summary, false, false)) ?? summary.summary, own: null }
      : textOf(await reviewed(() => summarizeBranch(task, scope, job), review), fileListLimit);
    if (signal.aborted) throw new SummaryAborted();
    if (!text) throw new SessionRefusal(NOTHING_TO_BRING);
    const facts = {
      kind: 'bringOver',
      fromId: sides.sourceId,
      ancestorId: region.ancestorId,
      instructions,
      durationMs: Math.max(0, scope.now() - startedAt - waited),
      conflicts,
    } as const;
    const move = { leafId: sides.targetId, labelled: null, label: answer.label, reason: 'bringOver', text, facts };
    const summaryEntryId = await storeMove(scope, move);
    const fromExtension = summary !== undefined;
    return { result: { cancelled: false, summaryEntryId }, move: { oldLeafId, summaryEntryId, fromExtension } };
  }

  /** What both sides did to files since they parted (BR13). */
  private async compare(
    { region, other }: Sides,
    signal: AbortSignal,
  ): Promise<Pick<BringOverPreview, 'modifiedFiles' | 'conflicts' | 'staleReads' | 'hasCommands'>> {
    const { workspaceDir: root } = this.scope;
    const [ours, theirs] = await Promise.all(
      [region, other].map((side) => regionActivity(side, this.scope, signal, { isOwn: true })),
    );
    if (!ours || !theirs) throw new SummaryAborted();
    const modified = normalised([...ours.files.written, ...ours.files.edited], root);
    const alsoModified = new Set(normalised([...theirs.files.written, ...theirs.files.edited], root));
    const read = new Set(normalised([...theirs.files.read], root));
    const conflicts = modified.filter((file) => alsoModified.has(file));
    return {
      modifiedFiles: modified,
      conflicts,
      staleReads: modified.filter((file) => read.has(file) && !alsoModified.has(file)),
      hasCommands: ours.hasCommands || theirs.hasCommands,
    };
  }
}

function textOf(written: BranchSummary | null, fileListLimit: number): BranchText | null {
  return written && textOfSummary(written, fileListLimit);
}

/** A summary as the person accepts it; one that does not look like a summary is written anew where they ask for that (SU40). */
async function reviewed(
  write: () => Promise<BranchSummary | null>,
  review: (text: string, isDoubtful: boolean) => Promise<string | null>,
): Promise<BranchSummary | null> {
  let written = await write();
  while (written) {
    const text = await review(written.text, written.isDoubtful);
    if (text !== null) return { ...written, text };
    const { usage, calls }: BranchSummary = written;
    written = await write();
    if (!written) return null;
    addUsage(written.usage, usage);
    written.calls += calls;
  }
  return null;
}

function sidesOf(tree: SessionTree, sourceId: string, targetId: string): Sides {
  const [source, target] = [sourceId, targetId].map((id) => {
    const node = tree.node(id);
    if (!node) throw new EntryNotFoundError(id);
    const at = pathIdAt(node);
    if (at === null) throw new EntryNotFoundError(id);
    return at;
  }) as [string, string];
  const region = branchRegion(tree, source, target);
  return { sourceId: source, targetId: target, region, other: branchRegion(tree, target, source) };
}
