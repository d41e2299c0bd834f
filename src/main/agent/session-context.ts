import branchFrame from '../../../prompts/compaction/branch-summary-context.md?raw';
import compactionFrame from '../../../prompts/compaction/compaction-summary-context.md?raw';
import type { Message } from '../pi/pi-types';
import type { SessionLog } from '../ports';
import { type CompactionLimits, compactionLimits } from '@shared/compaction/limits';
import { breakdown } from '@shared/session/context/context-meter';
import { ContextCursor } from '@shared/session/context/context-cursor';
import { projectItem } from '@shared/session/messages/projection';
import { toProviderParts } from '@shared/session/messages/sanitizer';
import { MissingBodiesError, type ProjectedMessage } from '@shared/session/records/entry';
import { isFailedReply, type ReplyFacts } from '@shared/session/records/facts';
import { type Overhead, overheadInForce } from '@shared/session/context/figure';
import type { PlanItem } from '@shared/session/messages/plan-item';
import { seenFromOf } from '@shared/session/context/context-plan';
import type { TreeNode } from '@shared/session/records/tree-node';
import { undoneOn } from '@shared/session/tree/rebase';
import type { Settings } from '@shared/settings';
import type { ContextUsage, ModelRef } from '@shared/types';

type ThresholdSettings = Pick<
  Settings,
  | 'compaction.enabled'
  | 'compaction.reserveTokens'
  | 'compaction.thresholdPercent'
  | 'compaction.thresholdTokens'
  | 'compaction.modelOverrides'
>;

/** Whether sessions compact themselves; `ESPALIER_DISABLE_AUTOCOMPACT` forces it off (ST3). */
export function isAutoCompactionOn(settings: ThresholdSettings): boolean {
  return settings['compaction.enabled'] && !isAutoCompactionForcedOff();
}

export function isAutoCompactionForcedOff(): boolean {
  return /^(1|true|yes|on)$/i.test(process.env.ESPALIER_DISABLE_AUTOCOMPACT ?? '');
}

/** Reserve and threshold of a model (TG1, TG2), tokens. */
export function limitsOf(model: ModelRef, window: number, settings: ThresholdSettings): CompactionLimits {
  return compactionLimits(
    {
      reserveTokens: settings['compaction.reserveTokens'] ?? undefined,
      thresholdPercent: settings['compaction.thresholdPercent'] ?? undefined,
      thresholdTokens: settings['compaction.thresholdTokens'] ?? undefined,
      modelOverrides: settings['compaction.modelOverrides'],
    },
    modelKey(model),
    window,
  );
}

/** How settings name a model. */
export function modelKey({ provider, modelId }: ModelRef): string {
  return `${provider}/${modelId}`;
}

export const SUMMARY_FRAMES = { compactionFrame, branchFrame };

/** D and what it is made of. `tokens` are calibrated, `overhead` is raw. */
export interface ContextSize {
  tokens: number;
  ratio: number;
  overhead: number;
  limits: CompactionLimits;
}

/** What the model sees of the path. */
export interface SeenPath {
  seenFrom: string | null;
  /** Messages above it that follow the summary word for word (PN2, PN4). */
  repeated: string[];
  pruned: string[];
  /** Compactions that were taken back on the path, oldest first. */
  undone: readonly TreeNode[];
}

/** What the model sees at the leaf of one session, and its figures (CX1, TK6), followed incrementally. */
export class SessionContext {
  private readonly cursor: ContextCursor;
  private lastUndone: { count: number; leaf: TreeNode | null; value: boolean } | null = null;
  private known: { seq: number; overhead: Overhead } | null = null;

  constructor(private readonly log: SessionLog) {
    this.cursor = new ContextCursor(log.tree, SUMMARY_FRAMES);
  }

  /** The model of the path (CX1), or null. */
  get model(): ModelRef | null {
    return this.cursor.model;
  }

  get thinkingLevel(): string {
    return this.cursor.thinkingLevel;
  }

  /** The context at the leaf without bodies, in order. Grows in place. */
  get items(): readonly PlanItem[] {
    return this.cursor.plan.items;
  }

  /** Raw tokens of the messages at the leaf (TK3). */
  get rawTokens(): number {
    return this.cursor.totals.raw;
  }

  /** The newest reply failed or was stopped. O(messages after it). */
  get endsInFailure(): boolean {
    const { items } = this;
    for (let at = items.length - 1; at >= 0; at--) {
      const { reply } = items[at]?.node.facts ?? {};
      if (reply) return isFailedReply(reply);
    }
    return false;
  }

  /**
   * Exactly what a request at the leaf sends: the context, sanitised. Rejects if bodies can't be read from the file. The list goes
   * on with the session from the next call on: to copy 100,000 places would take most of a request's time.
   * @param without a cut-off reply that is asked for again; it stays in the context until the new one is there (JB10)
   */
  async messages(without?: string): Promise<Message[]> {
    try {
      return this.sent(without);
    } catch (error) {
      if (!(error instanceof MissingBodiesError)) throw error;
    }
    await this.log.loadContextBodies();
    return this.sent(without);
  }

