import branchFrame from '../../../prompts/compaction/branch-summary-context.md?raw';
import compactionFrame from '../../../prompts/compaction/compaction-summary-context.md?raw';
import type { CompactionLimits } from '@shared/compaction/limits';
import type { ContextUsage, ModelRef } from '@shared/ipc/types';
import { ContextCursor } from '@shared/session/context-cursor';
import { MissingBodiesError } from '@shared/session/errors';
import { toProviderMessages } from '@shared/session/sanitize';
import { breakdown, estimateOverhead, overheadInForce, type Overhead } from '@shared/session/tokens';
import type { TreeNode } from '@shared/session/tree-node';
import type { Message, Tool } from '../models/pi-types';
import type { SessionLog } from '../ports';
import { isAutoCompactionOn, limitsOf, type ThresholdSettings } from './threshold';

export const SUMMARY_FRAMES = { compactionFrame, branchFrame };

/** D and what it is made of. `tokens` are calibrated, `overhead` is raw. */
export interface ContextSize {
  tokens: number;
  ratio: number;
  overhead: number;
  limits: CompactionLimits;
}

/** What the model sees at the leaf of one session, and its figures (engine.md 3, 4), followed incrementally. */
export class SessionContext {
  private readonly cursor: ContextCursor;
  private known: { seq: number; overhead: Overhead } | null = null;

  constructor(private readonly log: SessionLog) {
    this.cursor = new ContextCursor(log.tree);
  }

  /** The model of the path (engine.md 3.1), or null. */
  get model(): ModelRef | null {
    return this.cursor.model;
  }

  get thinkingLevel(): string {
    return this.cursor.thinkingLevel;
  }

  /** Exactly what a request at the leaf sends: the context, sanitised. Rejects if bodies can't be read from the file. */
  async messages(): Promise<Message[]> {
    let projected;
    try {
      projected = this.cursor.messages();
    } catch (error) {
      if (!(error instanceof MissingBodiesError)) throw error;
      await this.log.loadContextBodies();
      projected = this.cursor.messages();
    }
    return toProviderMessages(projected, SUMMARY_FRAMES) as Message[];
  }

  /** Raw tokens of what goes before the messages of the next request. */
  overheadOf(systemPrompt: string, tools: readonly Tool[]): Overhead {
    return estimateOverhead(systemPrompt, tools);
  }

  /** D of engine.md 4.3 for a request to `model`, tokens. */
  figure(model: ModelRef, overhead: Overhead): number {
    return this.cursor.figure({ model, overhead }).tokens;
  }

  /** What a compaction at the leaf is planned by (engine.md 6). `window` is W in tokens, 0 if unknown; `next` the overhead of the next request. */
  size(model: ModelRef, window: number, settings: ThresholdSettings, next?: Overhead): ContextSize {
    const overhead = next ?? this.overheadInForce();
    const { tokens, ratio } = this.cursor.figure({ model, overhead });
    return { tokens, ratio, overhead: overhead.system + overhead.tools, limits: limitsOf(model, window, settings) };
  }

  /** The meter (engine.md 4.3, 5.1), told after every entry: O(1). `window` is W in tokens, 0 if unknown. */
  usage(model: ModelRef, window: number, settings: ThresholdSettings): ContextUsage {
    const { tree } = this.log;
    const { totals, largest } = this.cursor;
    const overhead = this.overheadInForce();
    const { tokens, exact } = this.cursor.figure({ model, overhead });
    const { reserve, threshold } = limitsOf(model, window, settings);
    return {
      tokens,
      window,
      percent: window > 0 ? (100 * tokens) / window : null,
      threshold,
      reserve: reserve ?? 0,
      exact,
      breakdown: breakdown(totals, overhead, tokens),
      largest: largest.map(({ sourceId, kind, raw }) => ({
        entryId: sourceId,
        label: labelOf(kind, tree.node(sourceId)),
        tokens: raw,
      })),
      cost: tree.cost,
      autoCompaction: isAutoCompactionOn(settings),
    };
  }

  /** Tells which entries of the path the model no longer sees because a compaction stands for them. O(context) to make. */
  hiddenTest(): (node: TreeNode) => boolean {
    const { compaction, items } = this.cursor.plan;
    if (!compaction) return () => false;
    const seen = new Set(items.map((item) => item.sourceId));
    return (node) => node.facts.visible && node.depth < compaction.depth && !seen.has(node.id);
  }

  /** Sizing the schemas again for every entry would cost more than the entry. */
  private overheadInForce(): Overhead {
    const { tree } = this.log;
    const request = tree.requestInForce(tree.leafId);
    const seq = request ? (tree.node(request.id)?.seq ?? 0) : 0;
    if (this.known?.seq !== seq) {
      this.known = { seq, overhead: overheadInForce(tree, tree.leafId) };
    }
    return this.known.overhead;
  }
}

function labelOf(kind: string, node: TreeNode | undefined): string {
  if (kind === 'summary') return 'Summary';
  if (kind === 'pins') return 'Pinned messages';
  if (kind === 'branch') return 'Branch summary';
  const { role, toolName } = node?.facts ?? {};
  if (role === 'toolResult') return `Output of ${toolName || 'a tool'}`;
  return role === 'assistant' ? 'Reply' : 'Message';
}
