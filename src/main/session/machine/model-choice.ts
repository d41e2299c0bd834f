import type { SessionContext } from '../../agent/session-context';
import type { ModelRegistry, SessionLog } from '../../ports';
import type { EntryDraft } from '@shared/session/records/entry';
import type { PathState } from '@shared/session/records/tree-node';
import { lastMessage } from '@shared/session/tree/turn-end';
import type { Settings } from '@shared/settings';
import type { ModelRef } from '@shared/types';

/**
 * Model and thinking level of a session. Both are read from the path (CX1, CX2); choosing writes an entry and never
 * changes the app's default. A choice made while a reply is on its way waits for that reply's entry: a reply that came
 * after the choice in the file would win over it.
 */
export class ModelChoice {
  private pending: EntryDraft | null = null;
  private chosen: ModelRef | null = null;

  constructor(
    private readonly log: SessionLog,
    private readonly context: SessionContext,
    private readonly models: ModelRegistry,
    private readonly settings: () => Settings,
  ) {}

  get model(): ModelRef {
    return this.chosen ?? this.context.model ?? this.freshModel;
  }

  get thinkingLevel(): string {
    return this.isFresh ? this.freshLevel : this.context.thinkingLevel;
  }

  async setModel(ref: ModelRef, isReplying: boolean): Promise<void> {
    if (this.context.model !== null && sameModel(ref, this.model)) return;
    const draft: EntryDraft = { type: 'model_change', provider: ref.provider, modelId: ref.modelId };
    this.chosen = ref;
    if (isReplying) {
      this.pending = draft;
      return;
    }
    this.pending = null;
    await this.log.append([draft]).finally(() => {
      // Another may have been chosen meanwhile.
      if (this.chosen === ref) this.chosen = null;
    });
  }

  async setThinking(level: string): Promise<void> {
    if (!this.isFresh && level === this.context.thinkingLevel) return;
    await this.log.append([{ type: 'thinking_level_change', thinkingLevel: level }]);
  }

  /** What was chosen at the leaf since something was said there: it is for what is said next, also where that begins a branch. */
  unsaid(): EntryDraft[] {
    const { tree } = this.log;
    const types = new Set<string>();
    for (let at = tree.leafId === null ? undefined : tree.node(tree.leafId); at; at = at.parent ?? undefined) {
      if (at.facts.visible) break;
      types.add(at.facts.type);
    }
    return this.drafts().filter(({ type }) => types.has(type));
  }

  /** Chooses again what is no longer so where HEAD has gone. */
  async again(chosen: readonly EntryDraft[]): Promise<void> {
    const drafts = chosen.filter(
      (draft) =>
        (draft.type === 'model_change' && !sameModel(draft, this.model)) ||
        (draft.type === 'thinking_level_change' && draft.thinkingLevel !== this.thinkingLevel),
    );
    if (drafts.length > 0) await this.log.append(drafts);
  }

  /** The choice that waited, to be stored now. */
  takePending(): EntryDraft[] {
    const drafts = this.pending ? [this.pending] : [];
    this.pending = null;
    this.chosen = null;
    return drafts;
  }

  /** Both as a new session would say them. */
  drafts(): EntryDraft[] {
    return [
      { type: 'model_change', ...this.model },
      { type: 'thinking_level_change', thinkingLevel: this.thinkingLevel },
    ];
  }

  /** What a session says in front of its first message, so that a later change of the defaults leaves it alone. */
  opening(): EntryDraft[] {
    const drafts: EntryDraft[] = [];
    const { provider, modelId } = this.freshModel;
    if (this.context.model === null) drafts.push({ type: 'model_change', provider, modelId });
    if (this.isFresh && this.freshLevel !== 'off')
      drafts.push({ type: 'thinking_level_change', thinkingLevel: this.freshLevel });
    return drafts;
  }

  /** Nothing was said and no level chosen: the default of the settings still holds. */
  private get isFresh(): boolean {
    const { tree } = this.log;
    if (lastMessage(tree)) return false;
    return !tree
      .pathTo(tree.leafId)
      .some((node) => node.facts.type === 'thinking_level_change' || node.facts.type === 'compaction');
  }

  private get freshLevel(): string {
    return this.lastUsed?.thinkingLevel ?? this.settings()['model.thinkingLevel'];
  }

  private get freshModel(): ModelRef {
    return this.lastUsed?.model ?? this.models.initialModel();
  }

  /** In a session that was cleared what was used last goes on to hold: a new start is no other model. */
  private get lastUsed(): PathState | null {
    const { tree } = this.log;
    if (tree.leafId !== null) return null;
    const entries = tree.entriesInOrder();
    let at = entries.length - 1;
    while (entries[at]?.facts.side) at--;
    const last = entries[at];
    return last ? tree.stateOf(last) : null;
  }
}

export function sameModel(a: ModelRef, b: ModelRef): boolean {
  return a.provider === b.provider && a.modelId === b.modelId;
}
