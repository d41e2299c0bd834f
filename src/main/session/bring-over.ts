import path from 'node:path';
import { branchRegion, type BranchRegion } from '@shared/compaction/branch-selection';
import { fileListsOf } from '@shared/compaction/file-activity';
import type { BringOverPreview } from '@shared/ipc/tree-types';
import type { ModelRef } from '@shared/ipc/types';
import { pathIdAt } from '@shared/session/destination';
import { EntryNotFoundError } from '@shared/session/errors';
import type { SessionTree } from '@shared/session/tree';
import { regionActivity } from '../compaction/region-activity';
import { isAtOrBelow } from '../tools/protected-paths';
import { SummaryAborted } from '../compaction/summary-call';
import { sizeOf, writerOf } from './leave-preview';
import type { Moved } from './navigator';
import { SessionRefusal } from './session-refusal';
import { storeMove, writeSummary, type TreeChangePorts } from './tree-change';
import { askBeforeTree } from './tree-hooks';

const NOTHING_TO_BRING =
  'There is nothing to bring over: the branch has nothing that this point does not have. Nothing was changed.';

export interface BringOverPorts extends TreeChangePorts {
  /** Absolute path of the session's workspace: relative paths of calls are meant from there. */
  workspaceDir: () => string;
}

export interface BringOverParams {
  sourceId: string;
  targetId: string;
  customInstructions?: string;
  /** Asked first of all for this summary. */
  model?: ModelRef;
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
  constructor(private readonly ports: BringOverPorts) {}

  /** What it comes to. Never blocked by what runs. @throws EntryNotFoundError, SummaryError */
  async preview(sourceId: string, targetId: string): Promise<BringOverPreview> {
    const sides = sidesOf(this.ports.log.tree, sourceId, targetId);
    const [files, model] = await Promise.all([this.compare(sides, new AbortController().signal), writerOf(this.ports)]);
    const { region } = sides;
    return { sourceId, targetId, ancestorId: region.ancestorId, ...sizeOf(this.ports, region), ...files, model };
  }

  /**
   * Writes the summary, lets the person change and accept it, and stores it at the target, which becomes the point to go on from.
   * Whoever calls it holds the session.
   * @throws EntryNotFoundError, SessionRefusal, SummaryError, SummaryAborted
   */
  async carryOut(
    { sourceId, targetId, customInstructions, model }: BringOverParams,
    signal: AbortSignal,
  ): Promise<Moved> {
    const { log, work, now } = this.ports;
    const startedAt = now();
    const sides = sidesOf(log.tree, sourceId, targetId);
    const { region } = sides;
    if (region.items.length === 0) throw new SessionRefusal(NOTHING_TO_BRING);
    const oldLeafId = log.tree.leafId;
    const asked = { customInstructions };
    const preparation = { targetId, oldLeafId: sides.sourceId, userWantsSummary: true, ...asked };
    const answer = await askBeforeTree(this.ports, preparation, region, signal);
    if (!answer) return { result: { cancelled: true }, move: null };
    const instructions = answer.customInstructions ?? customInstructions;
    work.start('bringOver', sides.targetId, sides.sourceId);
    const { conflicts } = await this.compare(sides, signal);
    let waited = 0;
    const review = async (words: string): Promise<string> => {
      const from = now();
      const accepted = await work.review(words, signal);
      waited = now() - from;
      return accepted;
    };
    const { summary } = answer;
    const task = { region, instructions, replaces: answer.replaceInstructions, signal };
    const text = summary
      ? { ...summary, summary: await review(summary.summary), own: null }
      : await writeSummary(this.ports, task, { review: (written) => review(written.text), once: model });
    if (signal.aborted) throw new SummaryAborted();
    if (!text) throw new SessionRefusal(NOTHING_TO_BRING);
    const facts = {
      kind: 'bringOver',
      fromId: sides.sourceId,
      ancestorId: region.ancestorId,
      instructions,
      durationMs: now() - startedAt - waited,
      conflicts,
    } as const;
    const move = { leafId: sides.targetId, labelled: null, label: answer.label, reason: 'bringOver', text, facts };
    const summaryEntryId = await storeMove(this.ports, move);
    const fromExtension = summary !== undefined;
    return { result: { cancelled: false, summaryEntryId }, move: { oldLeafId, summaryEntryId, fromExtension } };
  }

  /** What both sides did to files since they parted (BR13). */
  private async compare(
    { region, other }: Sides,
    signal: AbortSignal,
  ): Promise<Pick<BringOverPreview, 'modifiedFiles' | 'conflicts' | 'staleReads' | 'hasCommands'>> {
    const { log, serializer, workspaceDir } = this.ports;
    const [ours, theirs] = await Promise.all(
      [region, other].map((side) => regionActivity(side, log, serializer, signal)),
    );
    if (!ours || !theirs) throw new SummaryAborted();
    const root = workspaceDir();
    const modified = normalised([...ours.files.written, ...ours.files.edited], root);
    const alsoModified = new Set(normalised([...theirs.files.written, ...theirs.files.edited], root));
    const read = new Set(normalised([...theirs.files.read], root));
    const conflicts = modified.filter((file) => alsoModified.has(file));
    return {
      modifiedFiles: fileListsOf(ours.files).modifiedFiles,
      conflicts,
      staleReads: modified.filter((file) => read.has(file) && !alsoModified.has(file)),
      hasCommands: ours.hasCommands || theirs.hasCommands,
    };
  }
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

/** Paths as they are in the workspace, sorted, each once: `./a`, `a` and the absolute path are one file. */
export function normalised(paths: readonly string[], workspaceDir: string): string[] {
  const root = path.resolve(workspaceDir);
  const files = paths.map((file) => {
    const absolute = path.resolve(root, file);
    return absolute !== root && isAtOrBelow(absolute, root) ? path.relative(root, absolute) : absolute;
  });
  return [...new Set(files)].sort();
}
