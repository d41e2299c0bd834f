import { NoSummary, SummaryAborted, SummaryError } from '../../compaction/summary-call';
import { readTurnEnd } from '../machine/interrupted';
import type { SessionScope } from '../machine/scope';
import type { BranchMover } from '../machine/runs';
import { type Operation, SessionRefusal } from '../machine/slot';
import type { SummaryJob } from '../machine/summary-job';
import type { AutoCompaction } from '../summaries/auto-compaction';
import { branchPreview, type BranchPlace, leavePreview, refuseImpossible } from '../summaries/previews';
import type { Rewriter } from '../summaries/rewriter';
import { BringOver, type BringOverParams } from './bring-over';
import { draftHandoff } from './forks';
import { type Moved, type NavigateParams, Navigator, tellTree } from './navigator';
import type { BranchPreview, BringOverPreview, GoAnswer, NavigateResult } from '@shared/ipc/tree-types';
import { EntryNotFoundError } from '@shared/session/records/entry';
import {
  type BranchVersion,
  destinationOf,
  isAlreadyAt,
  standsBehindSummary,
  versionsAt,
} from '@shared/session/tree/destination';
import { archiveDraft, behindChoices, labelDraft, type SpentCost } from '@shared/session/tree/drafts';
import type { ModelRef, QueueItem } from '@shared/types';

interface GoParams extends Pick<NavigateParams, 'targetId' | 'exact' | 'label'> {
  /** What becomes of the work that is left; absent: it is asked about if there is any. */
  choice?: Omit<NavigateParams, 'targetId' | 'exact' | 'label'>;
  /** It is asked about whatever the settings say. */
  asks?: boolean;
}

/** The first message of a session that goes on from this one, and what it cost (GR17). */
interface HandoffDraft {
  text: string;
  paid: SpentCost[];
}

const KEPT = 'An extension kept the session where it was.';
const CANCELLED = 'You cancelled the summary. Nothing was changed.';
/** Also said to who prepares one. */
export const TARGET_GONE = 'The message that this branch was to follow is no longer in the session.';

/** What a person does with the branches of one session (BR1, HF1, HF3). Methods reject with a message meant for them. */
export class Branches {
  private readonly navigator: Navigator;
  private readonly over: BringOver;

  constructor(
    private readonly scope: SessionScope,
    private readonly rewriter: Rewriter,
    private readonly auto: Pick<AutoCompaction, 'reset'>,
  ) {
    this.navigator = new Navigator(scope);
    this.over = new BringOver(scope);
  }

  /**
   * Goes to another point of the tree, or says what the person is to be asked before (BR3).
   * @throws EntryNotFoundError, SessionRefusal, StorageError
   */
  async go({ choice, asks = false, ...to }: GoParams): Promise<GoAnswer> {
    if (choice) return this.gone({ ...to, ...choice });
    const { tree } = this.scope.log;
    if (isAlreadyAt(tree, to.targetId, to.exact)) return { kind: 'here' };
    const reading = leavePreview(this.scope, destinationOf(tree, to.targetId, to.exact).leafId);
    if (!reading) return this.gone({ ...to, summarize: false });
    const preview = await reading;
    const { 'branchSummary.enabled': isDefault, 'branchSummary.skipPrompt': skips } = this.scope.settings();
    if (asks || !skips) return { kind: 'question', preview };
    try {
      return await this.gone({ ...to, summarize: isDefault && preview.model !== null });
    } catch (error) {
      // Nobody could write it: another model is the person's choice, as is going without.
      if (!(error instanceof SessionRefusal) || !error.tried) throw error;
      return { kind: 'question', preview, problem: { text: error.message, tried: error.tried } };
    }
  }

  private async gone(params: NavigateParams): Promise<GoAnswer> {
    const { tree } = this.scope.log;
    const { leafId, editorEntryId } = destinationOf(tree, params.targetId, params.exact);
    // A message that nobody answered is the leaf, which is nowhere to go: it is taken back from before it.
    const isLeaf = params.targetId === tree.leafId;
    const editor = isLeaf ? await this.navigator.editorOf(editorEntryId) : {};
    const result = await this.navigate(isLeaf ? { ...params, targetId: leafId, exact: true } : params);
    if (isLeaf && !result.cancelled) this.notePutBack(editorEntryId);
    if (result.cancelled) return { kind: 'done', leafId: tree.leafId, ...result };
    return { kind: 'done', leafId: result.summaryEntryId ?? leafId, ...result, ...editor };
  }

