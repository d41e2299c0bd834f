import type { SessionLog } from '../ports';
import { editSummary, redoCompaction, undoCompaction } from './compaction-changes';
import { restorePruned } from './prune-changes';
import { SessionRefusal } from './session-refusal';

/** What JB2 says to a change of the tree while something runs. */
export const BUSY_RUNNING = 'Wait for the current response to finish before navigating the session tree.';
export const BUSY_REWRITING =
  'Wait for the current compaction or tree navigation to finish before navigating the session tree.';

export interface RewriterPorts {
  log: SessionLog;
  /** Why nothing may be changed now, or null. */
  refusal: () => string | null;
  /** Paths that each file tag of a summary names. */
  fileListLimit: () => number;
  /** The change is in the file, or failed: whoever waited may go on. */
  onEnd: (change: { oldLeafId: string | null; reason: string }) => void;
}

/** Changes of what a session's branch holds, one at a time and never while something runs (JB1, UN1). */
export class Rewriter {
  private isWriting = false;

  constructor(private readonly ports: RewriterPorts) {}

  /** Entries are being repeated elsewhere: a message would land on the branch that is left. */
  get isRunning(): boolean {
    return this.isWriting;
  }

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
    return this.change('edit', (log) => editSummary(log, entryId, summary, this.ports.fileListLimit()));
  }

  /** Shows the model pruned outputs again (PR5). */
  restorePruned(entryId: string): Promise<void> {
    return this.change('restore', (log) => restorePruned(log, entryId));
  }

  /** Why nothing may be changed now, or undefined. */
  get refusal(): string | undefined {
    return (this.isWriting ? BUSY_REWRITING : this.ports.refusal()) ?? undefined;
  }

  /** Any other change of the tree that needs the same guard. */
  async change<T = void>(reason: string, work: (log: SessionLog) => Promise<T>): Promise<T> {
    const { refusal } = this;
    if (refusal !== undefined) throw new SessionRefusal(refusal);
    const { log } = this.ports;
    const oldLeafId = log.tree.leafId;
    this.isWriting = true;
    try {
      return await work(log);
    } finally {
      this.isWriting = false;
      this.ports.onEnd({ oldLeafId, reason });
    }
  }
}
