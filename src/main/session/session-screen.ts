import type { CompactPreview } from '@shared/compaction/preview';
import type { PathRow, SessionSnapshot, SessionSummary, UndoPreview } from '@shared/ipc/types';
import type { SessionLog } from '../ports';
import { compactPreview } from './compact-preview';
import { previewUndo } from './compaction-changes';
import { olderRows, pathRows } from './path-rows';
import type { SessionParts } from './session-parts';
import type { SessionPorts } from './session-ports';
import { buildSnapshot, type LiveParts } from './session-snapshot';

/** What of a snapshot only the session itself knows. */
export type ShownOperation = Pick<LiveParts, 'queue' | 'retry' | 'treeSummary' | 'failure' | 'interrupted' | 'damage'>;

/** What a window is shown of one session. Never blocked by what runs (JB5). */
export class SessionScreen {
  constructor(
    private readonly log: SessionLog,
    private readonly parts: SessionParts,
    private readonly ports: SessionPorts,
    private readonly operation: () => ShownOperation,
  ) {}

  /** All that a window needs for its first screen. Bodies of older rows follow on demand. */
  snapshot(summary: () => SessionSummary): Promise<SessionSnapshot> {
    const live = (): LiveParts => {
      const nextBatch = this.ports.flushEvents?.() ?? 0;
      return { ...this.liveParts(), nextBatch };
    };
    return buildSnapshot(this.log, summary, () => this.allRows(), live);
  }

  /** Rows before index `before` of the path, newest chunk first. */
  rows(before: number): Iterable<PathRow[]> {
    return olderRows(this.allRows(), before);
  }

  /** What the Compact sheet shows. */
  compactPreview(): Promise<CompactPreview> {
    const { models, serializer, settings } = this.ports;
    const { model } = this.parts.choice;
    return compactPreview({
      ...{ log: this.log, models, serializer, model },
      settings: settings(),
      size: this.parts.size(),
    });
  }

  /** What undoing a compaction of the branch would come to. */
  undoPreview(entryId: string): UndoPreview {
    return previewUndo(this.log.tree, entryId, this.parts.size());
  }

  private allRows(): PathRow[] {
    return pathRows(this.log.tree, this.parts.context.rowMarks());
  }

  private liveParts(): Omit<LiveParts, 'nextBatch'> {
    const { choice, live, compactor } = this.parts;
    const { sessionId, tree } = this.log;
    return {
      ...this.operation(),
      model: choice.model,
      thinkingLevel: choice.thinkingLevel,
      usage: this.parts.usage(),
      live: live.reply,
      tools: live.tools,
      approvals: this.ports.pendingApprovals(sessionId),
      compaction: compactor.live,
      summaryFailure: compactor.summaryFailure,
      labels: Object.fromEntries(tree.labels),
      archived: [...tree.archived],
    };
  }
}