  /** Goes there, whatever is left behind (BR1). @throws EntryNotFoundError, SessionRefusal, StorageError */
  async navigate(params: NavigateParams): Promise<NavigateResult> {
    refuseImpossible(this.scope.log, this.scope.models, { model: params.model });
    const { editorEntryId } = destinationOf(this.scope.log.tree, params.targetId, params.exact);
    const result = await this.move('navigate', async (signal) => {
      if (params.summarize) await this.scope.settleCalls();
      return this.navigator.navigate(params, signal);
    });
    if (!result.cancelled) this.notePutBack(editorEntryId);
    return result;
  }

  /** What is said where HEAD is now is another version of a message (GR5); null: it is not. */
  private notePutBack(id: string | null): void {
    this.scope.putBack.note(id, this.scope.log.tree.leafId);
  }

  /**
   * Moves HEAD to where a prepared branch begins, with a summary if one is wanted (BR4, GR13). Whoever calls it holds the session.
   * Never rejects.
   */
  async begin(item: QueueItem, { signal: outer }: Operation): ReturnType<BranchMover['begin']> {
    const { job, log, keeper, choice } = this.scope;
    const oldLeafId = log.tree.leafId;
    const chosen = choice.unsaid();
    try {
      const { result, move } = await job.run(outer, (signal) => this.toBranch(item, signal));
      if (result.cancelled) return { kept: KEPT, tellEnd: () => job.end({ aborted: true }) };
      const { summaryEntryId: entryId } = result;
      if (move) {
        await this.forgetOld();
        keeper.tellMoved(oldLeafId, 'branch');
        await choice.again(chosen);
        this.scope.tellModel();
        await tellTree(this.scope, move);
      }
      return { kept: null, tellEnd: () => job.end({ aborted: false, ...(entryId === undefined ? {} : { entryId }) }) };
    } catch (error) {
      if (error instanceof SummaryAborted) return { kept: CANCELLED, tellEnd: () => job.end({ aborted: true }) };
      const said = error instanceof EntryNotFoundError ? TARGET_GONE : error;
      const errorMessage = said instanceof Error ? said.message : String(said);
      return { kept: errorMessage, tellEnd: () => job.end({ aborted: false, errorMessage }) };
    }
  }

  private async toBranch({ parentId = null, summary }: QueueItem, signal: AbortSignal): Promise<Moved> {
    const { log } = this.scope;
    if (summary && standsBehindSummary(log.tree, parentId)) return { result: { cancelled: false }, move: null };
    if (summary) await this.scope.settleCalls();
    // A model that was chosen at the end of that branch is for this message.
    const targetId = behindChoices(log.tree, parentId);
    const to = { targetId, exact: true, summarize: summary !== undefined };
    return this.navigator.navigate({ ...to, instructions: summary?.instructions }, signal, 'branch');
  }

  /** Where a branch would begin, and what would stay behind (BR4). Never blocked by what runs. @throws SessionRefusal if it is gone */
  async branchPreview(targetId: string | null, how: BranchPlace = {}): Promise<BranchPreview> {
    if (targetId !== null && !this.scope.log.tree.has(targetId)) throw new SessionRefusal(TARGET_GONE);
    return branchPreview(this.scope, targetId, how);
  }

  /** What bringing a branch over comes to (BR12, BR13). Never blocked by what runs. @throws EntryNotFoundError */
  bringOverPreview(sourceId: string, targetId: string): Promise<BringOverPreview> {
    return this.over.preview(sourceId, targetId);
  }

  /** Brings the summary of a branch over to another point; waits for `answerReview` (BR14). */
  async bringOver(params: BringOverParams): Promise<NavigateResult> {
    refuseImpossible(this.scope.log, this.scope.models, { model: params.model });
    return this.move('bringOver', (signal) => this.over.carryOut(params, signal));
  }

