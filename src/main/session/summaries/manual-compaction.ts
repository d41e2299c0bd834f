import { STOPPED_FOR_COMPACTION } from '../../agent/failure-cards';
import type { RepeatGuard } from '../../agent/run-calls';
import type { CompactionRequest } from '../../compaction/compact';
import type { Runs } from '../machine/runs';
import type { CompactParams, SessionScope } from '../machine/scope';
import type { Operation } from '../machine/slot';
import type { AutoCompaction } from './auto-compaction';
import { latestCompaction } from './compaction-changes';
import { runCompaction } from './compactor';
import { refuseImpossible } from './previews';
import type { SummaryInstructions } from '@shared/compaction/summary-job';
import { isOpenTurn, turnEnd } from '@shared/session/tree/turn-end';

type Asked = Omit<CompactionRequest, 'reason' | 'model' | 'signal'>;

/** The compactions of a session that the person asks for (JB8, UN5). Methods reject with a message meant for them. */
export class ManualCompaction {
  constructor(
    private readonly scope: SessionScope,
    private readonly runs: Runs,
    private readonly parts: { auto: Pick<AutoCompaction, 'reset'>; repeats: RepeatGuard },
  ) {}

  /**
   * Compacts at the leaf (JB8). A run is stopped first and what it has is recorded; it goes on afterwards, as does what waits in the
   * queue. Resolves when the compaction has begun.
   */
  async compact({ retry = false, ...asked }: CompactParams): Promise<void> {
    const { scope, runs } = this;
    const begin = (resumes: boolean): void => {
      refuseImpossible(scope.log, scope.models, asked);
      this.start({ asked: trimmed(asked) }, resumes);
    };
    if (runs.ask('compact') === 'allow') return begin(retry);
    refuseImpossible(scope.log, scope.models, asked);
    await scope.slot
      .stopFor(() => {
        // Whatever was true before the run ended need not be true now.
        runs.ask('compact');
        begin(true);
      })
      // What was said meanwhile waits for nothing any more.
      .finally(() => runs.pump());
  }

  /**
   * Summarises the messages of the branch's latest compaction again, with other instructions (UN5). The new one takes its
   * place, what came after it stays. Resolves when it has begun.
   */
  async again(entryId: string, asked: SummaryInstructions): Promise<void> {
    const { scope } = this;
    this.runs.ask('navigate');
    refuseImpossible(scope.log, scope.models, { model: asked.model });
    const again = latestCompaction(scope.log.tree, entryId).id;
    this.start({ again, asked: trimmed(asked) });
  }

  private start(request: Asked, resumes = false): void {
    this.parts.auto.reset();
    this.scope.setFailure(null);
    this.scope.slot.hold('job', (operation) => this.carryOut(operation, request, resumes));
  }

  private async carryOut(operation: Operation, request: Asked, resumes: boolean): Promise<void> {
    const { scope, runs } = this;
    await Promise.resolve();
    const { signal } = operation;
    const how = { ...request, reason: 'manual', model: scope.model, signal } as const;
    const outcome = await runCompaction(scope, how, operation);
    if (outcome.kind === 'done') this.parts.repeats.arm();
    scope.tellUsage();
    // A prepared branch begins when the turn has ended, what is said at HEAD goes on with it (GR13).
    if (!resumes || scope.queue.next()) return void runs.pump();
    // Who heard of the end has acted already: gone elsewhere, asked for another compaction.
    if (scope.slot.phase !== 'idle' || runs.isUnsaved) return;
    if (!isOpenTurn(turnEnd(scope.log.tree))) return void runs.pump();
    const isWanted = outcome.kind !== 'aborted' && scope.settings()['compaction.autoContinue'];
    if (isWanted) return runs.goOn();
    // A turn that was stopped for a compaction and is not continued automatically (JB8): nothing moves away from it by itself.
    scope.queue.setHeld(true);
    scope.setFailure(STOPPED_FOR_COMPACTION);
    scope.slot.refresh();
  }
}

function trimmed({ instructions, ...asked }: SummaryInstructions): SummaryInstructions {
  const focus = instructions?.trim();
  return { ...asked, ...(focus ? { instructions: focus } : {}) };
}
