import type { BringOverPreview, LeavePreview, NavigateResult } from '@shared/ipc/tree-types';
import type { BranchVersion } from '@shared/session/versions';
import { archiveDraft, labelDraft } from '@shared/session/drafts';
import { versionsAt } from '@shared/session/versions';
import type { ModelRef } from '@shared/ipc/types';
import { BringOver, type BringOverParams, type BringOverPorts } from './bring-over';
import { refuseImpossible } from './compact-preview';
import { draftHandoff, type HandoffPorts } from './handoff';
import { leavePreview } from './leave-preview';
import { Navigator, type Moved, type NavigateParams } from './navigator';
import type { Rewriter } from './rewriter';
import { SessionRefusal } from './session-refusal';
import { tellTree } from './tree-hooks';

export interface BranchesPorts extends HandoffPorts, BringOverPorts {
  /** Where changes of the tree wait for each other (JB1). */
  rewriter: Rewriter;
}

/** What a person does with the branches of one session (BR1, HF1, HF3). Methods reject with a message meant for them. */
export class Branches {
  private readonly navigator: Navigator;
  private readonly over: BringOver;

  constructor(private readonly ports: BranchesPorts) {
    this.navigator = new Navigator(ports);
    this.over = new BringOver(ports);
  }

  /** Goes to another point of the tree (BR1). @throws EntryNotFoundError, SessionRefusal, StorageError */
  async navigate(params: NavigateParams): Promise<NavigateResult> {
    refuseImpossible(this.ports.log, this.ports.models, { model: params.model });
    return this.move('navigate', (signal) => this.navigator.navigate(params, signal));
  }

  /** What bringing a branch over comes to (BR12, BR13). Never blocked by what runs. @throws EntryNotFoundError */
  bringOverPreview(sourceId: string, targetId: string): Promise<BringOverPreview> {
    return this.over.preview(sourceId, targetId);
  }

  /** Brings the summary of a branch over to another point; waits for `answerReview` (BR14). */
  async bringOver(params: BringOverParams): Promise<NavigateResult> {
    refuseImpossible(this.ports.log, this.ports.models, { model: params.model });
    return this.move('bringOver', (signal) => this.over.carryOut(params, signal));
  }

  /** The person's answer to a summary that is brought over: the text to store, or null to cancel. */
  answerReview(text: string | null): void {
    this.ports.work.answerReview(text);
  }

  /** Ends the branch summary or the draft under way; the session stays as it was. */
  cancelSummary(): void {
    this.ports.work.cancel();
  }

  /**
   * The first message of a session that goes on from this one (HF1); null if it was cancelled.
   * @throws SessionRefusal
   */
  async draftHandoff(goal: string, model?: ModelRef): Promise<string | null> {
    const { rewriter, work, log, models } = this.ports;
    const refusal = rewriter.refusal?.replace('navigating the session tree', 'handing off');
    if (refusal !== undefined) throw new SessionRefusal(refusal);
    refuseImpossible(log, models, { model });
    try {
      return await rewriter.change('handoff', () =>
        work.run((signal) => draftHandoff(this.ports, goal, signal, model)),
      );
    } finally {
      work.tellEnd();
    }
  }

  /** What going there would leave behind. Never blocked by what runs. @throws EntryNotFoundError */
  leavePreview(targetId: string | null, exact?: boolean): Promise<LeavePreview> {
    return leavePreview(this.ports, targetId, exact);
  }

  /** `/clear`: the next message begins anew, the tree stays. */
  async clear(): Promise<void> {
    const before = { targetId: null, summarize: false };
    await this.move('clear', (signal) => this.navigator.navigate(before, signal, 'clear'));
  }

  /** Names an entry on every branch; an empty label clears (TR8). Never blocked. @throws EntryNotFoundError */
  async label(entryId: string, label: string): Promise<void> {
    const { log } = this.ports;
    if ((log.tree.label(entryId) ?? '') === label.trim() && log.tree.has(entryId)) return;
    await log.append([labelDraft(log.tree, entryId, label)]);
  }

  /** Hides the branch below an entry from graph and outline, or shows it again; never from the model. @throws EntryNotFoundError */
  async setArchived(entryId: string, archived: boolean): Promise<void> {
    const { log } = this.ports;
    if (log.tree.archived.has(entryId) === archived && log.tree.has(entryId)) return;
    await log.append([archiveDraft(log.tree, entryId, archived)]);
  }

  /** The versions beside an entry, hidden ones left out, each with its newest leaf. */
  versions(entryId: string): BranchVersion[] {
    return versionsAt(this.ports.log.tree, entryId);
  }

  /** One move at a time (JB1); extensions hear of it when the session is free again. */
  private async move(reason: string, work: (signal: AbortSignal) => Promise<Moved>): Promise<NavigateResult> {
    const { rewriter, work: held } = this.ports;
    try {
      const moved = await rewriter.change(reason, () => held.run(work));
      held.tellEnd();
      if (moved?.move) await tellTree(this.ports, moved.move);
      return moved?.result ?? { cancelled: true, aborted: true };
    } finally {
      held.tellEnd();
    }
  }
}