  /**
   * The first message of a session that goes on from this one (HF1); null if it was cancelled.
   * @throws SessionRefusal
   */
  async draftHandoff(goal: string, model?: ModelRef): Promise<HandoffDraft | null> {
    const { scope } = this;
    refuseImpossible(scope.log, scope.models, { model });
    const draft = async (signal: AbortSignal): Promise<HandoffDraft> => {
      await scope.settleCalls();
      const text = await draftHandoff(scope, goal, signal, model);
      // Here: the next job may begin as soon as the session is free.
      return { text, paid: scope.job.takePaid() };
    };
    return this.hold('handoff', draft, 'handoff');
  }

  /** `/clear`: the next message begins anew, the tree stays. */
  async clear(): Promise<void> {
    const before = { targetId: null, summarize: false };
    await this.move('clear', (signal) => this.navigator.navigate(before, signal, 'clear'));
  }

  /** Names an entry on every branch; an empty label clears (TR8). Never blocked. @throws EntryNotFoundError */
  async label(entryId: string, label: string): Promise<void> {
    const { log } = this.scope;
    if ((log.tree.label(entryId) ?? '') === label.trim() && log.tree.has(entryId)) return;
    await log.append([labelDraft(log.tree, entryId, label)]);
  }

  /** Hides the branch below an entry from graph and outline, or shows it again; never from the model. @throws EntryNotFoundError */
  async setArchived(entryId: string, archived: boolean): Promise<void> {
    const { log } = this.scope;
    if (log.tree.archived.has(entryId) === archived && log.tree.has(entryId)) return;
    await log.append([archiveDraft(log.tree, entryId, archived)]);
  }

  /** The versions beside an entry, hidden ones left out, each with its newest leaf. */
  versions(entryId: string): BranchVersion[] {
    return versionsAt(this.scope.log.tree, entryId);
  }

  /** One move at a time (JB1); extensions hear of it when the session is free again. */
  private async move(reason: string, go: (signal: AbortSignal) => Promise<Moved>): Promise<NavigateResult> {
    const moved = await this.hold(reason, async (signal) => {
      const gone = await go(signal);
      if (gone.move) await this.forgetOld();
      return gone;
    });
    if (moved?.move) await tellTree(this.scope, moved.move);
    return moved?.result ?? { cancelled: true, aborted: true };
  }

  /**
   * Holds the session for what may write a summary. Its end is told when the session is free again.
   * @returns null if it was cancelled: then nothing has changed
   * @throws SessionRefusal in place of a SummaryError
   */
  private async hold<T extends Moved | HandoffDraft>(
    reason: string,
    work: (signal: AbortSignal) => Promise<T>,
    request?: 'handoff',
  ): Promise<T | null> {
    const { job } = this.scope;
    let end: Parameters<SummaryJob['end']>[0] | null = null;
    const carryOut = async (signal: AbortSignal): Promise<T | null> => {
      try {
        const done = await job.run(signal, work);
        const entryId = 'result' in done ? done.result.summaryEntryId : undefined;
        end = { aborted: false, ...(entryId === undefined ? {} : { entryId }) };
        return done;
      } catch (error) {
        const aborted = error instanceof SummaryAborted;
        const errorMessage = error instanceof Error ? error.message : String(error);
        end = aborted ? { aborted } : { aborted, errorMessage };
        if (aborted) return null;
        if (error instanceof NoSummary) throw new SessionRefusal(errorMessage, error.tried);
        throw error instanceof SummaryError ? new SessionRefusal(errorMessage) : error;
      }
    };
    const after = (): void => void (end && job.end(end));
    return this.rewriter.change(reason, (_log, { signal }) => carryOut(signal), { request, after });
  }

  /** What was told of the old leaf's last turn does not hold at the new one. */
  private async forgetOld(): Promise<void> {
    // The leaf has moved whatever can be read at the new one: a card that can't be shown is not a failure of the move.
    const end = await readTurnEnd(this.scope.log, (replyId) => this.scope.firstUnbegun(replyId)).catch(() => null);
    this.auto.reset();
    this.scope.forgetTurn(end?.failure ?? null);
    // Nobody told of what is open there since the session was opened.
    if (end?.isOpen) this.scope.showInterrupted(end);
  }
}