  /** What a request at the leaf is made of, in the roles that the messages have here. Its bodies must be there: after `messages`. */
  heard(without?: string): ProjectedMessage[] {
    const { plan } = this.cursor;
    const { items } = without === undefined ? plan : plan.without(without);
    return items.map((item) => projectItem(item));
  }

  /** Such messages in the words of a provider, sanitised. */
  inWords(messages: readonly ProjectedMessage[]): Message[] {
    const items = messages.map((message) => ({ sourceId: '', message }));
    return toProviderParts(items, SUMMARY_FRAMES).map(({ message }) => message as Message);
  }

  private sent(without: string | undefined): Message[] {
    return this.cursor.messages(without) as Message[];
  }

  /** D of TK6 for a request to `model`, tokens. `window` is W, 0 if unknown. */
  figure(model: ModelRef, overhead: Overhead, window: number): number {
    return this.cursor.figure({ model, overhead, window }).tokens;
  }

  /** What a compaction at the leaf is planned by (PL5). `window` is W in tokens, 0 if unknown; `next` the overhead of the next request. */
  size(model: ModelRef, window: number, settings: ThresholdSettings, next?: Overhead): ContextSize {
    const overhead = next ?? this.overheadInForce();
    const { tokens, ratio } = this.cursor.figure({ model, overhead, window });
    return { tokens, ratio, overhead: overhead.system + overhead.tools, limits: this.limits(model, window, settings) };
  }

  /** The meter (TK6 to TK9, TG1), told after every entry: O(1). `window` is W in tokens, 0 if unknown. */
  usage(model: ModelRef, window: number, settings: ThresholdSettings): ContextUsage {
    const { tree } = this.log;
    const { totals, largest } = this.cursor;
    const overhead = this.overheadInForce();
    const { tokens, exact, donorId, implausible } = this.cursor.figure({ model, overhead, window });
    const { reserve, threshold } = this.limits(model, window, settings);
    return {
      tokens,
      window,
      percent: window > 0 ? (100 * tokens) / window : null,
      threshold,
      reserve: reserve ?? 0,
      exact,
      implausible,
      breakdown: breakdown(totals, overhead, tokens),
      largest: largest.map(({ sourceId, kind, raw }) => ({
        entryId: sourceId,
        label: labelOf(kind, tree.node(sourceId)),
        tokens: raw,
      })),
      cachePercent: cachePercentOf(donorId === null ? undefined : tree.node(donorId)?.facts.reply),
      cost: tree.cost,
      ...(tree.unpriced.size > 0 ? { unpriced: [...tree.unpriced] } : {}),
      autoCompaction: isAutoCompactionOn(settings),
    };
  }

  /** What the model sees of the path. O(context). */
  seenPath(): SeenPath {
    const { plan } = this.cursor;
    const { items, leaf } = plan;
    return {
      ...seenFromOf(this.log.tree, plan),
      pruned: items.flatMap(({ edit, sourceId }) => (edit?.prune ? [sourceId] : [])),
      undone: undoneOn(this.log.tree, leaf ? leaf.id : null).map((undone) => undone.compaction),
    };
  }

  /** After an undo the session may fill up to the hard line before it compacts itself again (UN7). */
  private limits(model: ModelRef, window: number, settings: ThresholdSettings): CompactionLimits {
    const limits = limitsOf(model, window, settings);
    return limits.hardLine !== null && this.isUndone() ? { ...limits, threshold: limits.hardLine } : limits;
  }

  /** O(1) after an append: a session that was undone stays so until a compaction or a move of the leaf. */
  private isUndone(): boolean {
    const { tree } = this.log;
    const count = tree.undoRecords.length;
    if (count === 0) return false;
    const leaf = tree.leafId === null ? null : (tree.node(tree.leafId) ?? null);
    const { lastUndone } = this;
    if (lastUndone?.count !== count || !isJustBelow(leaf, lastUndone.leaf)) {
      this.lastUndone = { count, leaf, value: undoneOn(tree, tree.leafId).length > 0 };
    } else this.lastUndone = { ...lastUndone, leaf };
    return this.lastUndone?.value ?? false;
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

/** Entries that a burst of appends may put between two looks. */
const MAX_STEPS = 64;

/** True if only messages and the like lie between two entries, so that what held for the upper one holds for the lower. */
function isJustBelow(leaf: TreeNode | null, upper: TreeNode | null): boolean {
  let node = leaf;
  for (let step = 0; step < MAX_STEPS && node && node !== upper; step++) {
    if (node.facts.type === 'compaction') return false;
    node = node.parent;
  }
  return node === upper;
}

/** Providers without a cache report zeros, as those that do not tell: only a figure above zero says that there is one. */
function cachePercentOf(reply: ReplyFacts | undefined): number | null {
  if (!reply || reply.cacheRead + reply.cacheWrite === 0) return null;
  return Math.min(100, (100 * reply.cacheRead) / reply.promptTokens);
}

function labelOf(kind: string, node: TreeNode | undefined): string {
  if (kind === 'summary') return 'Summary';
  if (kind === 'pins') return 'Messages kept word for word';
  if (kind === 'branch') return 'Branch summary';
  const { role, toolName } = node?.facts ?? {};
  if (role === 'toolResult') return `Output of ${toolName || 'a tool'}`;
  return role === 'assistant' ? 'Reply' : 'Message';
}
