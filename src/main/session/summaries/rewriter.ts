import type { SessionLog } from '../../ports';
import type { Runs } from '../machine/runs';
import type { SessionScope } from '../machine/scope';
import type { Operation } from '../machine/slot';
import { editSummary, redoCompaction, undoCompaction } from './compaction-changes';
import { restorePruned } from './prune-changes';

/** Changes of what a session's branch holds, one at a time and never while something runs (JB1, UN1). */
export class Rewriter {
  constructor(
    private readonly scope: SessionScope,
    private readonly runs: Runs,
  ) {}

  /** Takes a compaction back (UN2); what came after it stays. */
  undo(entryId: string): Promise<void> {
    return this.change('undo', (log) => undoCompaction(log, entryId));
  }

  /** Puts an undone compaction in force again (UN3); what came after it stays. */
  redo(entryId: string): Promise<void> {
    return this.change('redo', (log) => redoCompaction(log, entryId));
  }

  /** Puts another text in the place of a summary (UN5). */
  editSummary(entryId: string, summary: string): Promise<void> {
    return this.change('edit', (log) =>
      editSummary(log, entryId, summary, {
        fileListLimit: this.scope.settings()['compaction.fileListLimit'],
        ratio: this.scope.size().ratio,
      }),
    );
  }

  /** Shows the model pruned outputs again (PR5). */
  restorePruned(entryId: string): Promise<void> {
    return this.change('restore', (log) => restorePruned(log, entryId));
  }

  /** Any other change of the tree; `after` comes when the session is free. @throws SessionRefusal if the table has none now */
  async change<T = void>(
    reason: string,
    work: (log: SessionLog, operation: Operation) => Promise<T>,
    how: { request?: 'navigate' | 'handoff'; after?: () => void } = {},
  ): Promise<T> {
    this.runs.ask(how.request ?? 'navigate');
    const { log, slot } = this.scope;
    const oldLeafId = log.tree.leafId;
    const { result } = slot.hold('rewriting', async (operation) => {
      try {
        return await work(log, operation);
      } finally {
        operation.leave(() => this.tellChange(oldLeafId, reason));
        how.after?.();
        this.runs.pump();
      }
    });
    return result;
  }

  /** The change is in the file, or failed. */
  private tellChange(oldLeafId: string | null, reason: string): void {
    const { log, keeper } = this.scope;
    if (log.tree.leafId !== oldLeafId) {
      keeper.tellMoved(oldLeafId, reason);
      // Model and thinking level are those of the path that is shown now (BR1).
      this.scope.tellModel();
    } else {
      keeper.tell({ type: 'summary_failure_dismissed' });
      this.scope.tellUsage();
    }
  }
}
